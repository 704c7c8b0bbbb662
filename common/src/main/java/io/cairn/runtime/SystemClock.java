package io.cairn.runtime;

import java.time.Instant;

/** The machine's clock, with the resolution that the JVM gives (microseconds or better). */
enum SystemClock implements Clock {
    INSTANCE;

    @Override
    public long nanoTime() {
        return System.nanoTime();
    }

    @Override
    public long wallNs() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000_000L + now.getNano();
    }
}
