package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.classes.ClassTable;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.cluster.RecordTable;
import io.cairn.metadata.cluster.StorageOperations;
import io.cairn.metadata.content.ContentClone;
import io.cairn.metadata.content.ContentOperations;
import io.cairn.metadata.content.DoubtfulObjects;
import io.cairn.metadata.content.InlineLayout;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.content.RangeClone;
import io.cairn.metadata.content.SharedObjects;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.inode.XattrTable;
import io.cairn.metadata.job.JobTable;
import io.cairn.metadata.lock.HostOperations;
import io.cairn.metadata.lock.HostTable;
import io.cairn.metadata.lock.LockTable;
import io.cairn.metadata.session.Session;
import io.cairn.metadata.session.SessionOperations;
import io.cairn.metadata.session.SessionTable;
import io.cairn.metadata.snapshot.SnapshotTable;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.trash.TrashBin;
import io.cairn.metadata.trash.TrashOperations;
import io.cairn.metadata.tree.AttributeOperations;
import io.cairn.metadata.tree.EditOperation;
import io.cairn.metadata.tree.FileClone;
import io.cairn.metadata.tree.NameOperations;
import io.cairn.metadata.tree.RenameOperation;
import io.cairn.metadata.tree.TreeClone;
import io.cairn.metadata.tree.TreeOperations;
import io.cairn.metadata.usage.QuotaTable;
import io.cairn.metadata.usage.UsageTable;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SharingMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.StorageMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.MutationType;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.Done;
import io.cairn.wire.master.Reply.Failure;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.SessionMutation.RemoveEarly;
import io.cairn.wire.master.TreeMutation;

/**
 * Executes envelopes: decodes, lets every mutation of a session happen once, and holds the one
 * switch over all mutations. Errors become replies here and nowhere else. Belongs to the apply
 * thread.
 */
final class Interpreter {
    private final Transaction transaction;
    private final Cluster cluster;
    private final StorageOperations storage;
    private final RecordTable records;
    private final QuotaTable quotas;
    private final ClassTable classes;
    private final InodeTable inodes;
    private final ObjectLedger ledger;
    private final SessionTable sessions;
    private final LockTable locks;
    private final TreeOperations treeOperations;
    private final ContentOperations contentOperations;
    private final RangeClone rangeClone;
    private final SessionOperations sessionOperations;
    private final HostOperations hostOperations;
    private final JobTable jobs;
    private final TrashOperations trashOperations;
    private final SnapshotTable snapshots;

    /** Loads what is kept in memory from the store. */
    Interpreter(Store store, Transaction transaction, ProtocolRange understood) {
        this.transaction = transaction;
        cluster = new Cluster(store, transaction, understood);
        UsageTable usage = new UsageTable(store, transaction, cluster);
        SharedObjects shared = new SharedObjects(store, transaction, usage);
        transaction.watch(shared);
        quotas = new QuotaTable(store, transaction, usage);
        storage = new StorageOperations(cluster, transaction);
        records = new RecordTable(store, transaction);
        ledger = new ObjectLedger(transaction, shared);
        XattrTable xattrs = new XattrTable(transaction);
        DoubtfulObjects doubtful = new DoubtfulObjects(store, transaction);
        classes = new ClassTable(store, transaction);
        inodes = new InodeTable(transaction, xattrs, quotas, classes);
        sessions = new SessionTable(store, transaction);
        HostTable hosts = new HostTable(store, transaction);
        locks = new LockTable(store, transaction, inodes, hosts);
        DirectoryTable directories = new DirectoryTable(transaction);
        LayoutChoice layouts = new LayoutChoice(cluster, transaction.counters());
        InlineLayout inline = new InlineLayout(layouts, ledger, doubtful);
        contentOperations =
                new ContentOperations(transaction, inodes, ledger, layouts, cluster, doubtful);
        TrashBin trash = new TrashBin(store, transaction, inodes, directories, classes);
        trashOperations = new TrashOperations(transaction, inodes, directories, trash);
        NameOperations names =
                new NameOperations(transaction, inodes, directories, layouts, cluster, trash);
        treeOperations =
                new TreeOperations(
                        transaction,
                        names,
                        new RenameOperation(transaction, inodes, directories, trash),
                        new AttributeOperations(
                                transaction, inodes, xattrs, contentOperations, layouts, inline),
                        contentOperations);
        sessionOperations = new SessionOperations(transaction, sessions, locks, doubtful, cluster);
        hostOperations = new HostOperations(hosts, locks);
        EditOperation edits = new EditOperation(transaction, inodes, layouts, inline);
        rangeClone = new RangeClone(transaction, inodes, ledger, shared, doubtful);
        ContentClone contents = new ContentClone(transaction, layouts, shared);
        FileClone clones = new FileClone(transaction, inodes, names, contents, shared);
        snapshots =
                new SnapshotTable(
                        store, transaction, inodes, ledger::letGo, ledger::forgetRevived, clones);
        jobs =
                new JobTable(
                        store,
                        new JobTable.Tables(
                                transaction,
                                directories,
                                names,
                                edits,
                                classes,
                                cluster,
                                snapshots,
                                new TreeClone(transaction, inodes, names)));
    }

