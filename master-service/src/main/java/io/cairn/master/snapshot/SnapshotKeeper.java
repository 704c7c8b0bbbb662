package io.cairn.master.snapshot;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotStatus;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.BeginClone;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.BeginSnapshot;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.DropSnapshot;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.FinishSnapshot;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.GiveUpSnapshot;
import io.cairn.wire.master.ContentMutation.SnapshotMutation.SweepHistory;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.TrashReply.Made;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongFunction;
import java.util.function.LongPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Takes snapshots and clones of files, and sweeps behind dropped snapshots. One that was begun is
 * finished when all chunk servers keep to its fence, whoever began it and which master leads by
 * then; when they do not within some seconds it is given up. The fence of clones goes when no file
 * needs it any more. Thread-safe.
 */
public final class SnapshotKeeper {
    /** Records swept in one entry of the log: clients' entries come between. */
    private static final int BATCH = 1024;

    /** Chunk servers are waited for so long. */
    private static final long PATIENCE_MS = 10_000;

    /** What a snapshot had is released so long after it was dropped, for reads under way. */
    private static final long READERS_MS = 3_000;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final LongPredicate kept;
    private final NameWatch names;
    private final LongFunction<CompletableFuture<Void>> commits;
    private final Clock clock;
    private final Map<Integer, CompletableFuture<SnapshotRecord>> waiting = new HashMap<>();
    private final Map<Integer, Waiting> clones = new HashMap<>();
    private boolean busy;
    private @Nullable SnapshotRecord finishing;
    private long begunVersion;
    private long begunSinceMs;
    private boolean refused;
    private boolean sweeping;
    private Set<Integer> dropped = Set.of();
    private long droppedMs;

    @GuardedBy("this")
    private long lookedMs = Long.MIN_VALUE / 2;

    /** How often it looks for snapshots that were taken for clones of trees. */
    private static final long LOOK_MS = 1_000;

    /** A job may be ordered so long after the snapshot for it was taken. */
    private static final long ORDER_NS = 60_000_000_000L;

    /** Somebody waits for a clone. */
    private record Waiting(SnapshotRecord record, CompletableFuture<Void> promise) {}

    /** Tells clients of names. From any thread. */
    public interface NameWatch {
        /** The names of a directory, or a list of snapshots, were changed. */
        void changed(long directoryIno);

        /** Names were made; completes when every client can find them. */
        CompletableFuture<Void> announce(List<Made> names);
    }

    /**
     * A keeper.
     *
     * @param kept whether all chunk servers keep to the fence of a version; false as long as this
     *     master has not begun to hear them in its term
     * @param commits has clients commit what they wrote below a directory; never fails, and does
     *     not take long
     * @param names hears of lists of snapshots that have changed, and of clones
     */
    public SnapshotKeeper(
            Supplier<Namespace> namespace,
            LogWriter log,
            LongPredicate kept,
            NameWatch names,
            LongFunction<CompletableFuture<Void>> commits,
            Clock clock) {
        this.namespace = namespace;
        this.log = log;
        this.kept = kept;
        this.names = names;
        this.commits = commits;
        this.clock = clock;
    }

    /**
     * This master has become the leader. It may have been asked for something in this term already,
     * so whoever waits goes on waiting: the state tells what becomes of it.
     */
    public synchronized void lead() {
        busy = false;
        begunVersion = 0;
        sweeping = false;
    }

    /** This master does not lead: what it was asked for is not its business any more. */
    public void follow() {
        List<CompletableFuture<?>> left = new ArrayList<>();
        synchronized (this) {
            left.addAll(waiting.values());
            clones.values().forEach(each -> left.add(each.promise()));
            waiting.clear();
            clones.clear();
        }
        left.forEach(each -> each.completeExceptionally(changed()));
    }

    private static FsException changed() {
        return new FsException(Errno.EAGAIN, "another master leads now: look whether it is there");
    }

    /**
     * Takes a snapshot of a directory, once clients have committed what they wrote below it, or
     * have not answered for two seconds. EEXIST, EAGAIN, ENOTDIR, ESTALE, ENOSPC; ETIMEDOUT when
     * not all chunk servers answered in time: then there is none.
     */
    public CompletableFuture<SnapshotRecord> take(long root, Name name) {
        return commits.apply(root)
                .thenCompose(_ -> log.submit(new BeginSnapshot(root, name)))
                .thenCompose(reply -> begun(reply, root, name));
    }

