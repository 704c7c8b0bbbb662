package io.cairn.testkit;

import io.cairn.runtime.Clock;
import java.util.concurrent.atomic.AtomicLong;

/** Time that stands still until a test moves it; both clocks tell the same. Thread-safe. */
public final class ManualClock implements Clock {
    private final AtomicLong nowMs;

    /** A clock that shows a time, in milliseconds. */
    public ManualClock(long nowMs) {
        this.nowMs = new AtomicLong(nowMs);
    }

    /** Moves it forward. */
    public void advance(long ms) {
        nowMs.addAndGet(ms);
    }

    @Override
    public long nanoTime() {
        return nowMs.get() * 1_000_000;
    }

    @Override
    public long wallNs() {
        return nanoTime();
    }
}
