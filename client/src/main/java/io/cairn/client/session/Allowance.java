package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.quota.Growth;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * How far one file may be written under quotas before it is committed. Without any quota in the
 * cluster nobody is asked. Thread-safe; blocks while the master is asked.
 */
public final class Allowance {
    /** More than that is not counted at once, so that the sums never overflow. */
    private static final long MOST_COUNTED_BYTES = 1L << 39;

    /** What a file may be written of which the masters do not know yet. */
    private static final long FREE_BYTES = 1L << 40;

    private final ReentrantLock lock = new ReentrantLock();
    private final long ino;
    private final MasterChannel master;
    private final Runnable commit;

    /** What is allowed to be stored and is not written yet, in bytes. */
    @GuardedBy("lock")
    private long left;

    /** So far beyond its committed length the file may be written, in bytes. */
    @GuardedBy("lock")
    private long reach;

    /** Whether that was allowed here, as no quota counts for what is made under a right. */
    @GuardedBy("lock")
    private boolean isYoung;

    /** All bytes that were ever taken to be stored. */
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
     * What is about to be written.
     *
     * @param held by so many bytes the file is longer already than what is committed of it
     * @param wanted by how much it grows now
     * @param roomBytes have to fit now into quotas of space and on the disks of the file; 0 asks
     *     for none
     */
    public record Need(long held, Growth wanted, long roomBytes) {
        private long reach() {
            return held + wanted.lengthBytes();
        }
    }

    /**
     * Something is about to be written, or allocated: then the master is asked in any case.
     *
     * @param needed looked at again when a commit has changed what is held; never blocks
     * @throws FsException EDQUOT, ENOSPC; whatever prevents asking
     */
    public void take(Supplier<Need> needed) {
        lock.lock();
        try {
            if (settled) {
                settled = false;
                forget();
            }
            long now = master.session().quotas();
            if (quotas != now || isYoung && !master.young().has(ino)) {
                quotas = now;
                forget();
            }
            Need need = needed.get();
            if (!isAllowed(need)) {
                // The master takes the rest back before it answers, also when it refuses.
                forget();
                need = ask(need, needed);
            }
            long bytes = need.wanted.storedBytes();
            left -= bytes;
            taken.addAndGet(Math.min(bytes, MOST_COUNTED_BYTES));
        } finally {
            lock.unlock();
        }
    }

    @GuardedBy("lock")
    private void forget() {
        left = 0;
        reach = 0;
        isYoung = false;
    }

    @GuardedBy("lock")
    private boolean isAllowed(Need need) {
        boolean isInReach = need.wanted.lengthBytes() == 0 || need.reach() <= reach;
        return isInReach && need.wanted.storedBytes() <= left && need.roomBytes == 0;
    }

    /**
     * Asks the master. What is being committed may count twice there for a moment: a refusal counts
     * only when all is committed.
     */
    @GuardedBy("lock")
    private Need ask(Need need, Supplier<Need> needed) {
        long held = taken.get() - committed.get();
        try {
            allow(need, held);
            return need;
        } catch (FsException e) {
            if (e.errno() != Errno.EDQUOT || held == 0 && need.held == 0) {
                throw e;
            }
        }
        commit.run();
        committed.set(taken.get());
        settled = false;
        Need again = needed.get();
        allow(again, 0);
        return again;
    }

    @GuardedBy("lock")
    private void allow(Need need, long heldBytes) {
        isYoung = need.roomBytes == 0 && master.young().has(ino);
        if (isYoung) {
            left = Math.max(FREE_BYTES, need.wanted.storedBytes());
            reach = need.held + Math.max(FREE_BYTES, need.wanted.lengthBytes());
            return;
        }
        Growth held = new Growth(need.held, heldBytes);
        Reply reply = master.ask(new Query.GetAllowance(ino, held, need.wanted, need.roomBytes));
        Growth allowed = Await.expect(reply, Reply.AllowanceReply.class).growth();
        left = allowed.storedBytes();
        reach = need.held + allowed.lengthBytes();
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
