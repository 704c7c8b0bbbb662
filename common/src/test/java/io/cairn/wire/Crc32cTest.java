package io.cairn.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class Crc32cTest {
    private static int reference(byte[] bytes, int from, int length) {
        CRC32C crc = new CRC32C();
        crc.update(bytes, from, length);
        return (int) crc.getValue();
    }

    /** RFC 3720, appendix B.4, and the check value of the algorithm. */
    @Test
    void publishedValues() {
        assertEquals(
                0xe3069283,
                Crc32c.of(ByteBuffer.wrap("123456789".getBytes(StandardCharsets.US_ASCII))));
        assertEquals(0x8a9136aa, Crc32c.of(ByteBuffer.allocate(32)));
        byte[] ones = new byte[32];
        Arrays.fill(ones, (byte) 0xff);
        assertEquals(0x62a8ab43, Crc32c.of(ByteBuffer.wrap(ones)));
        byte[] ascending = new byte[32];
        for (int i = 0; i < 32; i++) {
            ascending[i] = (byte) i;
        }
        assertEquals(0x46dd794e, Crc32c.of(ByteBuffer.wrap(ascending)));
    }

    @Test
    void theBlockOfZeros() {
        assertEquals(Crc32c.ZERO_BLOCK, Crc32c.of(ByteBuffer.allocate(Limits.BLOCK_BYTES)));
        assertEquals(Crc32c.ZERO_BLOCK, Crc32c.ofPadded(ByteBuffer.allocate(10), 3, 0));
        assertEquals(0x98f94189, Crc32c.ZERO_BLOCK);
    }

    @Test
    void positionsAreNotMoved() {
        ByteBuffer buffer = ByteBuffer.allocateDirect(100).position(10).limit(60);
        Crc32c.of(buffer);
        Crc32c.ofPadded(buffer, 12, 20);
        Crc32c.ofPieces(buffer, 4090);
        assertEquals(10, buffer.position());
        assertEquals(60, buffer.limit());
    }

    @Test
    void paddingContinuesWithZeros() {
        byte[] block = new byte[Limits.BLOCK_BYTES];
        new Random(1).nextBytes(block);
        for (int length : new int[] {0, 1, 17, 4095, 4096}) {
            byte[] padded = Arrays.copyOf(Arrays.copyOf(block, length), block.length);
            assertEquals(
                    reference(padded, 0, padded.length),
                    Crc32c.ofPadded(ByteBuffer.wrap(block), 0, length));
        }
    }

    @Test
    void piecesEndAtBlocks() {
        Random random = new Random(2);
        byte[] bytes = new byte[50_000];
        random.nextBytes(bytes);
        for (int i = 0; i < 500; i++) {
            long offset = random.nextInt(1 << 20);
            int length = random.nextInt(40_000);
            int start = random.nextInt(10_000);
            int[] crcs = Crc32c.ofPieces(ByteBuffer.wrap(bytes, start, length), offset);
            int piece = 0;
            int at = 0;
            while (at < length) {
                int room = (int) (Limits.BLOCK_BYTES - (offset + at) % Limits.BLOCK_BYTES);
                int count = Math.min(room, length - at);
                assertEquals(reference(bytes, start + at, count), crcs[piece++]);
                at += count;
            }
            // An empty piece inside a block has a checksum too.
            int expected = length == 0 && offset % Limits.BLOCK_BYTES != 0 ? 1 : piece;
            assertEquals(expected, crcs.length);
        }
    }
}
