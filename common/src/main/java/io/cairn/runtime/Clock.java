package io.cairn.runtime;

import java.time.Instant;

/** Time. Thread-safe. */
public interface Clock {
    /**
     * Monotonic time in nanoseconds, with an arbitrary origin; may be compared by subtraction only.
     */
    long nanoTime();

    /** Wall clock: nanoseconds since the epoch. */
    long wallNs();

    /** Wall clock, to the millisecond. */
    default Instant now() {
        return Instant.ofEpochMilli(wallNs() / 1_000_000);
    }

    /** Monotonic time in milliseconds, with an arbitrary origin. */
    default long millis() {
        return nanoTime() / 1_000_000;
    }

    /** The clock of the machine. */
    static Clock system() {
        return SystemClock.INSTANCE;
    }
}