    JobTable jobs() {
        return jobs;
    }

    QuotaTable quotas() {
        return quotas;
    }

    SnapshotTable snapshots() {
        return snapshots;
    }

    Cluster cluster() {
        return cluster;
    }

    RecordTable records() {
        return records;
    }

    /** Executes the envelope in a part of a log entry. */
    Outcome execute(byte[] entry, int offset, int length, int ordinal) {
        Envelope envelope;
        try {
            int version = Envelope.versionOf(entry, offset);
            if (version > cluster.level()) {
                // Refused alike by masters that could read it and by those that cannot.
                return malformed("version " + version + " at level " + cluster.level());
            }
            Decoder in = new Decoder(entry, offset, length);
            envelope = Envelope.decode(in);
            if (in.remaining() > 0) {
                return malformed(in.remaining() + " bytes behind a mutation");
            }
        } catch (MalformedMessageException e) {
            return malformed(String.valueOf(e.getMessage()));
        }
        transaction.beginMutation(ordinal, envelope.timeNs());
        return envelope.session() == 0 ? ofLeader(envelope) : ofSession(envelope);
    }

    static Outcome malformed(String why) {
        Failure failure = new Failure(Errno.EPROTO, why);
        return new Outcome(null, failure, failure.toBytes(ProtocolRange.FIRST));
    }

    private Outcome ofLeader(Envelope envelope) {
        return Outcome.of(envelope, isWithinSession(envelope) ? noSession(0) : run(envelope));
    }

    private static boolean isWithinSession(Envelope envelope) {
        return envelope.mutation().type().sender() == MutationType.Sender.SESSION;
    }

    private static void requireSender(Envelope envelope) {
        MutationType type = envelope.mutation().type();
        boolean may =
                switch (type.sender()) {
                    case SESSION, SESSION_OR_LEADER -> true;
                    case NEWCOMER, LEADER -> envelope.session() == 0;
                };
        if (!may) {
            throw new FsException(Errno.EPERM, "a session may not ask for " + type);
        }
    }

    private Outcome ofSession(Envelope envelope) {
        long number = envelope.session();
        Session session = sessions.find(number);
        if (session == null) {
            return Outcome.of(envelope, isOwnClose(envelope) ? new Done() : noSession(number));
        }
        byte[] remembered = sessions.remembered(session, envelope.sequence());
        if (remembered != null) {
            return new Outcome(envelope, envelope.reply(remembered), remembered);
        }
        try {
            sessions.admit(session, envelope);
        } catch (FsException e) {
            return Outcome.of(envelope, failure(e));
        }
        Outcome outcome = Outcome.of(envelope, run(envelope));
        if (!isOwnClose(envelope)) {
            sessions.remember(session, envelope, outcome.bytes());
        }
        return outcome;
    }

    private static boolean isOwnClose(Envelope envelope) {
        return envelope.mutation() instanceof SessionMutation.CloseSession m
                && m.session() == envelope.session();
    }

