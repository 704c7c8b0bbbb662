package io.cairn.fuse.kernel;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Which threads of applications were just answered ESTALE. A file that lost its name, opened by
 * path, mostly means that the kernel's entry is old: ESTALE makes it look up the name and try once
 * more. The inode that it finds counts, even if it has lost its name again: otherwise a name that
 * another mount replaces all the time could not be opened. Thread-safe.
 */
public final class StaleOpens {
    private static final int SLOTS = 1024;
    private static final long RETRY_MS = 1000;
    private static final int TIME_BITS = 32;

    /** Upper half: thread; lower half: milliseconds. A later thread displaces an earlier one. */
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    private final LongSupplier nanoTime;

    public StaleOpens(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether the thread is to look again; not a second time within a second. */
    public boolean shouldRetry(int thread) {
        int nowMs = (int) (nanoTime.getAsLong() / 1_000_000);
        int slot = thread & (SLOTS - 1);
        long last = slots.get(slot);
        if (last >>> TIME_BITS == Integer.toUnsignedLong(thread)
                && nowMs - (int) last < RETRY_MS
                && last != 0) {
            slots.set(slot, 0);
            return false;
        }
        slots.set(slot, (long) thread << TIME_BITS | Integer.toUnsignedLong(nowMs));
        return true;
    }
}
