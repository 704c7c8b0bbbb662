package io.cairn.client.lock;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.fs.Lock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.LockOutcome;
import io.cairn.wire.master.Reply.LockReply;
import io.cairn.wire.master.SessionMutation;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Advisory locks, which the master keeps. A request that has to wait is queued there; a push tells
 * when it was granted, and because a push may be lost the request is repeated every second.
 * Thread-safe; blocks.
 */
public final class FileLocks {
    private static final long ASK_AGAIN_MS = 1000;

    /** The scheduler is far later than this only when it has stopped. */
    private static final long STANDSTILL_MS = 30_000;

    private final MasterChannel master;
    private final Scheduler scheduler;
    private final AtomicLong requests = new AtomicLong();
    private final Map<Long, CompletableFuture<Boolean>> waiting = new ConcurrentHashMap<>();
    private final LockClaims claims = new LockClaims();

    public FileLocks(MasterChannel master, Scheduler scheduler) {
        this.master = master;
        this.scheduler = scheduler;
    }

    /** An owner for locks of the client itself; none that a door passes is negative like it. */
    public long newOwner() {
        return Long.MIN_VALUE + requests.incrementAndGet();
    }

    /** A lock in the way of another, or null. */
    public @Nullable Lock test(long ino, Lock wanted) {
        LockReply reply =
                Await.expect(master.ask(new Query.TestLock(ino, wanted)), LockReply.class);
        return reply.conflict();
    }

    /**
     * Sets, changes or removes a lock, as {@code FileSystem.setLock} says.
     *
     * @return a version that the inode had under the lock, 0 when it was not told
     */
    public long set(long ino, Lock lock, long waitMs) {
        LockClaims.Holder holder = new LockClaims.Holder(ino, lock.kind(), lock.owner());
        long requestId = requests.incrementAndGet();
        if (lock.mode() == Lock.Mode.UNLOCK) {
            if (claims.has(holder)) {
                return acquire(ino, lock, waitMs, requestId, () -> {});
            }
            return 0;
        }
        claims.begin(holder, requestId);
        Runnable refused = () -> claims.refuse(holder, requestId);
        long version = acquire(ino, lock, waitMs, requestId, refused);
        claims.grant(holder, requestId);
        return version;
    }

    /** Takes a lock of the client itself; ETIMEDOUT when it does not come. */
    public void take(long ino, Lock lock, long waitMs) {
        try {
            long _ = acquire(ino, lock, waitMs, requests.incrementAndGet(), () -> {});
        } catch (FsException e) {
            if (e.errno() == Errno.EINTR && !Thread.currentThread().isInterrupted()) {
                throw new FsException(
                        Errno.ETIMEDOUT,
                        "another client keeps appending to inode "
                                + ino
                                + ": no turn within "
                                + waitMs
                                + " ms",
                        e);
            }
            throw e;
        }
    }

    /**
     * Asks for a lock until it is granted.
     *
     * @param refused called when it is certain that this request does not set the lock; perhaps
     *     later, by another thread, perhaps twice
     * @return as {@link #set}
     */
    private long acquire(long ino, Lock lock, long waitMs, long requestId, Runnable refused) {
        boolean queue = waitMs > 0 && lock.mode() != Lock.Mode.UNLOCK;
        SessionMutation request = new SessionMutation.SetLock(ino, lock, queue, requestId);
        CompletableFuture<Boolean> granted = new CompletableFuture<>();
        if (queue) {
            waiting.put(requestId, granted);
        }
        boolean waits = false;
        try {
            long leftMs = waitMs;
            while (true) {
                waits = false;
                LockReply reply = ask(request, refused);
                if (reply != null) {
                    return reply.version();
                }
                waits = true;
                long stepMs = Math.min(leftMs, ASK_AGAIN_MS);
                if (stepMs <= 0) {
                    throw new FsException(Errno.EINTR, "the lock did not come in time");
                }
                if (await(granted, stepMs)) {
                    return 0;
                }
                leftMs -= stepMs;
            }
        } catch (FsException e) {
            // While a try is unanswered it may arrive after the cancellation.
            boolean certain = waits;
            if (queue) {
                Promises.whenDone(
                        master.mutate(new SessionMutation.CancelLock(ino, requestId)),
                        (reply, _) -> {
                            if (certain && reply instanceof Reply.Done) {
                                refused.run();
                            }
                        });
            }
            throw e;
        } finally {
            waiting.remove(requestId);
        }
    }

    /** The answer that it is granted; null when it is queued. */
    private @Nullable LockReply ask(SessionMutation request, Runnable refused) {
        Reply reply = master.change(request);
        if (reply instanceof LockReply answer && answer.outcome() == LockOutcome.GRANTED) {
            return answer;
        }
        if (reply instanceof LockReply answer && answer.outcome() == LockOutcome.QUEUED) {
            return null;
        }
        refused.run();
        if (Await.expect(reply, LockReply.class).outcome() == LockOutcome.DEADLOCK) {
            throw new FsException(Errno.EDEADLK);
        }
        throw new FsException(Errno.EAGAIN, "the lock is held by another");
    }

    /** Waits for the push, by the time of the scheduler; by any other only if that stands still. */
    private boolean await(CompletableFuture<Boolean> granted, long waitMs) {
        CompletableFuture<Boolean> step = granted.copy();
        Scheduler.Timer end = scheduler.schedule(() -> step.complete(false), waitMs);
        try {
            return Await.interruptibly(step, waitMs + STANDSTILL_MS);
        } finally {
            end.cancel();
        }
    }

    /** A push: a queued request was granted. */
    public void granted(long requestId) {
        CompletableFuture<Boolean> waiter = waiting.get(requestId);
        if (waiter != null) {
            waiter.complete(true);
        }
    }

    /** Whether this client may hold a lock of that kind and owner on an inode. */
    public boolean mayHold(long ino, Lock.Kind kind, long owner) {
        return claims.has(new LockClaims.Holder(ino, kind, owner));
    }

    /** Whether this client may hold any lock on an inode that doors asked for. */
    public boolean mayHold(long ino) {
        return claims.has(ino);
    }

    /** Removes all locks of a kind and owner; asks nobody when there cannot be any. */
    public void release(long ino, Lock.Kind kind, long owner) {
        LockClaims.Holder holder = new LockClaims.Holder(ino, kind, owner);
        if (claims.has(holder)) {
            master.change(new SessionMutation.ReleaseLocks(ino, kind, owner));
            claims.release(holder);
        }
    }

    /** The session is gone: the inodes on which it may have held locks. */
    public Set<Long> sessionLost() {
        return claims.clear();
    }
}
