package io.cairn.client;

import io.cairn.wire.ContentMutation.Patch;
import io.cairn.wire.Limits;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;

/**
 * Contents on their way out of the inode into chunks. Guarded by the lock of the inode.
 *
 * @param oid the object whose chunks take them
 * @param base what they were at the master when they began to move
 * @param mine which bytes of them were written by this client, one bit per byte
 */
record Spilling(long oid, byte[] base, BitSet mine) {

    /** A write to chunks: as far as it covers possible inline bytes, they are this client's now. */
    void wrote(long from, long to) {
        if (from < Limits.MAX_INLINE_BYTES) {
            mine.set((int) from, (int) Math.min(to, Limits.MAX_INLINE_BYTES));
        }
    }

    /**
     * Another client has changed the inline contents meanwhile: the runs of bytes that have to be
     * brought into the chunks, too, for they were not written here and are not what was moved.
     *
     * @param contents as they are at the master now
     * @param moved whether {@code base} was moved into the object of the present layout
     */
    List<Patch> foreign(byte[] contents, boolean moved) {
        List<Patch> patches = new ArrayList<>();
        for (int from = mine.nextClearBit(0); from < contents.length; ) {
            int end = mine.nextSetBit(from);
            int to = end < 0 ? contents.length : Math.min(end, contents.length);
            int same = from;
            while (moved && same < to && same < base.length && base[same] == contents[same]) {
                same++;
            }
            if (same < to) {
                patches.add(new Patch(same, Arrays.copyOfRange(contents, same, to)));
            }
            from = mine.nextClearBit(to);
        }
        return patches;
    }
}
