package io.cairn.metadata;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.cluster.RecordTable;
import io.cairn.metadata.content.ContentOperations;
import io.cairn.metadata.content.DoubtfulObjects;
import io.cairn.metadata.content.LayoutChoice;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.inode.DirectoryTable;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.inode.XattrTable;
import io.cairn.metadata.job.JobTable;
import io.cairn.metadata.lock.HostTable;
import io.cairn.metadata.lock.LockTable;
import io.cairn.metadata.session.Session;
import io.cairn.metadata.session.SessionTable;
import io.cairn.metadata.state.Store;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.tree.AttributeOperations;
import io.cairn.metadata.tree.EditOperation;
import io.cairn.metadata.tree.RenameOperation;
import io.cairn.metadata.tree.TreeOperations;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.MutationType;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.Done;
import io.cairn.wire.master.Reply.EntryReply;
import io.cairn.wire.master.Reply.Failure;
import io.cairn.wire.master.Reply.SessionReply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;

/**
 * Executes envelopes: decodes, lets every mutation of a session happen once, and holds the one
 * switch over all mutations. Errors become replies here and nowhere else. Belongs to the apply
 * thread.
 */
final class Interpreter {
    private final Transaction transaction;
    private final Cluster cluster;
    private final RecordTable records;
    private final InodeTable inodes;
    private final ObjectLedger ledger;
    private final DoubtfulObjects doubtful;
    private final SessionTable sessions;
    private final HostTable hosts;
    private final LockTable locks;
    private final TreeOperations tree;
    private final RenameOperation rename;
    private final ContentOperations contents;
    private final AttributeOperations attributes;
    private final JobTable jobs;

    /** Loads what is kept in memory from the store. */
    Interpreter(Store store, Transaction transaction, ProtocolRange understood) {
        this.transaction = transaction;
        cluster = new Cluster(store, transaction, understood);
        records = new RecordTable(store, transaction);
        ledger = new ObjectLedger(transaction);
        XattrTable xattrs = new XattrTable(transaction);
        doubtful = new DoubtfulObjects(store, transaction);
        inodes = new InodeTable(transaction, xattrs);
        sessions = new SessionTable(store, transaction);
        hosts = new HostTable(store, transaction);
        locks = new LockTable(store, transaction, inodes, hosts);
        DirectoryTable directories = new DirectoryTable(transaction);
        LayoutChoice layouts = new LayoutChoice(cluster, transaction.counters());
        tree = new TreeOperations(transaction, inodes, directories, layouts, cluster);
        rename = new RenameOperation(transaction, inodes, directories);
        contents = new ContentOperations(transaction, inodes, ledger, layouts, cluster, doubtful);
        attributes = new AttributeOperations(transaction, inodes, xattrs, contents, layouts);
        EditOperation edits = new EditOperation(transaction, inodes, layouts);
        jobs =
                new JobTable(
                        store, new JobTable.Rooms(transaction, directories, tree, edits, cluster));
    }

    JobTable jobs() {
        return jobs;
    }

