package io.cairn.fuse.sys;

import static io.cairn.fuse.sys.Opcode.Interruption.ALLOWED;
import static io.cairn.fuse.sys.Opcode.Interruption.REFUSED;
import static io.cairn.fuse.sys.Opcode.Opened.DIRECTORY;
import static io.cairn.fuse.sys.Opcode.Opened.FILE;
import static io.cairn.fuse.sys.Opcode.Opened.NAMED_FILE;
import static io.cairn.fuse.sys.Opcode.Opened.NOTHING;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import org.jspecify.annotations.Nullable;

/** The requests of the kernel that are known (enum fuse_opcode in linux/fuse.h). */
public enum Opcode implements Coded {
    LOOKUP(1, ALLOWED, NOTHING),
    FORGET(2, REFUSED, NOTHING),
    GETATTR(3, ALLOWED, NOTHING),
    SETATTR(4, ALLOWED, NOTHING),
    READLINK(5, ALLOWED, NOTHING),
    SYMLINK(6, ALLOWED, NOTHING),
    MKNOD(8, ALLOWED, NOTHING),
    MKDIR(9, ALLOWED, NOTHING),
    UNLINK(10, ALLOWED, NOTHING),
    RMDIR(11, ALLOWED, NOTHING),
    RENAME(12, ALLOWED, NOTHING),
    LINK(13, ALLOWED, NOTHING),
    OPEN(14, ALLOWED, FILE),
    READ(15, ALLOWED, NOTHING),
    WRITE(16, ALLOWED, NOTHING),
    STATFS(17, ALLOWED, NOTHING),
    RELEASE(18, REFUSED, NOTHING),
    FSYNC(20, ALLOWED, NOTHING),
    SETXATTR(21, ALLOWED, NOTHING),
    GETXATTR(22, ALLOWED, NOTHING),
    LISTXATTR(23, ALLOWED, NOTHING),
    REMOVEXATTR(24, ALLOWED, NOTHING),
    FLUSH(25, ALLOWED, NOTHING),
    INIT(26, REFUSED, NOTHING),
    OPENDIR(27, ALLOWED, DIRECTORY),
    READDIR(28, ALLOWED, NOTHING),
    RELEASEDIR(29, REFUSED, NOTHING),
    FSYNCDIR(30, ALLOWED, NOTHING),
    GETLK(31, ALLOWED, NOTHING),
    SETLK(32, ALLOWED, NOTHING),
    SETLKW(33, ALLOWED, NOTHING),
    ACCESS(34, ALLOWED, NOTHING),
    CREATE(35, ALLOWED, NAMED_FILE),
    INTERRUPT(36, REFUSED, NOTHING),
    DESTROY(38, REFUSED, NOTHING),
    IOCTL(39, ALLOWED, NOTHING),
    NOTIFY_REPLY(41, REFUSED, NOTHING),
    BATCH_FORGET(42, REFUSED, NOTHING),
    FALLOCATE(43, ALLOWED, NOTHING),
    READDIRPLUS(44, ALLOWED, NOTHING),
    RENAME2(45, ALLOWED, NOTHING),
    LSEEK(46, ALLOWED, NOTHING),
    COPY_FILE_RANGE(47, ALLOWED, NOTHING),
    TMPFILE(51, ALLOWED, NAMED_FILE),
    STATX(52, ALLOWED, NOTHING),
    /** As the other one, with a longer answer; from Linux 6.18 on. */
    COPY_FILE_RANGE_64(53, ALLOWED, NOTHING);

    /** The fate of a request whose process gets a signal. */
    enum Interruption {
        /** It may be answered EINTR. */
        ALLOWED,
        /** Nobody waits for an answer, or it must not fail. */
        REFUSED
    }

    /** What a request opens, with the place of the handle in the answer. */
    public enum Opened {
        /** Nothing. */
        NOTHING,
        /** A file: the answer begins with the handle. */
        FILE,
        /** A file: the answer begins with its entry. */
        NAMED_FILE,
        /** A directory: the answer begins with the handle. */
        DIRECTORY
    }

    private static final CodeTable<Opcode> CODES = new CodeTable<>(values());

    private final int code;
    private final Interruption interruption;
    private final Opened opened;

    Opcode(int code, Interruption interruption, Opened opened) {
        this.code = code;
        this.interruption = interruption;
        this.opened = opened;
    }

    @Override
    public int code() {
        return code;
    }

    /** Whether it may be answered EINTR. */
    public boolean mayFail() {
        return interruption == ALLOWED;
    }

    /** What it opens when it is not refused. */
    public Opened opened() {
        return opened;
    }

    /** The request with a number; null for one that this release does not know. */
    public static @Nullable Opcode of(int code) {
        return CODES.find(code);
    }
}
