package io.cairn.nfs.v3;

import static io.cairn.nfs.v3.NfsProcedure.Bytes.NO_COUNT;
import static io.cairn.nfs.v3.NfsProcedure.Bytes.USUAL;
import static io.cairn.nfs.v3.NfsProcedure.Repetition.ONCE;
import static io.cairn.nfs.v3.NfsProcedure.Repetition.REPEATABLE;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import java.util.Locale;

/** The procedures of NFS version 3 (RFC 1813, 3). */
enum NfsProcedure implements Coded {
    NULL(0, REPEATABLE, USUAL, NO_COUNT),
    GETATTR(1, REPEATABLE, USUAL, NO_COUNT),
    SETATTR(2, ONCE, USUAL, NO_COUNT),
    LOOKUP(3, REPEATABLE, USUAL, NO_COUNT),
    ACCESS(4, REPEATABLE, USUAL, NO_COUNT),
    READLINK(5, REPEATABLE, 8192, NO_COUNT),
    READ(6, REPEATABLE, USUAL, 8),
    WRITE(7, REPEATABLE, USUAL, NO_COUNT),
    CREATE(8, ONCE, USUAL, NO_COUNT),
    MKDIR(9, ONCE, USUAL, NO_COUNT),
    SYMLINK(10, ONCE, USUAL, NO_COUNT),
    MKNOD(11, ONCE, USUAL, NO_COUNT),
    REMOVE(12, ONCE, USUAL, NO_COUNT),
    RMDIR(13, ONCE, USUAL, NO_COUNT),
    RENAME(14, ONCE, USUAL, NO_COUNT),
    LINK(15, ONCE, USUAL, NO_COUNT),
    READDIR(16, REPEATABLE, USUAL, 16),
    READDIRPLUS(17, REPEATABLE, USUAL, 20),
    FSSTAT(18, REPEATABLE, USUAL, NO_COUNT),
    FSINFO(19, REPEATABLE, USUAL, NO_COUNT),
    PATHCONF(20, REPEATABLE, USUAL, NO_COUNT),
    COMMIT(21, REPEATABLE, USUAL, NO_COUNT);

    /** Whether the answer to a repeated call has to be the first one's. */
    enum Repetition {
        ONCE,
        REPEATABLE
    }

    /** Sizes of answers. */
    static final class Bytes {
        /** The answer of any procedure but those that carry data, listings, or a path. */
        static final int USUAL = 1024;

        /** The caller does not say how much it wants. */
        static final int NO_COUNT = -1;

        private Bytes() {}
    }

    static final CodeTable<NfsProcedure> CODES = new CodeTable<>(values());

    private final int code;
    private final Repetition repetition;
    private final int replyBytes;
    private final int countOffset;
    private final String title = name().toLowerCase(Locale.ROOT);

    NfsProcedure(int code, Repetition repetition, int replyBytes, int countOffset) {
        this.code = code;
        this.repetition = repetition;
        this.replyBytes = replyBytes;
        this.countOffset = countOffset;
    }

    @Override
    public int code() {
        return code;
    }

    boolean isOnce() {
        return repetition == ONCE;
    }

    /** An upper bound of the answer without what the caller counts, in bytes. */
    int replyBytes() {
        return replyBytes;
    }

    /** How many bytes behind the handle the count of wanted bytes stands; -1 = there is none. */
    int countOffset() {
        return countOffset;
    }

    /** Its name in metrics and in the log. */
    String title() {
        return title;
    }
}
