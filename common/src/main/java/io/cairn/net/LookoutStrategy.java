package io.cairn.net;

import io.cairn.runtime.Clock;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * How an event loop that answers many small requests waits: for a moment after it had something to
 * do it looks for more instead of sleeping, giving way to all other threads. What comes soon, as
 * the reply to a request from another thread, then needs no system call to wake it and no sleeping
 * processor. One for each loop, used by its thread.
 */
final class LookoutStrategy implements SelectStrategy {
    /** What a small request takes, and what an idle service may waste after one. */
    static final long LOOK_NS = 150_000;

    private final Clock clock;
    private long busyNs;

    LookoutStrategy(Clock clock) {
        this.clock = clock;
        this.busyNs = clock.nanoTime() - LOOK_NS;
    }

    /** As the interface says: the number of events, or {@link #SELECT} to sleep. */
    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        int events = selectNow.get();
        long nowNs = clock.nanoTime();
        if (events > 0 || hasTasks) {
            busyNs = nowNs;
            return events;
        }
        if (nowNs - busyNs >= LOOK_NS) {
            return SELECT;
        }
        Thread.yield();
        return 0;
    }
}
