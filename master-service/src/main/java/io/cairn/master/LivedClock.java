package io.cairn.master;

import io.cairn.runtime.Clock;
import java.util.concurrent.TimeUnit;

/**
 * A clock for the grace that others get: it stands still while this process does, because the
 * machine slept or the process was stopped. Nobody could be heard then, so nobody may be given up
 * for that time. To be asked several times a second; longer than {@link #STANDSTILL_MS} without a
 * question counts as standing still. Thread-safe.
 */
final class LivedClock implements Clock {
    /** A pause between two looks that is not one of a busy machine. */
    static final long STANDSTILL_MS = 2000;

    private final Clock clock;
    private long lookedNs;
    private long missedNs;

    LivedClock(Clock clock) {
        this.clock = clock;
        this.lookedNs = clock.nanoTime();
    }

    @Override
    public synchronized long nanoTime() {
        long nowNs = clock.nanoTime();
        long gapNs = nowNs - lookedNs;
        lookedNs = nowNs;
        if (gapNs > TimeUnit.MILLISECONDS.toNanos(STANDSTILL_MS)) {
            missedNs += gapNs;
        }
        return nowNs - missedNs;
    }

    @Override
    public long wallNs() {
        return clock.wallNs();
    }
}
