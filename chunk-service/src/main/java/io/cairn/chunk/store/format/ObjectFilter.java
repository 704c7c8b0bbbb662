package io.cairn.chunk.store.format;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * Of which objects a group of a target may have something. Says yes for all that were added since
 * it was made, and by chance for others: one in nine where there are a million. So most questions
 * need no look at the disk. Takes 1 MiB. Thread-safe.
 */
public final class ObjectFilter {
    private static final int BITS_LOG2 = 23;

    private final AtomicLongArray words = new AtomicLongArray(1 << (BITS_LOG2 - 6));

    /** There is something. */
    public void add(int group, long oid) {
        int bit = bitOf(group, oid);
        long mask = 1L << bit;
        if ((words.get(bit >>> 6) & mask) == 0) {
            words.accumulateAndGet(bit >>> 6, mask, (word, more) -> word | more);
        }
    }

    /** False when there is nothing. */
    public boolean mayHave(int group, long oid) {
        int bit = bitOf(group, oid);
        return (words.get(bit >>> 6) >>> bit & 1) != 0;
    }

    private static int bitOf(int group, long oid) {
        long mixed = (oid * 0x9E3779B97F4A7C15L + group) * 0xBF58476D1CE4E5B9L;
        return (int) (mixed >>> (Long.SIZE - BITS_LOG2));
    }
}
