package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;

/**
 * One part of a chunk that replaces the local replica. Parts come in order, the first one with
 * offset 0; what no part holds is a hole.
 *
 * @param sequence write sequence of the chunk that the parts show
 * @param lengthBytes length of the whole chunk
 * @param offsetBytes where this part begins, a multiple of the block size
 * @param blocks the bytes between position and limit; ends at a block boundary or at {@code
 *     lengthBytes}; may be empty
 * @param crcs CRC32C of each block, the last one continued with zeros
 * @param last whether the chunk is complete with this part
 */
public record InstallPart(
        long sequence,
        int lengthBytes,
        int offsetBytes,
        ByteBuffer blocks,
        int[] crcs,
        boolean last) {}
