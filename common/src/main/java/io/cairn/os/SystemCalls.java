package io.cairn.os;

import static io.cairn.os.NativeCalls.bind;
import static io.cairn.os.NativeCalls.invoke;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The Linux system calls on files and threads that the JDK does not offer, called through the C
 * library. Every method returns what the call returns, or the negated error number. Calls that a
 * signal interrupted are repeated. Thread-safe.
 */
public final class SystemCalls {
    public static final int O_RDONLY = 0;
    public static final int O_RDWR = 2;
    public static final int O_CREAT = 0100;
    public static final int O_CLOEXEC = 02000000;

    /** Past the cache of the kernel; ARM has another number than x86. */
    public static final int O_DIRECT =
            System.getProperty("os.arch", "").equals("aarch64") ? 0200000 : 040000;

    public static final int SEEK_END = 2;
    public static final int SEEK_DATA = 3;
    public static final int SEEK_HOLE = 4;
    public static final int FALLOC_FL_KEEP_SIZE = 1;
    public static final int FALLOC_FL_PUNCH_HOLE = 2;

    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EIO = 5;
    public static final int ENXIO = 6;
    public static final int EACCES = 13;
    public static final int EEXIST = 17;
    public static final int EXDEV = 18;
    public static final int EISDIR = 21;
    public static final int EINVAL = 22;
    public static final int ENFILE = 23;
    public static final int EMFILE = 24;
    public static final int EFBIG = 27;
    public static final int ENOSPC = 28;
    public static final int EROFS = 30;
    public static final int ENOSYS = 38;
    public static final int EOPNOTSUPP = 95;
    public static final int EDQUOT = 122;

    private static final int AT_FDCWD = -100;

    /** struct statx: mask +0 (4 bytes), mnt_id +144 (8 bytes). */
    private static final int STATX_BYTES = 256;

    private static final long STATX_MNT_ID_AT = 144;
    private static final int STATX_MNT_ID_UNIQUE = 0x4000;
    private static final long FICLONERANGE = 0x4020940DL;

    private static final int RUSAGE_SELF = 0;

    /** struct rusage on 64 bits: two times of 16 bytes, then 14 numbers of 8. */
    private static final int RUSAGE_BYTES = 144;

    private static final long RU_NVCSW_AT = 128;

    /** Owner only: what is stored is nobody else's business. */
    private static final int CREATE_MODE = 0600;

    private static final int DIRECTORY_MODE = 0777;

    private static final MethodHandle OPEN = bind("open", 2, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT);
    private static final MethodHandle MKDIR = bind("mkdir", -1, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle RENAME = bind("rename", -1, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle CLOSE = bind("close", -1, JAVA_INT, JAVA_INT);
    private static final MethodHandle PREAD =
            bind("pread", -1, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PWRITE =
            bind("pwrite", -1, JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle FSYNC = bind("fsync", -1, JAVA_INT, JAVA_INT);
    private static final MethodHandle FDATASYNC = bind("fdatasync", -1, JAVA_INT, JAVA_INT);
    private static final MethodHandle SYNCFS = bind("syncfs", -1, JAVA_INT, JAVA_INT);
    private static final MethodHandle LSEEK =
            bind("lseek", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FTRUNCATE =
            bind("ftruncate", -1, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle FALLOCATE =
            bind("fallocate", -1, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle IOCTL =
            bind("ioctl", 2, JAVA_INT, JAVA_INT, JAVA_LONG, ADDRESS);
    private static final MethodHandle COPY_FILE_RANGE =
            bind(
                    "copy_file_range",
                    -1,
                    JAVA_LONG,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_INT,
                    ADDRESS,
                    JAVA_LONG,
                    JAVA_INT);
    private static final MethodHandle STATX =
            bind("statx", -1, JAVA_INT, JAVA_INT, ADDRESS, JAVA_INT, JAVA_INT, ADDRESS);
    private static final MethodHandle GETRUSAGE =
            bind("getrusage", -1, JAVA_INT, JAVA_INT, ADDRESS);

    /** Makes a directory. */
    public int mkdir(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path);
            return (int) invoke(s -> (int) MKDIR.invokeExact(s, name, DIRECTORY_MODE));
        }
    }

    /** Renames, replacing what had the new name. */
    public int rename(String from, String to) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment old = arena.allocateFrom(from);
            MemorySegment fresh = arena.allocateFrom(to);
            return (int) invoke(s -> (int) RENAME.invokeExact(s, old, fresh));
        }
    }

    /** A file descriptor; closed on exec. */
    public int open(String path, int flags) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path);
            return (int)
                    invoke(s -> (int) OPEN.invokeExact(s, name, flags | O_CLOEXEC, CREATE_MODE));
        }
    }

