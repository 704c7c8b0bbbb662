package io.cairn.fuse.sys;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The few calls of the C library that a mount needs. Every method returns what the call returns, or
 * the negated error number. Thread-safe.
 */
public final class Libc {
    public static final int ENOENT = 2;
    public static final int EINTR = 4;
    public static final int EAGAIN = 11;
    public static final int EACCES = 13;
    public static final int EPERM = 1;
    static final int EBUSY = 16;
    public static final int ENODEV = 19;
    public static final int EINVAL = 22;
    public static final int ENOTCONN = 107;
    public static final int ECONNABORTED = 103;

    public static final int MNT_FORCE = 1;
    public static final int MNT_DETACH = 2;

    private static final int F_GETFL = 3;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 2048;
    private static final short POLLIN = 1;

    public static final int F_OK = 0;
    public static final int R_OK = 4;
    public static final int W_OK = 2;

    /** More than struct statfs has on any machine. */
    private static final long STATFS_BYTES = 256;

    /** struct pollfd: fd +0, events +4, revents +6; two of them. */
    private static final long POLL_BYTES = 16;

    private static final StructLayout STATE = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO =
            STATE.varHandle(StructLayout.PathElement.groupElement("errno"));
    private static final ThreadLocal<MemorySegment> PLACE =
            ThreadLocal.withInitial(
                    () -> Arena.ofAuto().allocate(STATE.byteSize() + 7 + POLL_BYTES, 8));

    private static final MethodHandle READ =
            bind("read", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITE =
            bind("write", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITEV =
            bind("writev", JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle POLL = bind("poll", JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FCNTL = fcntl();
    private static final MethodHandle MMAP =
            bind("mmap", JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG);
    private static final MethodHandle MUNMAP = bind("munmap", JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle UMOUNT2 = bind("umount2", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle ACCESS = bind("access", JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle STATFS = bind("statfs", JAVA_INT, ADDRESS, ADDRESS);
    private static final MethodHandle GETEUID = bind("geteuid", JAVA_INT);

    private Libc() {}

    @SuppressWarnings("restricted")
    private static MethodHandle bind(String name, ValueLayout result, ValueLayout... arguments) {
        Linker linker = Linker.nativeLinker();
        List<Linker.Option> options = new ArrayList<>();
        options.add(Linker.Option.captureCallState("errno"));
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow(name),
                FunctionDescriptor.of(result, arguments),
                options.toArray(Linker.Option[]::new));
    }

    @SuppressWarnings("restricted")
    private static MethodHandle fcntl() {
        Linker linker = Linker.nativeLinker();
        return linker.downcallHandle(
                linker.defaultLookup().findOrThrow("fcntl"),
                FunctionDescriptor.of(JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT),
                Linker.Option.captureCallState("errno"),
                Linker.Option.firstVariadicArg(2));
    }

    private static AssertionError impossible(Throwable e) {
        return new AssertionError("a foreign call throws nothing checked", e);
    }

    private static long errno(MemorySegment place) {
        return -(int) ERRNO.get(place, 0L);
    }

    /** read(2), once. */
    public static long read(int fd, long address, long lengthBytes) {
        MemorySegment place = PLACE.get();
        try {
            long result = (long) READ.invokeExact(place, fd, address, lengthBytes);
            return result < 0 ? errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** write(2), once. */
    public static long write(int fd, long address, long lengthBytes) {
        MemorySegment place = PLACE.get();
        try {
            long result = (long) WRITE.invokeExact(place, fd, address, lengthBytes);
            return result < 0 ? errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** writev(2), once. */
    public static long writev(int fd, long vectors, int count) {
        MemorySegment place = PLACE.get();
        try {
            long result = (long) WRITEV.invokeExact(place, fd, vectors, count);
            return result < 0 ? errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Lets {@link #read} answer EAGAIN when there is nothing to read: 0, or why not. */
    public static int setNonBlocking(int fd) {
        MemorySegment place = PLACE.get();
        try {
            int flags = (int) FCNTL.invokeExact(place, fd, F_GETFL, 0);
            if (flags < 0) {
                return (int) errno(place);
            }
            int result = (int) FCNTL.invokeExact(place, fd, F_SETFL, flags | O_NONBLOCK);
            return result < 0 ? (int) errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
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
        MemorySegment place = PLACE.get();
        try {
            long poll = place.address() + STATE.byteSize() + 7 & ~7L;
            RawMemory.putInt(poll, fd);
            RawMemory.putInt(poll + 4, POLLIN);
            RawMemory.putInt(poll + 8, other);
            RawMemory.putInt(poll + 12, POLLIN);
            int result = (int) POLL.invokeExact(place, poll, other < 0 ? 1L : 2L, timeoutMs);
            return result < 0 ? (int) errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /**
     * Memory of the process outside of the heap, zeroed and page-aligned; takes physical memory
     * only where it is used.
     */
    public static long map(long lengthBytes) {
        MemorySegment place = PLACE.get();
        try {
            int readAndWrite = 3;
            int privateAnonymous = 0x22;
            long address =
                    (long)
                            MMAP.invokeExact(
                                    place, 0L, lengthBytes, readAndWrite, privateAnonymous, -1, 0L);
            if (address == -1) {
                throw new OutOfMemoryError("mmap of " + lengthBytes + " bytes");
            }
            return address;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Gives back what {@link #map} gave. */
    public static void unmap(long address, long lengthBytes) {
        MemorySegment place = PLACE.get();
        try {
            int ignored = (int) MUNMAP.invokeExact(place, address, lengthBytes);
            assert ignored == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** umount2(2). */
    public static int umount(Path path, int flags) {
        MemorySegment place = PLACE.get();
        try (Arena arena = Arena.ofConfined()) {
            int result =
                    (int) UMOUNT2.invokeExact(place, arena.allocateFrom(path.toString()), flags);
            return result < 0 ? (int) errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** access(2): 0, or why not. */
    public static int access(Path path, int mode) {
        MemorySegment place = PLACE.get();
        try (Arena arena = Arena.ofConfined()) {
            int result = (int) ACCESS.invokeExact(place, arena.allocateFrom(path.toString()), mode);
            return result < 0 ? (int) errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** statfs(2), the answer thrown away: 0, or why not. No cache of the kernel knows it. */
    public static int statfs(Path path) {
        MemorySegment place = PLACE.get();
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(STATFS_BYTES, 8);
            int result =
                    (int) STATFS.invokeExact(place, arena.allocateFrom(path.toString()), answer);
            return result < 0 ? (int) errno(place) : result;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }

    /** Whether this process runs as the superuser. */
    public static boolean isRoot() {
        try {
            return (int) GETEUID.invokeExact(PLACE.get()) == 0;
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw impossible(e);
        }
    }
}
