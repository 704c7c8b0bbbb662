package io.cairn.chunk.store;

import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import java.nio.ByteBuffer;

/**
 * What is known of each block of a chunk: its entry in the checksum table (CRC32C xor {@link
 * Crc32c#ZERO_BLOCK}, so that 0 stands for zeros) and whether it is allocated on disk. Not
 * thread-safe: its blob guards it.
 *
 * <p>The sum over all entries changes with any of them and is kept up to date at each change, so
 * that a header can vouch for the whole table at no cost.
 */
final class BlockMap {
    private final int[] entries;
    private final byte[] allocated;
    private int allocatedBlocks;
    private long sum;

    /** All holes. */
    BlockMap(int chunkSizeLog2) {
        entries = new int[blocks(chunkSizeLog2)];
        allocated = new byte[bitmapBytes(chunkSizeLog2)];
    }

    /** Blocks of a chunk. */
    static int blocks(int chunkSizeLog2) {
        return (1 << chunkSizeLog2) / Limits.BLOCK_BYTES;
    }

    /** Bytes of one bit per block. */
    static int bitmapBytes(int chunkSizeLog2) {
        return blocks(chunkSizeLog2) / 8;
    }

    int blocks() {
        return entries.length;
    }

    int entry(int block) {
        return entries[block];
    }

    /** The CRC32C of a block, continued with zeros to a whole one. */
    int crc(int block) {
        return entries[block] ^ Crc32c.ZERO_BLOCK;
    }

    void setEntry(int block, int entry) {
        sum += weight(block, entry) - weight(block, entries[block]);
        entries[block] = entry;
    }

    /** The sum of all entries, each weighed with its place; 0 for a chunk of holes. */
    long sum() {
        return sum;
    }

    boolean isAllocated(int block) {
        return (allocated[block >>> 3] >>> (block & 7) & 1) != 0;
    }

    void setAllocated(int block, boolean is) {
        if (isAllocated(block) != is) {
            allocated[block >>> 3] ^= (byte) (1 << (block & 7));
            allocatedBlocks += is ? 1 : -1;
        }
    }

    /** How many of these blocks are holes. */
    int holes(int first, int count) {
        int holes = 0;
        for (int block = first; block < first + count; block++) {
            holes += isAllocated(block) ? 0 : 1;
        }
        return holes;
    }

    long allocatedBytes() {
        return (long) allocatedBlocks * Limits.BLOCK_BYTES;
    }

    byte[] bitmap() {
        return allocated;
    }

    /** Takes over a bitmap as {@link #bitmap} gives it. */
    void setBitmap(byte[] bitmap) {
        System.arraycopy(bitmap, 0, allocated, 0, allocated.length);
        allocatedBlocks = 0;
        for (byte bits : bitmap) {
            allocatedBlocks += Integer.bitCount(bits & 0xff);
        }
    }

    /** Writes entries in the form of the table on disk. */
    void encode(int first, int count, ByteBuffer out) {
        for (int i = first; i < first + count; i++) {
            out.putInt(entries[i]);
        }
    }

    /** Reads the table as it is on disk; what the file does not hold is 0. */
    void decode(ByteBuffer in) {
        for (int i = 0; i < entries.length && in.remaining() >= 4; i++) {
            setEntry(i, in.getInt());
        }
    }

    /** A bijection of (block, entry), so that two tables that differ in one place differ in sum. */
    private static long weight(int block, int entry) {
        if (entry == 0) {
            return 0;
        }
        long x = (long) block << 32 | (entry & 0xffffffffL);
        x = (x ^ x >>> 30) * 0xbf58476d1ce4e5b9L;
        x = (x ^ x >>> 27) * 0x94d049bb133111ebL;
        return x ^ x >>> 31;
    }
}
