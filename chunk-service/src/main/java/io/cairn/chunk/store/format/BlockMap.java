package io.cairn.chunk.store.format;

import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import java.nio.ByteBuffer;

/**
 * The state of each block of a chunk: its entry in the checksum table (CRC32C xor {@link
 * Crc32c#ZERO_BLOCK}, so that 0 stands for zeros) and whether it is allocated on disk. Not
 * thread-safe: its blob guards it.
 *
 * <p>The sum over all entries changes with any of them and is kept up to date at each change, so
 * that a header can vouch for the whole table at no cost.
 */
public final class BlockMap {
    private final int[] entries;
    private final byte[] allocated;
    private int allocatedBlocks;
    private long sum;

    /** All holes. */
    public BlockMap(int chunkSizeLog2) {
        entries = new int[blocks(chunkSizeLog2)];
        allocated = new byte[bitmapBytes(chunkSizeLog2)];
    }

    /** Blocks of a chunk. */
    public static int blocks(int chunkSizeLog2) {
        return (1 << chunkSizeLog2) / Limits.BLOCK_BYTES;
    }

    /** Bytes of one bit per block. */
    static int bitmapBytes(int chunkSizeLog2) {
        return blocks(chunkSizeLog2) / 8;
    }

    public int blocks() {
        return entries.length;
    }

    public int entry(int block) {
        return entries[block];
    }

    /** The CRC32C of a block, continued with zeros to a whole one. */
    public int crc(int block) {
        return entries[block] ^ Crc32c.ZERO_BLOCK;
    }

    public void setEntry(int block, int entry) {
        sum += weight(block, entry) - weight(block, entries[block]);
        entries[block] = entry;
    }

    /** The sum of all entries, each weighed with its place; 0 for a chunk of holes. */
    public long sum() {
        return sum;
    }

    public boolean isAllocated(int block) {
        return isSet(allocated, block);
    }

    /** The bit of a block in a bitmap. */
    public static boolean isSet(byte[] bitmap, int block) {
        return (bitmap[block >>> 3] >>> (block & 7) & 1) != 0;
    }

    public void setAllocated(int block, boolean is) {
        if (isAllocated(block) != is) {
            allocated[block >>> 3] ^= (byte) (1 << (block & 7));
            allocatedBlocks += is ? 1 : -1;
        }
    }

    /** How many of these blocks are holes. */
    public int holes(int first, int count) {
        int holes = 0;
        for (int block = first; block < first + count; block++) {
            holes += isAllocated(block) ? 0 : 1;
        }
        return holes;
    }

    public long allocatedBytes() {
        return (long) allocatedBlocks * Limits.BLOCK_BYTES;
    }

    public byte[] bitmap() {
        return allocated;
    }

    /** Takes over a bitmap as {@link #bitmap} gives it. */
    public void setBitmap(byte[] bitmap) {
        System.arraycopy(bitmap, 0, allocated, 0, allocated.length);
        allocatedBlocks = 0;
        for (byte bits : bitmap) {
            allocatedBlocks += Integer.bitCount(bits & 0xff);
        }
    }

    /** Writes entries in the form of the table on disk. */
    public void encode(int first, int count, ByteBuffer out) {
        for (int i = first; i < first + count; i++) {
            out.putInt(entries[i]);
        }
    }

    /** Reads the table as it is on disk; what the file does not hold is 0. */
    public void decode(ByteBuffer in) {
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
