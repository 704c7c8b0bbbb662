package io.cairn.chunk.store.format;

/**
 * The blocks that a write changes, told by the header before the write touches them.
 *
 * @param first first block
 * @param count blocks, 0 when none
 * @param edges false: {@code entries} holds one table entry per block; true: entries of the first
 *     and the last block only, those between become 0 (a hole)
 */
public record PendingBlocks(int first, int count, boolean edges, int[] entries) {
    public static final PendingBlocks NONE = new PendingBlocks(0, 0, false, new int[0]);

    /** The table entry that block {@code first + i} gets. */
    public int entry(int i) {
        if (!edges) {
            return entries[i];
        }
        if (i == 0) {
            return entries[0];
        }
        return i == count - 1 ? entries[1] : 0;
    }
}
