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
    private boolean reads;
    private long awakeUntilNs;

    SleepStrategy(Clock clock) {
        this.clock = clock;
    }

    /** Stays awake until the next task comes, for {@code ns} at most, giving way to others. */
    void stayAwake(long ns) {
        stayAwake(ns, false);
    }

    /** The same, but reads what else comes in meanwhile. */
    void stayAwakeAndRead(long ns) {
        stayAwake(ns, true);
    }

    private void stayAwake(long ns, boolean reading) {
        awake = true;
        reads = reading;
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
        int ready = reads ? selectNow.get() : 0;
        if (ready > 0) {
            return ready;
        }
        Thread.yield();
        return CONTINUE;
    }
}
