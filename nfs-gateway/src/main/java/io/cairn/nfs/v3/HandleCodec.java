package io.cairn.nfs.v3;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.random.RandomGenerator;

/**
 * File handles, opaque to clients (RFC 1813, 2.3.3):
 *
 * <pre>
 *  0        1          4        8             16     24           28            36
 * +--------+----------+--------+-------------+------+------------+-------------+
 * | format | reserved | export | filesystem  | ino  | generation | SipHash-2-4 |
 * | 1      | 0        | id     |             |      |            | of the rest |
 * +--------+----------+--------+-------------+------+------------+-------------+
 * </pre>
 *
 * The number of the filesystem and the key of the hash are random and kept in an extended attribute
 * of its root, so that all gateways for ever have the same ones. Immutable.
 */
final class HandleCodec {
    /** Length of a handle in bytes. */
    static final int BYTES = 36;

    /** Where number and key are kept. */
    static final byte[] ATTRIBUTE = "trusted.cairn.nfs".getBytes(StandardCharsets.US_ASCII);

    private static final int FORMAT = 1;
    private static final int HASHED_BYTES = BYTES - Long.BYTES;
    private static final int KEY_BYTES = 16;
    private static final int SECRET_BYTES = Long.BYTES + KEY_BYTES;

    /**
     * The contents of a handle.
     *
     * @param exportId the export it was given out for
     * @param ino the inode
     * @param generation of the inode number
     */
    record Handle(int exportId, long ino, int generation) {}

    private final long filesystem;
    private final SipHash hash;

    /** With a number and a key. */
    HandleCodec(long filesystem, byte[] key) {
        this.filesystem = filesystem;
        this.hash = new SipHash(key);
    }

    /** With the number and key of a filesystem, which get their values on the first call ever. */
    static HandleCodec of(FileSystem fs, RandomGenerator random) {
        byte[] secret = secret(fs, random);
        if (secret.length != SECRET_BYTES) {
            throw new FsException(
                    Errno.EIO,
                    "the attribute "
                            + new String(ATTRIBUTE, StandardCharsets.US_ASCII)
                            + " of the root has "
                            + secret.length
                            + " bytes instead of "
                            + SECRET_BYTES
                            + "; removing it makes new handles, and all clients have to remount");
        }
        ByteBuffer fields = ByteBuffer.wrap(secret);
        long filesystem = fields.getLong();
        byte[] key = new byte[KEY_BYTES];
        fields.get(key);
        return new HandleCodec(filesystem, key);
    }

    private static byte[] secret(FileSystem fs, RandomGenerator random) {
        try {
            return fs.getXattr(Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE);
        } catch (FsException e) {
            if (e.errno() != Errno.ENODATA) {
                throw e;
            }
        }
        byte[] fresh = new byte[SECRET_BYTES];
        random.nextBytes(fresh);
        try {
            fs.setXattr(
                    Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE, fresh, FileSystem.XATTR_CREATE);
            return fresh;
        } catch (FsException e) {
            if (e.errno() != Errno.EEXIST) {
                throw e;
            }
            return fs.getXattr(Caller.ROOT, FileSystem.ROOT_INO, ATTRIBUTE);
        }
    }

    /** The {@code fsid} that attributes tell. */
    long filesystem() {
        return filesystem;
    }

    byte[] encode(Handle handle) {
        byte[] bytes = new byte[BYTES];
        ByteBuffer out = ByteBuffer.wrap(bytes);
        out.put((byte) FORMAT).put((byte) 0).putShort((short) 0);
        out.putInt(handle.exportId).putLong(filesystem).putLong(handle.ino);
        out.putInt(handle.generation);
        out.putLong(hash.of(bytes, HASHED_BYTES));
        return bytes;
    }

    /** BADHANDLE for anything that {@link #encode} of the same filesystem did not make. */
    Handle decode(byte[] bytes) {
        if (bytes.length != BYTES || bytes[0] != FORMAT) {
            throw new NfsException(NfsStatus.BADHANDLE);
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        if (in.getLong(HASHED_BYTES) != hash.of(bytes, HASHED_BYTES)
                || in.getLong(8) != filesystem) {
            throw new NfsException(NfsStatus.BADHANDLE);
        }
        return new Handle(in.getInt(4), in.getLong(16), in.getInt(24));
    }
}
