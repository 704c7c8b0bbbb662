package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.runtime.Clock;

/**
 * The wall clock of the leading master as far as it can be known here: times of one file must come
 * from one clock, whatever the clock of this machine says. Each answer that tells the master's time
 * bounds it, as it was read between question and answer. The least is believed, so that what the
 * master stamps later is later; it moves only as far as the bounds ask, and never goes back.
 * Thread-safe.
 */
public final class MasterClock {
    private static final long NS_PER_MS = 1_000_000;

    private final Clock clock;

    @GuardedBy("this")
    private boolean isTold;

    /** The offset to the monotonic clock. */
    @GuardedBy("this")
    private long offsetNs;

    @GuardedBy("this")
    private long lastNs = Long.MIN_VALUE;

    MasterClock(Clock clock) {
        this.clock = clock;
    }

    /**
     * The master has told its time.
     *
     * @param masterNs its wall clock
     * @param sentMs when it was asked, on the monotonic clock
     */
    synchronized void told(long masterNs, long sentMs) {
        if (masterNs == 0) {
            return;
        }
        long receivedNs = clock.nanoTime();
        // The question was sent within this millisecond.
        long takenNs = Math.max(0, receivedNs - sentMs * NS_PER_MS);
        long leastNs = masterNs - receivedNs;
        long mostNs = leastNs + takenNs;
        offsetNs = isTold ? Math.clamp(offsetNs, leastNs, mostNs) : leastNs;
        isTold = true;
    }

    /** Nanoseconds since the epoch; the clock of this machine as long as no master has told. */
    public synchronized long nowNs() {
        long nowNs = isTold ? clock.nanoTime() + offsetNs : clock.wallNs();
        lastNs = Math.max(lastNs, nowNs);
        return lastNs;
    }
}
