package io.cairn.chunk.store.format;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Encoding of header pages. */
class BlobHeaderTest {
    private static BlobHeader header(int chunkSizeLog2, PendingBlocks pending) {
        byte[] allocated = new byte[BlockMap.bitmapBytes(chunkSizeLog2)];
        allocated[0] = (byte) 0xa5;
        allocated[allocated.length - 1] = 0x77;
        return new BlobHeader(
                new BlobKey(7, 0x123456789abcdef0L, 1L << 40),
                chunkSizeLog2,
                99,
                3,
                new BlobVersion(12, 13, 1 << chunkSizeLog2, 14),
                new BlobVersion(8, 9, 10, 11),
                pending,
                allocated,
                false);
    }

    private static ByteBuffer page(BlobHeader header) {
        ByteBuffer page = ByteBuffer.allocate(BlobHeader.PAGE_BYTES);
        header.encode(page);
        return page.flip();
    }

    @Test
    void comesBackAsItWas() {
        int[] entries = new int[BlobHeader.MAX_PENDING];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = i * 31;
        }
        for (int log2 = 16; log2 <= 26; log2++) {
            int count = Math.min(entries.length, BlockMap.blocks(log2));
            int[] some = Arrays.copyOf(entries, count);
            BlobHeader header = header(log2, new PendingBlocks(0, count, false, some));
            BlobHeader read = BlobHeader.decode(page(header));
            assertNotNull(read);
            assertEquals(header.key(), read.key());
            assertEquals(log2, read.chunkSizeLog2());
            assertEquals(99, read.generation());
            assertEquals(3, read.syncedSequence());
            assertEquals(header.version(), read.version());
            assertEquals(header.previous(), read.previous());
            assertArrayEquals(some, read.pending().entries());
            assertArrayEquals(header.allocated(), read.allocated());
        }
    }

    @Test
    void edgesStandForZerosBetween() {
        PendingBlocks pending = new PendingBlocks(2, 5, true, new int[] {10, 20});
        BlobHeader read = BlobHeader.decode(page(header(16, pending)));
        assertNotNull(read);
        assertEquals(10, read.pending().entry(0));
        assertEquals(0, read.pending().entry(1));
        assertEquals(0, read.pending().entry(3));
        assertEquals(20, read.pending().entry(4));
    }

    @Test
    void everyChangedByteIsNoticed() {
        ByteBuffer page = page(header(22, new PendingBlocks(4, 2, false, new int[] {5, 6})));
        for (int i = 0; i < page.limit(); i++) {
            page.put(i, (byte) (page.get(i) ^ 0x10));
            assertNull(BlobHeader.decode(page), "byte " + i);
            page.put(i, (byte) (page.get(i) ^ 0x10));
        }
        assertNotNull(BlobHeader.decode(page));
    }

    @Test
    void everyShorterPageIsNoticed() {
        ByteBuffer page = page(header(16, PendingBlocks.NONE));
        for (int i = 0; i < page.limit(); i++) {
            assertNull(BlobHeader.decode(page.slice(0, i)), "length " + i);
        }
    }

    @Test
    void laterFormatsAreToldApart() {
        ByteBuffer page = page(header(16, PendingBlocks.NONE));
        assertFalse(BlobHeader.isNewer(page));
        page.putInt(8, 3);
        assertNull(BlobHeader.decode(page));
        assertTrue(BlobHeader.isNewer(page));
    }

    @Test
    void aPackedOneHasAVersionOfItsOwn() {
        BlobHeader plain = header(22, PendingBlocks.NONE);
        BlobHeader packed =
                new BlobHeader(
                        plain.key(),
                        22,
                        1,
                        13,
                        plain.version(),
                        plain.version(),
                        PendingBlocks.NONE,
                        plain.allocated(),
                        true);
        ByteBuffer page = page(packed);
        assertEquals(2, page.getInt(8));
        assertFalse(BlobHeader.isNewer(page));
        BlobHeader read = BlobHeader.decode(page);
        assertNotNull(read);
        assertTrue(read.packed());
        assertEquals(packed.version(), read.version());
        BlobHeader other = BlobHeader.decode(page(plain));
        assertNotNull(other);
        assertFalse(other.packed());
    }

    @Test
    void largestHeaderFitsItsPage() {
        int[] entries = new int[BlobHeader.MAX_PENDING];
        ByteBuffer page = page(header(26, new PendingBlocks(0, entries.length, false, entries)));
        assertTrue(page.limit() <= BlobHeader.PAGE_BYTES);
    }
}
