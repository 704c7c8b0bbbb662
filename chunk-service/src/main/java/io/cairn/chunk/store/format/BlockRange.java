package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;

/**
 * Whole blocks as they stand on disk, not verified.
 *
 * @param offsetBytes first byte within the chunk, a multiple of the block size
 * @param lengthBytes length of the chunk; what lies beyond reads as zeros
 * @param blocks the bytes between position and limit, up to a block boundary or the end of the
 *     chunk; empty when the range lies beyond the end
 * @param crcs CRC32C of each block, the last one of the chunk continued with zeros
 */
public record BlockRange(int offsetBytes, int lengthBytes, ByteBuffer blocks, int[] crcs) {
    /** No block of a chunk of a certain length. */
    public static BlockRange nothing(int offsetBytes, int lengthBytes) {
        return new BlockRange(offsetBytes, lengthBytes, ByteBuffer.allocate(0), new int[0]);
    }
}
