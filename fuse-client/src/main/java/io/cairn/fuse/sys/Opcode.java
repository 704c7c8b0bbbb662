package io.cairn.fuse.sys;

import static io.cairn.fuse.sys.Opcode.Interruption.ALLOWED;
import static io.cairn.fuse.sys.Opcode.Interruption.REFUSED;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import org.jspecify.annotations.Nullable;

/** The requests of the kernel that are known (enum fuse_opcode in linux/fuse.h). */
public enum Opcode implements Coded {
    LOOKUP(1, ALLOWED),
    FORGET(2, REFUSED),
    GETATTR(3, ALLOWED),
    SETATTR(4, ALLOWED),
    READLINK(5, ALLOWED),
    SYMLINK(6, ALLOWED),
    MKNOD(8, ALLOWED),
    MKDIR(9, ALLOWED),
    UNLINK(10, ALLOWED),
    RMDIR(11, ALLOWED),
    RENAME(12, ALLOWED),
    LINK(13, ALLOWED),
    OPEN(14, ALLOWED),
    READ(15, ALLOWED),
    WRITE(16, ALLOWED),
    STATFS(17, ALLOWED),
    RELEASE(18, REFUSED),
    FSYNC(20, ALLOWED),
    SETXATTR(21, ALLOWED),
    GETXATTR(22, ALLOWED),
    LISTXATTR(23, ALLOWED),
    REMOVEXATTR(24, ALLOWED),
    FLUSH(25, ALLOWED),
    INIT(26, REFUSED),
    OPENDIR(27, ALLOWED),
    READDIR(28, ALLOWED),
    RELEASEDIR(29, REFUSED),
    FSYNCDIR(30, ALLOWED),
    GETLK(31, ALLOWED),
    SETLK(32, ALLOWED),
    SETLKW(33, ALLOWED),
    ACCESS(34, ALLOWED),
    CREATE(35, ALLOWED),
    INTERRUPT(36, REFUSED),
    DESTROY(38, REFUSED),
    IOCTL(39, ALLOWED),
    NOTIFY_REPLY(41, REFUSED),
    BATCH_FORGET(42, REFUSED),
    FALLOCATE(43, ALLOWED),
    READDIRPLUS(44, ALLOWED),
    RENAME2(45, ALLOWED),
    LSEEK(46, ALLOWED),
    COPY_FILE_RANGE(47, ALLOWED),
    TMPFILE(51, ALLOWED),
    STATX(52, ALLOWED),
    /** As the other one, with a longer answer; from Linux 6.18 on. */
    COPY_FILE_RANGE_64(53, ALLOWED);

    /** The fate of a request whose process gets a signal. */
    enum Interruption {
        /** It may be answered EINTR. */
        ALLOWED,
        /** Nobody waits for an answer, or it must not fail. */
        REFUSED
    }

    private static final CodeTable<Opcode> CODES = new CodeTable<>(values());

    private final int code;
    private final Interruption interruption;

    Opcode(int code, Interruption interruption) {
        this.code = code;
        this.interruption = interruption;
    }

    @Override
    public int code() {
        return code;
    }

    /** Whether it may be answered EINTR. */
    public boolean mayFail() {
        return interruption == ALLOWED;
    }

    /** The request with a number; null for one that this release does not know. */
    public static @Nullable Opcode of(int code) {
        return CODES.find(code);
    }
}
