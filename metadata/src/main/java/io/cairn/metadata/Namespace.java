package io.cairn.metadata;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.Policy;
import io.cairn.fs.Name;
import io.cairn.metadata.classes.StorageClasses;
import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.cluster.MapHistory;
import io.cairn.metadata.cluster.RecordQueries;
import io.cairn.metadata.content.ContentQueries;
import io.cairn.metadata.content.GarbageCount;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.inode.OrphanIndex;
import io.cairn.metadata.job.JobError;
import io.cairn.metadata.job.JobQueries;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.TreeWalk;
import io.cairn.metadata.lock.LockQueries;
import io.cairn.metadata.lock.LockRecord;
import io.cairn.metadata.session.SessionQueries;
import io.cairn.metadata.session.SessionRecord;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotStatus;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Notice;
import io.cairn.metadata.state.StateHash;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.metadata.trash.TrashQueries;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.metadata.trash.TrashSums;
import io.cairn.metadata.tree.SubtreeQueries;
import io.cairn.metadata.tree.TreeQueries;
import io.cairn.wire.Decoder;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The replicated state of a cluster: tree, contents, sessions, locks, garbage, cluster map. A
 * deterministic state machine: the same log entries in the same order make the same state, whoever
 * applies them and however often the process was restarted between them.
 *
 * <p>Threads: {@link #apply} and {@link #advance} belong to one thread. Everything else may be
 * called by any thread at any time and sees the state between two log entries. An entry is executed
 * beside the committed state; only the commit of its changes excludes readers.
 *
 * <p>A log entry holds one or more envelopes:
 *
 * <pre>
 * +----------+----------+-----+----------+----------+
 * | length 4 | envelope | ... | length 4 | envelope |
 * +----------+----------+-----+----------+----------+
 * </pre>
 */
public final class Namespace {
    /** Envelopes of one log entry. */
    public static final int MAX_ENVELOPES = 1 << Keys.ORDINAL_BITS;

    /** The values that readers see besides the store; replaced as a whole with each commit. */
    private record Published(
            long term,
            long index,
            Set<Integer> usedPools,
            long clusterId,
            int level,
            SnapshotStatus snapshots,
            int standardReplicas,
            int inlineLimitBytes,
            long inodeCount,
            long firstSureOid,
            long recordChanges) {}

    private final Store store;
    private final ProtocolRange understood;
    private final InodeCache cache = new InodeCache();
    private final OrphanIndex orphans;
    private final GarbageCount garbage;
    private final Counters counters;
    private final Transaction transaction;
    private final Interpreter interpreter;
    private final View view;
    private final MapHistory maps;
    private final Accounts accounts;
    private final StorageClasses classes;
    private final QueryAnswers answers;
    private final StateHash hash;
    private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
    private volatile Published published;

    /**
     * Opens the state in a store, which may be empty. The store stays the caller's to close.
     *
     * @throws IllegalStateException when the store holds a newer format, or the cluster is at a
     *     level that this release does not understand
     */
    public Namespace(Store store) {
        this(store, ProtocolRange.OURS);
    }

    /** The state as a release that understands these versions of the protocol keeps it. */
    public Namespace(Store store, ProtocolRange understood) {
        this.understood = understood;
        this.store = store;
        orphans = OrphanIndex.load(store);
        garbage = GarbageCount.load(store);
        counters = Counters.load(store);
        transaction = new Transaction(store, cache, counters);
        interpreter = new Interpreter(store, transaction, understood);
        view = new View(store, cache);
        maps = new MapHistory(interpreter.cluster().map());
        accounts = new Accounts(view, lock.readLock(), maps, interpreter.quotas());
        classes = new StorageClasses(view, lock.readLock(), TreeQueries::dentryOf);
        answers = new QueryAnswers(view, lock.readLock(), maps);
        hash = StateHash.load(store);
        published = publication(store.appliedTerm(), store.appliedIndex());
    }

    /**
     * The outcome of a log entry.
     *
     * @param outcomes one per envelope; a single EPROTO failure when the bytes are not a sequence
     *     of envelopes: then nothing was executed
     * @param notices what the leader should tell its clients, in order
     */
    public record Applied(List<Outcome> outcomes, List<Notice> notices) {}

    /**
     * Executes a log entry. Bad input never throws: it fails with a reply, the same on every
     * master.
     *
     * @param index above {@link #appliedIndex}
     * @throws RuntimeException when the store failed or an invariant is broken: the process must
     *     halt and recover from log and snapshot
     */
    public Applied apply(long term, long index, byte[] entry) {
        requireNext(index);
        transaction.begin(index);
        List<Outcome> outcomes = new ArrayList<>();
        List<Integer> offsets = envelopes(entry);
        if (offsets == null) {
            outcomes.add(Interpreter.malformed("log entry " + index + " holds no envelopes"));
        } else {
            for (int ordinal = 0; ordinal < offsets.size(); ordinal++) {
                int offset = offsets.get(ordinal);
                int length = new Decoder(entry, offset - Integer.BYTES, Integer.BYTES).i32();
                outcomes.add(interpreter.execute(entry, offset, length, ordinal));
            }
        }
        commit(transaction.changes(), term, index);
        return new Applied(outcomes, transaction.notices());
    }

    /** Takes note of a log entry without mutations: a change of the Raft group, a new term. */
    public void advance(long term, long index) {
        requireNext(index);
        transaction.begin(index);
        commit(List.of(), term, index);
    }

    private void requireNext(long index) {
        if (index <= published.index) {
            throw new IllegalArgumentException(
                    "log entry " + index + " after " + published.index + " was applied");
        }
    }

    /** Where the envelopes begin, or null when the entry is not made of envelopes. */
    private static @Nullable List<Integer> envelopes(byte[] entry) {
        List<Integer> offsets = new ArrayList<>();
        int at = 0;
        while (at < entry.length) {
            if (entry.length - at < Integer.BYTES || offsets.size() == MAX_ENVELOPES) {
                return null;
            }
            int length = new Decoder(entry, at, Integer.BYTES).i32();
            at += Integer.BYTES;
            if (length <= Envelope.HEADER_BYTES || length > entry.length - at) {
                return null;
            }
            offsets.add(at);
            at += length;
        }
        return offsets.isEmpty() ? null : offsets;
    }

    private void commit(List<Change> changes, long term, long index) {
        lock.writeLock().lock();
        try {
            store.commit(hash.follow(changes, index), term, index);
            orphans.follow(changes);
            garbage.follow(changes);
            transaction.publish();
            interpreter.jobs().publish();
            maps.add(interpreter.cluster().map());
            published = publication(term, index);
        } finally {
            lock.writeLock().unlock();
        }
    }

    private Published publication(long term, long index) {
        Cluster cluster = interpreter.cluster();
        return new Published(
                term,
                index,
                counters.usedPools(),
                cluster.clusterId(),
                cluster.level(),
                interpreter.snapshots().status(),
                cluster.standardReplicas(),
                cluster.inlineLimitBytes(),
                counters.inodeCount(),
                counters.firstSureOid(),
                interpreter.records().changes());
    }

    private <T> T reading(Supplier<T> reader) {
        lock.readLock().lock();
        try {
            return reader.get();
        } finally {
            lock.readLock().unlock();
        }
    }

    /** Index of the last applied log entry; -1 at first. */
    public long appliedIndex() {
        return published.index;
    }

    /** Term of the last applied log entry; 0 at first. */
    public long appliedTerm() {
        return published.term;
    }

    /**
     * Answers a query from the applied state; errors come as {@link Reply.Failure}.
     *
     * @param session who asks; counts only for TestLock
     */
    public Reply read(long session, Query.OfState query) {
        return answers.answer(session, query, published.firstSureOid);
    }

    /** An inode, orphans included; null when there is none. */
    public @Nullable Inode inode(long ino) {
        lock.readLock().lock();
        try {
            return view.inode(ino);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** The session that has the APPEND token of a file; 0 when none has. */
    public long appender(long ino) {
        return reading(() -> LockQueries.appender(view, ino));
    }

    /** The current cluster map. */
    public ClusterMap clusterMap() {
        return maps.youngest();
    }

    /** The difference of the current cluster map from that of an epoch. */
    public MapDelta mapSince(long epoch) {
        return maps.since(epoch);
    }

    /** The pools that a file or an entry of garbage refers to. */
    public Set<Integer> usedPools() {
        return published.usedPools;
    }

    /** The identity of the cluster; 0 until it is founded. */
    public long clusterId() {
        return published.clusterId;
    }

    /** Mutations are of this version of the protocol at most: all masters understand it. */
    public int level() {
        return published.level;
    }

    /** The versions that this release understands: how far the level may be raised here. */
    public ProtocolRange understood() {
        return understood;
    }

    /** Contents up to this size live in the inode, in bytes. */
    public int inlineLimitBytes() {
        return published.inlineLimitBytes;
    }

    /** Copies of every chunk unless a policy says otherwise. */
    public int standardReplicas() {
        return published.standardReplicas;
    }

    /** Whether contents in chunks lie as new ones would that a policy asks for; else also true. */
    public boolean isLaidOutAs(Inode inode, Policy policy) {
        Layout layout = inode.layout();
        Published now = published;
        return layout == null
                || inode.inline() != null
                || LayoutChoice.satisfies(maps.youngest(), now.standardReplicas, layout, policy);
    }

    /** Whether a mutation of a session was done, and its client has not said that it knows. */
    public boolean hasReply(long session, long sequence) {
        return reading(() -> store.get(Store.Family.REPLY, Keys.of(session, sequence)) != null);
    }

    /** What accounts hold and may hold. */
    public Accounts accounts() {
        return accounts;
    }

    /** The storage classes. */
    public StorageClasses classes() {
        return classes;
    }

    /** All snapshots by number, those only begun and dropped ones included. */
    public List<SnapshotRecord> snapshots() {
        return reading(() -> SnapshotRecord.all(view));
    }

    /** What the leader has to do for snapshots. */
    public SnapshotStatus snapshotStatus() {
        return published.snapshots;
    }

    /** Number of inodes, orphans included. */
    public long inodeCount() {
        return published.inodeCount;
    }

    /** All tree jobs, by number; a copy. */
    public List<JobRecord> jobs() {
        return List.copyOf(interpreter.jobs().published());
    }

    /** A tree job, or null when there is none of that number. */
    public @Nullable JobRecord job(long job) {
        return interpreter.jobs().published(job);
    }

    /** The first errors of a tree job, at most {@value TreeWalk#MAX_ERRORS}. */
    public List<JobError> jobErrors(long job) {
        return reading(() -> JobQueries.errors(view, job));
    }

    /**
     * The directory that an unfinished tree job is in, as a path of bytes; the path of its tree
     * when it is in none.
     */
    public byte[] jobPath(JobRecord record) {
        return reading(() -> JobQueries.path(view, record.job(), record.order().path()));
    }

    /** All open sessions, by number. */
    public List<SessionRecord> sessions() {
        return reading(() -> SessionQueries.sessions(view));
    }

    /**
     * Records of the administration whose keys begin with a text, in the order of their keys.
     *
     * @param after only keys behind this one; empty for all
     * @param max how many at most
     */
    public List<AdminRecord> records(String prefix, String after, int max) {
        return reading(() -> RecordQueries.records(view, prefix, after, max));
    }

    /** Another number after each change of records of the administration, while this is open. */
    public long recordChanges() {
        return published.recordChanges;
    }

    /** The inodes on a path from the root on, as far as there are names; the root is the first. */
    public List<Long> trail(List<Name> path) {
        return reading(() -> SubtreeQueries.trail(view, path));
    }

    /** Whether an inode, by any of its names, is a directory or in the tree below it. */
    public boolean isBelow(long ino, long directoryIno) {
        return reading(() -> SubtreeQueries.isBelow(view, ino, directoryIno));
    }

    /** About {@code max} locks that a session holds or waits for; reads all: for operators. */
    public List<LockRecord> locks(long session, int max) {
        return reading(() -> LockQueries.locks(view, session, max));
    }

    /** The files in the trash that go first, those first that go first; at most {@code max}. */
    public TrashQueries.Page trash(TrashQueries.Position after, int max) {
        return reading(() -> TrashQueries.page(view, after, max));
    }

    /** The record of an inode in the trash; null when it is not there. */
    public @Nullable TrashRecord trashed(long ino) {
        lock.readLock().lock();
        try {
            return TrashQueries.find(view, ino);
        } finally {
            lock.readLock().unlock();
        }
    }

    /** What goes from the trash by itself until a wall time, in nanoseconds; at most so many. */
    public List<Long> trashEnding(long untilNs, int max) {
        return reading(() -> TrashQueries.ending(view, untilNs, max));
    }

    /** The sums of all files in the trash. */
    public TrashSums trashSums() {
        return reading(() -> TrashQueries.sums(view));
    }

    /** Seconds that a directory itself keeps what goes; below 0 when it does not say. */
    public long trashKept(long ino) {
        return reading(() -> TrashQueries.kept(view, ino));
    }

    /** Inodes without a name, by number, after {@code afterIno}. */
    public List<Long> orphans(long afterIno, int max) {
        return reading(() -> orphans.after(afterIno, max));
    }

    /**
     * Files whose contents are in the inode while a client that was lost before a wall time may
     * have written chunks of their object, by number.
     */
    public List<Long> doubtful(long beforeNs, int max) {
        return reading(() -> ContentQueries.doubtful(view, beforeNs, max));
    }

    /** How many inodes have no name, those that are held open included. */
    public long orphanCount() {
        return reading(orphans::count);
    }

    /** How many entries of data wait until every replica has deleted them. */
    public long garbageCount() {
        return reading(garbage::get);
    }

    /** Data to delete, by entry, after {@code afterEntryId}. */
    public List<ClusterRequest.GarbageTask> garbage(long afterEntryId, int max) {
        return reading(() -> ContentQueries.garbage(view, afterEntryId, max));
    }

    /** Whether a file that is not in the trash has an object in common with an inode. */
    public boolean isShared(long oid, long ino) {
        return reading(() -> ContentQueries.isShared(view, oid, ino));
    }

    /** The hash of the state after some of the last log entries; for any thread. */
    public List<StateHash.Mark> hashes() {
        return hash.marks();
    }

    /** The state between two log entries, as it is now; its user closes it. */
    public StoredState snapshot() {
        return store.snapshot();
    }

    /**
     * SHA-256 over all but the store's position: equal on all masters that applied the same
     * entries. Reads everything, and no entry is applied meanwhile: for tests and operators.
     */
    public byte[] fingerprint() {
        return reading(view::fingerprint);
    }

    /** Checks all invariants while no entry is applied: {@link StateCheck#violations}. */
    public List<String> check() {
        return reading(() -> new StateCheck(store).violations());
    }
}
