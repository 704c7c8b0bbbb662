package io.cairn.net;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Bounds the memory that requests of all connections of a transport take together, from the moment
 * their lengths are known until they are answered. A connection whose next request does not fit is
 * not read until others have been answered. Thread-safe.
 */
public final class ReceiveBudget {
    private final long limitBytes;
    private final AtomicLong usedBytes = new AtomicLong();
    private final Queue<Runnable> waiting = new ConcurrentLinkedQueue<>();

    /**
     * A budget of which nothing is used.
     *
     * @param limitBytes above 0
     */
    public ReceiveBudget(long limitBytes) {
        this.limitBytes = limitBytes;
    }

    /**
     * Reserves; one request always fits, however big.
     *
     * @param wake run once, later, when it is worth trying again, if this try fails
     */
    public boolean reserve(long bytes, Runnable wake) {
        if (take(bytes)) {
            return true;
        }
        waiting.add(wake);
        // What was released before the line above woke nobody.
        if (fits(bytes)) {
            wakeAll();
        }
        return false;
    }

    private boolean fits(long bytes) {
        long used = usedBytes.get();
        return used == 0 || used + bytes <= limitBytes;
    }

    private boolean take(long bytes) {
        while (true) {
            long used = usedBytes.get();
            if (used != 0 && used + bytes > limitBytes) {
                return false;
            }
            if (usedBytes.compareAndSet(used, used + bytes)) {
                return true;
            }
        }
    }

    /** Gives back what was reserved. */
    public void release(long bytes) {
        if (bytes > 0) {
            usedBytes.addAndGet(-bytes);
            wakeAll();
        }
    }

    /** All of them: the first may need more than there is, and those that fail come back. */
    private void wakeAll() {
        for (int i = waiting.size(); i > 0; i--) {
            Runnable wake = waiting.poll();
            if (wake != null) {
                wake.run();
            }
        }
    }

    /** Whether somebody waits for room. */
    public boolean isAwaited() {
        return !waiting.isEmpty();
    }

    /** Bytes that are reserved now. */
    public long usedBytes() {
        return usedBytes.get();
    }
}
