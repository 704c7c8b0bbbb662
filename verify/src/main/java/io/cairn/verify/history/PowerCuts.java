package io.cairn.verify.history;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts the moments at which all power was cut: bytes that were not synced before are not promised
 * after. Thread-safe.
 */
public final class PowerCuts {
    /** Odd while the power is off. */
    private final AtomicInteger changes = new AtomicInteger();

    /** To be taken when a write begins. */
    public int stamp() {
        return changes.get();
    }

    /** Whether the power was on without a break since then. */
    public boolean isUnbrokenSince(int stamp) {
        return (stamp & 1) == 0 && stamp == changes.get();
    }

    /** The power is about to go. */
    public void begin() {
        changes.incrementAndGet();
    }

    /** It is back, and what runs has seen what is lost. */
    public void end() {
        changes.incrementAndGet();
    }
}