    /** Closes, once: after EINTR the descriptor is gone too. */
    public int close(int fd) {
        int result = (int) NativeCalls.once(s -> (int) CLOSE.invokeExact(s, fd));
        return result == -EINTR ? 0 : result;
    }

    /** Bytes read, 0 at the end. */
    public long pread(int fd, MemorySegment target, long offsetBytes) {
        return invoke(s -> (long) PREAD.invokeExact(s, fd, target, target.byteSize(), offsetBytes));
    }

    /** Bytes written, perhaps fewer than asked. */
    public long pwrite(int fd, MemorySegment source, long offsetBytes) {
        return invoke(
                s -> (long) PWRITE.invokeExact(s, fd, source, source.byteSize(), offsetBytes));
    }

    public int fsync(int fd) {
        return (int) invoke(s -> (int) FSYNC.invokeExact(s, fd));
    }

    /** All of the filesystem that holds a file. */
    public int syncfs(int fd) {
        return (int) invoke(s -> (int) SYNCFS.invokeExact(s, fd));
    }

    public int fdatasync(int fd) {
        return (int) invoke(s -> (int) FDATASYNC.invokeExact(s, fd));
    }

    public long lseek(int fd, long offsetBytes, int whence) {
        return invoke(s -> (long) LSEEK.invokeExact(s, fd, offsetBytes, whence));
    }

    public int ftruncate(int fd, long sizeBytes) {
        return (int) invoke(s -> (int) FTRUNCATE.invokeExact(s, fd, sizeBytes));
    }

    /** Makes a file that long, with room on the disk for all of it. */
    public int allocate(int fd, long lengthBytes) {
        return (int) invoke(s -> (int) FALLOCATE.invokeExact(s, fd, 0, 0L, lengthBytes));
    }

    public int punchHole(int fd, long offsetBytes, long lengthBytes) {
        int mode = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE;
        return (int)
                invoke(s -> (int) FALLOCATE.invokeExact(s, fd, mode, offsetBytes, lengthBytes));
    }

    /** Shares the first bytes of a file with another one: FICLONERANGE. */
    public int cloneRange(int fromFd, int toFd, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment range = arena.allocate(32, 8);
            range.set(JAVA_LONG, 0, fromFd);
            range.set(JAVA_LONG, 8, 0);
            range.set(JAVA_LONG, 16, lengthBytes);
            range.set(JAVA_LONG, 24, 0);
            return (int) invoke(s -> (int) IOCTL.invokeExact(s, toFd, FICLONERANGE, range));
        }
    }

    /**
     * The number of the mount that a path is on, which no other mount had since the machine was
     * started; negative when the kernel does not tell (statx(2), STATX_MNT_ID_UNIQUE).
     */
    public long mountNumber(String path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path);
            MemorySegment answer = arena.allocate(STATX_BYTES, 8);
            int mask = STATX_MNT_ID_UNIQUE;
            long result = invoke(s -> (int) STATX.invokeExact(s, AT_FDCWD, name, 0, mask, answer));
            if (result < 0) {
                return result;
            }
            boolean told = (answer.get(JAVA_INT, 0) & mask) != 0;
            return told ? answer.get(JAVA_LONG, STATX_MNT_ID_AT) & Long.MAX_VALUE : -EOPNOTSUPP;
        }
    }

    /** How often threads of this process went to sleep since it began (getrusage(2), ru_nvcsw). */
    public long voluntarySwitches() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment usage = arena.allocate(RUSAGE_BYTES, 8);
            long result = invoke(s -> (int) GETRUSAGE.invokeExact(s, RUSAGE_SELF, usage));
            return result < 0 ? result : usage.get(JAVA_LONG, RU_NVCSW_AT);
        }
    }

    /** Copies in the kernel, to the same offset; bytes copied, 0 at the end of the source. */
    public long copyFileRange(int fromFd, int toFd, long offsetBytes, long lengthBytes) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocateFrom(JAVA_LONG, offsetBytes);
            MemorySegment to = arena.allocateFrom(JAVA_LONG, offsetBytes);
            return invoke(
                    s ->
                            (long)
                                    COPY_FILE_RANGE.invokeExact(
                                            s, fromFd, from, toFd, to, lengthBytes, 0));
        }
    }
}