    private static Failure noSession(long number) {
        return new Failure(Errno.NO_SESSION, "session " + number + " is not open");
    }

    private Reply run(Envelope envelope) {
        long writes = transaction.writes();
        try {
            requireSender(envelope);
            return perform(envelope);
        } catch (FsException e) {
            if (transaction.writes() != writes) {
                throw new IllegalStateException(
                        "a mutation failed after it had changed something: " + envelope, e);
            }
            return failure(e);
        }
    }

    private static Failure failure(FsException e) {
        return new Failure(e.errno(), String.valueOf(e.getMessage()));
    }

    private Reply perform(Envelope envelope) {
        return switch (envelope.mutation()) {
            case TreeMutation m -> treeOperations.apply(m);
            case ContentMutation m -> contentOperations.apply(m);
            case SharingMutation.ShareChunks m -> rangeClone.share(m);
            case Numbered m -> numbered(envelope.session(), m);
            case SessionMutation m -> sessionOperations.apply(envelope, m);
            case HostMutation m -> hostOperations.apply(envelope.session(), m);
            case LeaderMutation m -> leader(envelope, m);
        };
    }

    private Reply numbered(long session, Numbered mutation) {
        if (mutation instanceof RemoveEarly) {
            sessions.requireRights(session, mutation.ino());
            return treeOperations.apply(mutation);
        }
        sessions.requireReserved(session, mutation.ino());
        Reply reply = treeOperations.apply(mutation);
        sessions.used(session, mutation.ino());
        return reply;
    }

    private Reply leader(Envelope envelope, LeaderMutation mutation) {
        switch (mutation) {
            case StorageMutation m -> storage.apply(m);
            case SnapshotMutation m -> snapshots.apply(m);
            case JobMutation m -> {
                return jobs.apply(m);
            }
            case TrashMutation m -> {
                return trashOperations.apply(m);
            }
            case ClassMutation m -> classes.apply(m);
            case LeaderMutation.SetQuota m -> quotas.set(m);
            case LeaderMutation.Purge m -> purge(m);
            case LeaderMutation.Collected m -> ledger.collected(m.entryIds());
            case LeaderMutation.ReleaseChunks m ->
                    ledger.releaseFound(
                            m.chunks().stream()
                                    .filter(each -> cluster.map().pool(each.poolId()) != null)
                                    .toList());
            case LeaderMutation.ChangeMap m -> cluster.change(m.part());
            case LeaderMutation.ChangeRecords m -> records.change(m.changes());
            case LeaderMutation.ChangeSettings m -> change(m);
            case LeaderMutation.LoseSession m -> sessionOperations.lose(m);
            case LeaderMutation.TakeRights m -> sessions.takeRights(m.session());
            case LeaderMutation.RenewObjects m -> contentOperations.renewObjects(m);
            case LeaderMutation.RaiseLevel m -> cluster.raise(m.level());
            case LeaderMutation.Recover _ -> {
                sessionOperations.recover(envelope.timeNs());
                cluster.recover(envelope.timeNs());
                snapshots.recover();
            }
            case LeaderMutation.DoubtObjects _ -> transaction.counters().doubtObjects();
            case LeaderMutation.Found m -> {
                if (cluster.found(m) && transaction.inode(FileSystem.ROOT_INO) == null) {
                    inodes.makeRoot(m.uid(), m.gid());
                }
            }
        }
        return new Done();
    }

    /** Nothing is written before all is known to be possible. */
    private void change(LeaderMutation.ChangeSettings m) {
        boolean isOther = m.standardReplicas() != 0;
        if (isOther) {
            cluster.requireReplicas(m.standardReplicas());
        }
        records.change(m.records());
        if (isOther) {
            cluster.setStandardReplicas(m.standardReplicas());
        }
    }

    private void purge(LeaderMutation.Purge m) {
        for (long ino : m.inos()) {
            if (inodes.isOrphan(ino)) {
                locks.drop(ino);
                contentOperations.purge(ino);
            }
        }
    }
}
