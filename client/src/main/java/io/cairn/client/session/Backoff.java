package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next try: doubling from 10 ms to 1 s, each time with a random part of
 * up to half, so that many clients do not come back at the same moment. Thread-safe as far as the
 * generator is used by this client only: all uses of it synchronize on it.
 */
public final class Backoff {
    private static final long FIRST_MS = 10;
    private static final long LAST_MS = 1000;

    private final RandomGenerator random;
    private final long lastMs;

    @GuardedBy("this")
    private long nextMs = FIRST_MS;

    public Backoff(RandomGenerator random) {
        this(random, LAST_MS);
    }

    /** With another longest delay than a second. */
    public Backoff(RandomGenerator random, long lastMs) {
        this.random = random;
        this.lastMs = lastMs;
    }

    /** The next delay in milliseconds. */
    public synchronized long nextMs() {
        long delayMs = nextMs;
        nextMs = Math.min(lastMs, nextMs * 2);
        synchronized (random) {
            return delayMs - random.nextLong(delayMs / 2);
        }
    }

    /** Begins again with short delays, after a success. */
    synchronized void reset() {
        nextMs = FIRST_MS;
    }
}
