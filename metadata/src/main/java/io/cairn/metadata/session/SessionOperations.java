package io.cairn.metadata.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.content.DoubtfulObjects;
import io.cairn.metadata.lock.LockTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;

/** The mutations of sessions and of their locks. Belongs to the apply thread. */
public final class SessionOperations {
    /** How long a session lasts without a KeepAlive, as told when it is opened. */
    public static final long LEASE_MS = 15_000;

    private final Transaction transaction;
    private final SessionTable sessions;
    private final LockTable locks;
    private final DoubtfulObjects doubtful;
    private final Cluster cluster;

    public SessionOperations(
            Transaction transaction,
            SessionTable sessions,
            LockTable locks,
            DoubtfulObjects doubtful,
            Cluster cluster) {
        this.transaction = transaction;
        this.sessions = sessions;
        this.locks = locks;
        this.doubtful = doubtful;
        this.cluster = cluster;
    }

    public Reply apply(Envelope envelope, SessionMutation mutation) {
        long session = envelope.session();
        return switch (mutation) {
            case SessionMutation.SetLock m -> locks.set(session, m);
            case SessionMutation.CancelLock m -> {
                locks.cancel(session, m);
                yield new Reply.Done();
            }
            case SessionMutation.ReleaseLocks m -> {
                locks.release(session, m);
                yield new Reply.Done();
            }
            case SessionMutation.ReserveNumbers m -> {
                var none = new SessionMutation.Reserved(0, 0, false);
                if (m.directoryIno() == SessionMutation.ReserveNumbers.ALL_BACK) {
                    sessions.giveNumbersBack(session);
                    yield none.reply();
                }
                yield (m.wantsNumbers() ? sessions.reserve(session) : none).reply();
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
                yield new Reply.Done();
            }
        };
    }

    private void end(long session) {
        locks.endHolder(session);
        sessions.close(session);
    }

    /** A number that has been given and is not known here is never given again. */
    public void recover(long timeNs) {
        doubtful.addAll();
        for (long session : sessions.numbers()) {
            lose(new LeaderMutation.LoseSession(session, new long[0], true));
        }
        transaction.counters().passOver(timeNs);
    }

    /** It may have written what it has not committed. */
    public void lose(LeaderMutation.LoseSession m) {
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

    private Reply open(Envelope envelope, SessionMutation.OpenSession m) {
        if (cluster.clusterId() == 0) {
            throw new FsException(Errno.NOT_READY, "the cluster is not founded yet");
        }
        Session session = sessions.open(envelope.sequence(), m.client());
        return new Reply.SessionReply(
                session.number(),
                cluster.clusterId(),
                LEASE_MS,
                cluster.inlineLimitBytes(),
                cluster.map().epoch());
    }
}
