package io.cairn.client.chunk;

import io.cairn.cluster.Layout;

/**
 * A chunk that a request is about: object and index, and the layout that leads to its group.
 *
 * @param oid the object asked for: that of the chunk's run, or the source of its clone
 * @param index chunk index in the file
 */
public record ChunkPlace(Layout layout, long oid, long index) {
    /** Whether the chunk is here in a layout. */
    boolean isIn(Layout now) {
        return now.chunkSizeLog2() == layout.chunkSizeLog2()
                && now.stripeWidth() == layout.stripeWidth()
                && now.seed() == layout.seed()
                && now.runOf(index).oid() == oid
                && now.runOf(index).sharesGroups(layout.runOf(index));
    }

    @Override
    public String toString() {
        return "chunk " + Long.toHexString(oid) + "." + index;
    }
}
