package io.cairn.net;

import io.cairn.runtime.Clock;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;

/**
 * Lets a loop look for more work a little longer, giving way to other threads, before it sleeps:
 * waking it costs a sender some microseconds, on a virtual machine twenty and more. One for each
 * loop.
 */
final class BriefPoll implements SelectStrategy {
    private final Clock clock;
    private final long pollNs;
    private long lastWorkNs;

    BriefPoll(Clock clock, long pollMicros) {
        this.clock = clock;
        this.pollNs = pollMicros * 1000;
        this.lastWorkNs = clock.nanoTime();
    }

    @Override
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    public int calculateStrategy(IntSupplier select, boolean hasTasks) throws Exception {
        int ready = select.get();
        if (hasTasks || ready > 0) {
            lastWorkNs = clock.nanoTime();
            return ready;
        }
        if (clock.nanoTime() - lastWorkNs < pollNs) {
            Thread.yield();
            return CONTINUE;
        }
        return SELECT;
    }
}
