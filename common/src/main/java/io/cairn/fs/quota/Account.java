package io.cairn.fs.quota;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import java.util.Locale;

/**
 * Whose something is: a directory has what lies below it, a user and a group have what they own.
 *
 * @param id inode number of the directory; uid or gid, 0 to 2^32 - 1
 */
public record Account(Kind kind, long id) {
    /** What there are accounts of. Codes are part of the wire and of the state. */
    public enum Kind implements Coded {
        DIRECTORY(1),
        USER(2),
        GROUP(3);

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

    /** That of a directory. */
    public static Account directory(long ino) {
        return new Account(Kind.DIRECTORY, ino);
    }

    /** That of a user. */
    public static Account user(int uid) {
        return new Account(Kind.USER, Integer.toUnsignedLong(uid));
    }

    /** That of a group. */
    public static Account group(int gid) {
        return new Account(Kind.GROUP, Integer.toUnsignedLong(gid));
    }

    @Override
    public String toString() {
        return kind.name().toLowerCase(Locale.ROOT) + " " + id;
    }
}
