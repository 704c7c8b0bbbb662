package io.cairn.chunk.store.format;

import io.cairn.wire.chunk.ChunkRequest.WriteMark;

/**
 * Which state of a chunk a blob shows.
 *
 * @param epoch epoch of the group at the last write
 * @param sequence number of the last write, from 1; 0 = nothing was ever written
 * @param lengthBytes length of the chunk
 * @param tableSum {@link BlockMap#sum} of all checksums: proves that the table belongs to it
 */
public record BlobVersion(long epoch, long sequence, int lengthBytes, long tableSum) {
    public static final BlobVersion NONE = new BlobVersion(0, 0, 0, 0);

    /** The last write. */
    public WriteMark mark() {
        return new WriteMark(epoch, sequence);
    }
}
