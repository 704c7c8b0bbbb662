package io.cairn.nfs.lock;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.HostLocks;
import io.cairn.fs.HostLocks.Outcome;
import io.cairn.fs.LockHost;
import io.cairn.nfs.lock.BlockedLock.Request;
import io.cairn.nfs.rpc.RpcCall;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lock requests that wait at this gateway. The master keeps the line in which they stand; when
 * one is granted, the client is called ({@link GrantCall}). A client that repeats its request is
 * told in the answer. Thread-safe.
 *
 * <p>Requests are few, by machine and together: who has too many gets DENIED_NOLOCKS. One that is
 * granted and whose client does not want to know, or cannot be reached for some minutes, is taken
 * back.
 */
final class BlockedLocks implements HostLocks.Listener, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(BlockedLocks.class);

    /** Requests that wait. */
    static final int MAX_BLOCKED = 4096;

    /** Requests of one machine that wait. */
    static final int MAX_PER_HOST = 256;

    private static final long TICK_MS = 500;
    private static final int REPEATS_PER_TICK = 64;

    private final HostLocks locks;
    private final LockPace pace;
    private final Threads threads;
    private final GrantCall grants;
    private final Map<BlockedLock.Key, BlockedLock> byKey = new HashMap<>();
    private final Map<LockHost, Integer> counts = new HashMap<>();
    private final Map<Long, BlockedLock> byId = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * The world of lock programs.
     *
     * @param workers for work that blocks
     */
    record Threads(Executor workers, Scheduler scheduler, Clock clock) {}

    BlockedLocks(HostLocks locks, HostCalls calls, LockPace pace, Threads threads) {
        this.locks = locks;
        this.pace = pace;
        this.threads = threads;
        this.grants = new GrantCall(calls);
        locks.listen(this);
        threads.scheduler.schedule(this::tick, TICK_MS);
    }

    /** Requests that wait, or are being told. */
    int size() {
        return byId.size();
    }

    /**
     * Asks for a lock and waits in line when it cannot be had.
     *
     * @return a status
     * @throws FsException ENOLCK when too many requests wait; as {@link HostLocks#enqueue}
     */
    int ask(Request request, RpcCall call) {
        BlockedLock blocked = enter(request, call);
        Outcome outcome;
        try {
            outcome = enqueue(blocked);
        } catch (FsException e) {
            blocked.cancel();
            leave(blocked);
            throw e;
        }
        return switch (outcome) {
            case GRANTED -> {
                if (blocked.tell()) {
                    leave(blocked);
                    yield LockStatus.GRANTED;
                }
                yield LockStatus.DENIED_GRACE_PERIOD;
            }
            case QUEUED -> LockStatus.BLOCKED;
            case CONFLICT, DEADLOCK -> {
                blocked.cancel();
                leave(blocked);
                yield LockStatus.DEADLCK;
            }
        };
    }

    /** Asks at the master; what was cancelled meanwhile is taken back there. */
    private Outcome enqueue(BlockedLock blocked) {
        Request request = blocked.request();
        blocked.askedMs = threads.clock.millis();
        Outcome outcome =
                locks.enqueue(request.from(), request.ino(), request.lock(), blocked.id());
        if (blocked.isCancelled()) {
            locks.cancel(request.from().host(), request.ino(), blocked.id());
        }
        return outcome;
    }

    private BlockedLock enter(Request request, RpcCall call) {
        synchronized (byKey) {
            BlockedLock known = byKey.get(request.key());
            if (known != null) {
                return known;
            }
            LockHost host = request.from().host();
            if (byKey.size() >= MAX_BLOCKED || counts.getOrDefault(host, 0) >= MAX_PER_HOST) {
                throw new FsException(Errno.ENOLCK, "too many requests of " + host + " wait");
            }
            BlockedLock blocked = new BlockedLock(request, locks.newRequestId(), call);
            byKey.put(request.key(), blocked);
            counts.merge(host, 1, Integer::sum);
            byId.put(blocked.id(), blocked);
            return blocked;
        }
    }

    private void leave(BlockedLock blocked) {
        synchronized (byKey) {
            if (byKey.remove(blocked.request().key(), blocked)) {
                counts.computeIfPresent(
                        blocked.request().from().host(), (host, n) -> n == 1 ? null : n - 1);
            }
        }
        byId.remove(blocked.id());
    }

    /** Takes back one request; false when there is none. */
    boolean cancel(BlockedLock.Key key) {
        BlockedLock blocked;
        synchronized (byKey) {
            blocked = byKey.get(key);
        }
        return blocked != null && cancel(blocked);
    }

    private boolean cancel(BlockedLock blocked) {
        boolean isMine = blocked.cancel();
        leave(blocked);
        if (isMine) {
            Request request = blocked.request();
            locks.cancel(request.from().host(), request.ino(), blocked.id());
        }
        return isMine;
    }

    /** Takes back the requests of an owner that touch a range it unlocks. */
    void cancelOverlapping(BlockedLock.Key unlocked) {
        for (BlockedLock blocked : List.copyOf(byId.values())) {
            BlockedLock.Key key = blocked.request().key();
            if (key.host().equals(unlocked.host())
                    && key.ino() == unlocked.ino()
                    && key.lock().owner() == unlocked.lock().owner()
                    && key.lock().overlaps(unlocked.lock())) {
                cancel(blocked);
            }
        }
    }

    /** Forgets the requests of a machine, all of whose locks were released. */
    void forget(LockHost host) {
        for (BlockedLock blocked : List.copyOf(byId.values())) {
            if (blocked.request().from().host().equals(host)) {
                cancel(blocked);
            }
        }
    }

    // ---- grants

    @Override
    public void granted(long requestId) {
        BlockedLock blocked = byId.get(requestId);
        if (blocked != null) {
            run(() -> tell(blocked));
        }
    }

    /** Asks for everything again, soon. */
    @Override
    public void interrupted() {
        long longAgoMs = threads.clock.millis() - pace.repeatMs();
        for (BlockedLock blocked : byId.values()) {
            blocked.askedMs = longAgoMs;
        }
    }

    private void run(Runnable work) {
        try {
            threads.workers.execute(work);
        } catch (RejectedExecutionException e) {
            LOG.debug("The gateway is closing; its lock requests go with it");
        }
    }

    /** Tells the client that it has the lock; one telling at a time. */
    private void tell(BlockedLock blocked) {
        synchronized (blocked) {
            if (blocked.granted) {
                return;
            }
            blocked.granted = true;
        }
        tryToTell(blocked);
    }

    private void tryToTell(BlockedLock blocked) {
        if (blocked.isOver() || closed) {
            return;
        }
        int tries = blocked.begunTry();
        switch (grants.tell(blocked)) {
            case ACCEPTED -> accepted(blocked);
            case REFUSED -> refused(blocked);
            case LATER -> {
                if (tries < pace.tries()) {
                    Runnable again = () -> run(() -> tryToTell(blocked));
                    threads.scheduler.schedule(again, pace.retryMs());
                } else {
                    giveUp(blocked, "does not answer");
                }
            }
        }
    }

    private void accepted(BlockedLock blocked) {
        if (blocked.tell()) {
            leave(blocked);
        }
    }

    /** The client does not wait for it; unless it has heard of it and we missed its answer. */
    private void refused(BlockedLock blocked) {
        if (blocked.mayBeKnown) {
            accepted(blocked);
        } else {
            giveUp(blocked, "does not want it");
        }
    }

    private void giveUp(BlockedLock blocked, String why) {
        LOG.info(
                "A lock on inode {} is taken back from {}, which {}",
                blocked.request().ino(),
                blocked.request().from().host(),
                why);
        try {
            cancel(blocked);
        } catch (FsException e) {
            LOG.warn("The lock cannot be taken back now: {}", e.getMessage());
        }
    }

    /** A client answers by a message of its own. */
    void answered(long id, RpcCall call, int status) {
        BlockedLock blocked = byId.get(id);
        if (blocked == null || !blocked.callee().address().equals(call.peer().getAddress())) {
            return;
        }
        if (status == LockStatus.GRANTED) {
            accepted(blocked);
        } else if (status != LockStatus.DENIED_GRACE_PERIOD) {
            refused(blocked);
        }
    }

    // ---- time

    private void tick() {
        if (closed) {
            return;
        }
        List<BlockedLock> due = due();
        if (!due.isEmpty()) {
            run(() -> due.forEach(this::repeat));
        }
        threads.scheduler.schedule(this::tick, TICK_MS);
    }

    private List<BlockedLock> due() {
        long nowMs = threads.clock.millis();
        List<BlockedLock> due = new ArrayList<>();
        for (BlockedLock blocked : byId.values()) {
            if (!blocked.granted && nowMs - blocked.askedMs >= pace.repeatMs()) {
                blocked.askedMs = nowMs;
                due.add(blocked);
                if (due.size() == REPEATS_PER_TICK) {
                    break;
                }
            }
        }
        return due;
    }

    private void repeat(BlockedLock blocked) {
        try {
            Outcome outcome = enqueue(blocked);
            if (outcome == Outcome.GRANTED) {
                run(() -> tell(blocked));
            } else if (outcome == Outcome.DEADLOCK) {
                cancel(blocked);
            }
        } catch (FsException e) {
            if (e.errno() == Errno.ESTALE || e.errno() == Errno.ENOLCK) {
                blocked.cancel();
                leave(blocked);
            } else {
                LOG.debug("A lock request cannot be repeated now: {}", e.getMessage());
            }
        }
    }

    /** Ends all telling. Waiting requests are forgotten with the session of the gateway. */
    @Override
    public void close() {
        closed = true;
    }
}
