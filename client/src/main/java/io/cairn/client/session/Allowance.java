package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How far one file may be written under quotas before it is committed. Without any quota in the
 * cluster nobody is asked. Thread-safe; blocks while the master is asked.
 */
public final class Allowance {
    private final ReentrantLock lock = new ReentrantLock();
    private final long ino;
    private final MasterChannel master;
    private final Runnable commit;

    /** What is allowed and not written yet, in bytes. */
    @GuardedBy("lock")
    private long left;

    /** What was written since the last commit. */
    @GuardedBy("lock")
    private long held;

    /** The state of the quotas that it was allowed under. */
    @GuardedBy("lock")
    private long quotas;

    private volatile boolean committed;

    /**
     * Nothing is allowed yet.
     *
     * @param commit commits what was written, and waits for that
     */
    public Allowance(long ino, MasterChannel master, Runnable commit) {
        this.ino = ino;
        this.master = master;
        this.commit = commit;
    }

    /** Whether there is a quota in the cluster, so that {@link #take} asks. */
    public boolean isNeeded() {
        return master.session().quotas() != 0;
    }

    /**
     * So many bytes that quotas count are about to be written.
     *
     * @throws FsException EDQUOT; whatever prevents asking
     */
    public void take(long bytes) {
        lock.lock();
        try {
            if (committed) {
                committed = false;
                left = 0;
                held = 0;
            }
            long now = master.session().quotas();
            if (quotas != now) {
                quotas = now;
                left = 0;
            }
            if (bytes > left) {
                left = ask(bytes);
            }
            left -= bytes;
            held += bytes;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the master. What is being committed may count twice there for a moment: a refusal counts
     * only when all is committed.
     */
    @GuardedBy("lock")
    private long ask(long bytes) {
        try {
            return allowed(held, bytes);
        } catch (FsException e) {
            if (e.errno() != Errno.EDQUOT || held == 0) {
                throw e;
            }
        }
        commit.run();
        held = 0;
        return allowed(0, bytes);
    }

    private long allowed(long heldBytes, long bytes) {
        Reply reply = master.ask(new Query.GetAllowance(ino, heldBytes, bytes));
        return Await.expect(reply, Reply.AllowanceReply.class).bytes();
    }

    /** What was written is committed, and the rest is given back. Never blocks. */
    public void settle() {
        committed = true;
    }
}
