package io.cairn.testkit;

import io.cairn.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * Tells for how long the machine stood still: a thread that wakes up often notes how late it was.
 * For tests of what happens while nothing is wrong: a machine that stands still is wrong.
 * Thread-safe.
 */
public final class StallMeter implements AutoCloseable {
    private static final long STEP_MS = 10;

    private final Clock clock = Clock.system();
    private final Thread thread = Thread.ofPlatform().daemon().name("stalls").start(this::look);
    private long longestNs;

    /** Measures from now on. */
    public StallMeter() {}

    private void look() {
        try {
            while (true) {
                long before = clock.nanoTime();
                TimeUnit.MILLISECONDS.sleep(STEP_MS);
                note(clock.nanoTime() - before);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void note(long ns) {
        longestNs = Math.max(longestNs, ns);
    }

    /** The longest stall since the start or the last call of this, in milliseconds. */
    public synchronized long takeLongestMs() {
        long ms = TimeUnit.NANOSECONDS.toMillis(longestNs);
        longestNs = 0;
        return ms;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
