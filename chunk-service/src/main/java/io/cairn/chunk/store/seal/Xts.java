package io.cairn.chunk.store.seal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.spec.SecretKeySpec;

/**
 * AES-256 in XTS mode (IEEE 1619) over sectors of {@value #SECTOR} bytes, of whole units of {@value
 * #UNIT} bytes. A unit of zeros in the file was never written: it reads as zeros. Used by one
 * thread at a time.
 */
final class Xts {
    /** Bytes that are encrypted as one. */
    static final int UNIT = 16;

    /** Bytes with one number. */
    static final int SECTOR = 4096;

    /** The largest piece. */
    static final int MOST = 1 << 14;

    /** Bytes of both keys. */
    static final int KEY_BYTES = 64;

    private static final VarHandle WORDS =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    /** The polynomial of the field, for a bit that leaves. */
    private static final long FEEDBACK = 0x87;

    private final Cipher encryption;
    private final Cipher decryption;
    private final Cipher numbers;
    private final byte[] tweaks = new byte[MOST];
    private final byte[] number = new byte[UNIT];
    private final boolean[] holes = new boolean[MOST / UNIT];

    /** The cipher with both keys, the one for data first. */
    Xts(byte[] keys) {
        SecretKeySpec data = new SecretKeySpec(keys, 0, KEY_BYTES / 2, "AES");
        SecretKeySpec sectors = new SecretKeySpec(keys, KEY_BYTES / 2, KEY_BYTES / 2, "AES");
        encryption = cipher(Cipher.ENCRYPT_MODE, data);
        decryption = cipher(Cipher.DECRYPT_MODE, data);
        numbers = cipher(Cipher.ENCRYPT_MODE, sectors);
    }

    /** The bare cipher: the mode around it is this class. */
    @SuppressWarnings("InsecureCryptoUsage")
    private static Cipher cipher(int mode, SecretKeySpec key) {
        try {
            Cipher cipher = Cipher.getInstance("AES/ECB/NoPadding");
            cipher.init(mode, key);
            return cipher;
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES", e);
        }
    }

    /**
     * Encrypts bytes in place.
     *
     * @param length at most {@link #MOST}, a multiple of {@link #UNIT}
     * @param at where they lie in the file, a multiple of {@link #UNIT}
     */
    void encrypt(byte[] data, int length, long at) {
        tweak(length, at);
        mix(data, length);
        run(encryption, data, length);
        mix(data, length);
    }

    /** Decrypts them. */
    void decrypt(byte[] data, int length, long at) {
        tweak(length, at);
        boolean some = false;
        for (int i = 0; i < length; i += UNIT) {
            boolean hole = word(data, i) == 0 && word(data, i + Long.BYTES) == 0;
            holes[i / UNIT] = hole;
            some |= hole;
        }
        mix(data, length);
        run(decryption, data, length);
        mix(data, length);
        for (int i = 0; some && i < length; i += UNIT) {
            if (holes[i / UNIT]) {
                Arrays.fill(data, i, i + UNIT, (byte) 0);
            }
        }
    }

    private static long word(byte[] bytes, int at) {
        return (long) WORDS.get(bytes, at);
    }

    private void mix(byte[] data, int length) {
        for (int i = 0; i < length; i += Long.BYTES) {
            WORDS.set(data, i, word(data, i) ^ word(tweaks, i));
        }
    }

    /** The tweaks of all units from a place on. */
    private void tweak(int length, long at) {
        long low = 0;
        long high = 0;
        for (int i = 0; i < length; i += UNIT) {
            long place = at + i;
            if (i == 0 || place % SECTOR == 0) {
                WORDS.set(number, 0, place / SECTOR);
                WORDS.set(number, Long.BYTES, 0L);
                run(numbers, number, UNIT);
                low = word(number, 0);
                high = word(number, Long.BYTES);
                for (long skipped = place % SECTOR; skipped > 0; skipped -= UNIT) {
                    long carry = high >> 63 & FEEDBACK;
                    high = high << 1 | low >>> 63;
                    low = low << 1 ^ carry;
                }
            } else {
                long carry = high >> 63 & FEEDBACK;
                high = high << 1 | low >>> 63;
                low = low << 1 ^ carry;
            }
            WORDS.set(tweaks, i, low);
            WORDS.set(tweaks, i + Long.BYTES, high);
        }
    }

    private static void run(Cipher cipher, byte[] data, int length) {
        try {
            if (cipher.update(data, 0, length, data, 0) != length) {
                throw new IllegalStateException("AES kept something back");
            }
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("AES", e);
        }
    }
}
