package io.cairn.client;

import io.cairn.cluster.Layout;

/**
 * A chunk that a request is about: object and index, and the layout that leads to its group.
 *
 * @param oid the object asked for: that of the chunk's run, or the source of its clone
 * @param index chunk index in the file
 */
record ChunkPlace(Layout layout, long oid, long index) {
    @Override
    public String toString() {
        return "chunk " + Long.toHexString(oid) + "." + index;
    }
}
