package io.cairn.fs;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;

/**
 * An advisory lock, held or asked for. POSIX byte-range locks follow fcntl(2): ranges of one owner
 * are split and merged; flock(2) locks cover the whole file.
 *
 * @param kind whose rules apply; kinds do not conflict with each other
 * @param mode shared, exclusive, or unlock
 * @param owner the lock owner within its session: an opaque number from the kernel or the door
 * @param startByte first byte, 0..2^63-1
 * @param endByte last byte, inclusive; {@link #TO_END} for "to the end whatever it becomes"
 * @param pid process to report by F_GETLK; what a {@link Kind#SHARE} shares
 */
public record Lock(Kind kind, Mode mode, long owner, long startByte, long endByte, int pid) {
    /** The end of a range that covers everything. */
    public static final long TO_END = Long.MAX_VALUE;

    /** The family of a lock. */
    public enum Kind implements Coded {
        POSIX(0),
        FLOCK(1),
        /**
         * The right to extend a file by O_APPEND: exclusive, whole file, recalled when another
         * wants it.
         */
        APPEND(2),
        /**
         * A share reservation of DOS (NLM SHARE), whole file: what an opener does with the file and
         * what it denies others. Both are in {@link #pid}: {@code access | deny << 2}, each of
         * reading 1 and writing 2. It conflicts with who does what it denies, or denies what it
         * does; its mode is SHARED.
         */
        SHARE(3);

        /** All by their codes. */
        public static final CodeTable<Kind> CODES = new CodeTable<>(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /** Whether share reservations with these accesses and denials exclude each other. */
    public static boolean sharesConflict(int one, int other) {
        return ((one & (other >> 2)) | (other & (one >> 2))) != 0;
    }

    /** The strength of a lock. */
    public enum Mode implements Coded {
        UNLOCK(0),
        SHARED(1),
        EXCLUSIVE(2);

        /** All by their codes. */
        public static final CodeTable<Mode> CODES = new CodeTable<>(values());

        private final int code;

        Mode(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    /** Whether the byte ranges of two locks have a byte in common. */
    public boolean overlaps(Lock other) {
        return startByte <= other.endByte && other.startByte <= endByte;
    }
}