    private CompletableFuture<SnapshotRecord> begun(Reply reply, long root, Name name) {
        requireDone(reply);
        for (SnapshotRecord record : namespace.get().snapshots()) {
            boolean isIt = record.root() == root && record.name().equals(name);
            if (isIt && record.state() != SnapshotRecord.State.DROPPED) {
                return await(record);
            }
        }
        return CompletableFuture.failedFuture(givenUp("snapshot '" + name + "'"));
    }

    /**
     * Makes a clone of a file, once clients have committed what they wrote to it, or have not
     * answered for two seconds; completes when every client can find it. Fails as {@link
     * BeginClone}; ETIMEDOUT when not all chunk servers answered in time: then there is none.
     *
     * @param source may be in a snapshot: nobody writes to it, and chunk servers are not asked
     */
    public CompletableFuture<Void> cloneFile(long source, long parent, Name name) {
        CompletableFuture<Void> committed =
                PastInode.isPast(source)
                        ? CompletableFuture.completedFuture(null)
                        : commits.apply(source);
        return committed
                .thenCompose(_ -> log.submit(new BeginClone(source, parent, name)))
                .thenCompose(reply -> cloning(reply, source, new Made(parent, name)))
                .thenCompose(_ -> names.announce(List.of(new Made(parent, name))));
    }

    private CompletableFuture<Void> cloning(Reply reply, long source, Made place) {
        requireDone(reply);
        CompletableFuture<Void> promise;
        synchronized (this) {
            SnapshotRecord begun = namespace.get().snapshotStatus().begun();
            if (begun == null
                    || !begun.isClone()
                    || begun.root() != source
                    || !placeOf(begun).equals(place)) {
                // Contents in the inode, or it was ended by now.
                return isThere(place)
                        ? CompletableFuture.completedFuture(null)
                        : CompletableFuture.failedFuture(givenUp("the clone"));
            }
            promise =
                    clones.computeIfAbsent(
                                    begun.number(),
                                    _ -> new Waiting(begun, new CompletableFuture<>()))
                            .promise();
        }
        tick();
        return promise;
    }

    private static Made placeOf(SnapshotRecord clone) {
        return new Made(clone.parent(), clone.name());
    }

    private boolean isThere(Made place) {
        return namespace.get().read(0, new Query.Lookup(place.parentIno(), place.name()))
                instanceof Reply.EntryReply;
    }

    private CompletableFuture<SnapshotRecord> await(SnapshotRecord record) {
        CompletableFuture<SnapshotRecord> promise;
        synchronized (this) {
            promise = waiting.computeIfAbsent(record.number(), _ -> new CompletableFuture<>());
        }
        tick();
        return promise;
    }

    private static FsException givenUp(String what) {
        return new FsException(
                Errno.ETIMEDOUT, what + " was given up: not all chunk servers answered in time");
    }

    /** Drops a snapshot; ENOENT. */
    public CompletableFuture<Void> drop(SnapshotRecord snapshot) {
        return log.submit(new DropSnapshot(snapshot.number()))
                .thenAccept(
                        reply -> {
                            requireDone(reply);
                            names.changed(PastInode.list(snapshot.root()));
                        });
    }

