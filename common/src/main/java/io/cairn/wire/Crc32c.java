package io.cairn.wire;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/**
 * CRC-32C (Castagnoli, RFC 3720 appendix B.4) of blocks of {@link Limits#BLOCK_BYTES}. Thread-safe.
 *
 * <p>On disk a block's checksum is stored xor {@link #ZERO_BLOCK}, so that a hole in the checksum
 * table is the right checksum of a hole in the data.
 */
public final class Crc32c {
    /** The checksum of a block of zeros. */
    public static final int ZERO_BLOCK;

    /**
     * Stands for the checksum of a block that was lost on every replica and travels as zeros: it
     * matches no block of zeros, so that reading the block fails wherever it is stored.
     */
    public static final int LOST_BLOCK;

    private static final byte[] ZEROS = new byte[Limits.BLOCK_BYTES];

    static {
        CRC32C crc = new CRC32C();
        crc.update(ZEROS, 0, ZEROS.length);
        ZERO_BLOCK = (int) crc.getValue();
        LOST_BLOCK = ~ZERO_BLOCK;
    }

    private Crc32c() {}

    /** The checksum of the remaining bytes; the position is not moved. */
    public static int of(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }

    /**
     * The checksum of {@code length} bytes from an absolute position, continued with zeros to a
     * whole block.
     */
    public static int ofPadded(ByteBuffer bytes, int position, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(position, length));
        if (length < Limits.BLOCK_BYTES) {
            crc.update(ZEROS, 0, Limits.BLOCK_BYTES - length);
        }
        return (int) crc.getValue();
    }

    /**
     * The checksums of the pieces of a buffer's remaining bytes that lie in one block each, when
     * the first byte stands at {@code offsetBytes}: as a WRITE carries them. The position is not
     * moved.
     */
    public static int[] ofPieces(ByteBuffer bytes, long offsetBytes) {
        int inBlock = (int) (offsetBytes & (Limits.BLOCK_BYTES - 1));
        int remaining = bytes.remaining();
        int[] crcs = new int[(inBlock + remaining + Limits.BLOCK_BYTES - 1) / Limits.BLOCK_BYTES];
        CRC32C crc = new CRC32C();
        int position = bytes.position();
        for (int i = 0; i < crcs.length; i++) {
            int length = Math.min(Limits.BLOCK_BYTES - (i == 0 ? inBlock : 0), remaining);
            crc.reset();
            crc.update(bytes.slice(position, length));
            crcs[i] = (int) crc.getValue();
            position += length;
            remaining -= length;
        }
        return crcs;
    }
}
