package io.cairn.testkit;

import io.cairn.runtime.Clock;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Tells whether the machine stood still, or was short of processors or disks. A thread that wakes
 * up often notes how late it was, and looks once a second how much work waits. For tests of what
 * happens while nothing is wrong: on such a machine something is wrong. Thread-safe.
 */
public final class StallMeter implements AutoCloseable {
    private static final long STEP_MS = 10;
    private static final long WINDOW_NS = TimeUnit.SECONDS.toNanos(1);

    private final Clock clock = Clock.system();
    private final MachinePressure pressure =
            new MachinePressure(
                    Path.of("/proc"), Runtime.getRuntime().availableProcessors(), clock.nanoTime());
    private long windowNs = clock.nanoTime();
    private long longestNs;
    private boolean wasShort;
    private final Thread thread = Thread.ofPlatform().daemon().name("stalls").start(this::look);

    /** Measures from now on. */
    public StallMeter() {}

    private void look() {
        try {
            while (true) {
                long before = clock.nanoTime();
                TimeUnit.MILLISECONDS.sleep(STEP_MS);
                note(before, clock.nanoTime());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void note(long beforeNs, long nowNs) {
        longestNs = Math.max(longestNs, nowNs - beforeNs);
        if (nowNs - windowNs >= WINDOW_NS) {
            endWindow(nowNs);
        }
    }

    private void endWindow(long nowNs) {
        wasShort |= pressure.isShort(nowNs);
        windowNs = nowNs;
    }

    /**
     * Whether something was wrong since the start or the last call of this: the machine stood still
     * at once for so long, or work waited for processors or disks for most of a second. The last
     * second may have just begun.
     *
     * @param stallMs milliseconds, 1 or more
     */
    public synchronized boolean takeDisturbed(long stallMs) {
        endWindow(clock.nanoTime());
        boolean disturbed = wasShort || TimeUnit.NANOSECONDS.toMillis(longestNs) >= stallMs;
        wasShort = false;
        longestNs = 0;
        return disturbed;
    }

    @Override
    public void close() {
        thread.interrupt();
    }
}