    private static void requireDone(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw new FsException(failure.errno(), failure.message());
        }
    }

    /** Looks what is to be done; while this master leads. */
    public void tick() {
        dropUsed();
        SnapshotMutation next;
        synchronized (this) {
            answer();
            next = busy ? null : next();
            busy |= next != null;
        }
        if (next != null) {
            var _ =
                    log.submit(next)
                            .whenComplete(
                                    (reply, _) -> {
                                        boolean goesOn = ended(next, reply);
                                        if (goesOn) {
                                            tick();
                                        }
                                    });
        }
    }

    /** Drops snapshots for clones of trees, when their jobs have ended or never began. */
    private void dropUsed() {
        if (namespace.get().snapshotStatus().isSweeping()) {
            // Each drop begins the sweep anew: clones in a row would keep it from ending.
            return;
        }
        synchronized (this) {
            if (clock.millis() - lookedMs < LOOK_MS) {
                return;
            }
            lookedMs = clock.millis();
        }
        Map<Name, JobRecord> jobs = new HashMap<>();
        for (JobRecord job : namespace.get().jobs()) {
            if (job.order().kind() == JobOrder.Kind.CLONE) {
                jobs.put(SnapshotRecord.forClone(job.request()), job);
            }
        }
        for (SnapshotRecord record : namespace.get().snapshots()) {
            if (!record.isLive() || !SnapshotRecord.isForClone(record.name())) {
                continue;
            }
            JobRecord job = jobs.get(record.name());
            boolean isUsed =
                    job == null
                            ? clock.wallNs() - record.timeNs() > ORDER_NS
                            : job.state().isFinished();
            if (isUsed) {
                var _ = drop(record);
            }
        }
    }

    private boolean ended(SnapshotMutation done, @Nullable Reply reply) {
        synchronized (this) {
            busy = false;
            if (done instanceof FinishSnapshot finish) {
                refused |= reply instanceof Reply.Failure;
                finished(finish.number(), reply);
            }
            answer();
        }
        return reply instanceof Reply.Done;
    }

    /**
     * Clients hear of the name of a clone, whoever waits for it: perhaps nobody does, because
     * another master began it. When the answer is lost it may be there all the same.
     */
    private void finished(int number, @Nullable Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            Waiting refusedOne = isBegun(number) ? clones.remove(number) : null;
            if (refusedOne != null) {
                refusedOne
                        .promise()
                        .completeExceptionally(new FsException(failure.errno(), failure.message()));
            }
            return;
        }
        SnapshotRecord record = finishing;
        if (record == null || record.number() != number || !record.isClone()) {
            return;
        }
        CompletableFuture<Void> announced = names.announce(List.of(placeOf(record)));
        Waiting waits = reply == null ? null : clones.remove(number);
        if (waits != null) {
            var _ = announced.whenComplete((_, _) -> waits.promise().complete(null));
        }
    }

    private boolean isBegun(int number) {
        SnapshotRecord begun = namespace.get().snapshotStatus().begun();
        return begun != null && begun.number() == number;
    }

    private @Nullable SnapshotMutation next() {
        SnapshotStatus status = namespace.get().snapshotStatus();
        SnapshotRecord begun = status.begun();
        long version = status.fence().version();
        noteDropped(status);
        if (begun != null) {
            if (begunVersion != version) {
                begunVersion = version;
                begunSinceMs = clock.millis();
                refused = false;
            }
            if (!refused && kept.test(version)) {
                finishing = begun;
                return new FinishSnapshot(begun.number());
            }
            boolean isLate = refused || clock.millis() - begunSinceMs > PATIENCE_MS;
            return isLate ? new GiveUpSnapshot(begun.number()) : null;
        }
        boolean isSweepDue = sweeping && clock.millis() - droppedMs >= READERS_MS;
        return isSweepDue || status.isFenceIdle() ? new SweepHistory(BATCH) : null;
    }

    /** Readers have their time from the last drop on, whatever else is taken or cloned. */
    private void noteDropped(SnapshotStatus status) {
        Set<Integer> now = new HashSet<>();
        if (status.isSweeping()) {
            for (SnapshotRecord record : namespace.get().snapshots()) {
                if (record.state() == SnapshotRecord.State.DROPPED) {
                    now.add(record.number());
                }
            }
        }
        if (!sweeping || !dropped.containsAll(now)) {
            droppedMs = clock.millis();
        }
        sweeping = status.isSweeping();
        dropped = now;
    }

    /** Tells those who wait. */
    private void answer() {
        if (!busy && !clones.isEmpty()) {
            clones.entrySet()
                    .removeIf(entry -> !isBegun(entry.getKey()) && answerEnded(entry.getValue()));
        }
        if (waiting.isEmpty()) {
            return;
        }
        Map<Integer, SnapshotRecord> records = new HashMap<>();
        namespace.get().snapshots().forEach(record -> records.put(record.number(), record));
        waiting.entrySet()
                .removeIf(
                        entry -> {
                            SnapshotRecord record = records.get(entry.getKey());
                            if (record != null && record.isLive()) {
                                names.changed(PastInode.list(record.root()));
                                return entry.getValue().complete(record);
                            }
                            boolean isGone =
                                    record == null
                                            || record.state() == SnapshotRecord.State.DROPPED;
                            return isGone
                                    && entry.getValue()
                                            .completeExceptionally(givenUp("the snapshot"));
                        });
    }

    /** Nobody has told how a clone ended: whether it is there says so. */
    private boolean answerEnded(Waiting clone) {
        Made place = placeOf(clone.record());
        if (!isThere(place)) {
            return clone.promise().completeExceptionally(givenUp("the clone"));
        }
        var _ =
                names.announce(List.of(place))
                        .whenComplete((_, _) -> clone.promise().complete(null));
        return true;
    }
}
