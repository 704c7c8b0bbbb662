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

    /** Stays awake until the next task comes, for {@code ns} at most, giving way to others. */
    void stayAwake(long ns) {
        awake = true;
        awakeUntilNs = clock.nanoTime() + ns;
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            awake = false;
            return selectNow.get();
        }
        if (awake && clock.nanoTime() - awakeUntilNs < 0) {
            Thread.yield();
            return CONTINUE;
        }
        awake = false;
        return SELECT;
    }
}
