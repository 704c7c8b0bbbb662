package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * How far one file may be written under quotas before it is committed. Without any quota in the
 * cluster nobody is asked. Thread-safe; blocks while the master is asked.
 */
public final class Allowance {
    /** More than that is not counted at once, so that the sums never overflow. */
    private static final long MOST_COUNTED_BYTES = 1L << 39;

    private final ReentrantLock lock = new ReentrantLock();
    private final long ino;
    private final MasterChannel master;
    private final Runnable commit;

    /** What is allowed and not written yet, in bytes. */
    @GuardedBy("lock")
    private long left;

    /** All that was ever taken. */
    private final AtomicLong taken = new AtomicLong();

    /** As much of it as is committed. */
    private final AtomicLong committed = new AtomicLong();

    /** The state of the quotas that it was allowed under. */
    @GuardedBy("lock")
    private long quotas;

    /** Whether a commit has given back what was left. */
    private volatile boolean settled;

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
        take(bytes, 0);
    }

    /**
     * The same when much is to be stored at once or later: the master is asked in any case.
     *
     * @param roomBytes have to fit now into quotas of space and on the disks of the file; 0 asks
     *     for none
     * @throws FsException EDQUOT, ENOSPC; whatever prevents asking
     */
    public void take(long bytes, long roomBytes) {
        lock.lock();
        try {
            if (settled) {
                settled = false;
                left = 0;
            }
            long now = master.session().quotas();
            if (quotas != now) {
                quotas = now;
                left = 0;
            }
            if (bytes > left || roomBytes > 0) {
                // The master takes the rest back before it answers, also when it refuses.
                left = 0;
                left = ask(bytes, roomBytes);
            }
            left -= bytes;
            taken.addAndGet(Math.min(bytes, MOST_COUNTED_BYTES));
        } finally {
            lock.unlock();
        }
    }

    /**
     * Asks the master. What is being committed may count twice there for a moment: a refusal counts
     * only when all is committed.
     */
    @GuardedBy("lock")
    private long ask(long bytes, long roomBytes) {
        long held = taken.get() - committed.get();
        try {
            return allowed(held, bytes, roomBytes);
        } catch (FsException e) {
            if (e.errno() != Errno.EDQUOT || held == 0) {
                throw e;
            }
        }
        commit.run();
        committed.set(taken.get());
        settled = false;
        return allowed(0, bytes, roomBytes);
    }

    private long allowed(long heldBytes, long bytes, long roomBytes) {
        Reply reply = master.ask(new Query.GetAllowance(ino, heldBytes, bytes, roomBytes));
        return Await.expect(reply, Reply.AllowanceReply.class).bytes();
    }

    /** What a commit that begins now commits; for {@link #settle}. */
    public long taken() {
        return taken.get();
    }

    /**
     * What was taken before a commit began is committed, and the rest is given back. Never blocks.
     *
     * @param before as {@link #taken} said then
     */
    public void settle(long before) {
        committed.accumulateAndGet(before, Math::max);
        settled = true;
    }
}
