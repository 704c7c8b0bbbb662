package io.cairn.chunk.store.seal;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.zip.CRC32C;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The encryption of one blob file. Behind the trailer of the file, from the next multiple of 4096
 * on, there is a page that says which key it has, and that makes the file longer than a plain one.
 * It is written once, before all else, big-endian:
 *
 * <pre>
 *  0 +----------------------------+----------------------------+
 *    | magic "CAIRNKEY" (8)                                    |
 *  8 +----------------------------+----------------------------+
 *    | format version (4)         | CRC32C of the rest (4)     |
 * 16 +----------------------------+----------------------------+
 *    | number of the key (4)      | 0 (4)                      |
 * 24 +----------------------------+----------------------------+
 *    | salt (32)                                               |
 * 56 +---------------------------------------------------------+
 *    | proof that the key is the right one (16)                |
 *    +---------------------------------------------------------+
 * </pre>
 *
 * <p>The keys of the file are HMAC-SHA-512 of the key of the class over "cairn blob" and the salt.
 * The proof is the begin of the same over "cairn proof", the salt and the name of the blob.
 * Immutable, thread-safe.
 */
public final class Seal {
    static final int SALT_BYTES = 32;

    private static final int PAGE_BYTES = 4096;
    private static final int USED_BYTES = 72;
    private static final int PROOF_BYTES = 16;
    private static final long MAGIC = 0x434149524e4b4559L;
    private static final int VERSION = 1;

    private final int number;
    private final byte[] salt;
    private final byte[] proof;
    private final byte[] keys;

    /** A cipher for the next use: one, for there are many open files. */
    private final AtomicReference<@Nullable Xts> spare = new AtomicReference<>();

    /** What a page says. */
    record Page(int number, byte[] salt, byte[] proof) {}

    /** The seal of a file. */
    Seal(int number, byte[] secret, byte[] salt, BlobKey blob) {
        this.number = number;
        this.salt = salt;
        byte[] name =
                ByteBuffer.allocate(20)
                        .putInt(blob.group())
                        .putLong(blob.oid())
                        .putLong(blob.index())
                        .array();
        this.keys = mac(secret, "cairn blob", salt, new byte[0]);
        this.proof = Arrays.copyOf(mac(secret, "cairn proof", salt, name), PROOF_BYTES);
    }

    private static byte[] mac(byte[] secret, String purpose, byte[] salt, byte[] name) {
        try {
            Mac mac = Mac.getInstance("HmacSHA512");
            mac.init(new SecretKeySpec(secret, "HmacSHA512"));
            mac.update(purpose.getBytes(StandardCharsets.US_ASCII));
            mac.update(salt);
            return mac.doFinal(name);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("HmacSHA512", e);
        }
    }

    /** Number of the key of the class. */
    public int number() {
        return number;
    }

    /** Whether a page is that of this seal: of the same key and the same blob. */
    boolean fits(Page page) {
        return Arrays.equals(page.proof, proof);
    }

    /** How long a file is with its page. */
    static long sealedBytes(long plainBytes) {
        return pageAt(plainBytes) + PAGE_BYTES;
    }

    private static long pageAt(long plainBytes) {
        return (plainBytes + PAGE_BYTES - 1) & -PAGE_BYTES;
    }

    /**
     * Begins a new file.
     *
     * @param raw an empty one
     * @param plainBytes how long it would be if it were not encrypted
     */
    public SealedFile begin(DiskFile raw, long plainBytes) throws IOException {
        raw.truncate(sealedBytes(plainBytes));
        ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);
        page.putLong(MAGIC).putInt(VERSION).putInt(0).putInt(number).putInt(0);
        page.put(salt).put(proof).putInt(12, checksum(page));
        raw.write(page.clear(), pageAt(plainBytes));
        return new SealedFile(raw, this, plainBytes);
    }

    /** The page of a file as long as one that is encrypted; null when it holds none. */
    static @Nullable Page page(DiskFile raw, long plainBytes) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);
        raw.readAll(page, pageAt(plainBytes));
        if (page.hasRemaining()
                || page.getLong(0) != MAGIC
                || page.getInt(8) != VERSION
                || page.getInt(12) != checksum(page)) {
            return null;
        }
        byte[] salt = new byte[SALT_BYTES];
        byte[] proof = new byte[PROOF_BYTES];
        page.get(24, salt).get(24 + SALT_BYTES, proof);
        return new Page(page.getInt(16), salt, proof);
    }

    private static int checksum(ByteBuffer page) {
        CRC32C crc = new CRC32C();
        crc.update(page.slice(16, USED_BYTES - 16));
        return (int) crc.getValue();
    }

    /** Does something with a cipher. */
    void with(Consumer<Xts> work) {
        Xts cipher = spare.getAndSet(null);
        if (cipher == null) {
            cipher = new Xts(keys);
        }
        work.accept(cipher);
        spare.set(cipher);
    }
}
