package io.cairn.os;

import static io.cairn.os.NativeCalls.bind;
import static io.cairn.os.NativeCalls.once;
import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The few calls of the C library that a mount needs. Every method returns what the call returns, or
 * the negated error number. Thread-safe.
 */
public final class MountCalls {
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EPERM = 1;
    public static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOTCONN = 107;
    public static final int ECONNABORTED = 103;

    public static final int MNT_FORCE = 1;
    public static final int MNT_DETACH = 2;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 2048;

    /** The events of struct pollfd, with revents of 0 behind them. */
    private static final int POLLIN = 1;

    public static final int F_OK = 0;
    public static final int R_OK = 4;
    public static final int W_OK = 2;

    /** More than struct statfs has on any machine. */
    private static final long STATFS_BYTES = 256;

    /** struct pollfd: fd +0, events +4, revents +6; two of them. */
    private static final long POLL_BYTES = 16;

    private static final ThreadLocal<MemorySegment> POLLED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(POLL_BYTES, 8));

    private static final MethodHandle READ =
            bind("read", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITE =
            bind("write", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITEV =
            bind("writev", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle POLL =
            bind("poll", -1, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FCNTL =
            bind("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle MMAP =
            bind(
                    "mmap", -1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                    JAVA_LONG);
    private static final MethodHandle MUNMAP = bind("munmap", -1, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle UMOUNT2 = bind("umount2", -1, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ACCESS = bind("access", -1, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle STATFS = bind("statfs", -1, JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle GETXATTR =
            bind("getxattr", -1, JAVA_LONG, ADDRESS, ADDRESS, ADDRESS, JAVA_LONG);
    private static final MethodHandle GETEUID = bind("geteuid", -1, JAVA_INT);

    private MountCalls() {}

    /** read(2), once. */
    public static long read(int fd, long address, long lengthBytes) {
        return once(s -> (long) READ.invokeExact(s, fd, address, lengthBytes));
    }

    /** write(2), once. */
    public static long write(int fd, long address, long lengthBytes) {
        return once(s -> (long) WRITE.invokeExact(s, fd, address, lengthBytes));
    }

    /** writev(2), once. */
    public static long writev(int fd, long vectors, int count) {
        return once(s -> (long) WRITEV.invokeExact(s, fd, vectors, count));
    }

    /** Lets {@link #read} answer EAGAIN when there is nothing to read: 0, or why not. */
    public static int setNonBlocking(int fd) {
        int flags = (int) once(s -> (int) FCNTL.invokeExact(s, fd, F_GETFL, 0));
        return flags < 0
                ? flags
                : (int) once(s -> (int) FCNTL.invokeExact(s, fd, F_SETFL, flags | O_NONBLOCK));
    }

    /**
     * Waits until a descriptor can be read, or has an error that reading tells; poll(2).
     *
     * @param timeoutMs 0: looks only
     * @return above 0 when it can be read; 0 when the time is over
     */
    public static int awaitReadable(int fd, int timeoutMs) {
        return awaitEither(fd, -1, timeoutMs);
    }

    /** As the other one, for either of two descriptors; a negative one is none. */
    public static int awaitEither(int fd, int other, int timeoutMs) {
        MemorySegment poll = POLLED.get();
        poll.set(JAVA_INT, 0, fd);
        poll.set(JAVA_INT, 4, POLLIN);
        poll.set(JAVA_INT, 8, other);
        poll.set(JAVA_INT, 12, POLLIN);
        long count = other < 0 ? 1 : 2;
        return (int) once(s -> (int) POLL.invokeExact(s, poll.address(), count, timeoutMs));
    }

    /**
     * Memory of the process outside of the heap, zeroed and page-aligned; takes physical memory
     * only where it is used.
     */
    public static long map(long lengthBytes) {
        int readAndWrite = 3;
        int privateAnonymous = 0x22;
        long address =
                once(
                        s ->
                                (long)
                                        MMAP.invokeExact(
                                                s,
                                                0L,
                                                lengthBytes,
                                                readAndWrite,
                                                privateAnonymous,
                                                -1,
                                                0L));
        if (address < 0) {
            throw new OutOfMemoryError("mmap of " + lengthBytes + " bytes");
        }
        return address;
    }

    /** Gives back what {@link #map} gave. */
    public static void unmap(long address, long lengthBytes) {
        long result = once(s -> (int) MUNMAP.invokeExact(s, address, lengthBytes));
        assert result == 0;
    }

    /** umount2(2). */
    public static int umount(Path path, int flags) {
        return withName(path, (s, name) -> (int) UMOUNT2.invokeExact(s, name, flags));
    }

    /** access(2): 0, or why not. */
    public static int access(Path path, int mode) {
        return withName(path, (s, name) -> (int) ACCESS.invokeExact(s, name, mode));
    }

    /** statfs(2), the answer thrown away: 0, or why not. No cache of the kernel knows it. */
    public static int statfs(Path path) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(STATFS_BYTES, 8);
            return withName(path, (s, name) -> (int) STATFS.invokeExact(s, name, answer));
        }
    }

    /** The longest value of an extended attribute. */
    public static final int XATTR_BYTES = 1 << 16;

    /**
     * An extended attribute of what a path names; getxattr(2).
     *
     * @param failed is given the error number when there is no value
     * @return null after that
     */
    public static byte @Nullable [] getxattr(Path path, String name, IntConsumer failed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment file = arena.allocateFrom(path.toString());
            MemorySegment attribute = arena.allocateFrom(name);
            MemorySegment value = arena.allocate(XATTR_BYTES);
            long size = value.byteSize();
            long length = once(s -> (long) GETXATTR.invokeExact(s, file, attribute, value, size));
            if (length < 0) {
                failed.accept((int) -length);
                return null;
            }
            return value.asSlice(0, length).toArray(ValueLayout.JAVA_BYTE);
        }
    }

    /** The number of the effective user of this process. */
    public static int effectiveUser() {
        return (int) once(s -> (int) GETEUID.invokeExact(s));
    }

    /** A call with the name of a file. */
    private interface NamedCall {
        int run(MemorySegment state, MemorySegment name) throws Throwable;
    }

    private static int withName(Path path, NamedCall call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = arena.allocateFrom(path.toString());
            return (int) once(s -> call.run(s, name));
        }
    }

    /** Whether this process runs as the superuser. */
    public static boolean isRoot() {
        return once(s -> (int) GETEUID.invokeExact(s)) == 0;
    }
}
