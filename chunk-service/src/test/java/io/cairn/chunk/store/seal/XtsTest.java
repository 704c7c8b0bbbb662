package io.cairn.chunk.store.seal;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The cipher is the one of the standard, whatever the pieces. */
final class XtsTest {
    private static final HexFormat HEX = HexFormat.of();

    /** Vector 10 of IEEE 1619-2007: both keys, and the sector with the number 255. */
    private static final String KEYS =
            "2718281828459045235360287471352662497757247093699959574966967627"
                    + "3141592653589793238462643383279502884197169399375105820974944592";

    private static final String BEGIN =
            "1c3b3a102f770386e4836c99e370cf9bea00803f5e482357a4ae12d414a3e63b"
                    + "5d31e276f8fe4a8d66b317f9ac683f44680a86ac35adfc3345befecb4bb188fd";

    private static byte[] counting(int bytes) {
        byte[] data = new byte[bytes];
        for (int i = 0; i < bytes; i++) {
            data[i] = (byte) i;
        }
        return data;
    }

    @Test
    void theVectorOfTheStandard() {
        Xts cipher = new Xts(HEX.parseHex(KEYS));
        byte[] data = counting(512);
        cipher.encrypt(data, data.length, 255L * Xts.SECTOR);
        assertEquals(BEGIN, HEX.formatHex(data, 0, 64));
        cipher.decrypt(data, data.length, 255L * Xts.SECTOR);
        assertArrayEquals(counting(512), data);
    }

    @Test
    void piecesGiveTheSameAsTheWhole() {
        Random random = new Random(1);
        Xts cipher = new Xts(HEX.parseHex(KEYS));
        byte[] plain = new byte[Xts.MOST];
        random.nextBytes(plain);
        byte[] whole = plain.clone();
        cipher.encrypt(whole, whole.length, 0);
        for (int i = 0; i < 200; i++) {
            int from = random.nextInt(plain.length / Xts.UNIT) * Xts.UNIT;
            int length = (1 + random.nextInt((plain.length - from) / Xts.UNIT)) * Xts.UNIT;
            byte[] piece = Arrays.copyOfRange(plain, from, from + length);
            cipher.encrypt(piece, length, from);
            assertArrayEquals(Arrays.copyOfRange(whole, from, from + length), piece);
            cipher.decrypt(piece, length, from);
            assertArrayEquals(Arrays.copyOfRange(plain, from, from + length), piece);
        }
    }

    @Test
    void whatWasNeverWrittenIsZeros() {
        Xts cipher = new Xts(HEX.parseHex(KEYS));
        byte[] data = new byte[3 * Xts.UNIT];
        byte[] middle = new byte[Xts.UNIT];
        cipher.encrypt(middle, Xts.UNIT, Xts.UNIT);
        System.arraycopy(middle, 0, data, Xts.UNIT, Xts.UNIT);
        cipher.decrypt(data, data.length, 0);
        assertArrayEquals(new byte[3 * Xts.UNIT], data);
    }
}
