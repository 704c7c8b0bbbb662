package io.cairn.fs;

/**
 * An advisory lock, held or asked for. POSIX byte-range locks follow fcntl(2): ranges of one owner
 * are split and merged; flock(2) locks cover the whole file.
 *
 * @param kind whose rules apply; kinds do not conflict with each other
 * @param mode shared, exclusive, or unlock
 * @param owner the lock owner within its session: an opaque number from the kernel or the door
 * @param startByte first byte, 0..2^63-1
 * @param endByte last byte, inclusive; {@link #TO_END} for "to the end whatever it becomes"
 * @param pid process to report by F_GETLK
 */
public record Lock(Kind kind, Mode mode, long owner, long startByte, long endByte, int pid) {
    /** The end of a range that covers everything. */
    public static final long TO_END = Long.MAX_VALUE;

    /** The family of a lock. Ordinals are part of the wire format. */
    public enum Kind {
        POSIX,
        FLOCK,
        /**
         * The right to extend a file by O_APPEND: exclusive, whole file, recalled when another
         * wants it.
         */
        APPEND
    }

    /** The strength of a lock. Ordinals are part of the wire format. */
    public enum Mode {
        UNLOCK,
        SHARED,
        EXCLUSIVE
    }

    /** Whether the byte ranges of two locks have a byte in common. */
    public boolean overlaps(Lock other) {
        return startByte <= other.endByte && other.startByte <= endByte;
    }
}
