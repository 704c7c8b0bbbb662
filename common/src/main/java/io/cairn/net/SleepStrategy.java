package io.cairn.net;

import io.cairn.runtime.Clock;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * When an event loop sleeps: at once when it has nothing to do, unless it expects a task soon.
 * Waking its processor would cost more than the task takes to come. Used by its loop only.
 */
final class SleepStrategy implements SelectStrategy {
    private final Clock clock;
    private boolean awake;
    private long awakeUntilNs;

    SleepStrategy(Clock clock) {
        this.clock = clock;
    }

    /** Stays awake until the next task comes, for {@code ns} at most, and reads meanwhile. */
    void stayAwake(long ns) {
        awake = ns > 0;
        awakeUntilNs = clock.nanoTime() + ns;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            awake = false;
            return selectNow.get();
        }
        if (!awake || clock.nanoTime() - awakeUntilNs >= 0) {
            awake = false;
            return SELECT;
        }
        int ready = selectNow.get();
        if (ready > 0) {
            return ready;
        }
        Thread.yield();
        return CONTINUE;
    }
}