    Cluster cluster() {
        return cluster;
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
            return perform(envelope, envelope.mutation());
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

    private Reply perform(Envelope envelope, Mutation mutation) {
        return switch (mutation) {
            case TreeMutation.Create m -> tree.create(m);
            case TreeMutation.CreateUnnamed m -> tree.createUnnamed(m);
            case TreeMutation.Mkdir m -> tree.mkdir(m);
            case TreeMutation.Symlink m -> tree.symlink(m);
            case TreeMutation.Link m -> tree.link(m);
            case TreeMutation.Unlink m -> tree.unlink(m);
            case TreeMutation.Rmdir m -> tree.rmdir(m);
            case TreeMutation.Rename m -> rename.rename(m);
            case TreeMutation.SetAttributes m -> attributes.setAttributes(m);
            case TreeMutation.SetXattr m -> attributes.setXattr(m);
            case TreeMutation.ReplaceXattr m -> attributes.replaceXattr(m);
            case TreeMutation.RemoveXattr m -> attributes.removeXattr(m);
            case TreeMutation.SetPolicy m -> attributes.setPolicy(m);
            case TreeMutation.Witnessed m -> witnessed(envelope, m);
            case ContentMutation.WriteInline m -> contents.writeInline(m);
            case ContentMutation.CommitSize m -> contents.commitSize(m);
            case ContentMutation.Spill m -> contents.spill(m);
            case ContentMutation.CloneDone m -> contents.cloneDone(m);
            case ContentMutation.SwapContents m -> contents.swap(m);
            case ContentMutation.RenewTail m -> contents.renewTail(m);
            case ContentMutation.TakeDetour m -> contents.takeDetour(m);
            case SessionMutation m -> session(envelope, m);
            case HostMutation m -> host(envelope.session(), m);
            case LeaderMutation m -> leader(m);
        };
    }

    private Reply witnessed(Envelope envelope, TreeMutation.Witnessed m) {
        List<AttributeStamp> before = new ArrayList<>(2);
        for (long ino : m.inos()) {
            Inode inode = transaction.inode(ino);
            if (inode != null) {
                before.add(AttributeStamp.of(inode.attributes()));
            }
        }
        Reply reply = perform(envelope, m.mutation());
        return reply instanceof EntryReply entry ? entry.witnessed(before) : reply;
    }

    private Reply session(Envelope envelope, SessionMutation mutation) {
        long session = envelope.session();
        return switch (mutation) {
            case SessionMutation.SetLock m -> locks.set(session, m);
            case SessionMutation.CancelLock m -> {
                locks.cancel(session, m);
                yield new Done();
            }
            case SessionMutation.ReleaseLocks m -> {
                locks.release(session, m);
                yield new Done();
            }
            case SessionMutation.OpenSession m -> open(envelope, m);
            case SessionMutation.CloseSession m -> {
                if (session != 0 && session != m.session()) {
                    throw new FsException(Errno.EPERM, "a session can close itself only");
                }
                if (session == 0 && sessions.find(m.session()) != null) {
                    // Not its own wish; leaders before LoseSession ended sessions so.
                    transaction.counters().doubtObjects();
                }
                end(m.session());
                yield new Done();
            }
        };
    }

    private void end(long session) {
        locks.endHolder(session);
        sessions.close(session);
    }

    /** A number that has been given and is not known here is never given again. */
    private void recover() {
        doubtful.addAll();
        for (long session : sessions.numbers()) {
            lose(new LeaderMutation.LoseSession(session, new long[0], true));
        }
        transaction.counters().passOver();
        cluster.recover();
    }

    /** It may have written what it has not committed. */
    private void lose(LeaderMutation.LoseSession m) {
        if (sessions.find(m.session()) == null) {
            return;
        }
        transaction.counters().doubtObjects();
        if (!m.known()) {
            doubtful.addAll();
        }
        for (long ino : m.inos()) {
            Inode inode = transaction.inode(ino);
            if (inode != null) {
                doubtful.add(inode);
            }
        }
        end(m.session());
    }

    private Reply host(long gateway, HostMutation mutation) {
        return switch (mutation) {
            case HostMutation.SetHostLock m -> setHostLock(gateway, m);
            case HostMutation.CancelHostLock m -> {
                locks.cancel(hosts.find(m.host()), m.ino(), m.requestId());
                yield new Done();
            }
            case HostMutation.ReleaseHost m -> {
                if (!hosts.isIn(m.host(), m.exceptState())) {
                    locks.endHolder(hosts.find(m.host()));
                }
                yield new Done();
            }
            case HostMutation.TakeNotifyState _ ->
                    new Reply.HostsReply(hosts.takeNotifyState(), List.of(), true);
        };
    }

    private Reply setHostLock(long gateway, HostMutation.SetHostLock m) {
        boolean isReborn = hosts.isReborn(m.from());
        if (isReborn) {
            locks.endHolder(hosts.find(m.from().host()));
        }
        try {
            long host = hosts.begin(m.from());
            try {
                Reply reply = locks.set(gateway, host, m);
                hosts.learn(host, m.from());
                return reply;
            } finally {
                hosts.end(host);
            }
        } catch (FsException e) {
            if (isReborn) {
                // What the machine held before has been released and stays so.
                return failure(e);
            }
            throw e;
        }
    }

    private Reply open(Envelope envelope, SessionMutation.OpenSession m) {
        if (cluster.clusterId() == 0) {
            throw new FsException(Errno.NOT_READY, "the cluster is not founded yet");
        }
        Session session = sessions.open(envelope.sequence(), m.client());
        return new SessionReply(
                session.number(),
                cluster.clusterId(),
                Namespace.LEASE_MS,
                cluster.inlineLimitBytes(),
                cluster.map().epoch());
    }

    private Reply leader(LeaderMutation mutation) {
        switch (mutation) {
            case JobMutation m -> {
                return jobs.perform(m);
            }
            case LeaderMutation.Purge m -> purge(m);
            case LeaderMutation.Collected m -> ledger.collected(m.entryIds());
            case LeaderMutation.ChangeMap m -> cluster.change(m.part());
            case LeaderMutation.ChangeRecords m -> records.change(m.changes());
            case LeaderMutation.ChangeSettings m -> change(m);
            case LeaderMutation.LoseSession m -> lose(m);
            case LeaderMutation.RenewObjects m -> contents.renewObjects(m);
            case LeaderMutation.RaiseLevel m -> cluster.raise(m.level());
            case LeaderMutation.Recover _ -> recover();
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
                contents.purge(ino);
            }
        }
    }
}
