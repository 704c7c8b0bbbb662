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
 * The calls for memory that two processes share, and for bytes that the kernel has in memory. Every
 * method returns what the call returns, or the negated error number. Thread-safe.
 */
public final class SharedMemoryCalls {
    private static final int MFD_CLOEXEC = 1;
    private static final int PROT_READ = 1;
    private static final int PROT_WRITE = 2;
    private static final int MAP_SHARED = 1;
    private static final int RWF_NOWAIT = 8;

    /** More than struct statfs has on any machine; the type of the filesystem stands first. */
    private static final int STATFS_BYTES = 256;

    private static final long TMPFS_MAGIC = 0x01021994;

    private static final MethodHandle MEMFD_CREATE =
            bind("memfd_create", -1, JAVA_INT, ADDRESS, JAVA_INT);
    private static final MethodHandle MMAP =
            bind(
                    "mmap", -1, JAVA_LONG, JAVA_LONG, JAVA_LONG, JAVA_INT, JAVA_INT, JAVA_INT,
                    JAVA_LONG);
    private static final MethodHandle MUNMAP = bind("munmap", -1, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle PREADV2 =
            bind("preadv2", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FSTATFS = bind("fstatfs", -1, JAVA_INT, JAVA_INT, JAVA_LONG);

    /** struct iovec for {@link #readCached}, one for each thread. */
    private static final ThreadLocal<MemorySegment> VECTOR =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(16, 8));

    private SharedMemoryCalls() {}

    /** The descriptor of a new file in memory, which has no name elsewhere. */
    public static int create(String name) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment text = arena.allocateFrom(name);
            return (int) invoke(s -> (int) MEMFD_CREATE.invokeExact(s, text, MFD_CLOEXEC));
        }
    }

    /** The address of the first bytes of a file, shared with all who map it. */
    public static long map(int fd, long lengthBytes, boolean writable) {
        int rights = writable ? PROT_READ | PROT_WRITE : PROT_READ;
        return invoke(s -> (long) MMAP.invokeExact(s, 0L, lengthBytes, rights, MAP_SHARED, fd, 0L));
    }

    /** Gives back what {@link #map} gave. */
    public static int unmap(long address, long lengthBytes) {
        return (int) invoke(s -> (int) MUNMAP.invokeExact(s, address, lengthBytes));
    }

    /**
     * Reads what the kernel has in memory of a file, and never waits for the disk: EAGAIN, or fewer
     * bytes, when not all is there. EOPNOTSUPP on filesystems without such reads.
     */
    public static long readCached(int fd, MemorySegment target, long offsetBytes) {
        MemorySegment vector = VECTOR.get();
        vector.set(JAVA_LONG, 0, target.address());
        vector.set(JAVA_LONG, 8, target.byteSize());
        long at = vector.address();
        return invoke(s -> (long) PREADV2.invokeExact(s, fd, at, 1, offsetBytes, RWF_NOWAIT));
    }

    /** Whether a file lies in memory anyway. */
    public static boolean isInMemory(int fd) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment answer = arena.allocate(STATFS_BYTES, 8);
            long at = answer.address();
            long result = invoke(s -> (int) FSTATFS.invokeExact(s, fd, at));
            return result >= 0 && answer.get(JAVA_LONG, 0) == TMPFS_MAGIC;
        }
    }
}
