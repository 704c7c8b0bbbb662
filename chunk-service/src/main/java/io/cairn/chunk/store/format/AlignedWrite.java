package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;

/**
 * A client's write after partial blocks were merged: what all members of a group apply.
 *
 * @param offsetBytes first byte within the chunk, a multiple of the block size
 * @param lengthAfterBytes length of the chunk afterwards
 * @param blocks the bytes between position and limit; ends at a block boundary or at {@code
 *     lengthAfterBytes}. May share memory with the client's payload
 * @param crcs CRC32C of each block, the last one continued with zeros to a whole block
 */
public record AlignedWrite(int offsetBytes, int lengthAfterBytes, ByteBuffer blocks, int[] crcs) {}
