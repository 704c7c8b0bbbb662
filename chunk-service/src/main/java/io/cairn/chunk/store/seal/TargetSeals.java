package io.cairn.chunk.store.seal;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.runtime.Disk;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.seal.WrappedKey;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The encrypted files of one target. The file {@code keys} there has the keys that they need,
 * wrapped, so that a start needs no master: magic "CAIRNKYS" (8), CRC32C of the rest (4), version
 * (4), the list of keys. A key stands there durably before a file has it, and is taken out when it
 * was dropped. Thread-safe.
 */
public final class TargetSeals {
    private static final long MAGIC = 0x434149524e4b5953L;
    private static final int VERSION = 1;
    private static final int HEAD_BYTES = 12;
    private static final int MOST_BYTES = 1 << 24;

    private final Disk disk;
    private final TargetPaths paths;
    private final Keyring ring;
    private final RandomGenerator random;
    private final SortedMap<Integer, WrappedKey> stored = new TreeMap<>();

    private TargetSeals(Disk disk, TargetPaths paths, Keyring ring, RandomGenerator random) {
        this.disk = disk;
        this.paths = paths;
        this.ring = ring;
        this.random = random;
    }

    /**
     * Reads the keys of a target.
     *
     * @param random for salts
     * @throws TargetException when this server cannot open one of them
     */
    public static TargetSeals open(
            Disk disk, TargetPaths paths, Keyring ring, RandomGenerator random) throws IOException {
        TargetSeals seals = new TargetSeals(disk, paths, ring, random);
        if (disk.exists(paths.keys())) {
            seals.read();
        }
        return seals;
    }

    private void read() throws IOException {
        List<WrappedKey> found;
        try (DiskFile file = disk.open(paths.keys())) {
            ByteBuffer bytes = ByteBuffer.allocate((int) Math.min(file.size(), MOST_BYTES));
            file.readAll(bytes, 0);
            found = decode(bytes.flip());
        }
        ring.learn(found);
        for (WrappedKey key : found) {
            stored.put(key.number(), key);
            String objection = objection(key);
            if (objection != null) {
                throw new TargetException(
                        Reason.UNUSABLE, paths.root() + " holds encrypted chunks: " + objection);
            }
        }
    }

    private @Nullable String objection(WrappedKey key) {
        if (ring.contradicts(key)) {
            return "its key %d is another one than that of the other directories of this server"
                    .formatted(key.number());
        }
        return ring.isDropped(key.number()) ? null : ring.objection(key.number());
    }

    private List<WrappedKey> decode(ByteBuffer bytes) throws TargetException {
        try {
            if (bytes.remaining() > HEAD_BYTES + Integer.BYTES && bytes.getLong(0) == MAGIC) {
                ByteBuffer rest = bytes.slice(HEAD_BYTES, bytes.limit() - HEAD_BYTES);
                byte[] body = new byte[rest.remaining()];
                rest.get(body);
                if (bytes.getInt(8) == checksum(body)) {
                    Decoder in = new Decoder(body);
                    if (in.i32() == VERSION) {
                        return in.list(WrappedKey::decode);
                    }
                }
            }
        } catch (RuntimeException e) {
            throw corrupt(e);
        }
        throw corrupt(null);
    }

    private TargetException corrupt(@Nullable Throwable cause) {
        String message =
                paths.keys() + " is damaged: without it the encrypted chunks cannot be read;";
        TargetException thrown =
                new TargetException(
                        Reason.CORRUPT, message + " copy the file from another server's directory");
        if (cause != null) {
            thrown.initCause(cause);
        }
        return thrown;
    }

    private static int checksum(byte[] body) {
        CRC32C crc = new CRC32C();
        crc.update(body);
        return (int) crc.getValue();
    }

    /**
     * The seal for a new file of a blob; null when its group is not encrypted.
     *
     * @throws FsException NOT_READY while it is not known; EIO when this server lacks the key
     */
    public @Nullable Seal next(BlobKey blob) throws IOException {
        int number = ring.keyOf(blob.group());
        if (number == 0) {
            return null;
        }
        if (number == Keyring.UNKNOWN || ring.wrapped(number) == null) {
            throw new FsException(
                    Errno.NOT_READY, "with which key " + blob + " is encrypted is not known yet");
        }
        byte[] secret;
        try {
            secret = ring.secret(number);
        } catch (SealException e) {
            throw new FsException(Errno.EIO, blob + " is to be encrypted: " + e.getMessage(), e);
        }
        keep(number);
        byte[] salt = new byte[Seal.SALT_BYTES];
        synchronized (random) {
            random.nextBytes(salt);
        }
        return new Seal(number, secret, salt, blob);
    }

    /** Stores a key before the first file has it. */
    private synchronized void keep(int number) throws IOException {
        WrappedKey key = ring.wrapped(number);
        if (key != null && !key.equals(stored.get(number))) {
            store(key);
        }
    }

    private synchronized void store(WrappedKey key) throws IOException {
        SortedMap<Integer, WrappedKey> next = new TreeMap<>(stored);
        next.put(key.number(), key);
        byte[] body =
                new Encoder()
                        .i32(VERSION)
                        .list(List.copyOf(next.values()), (out, each) -> each.encode(out))
                        .toBytes();
        ByteBuffer bytes = ByteBuffer.allocate(HEAD_BYTES + body.length);
        bytes.putLong(MAGIC).putInt(checksum(body)).put(body);
        disk.delete(paths.newKeys());
        try (DiskFile file = disk.openOrCreate(paths.newKeys())) {
            file.write(bytes.flip(), 0);
            file.force(true);
        }
        disk.rename(paths.newKeys(), paths.keys());
        disk.forceDirectory(paths.root());
        stored.putAll(next);
    }

    /**
     * A file of a blob, decrypted if it is encrypted.
     *
     * @param raw the open file
     * @param plainBytes how long one with its chunk size is that is not encrypted
     * @throws SealException when it is encrypted and cannot be read
     */
    public DiskFile opened(BlobKey blob, DiskFile raw, long plainBytes) throws IOException {
        if (raw.size() < Seal.sealedBytes(plainBytes)) {
            return raw;
        }
        Seal.Page page = Seal.page(raw, plainBytes);
        if (page == null) {
            return raw; // Its making was cut off, or it is damaged: it has no header for anybody.
        }
        Seal seal = new Seal(page.number(), ring.secret(page.number()), page.salt(), blob);
        if (!seal.fits(page)) {
            throw new SealException("key " + page.number() + " is not the one it was made with");
        }
        return new SealedFile(raw, seal, plainBytes);
    }

    /** The keys of the server. */
    public Keyring ring() {
        return ring;
    }

    /** Whether a key is gone for good. */
    public boolean isDropped(int number) {
        return ring.isDropped(number);
    }

    /**
     * Stores keys as they are wrapped now, and takes dropped ones out of the file, durably. What
     * was written before may be on the medium still, where the disk keeps old blocks; without the
     * master key it is worth nothing.
     */
    public synchronized void refresh() throws IOException {
        for (WrappedKey key : List.copyOf(stored.values())) {
            WrappedKey now = ring.wrapped(key.number());
            if (now != null && !now.equals(key)) {
                store(now);
            }
        }
    }
}
