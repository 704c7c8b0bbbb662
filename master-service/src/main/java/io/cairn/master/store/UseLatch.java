package io.cairn.master.store;

import io.cairn.runtime.Deadline;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets operations in until it is closed, and closes when the last has left. Cheap: two atomic
 * additions per operation. An operation may enter again while it is inside.
 */
public final class UseLatch {
    private static final long CLOSED = 1L << 62;

    /** How many are inside, plus {@link #CLOSED}. */
    private final AtomicLong state = new AtomicLong();

    /** Comes in, or fails when the gate is closed. */
    void enter() {
        if (!tryEnter()) {
            throw new IllegalStateException("the store is closed");
        }
    }

    /** Comes in; false when the gate is closed. */
    boolean tryEnter() {
        if (state.incrementAndGet() >= CLOSED) {
            state.decrementAndGet();
            return false;
        }
        return true;
    }

    /** Goes out. */
    void leave() {
        state.decrementAndGet();
    }

    /**
     * Lets nobody in any more and waits until all have left. False when it was closed before.
     *
     * @throws IllegalStateException when somebody stayed longer than the timeout
     */
    public boolean close(long timeoutMs) {
        long inside;
        do {
            inside = state.get();
            if (inside >= CLOSED) {
                return false;
            }
        } while (!state.compareAndSet(inside, inside + CLOSED));
        Deadline end = Deadline.afterMs(timeoutMs);
        while (state.get() != CLOSED) {
            if (end.isOver()) {
                throw new IllegalStateException(
                        "the store is still in use after " + timeoutMs + " ms");
            }
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(100));
        }
        return true;
    }
}
