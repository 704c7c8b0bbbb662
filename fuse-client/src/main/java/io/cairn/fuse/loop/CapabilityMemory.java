package io.cairn.fuse.loop;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.LongSupplier;

/**
 * Which inodes were seen without {@code security.capability}, for at most a second. Before every
 * write(2) somebody has to know whether the file has capabilities to take away: this answers
 * without asking the cluster each time.
 *
 * <p>It is as sound as any cached attribute: what this mount sets is known at once, what another
 * mount sets within the second before a write is overlooked by that write. A fixed table of one
 * slot per inode number modulo its size; a displaced inode is asked for again. Thread-safe.
 */
public final class CapabilityMemory {
    private static final byte[] NAME = "security.capability".getBytes(StandardCharsets.US_ASCII);
    private static final int SLOTS = 1 << 14;
    private static final long KEEP_TICKS = 60;
    private static final int TICK_BITS = 24;
    private static final long TICK_MASK = (1L << TICK_BITS) - 1;

    /** Upper 40 bits: of the inode number; lower 24: when, in units of 2^24 ns (17 ms). */
    private final AtomicLongArray slots = new AtomicLongArray(SLOTS);

    private final LongSupplier nanoTime;

    public CapabilityMemory(LongSupplier nanoTime) {
        this.nanoTime = nanoTime;
    }

    /** Whether an extended attribute is the one that this remembers. */
    public static boolean isCapability(byte[] name) {
        return Arrays.equals(name, NAME);
    }

    /** The name of the attribute; not to be changed. */
    static byte[] attributeName() {
        return NAME;
    }

    private long tick() {
        return nanoTime.getAsLong() >> TICK_BITS & TICK_MASK;
    }

    private static int slot(long ino) {
        return (int) (ino ^ ino >>> 14) & (SLOTS - 1);
    }

    /** The inode has just been seen without. */
    public void sawNone(long ino) {
        slots.set(slot(ino), ino + 1 << TICK_BITS | tick());
    }

    /** This mount is about to set an extended attribute of the inode. */
    public void forget(long ino) {
        slots.set(slot(ino), 0);
    }

    /** Whether the inode was seen without, not long ago. */
    public boolean hasNone(long ino) {
        long slot = slots.get(slot(ino));
        return slot >>> TICK_BITS == (ino + 1 << TICK_BITS) >>> TICK_BITS
                && slot != 0
                && (tick() - (slot & TICK_MASK) & TICK_MASK) < KEEP_TICKS;
    }
}
