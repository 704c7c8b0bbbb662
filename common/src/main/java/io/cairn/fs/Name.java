package io.cairn.fs;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * One component of a path: 1 to 255 bytes without NUL and {@code /}, and neither {@code .} nor
 * {@code ..} (POSIX.1-2024, 3.141 Filename). Immutable.
 */
public final class Name implements Comparable<Name> {
    /** NAME_MAX, in bytes. */
    public static final int MAX_BYTES = 255;

    private final byte[] bytes;
    private int hash;

    private Name(byte[] bytes) {
        this.bytes = bytes;
    }

    /**
     * A checked name. The array is taken over and must not be changed afterwards.
     *
     * @throws FsException ENAMETOOLONG over 255 bytes; EINVAL when empty, {@code .}, {@code ..}, or
     *     containing {@code /} or NUL
     */
    public static Name of(byte[] bytes) {
        if (bytes.length > MAX_BYTES) {
            throw new FsException(
                    Errno.ENAMETOOLONG, "name of " + bytes.length + " bytes; the limit is 255");
        }
        if (bytes.length == 0 || isDots(bytes)) {
            throw new FsException(Errno.EINVAL, "a name must not be empty, '.' or '..'");
        }
        for (byte b : bytes) {
            if (b == 0 || b == '/') {
                throw new FsException(Errno.EINVAL, "a name must not contain '/' or NUL");
            }
        }
        return new Name(bytes);
    }

    /** The UTF-8 bytes of a string, checked like {@link #of(byte[])}. */
    public static Name of(String text) {
        return of(text.getBytes(StandardCharsets.UTF_8));
    }

    private static boolean isDots(byte[] b) {
        return b[0] == '.' && (b.length == 1 || (b.length == 2 && b[1] == '.'));
    }

    /** The bytes themselves, not a copy: read only. */
    public byte[] bytes() {
        return bytes;
    }

    /** The length in bytes, 1..255. */
    public int length() {
        return bytes.length;
    }

    /**
     * The readdir cookie of this name: a 63-bit hash (FNV-1a, finished with the murmur3 mixer),
     * never below 16 so that small cookies stay free for {@code .} and {@code ..}. Part of the
     * on-disk format.
     */
    public long cookie() {
        long h = 0xcbf29ce484222325L;
        for (byte b : bytes) {
            h = (h ^ (b & 0xff)) * 0x100000001b3L;
        }
        h = (h ^ (h >>> 33)) * 0xff51afd7ed558ccdL;
        h = (h ^ (h >>> 33)) * 0xc4ceb9fe1a85ec53L;
        h = (h ^ (h >>> 33)) >>> 1;
        return h < 16 ? h + 16 : h;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Name n && Arrays.equals(bytes, n.bytes);
    }

    @Override
    public int hashCode() {
        if (hash == 0) {
            hash = Arrays.hashCode(bytes);
        }
        return hash;
    }

    @Override
    public int compareTo(Name other) {
        return Arrays.compareUnsigned(bytes, other.bytes);
    }

    /** The name as UTF-8 text for logs; undecodable bytes are replaced. */
    @Override
    public String toString() {
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
