package io.cairn.fuse.sys;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.fuse.sys.MountException.Category;
import io.cairn.os.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;

/** The functions of libfuse 2 that mount and unmount. Addresses are plain numbers. */
public final class LibFuse {
    /** The name of the library. */
    public static final String LIBRARY = "libfuse.so.2";

    private final MethodHandle mount;
    private final MethodHandle descriptor;
    private final MethodHandle unmount;

    private LibFuse(SymbolLookup library) {
        mount = bind(library, "fuse_mount", FunctionDescriptor.of(JAVA_LONG, JAVA_LONG, JAVA_LONG));
        descriptor = bind(library, "fuse_chan_fd", FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        unmount = bind(library, "fuse_unmount", FunctionDescriptor.ofVoid(JAVA_LONG, JAVA_LONG));
    }

    private static MethodHandle bind(SymbolLookup library, String name, FunctionDescriptor type) {
        return NativeCalls.bind(library, name, -1, type);
    }

    /**
     * Loads the library.
     *
     * @throws MountException (UNAVAILABLE) naming the package when it is not installed
     */
    public static LibFuse load() {
        return new LibFuse(library());
    }

    /** The library itself; fails as {@link #load} does. */
    @SuppressWarnings("restricted")
    public static SymbolLookup library() {
        try {
            return SymbolLookup.libraryLookup(LIBRARY, Arena.global());
        } catch (IllegalArgumentException e) {
            throw missing(e);
        }
    }

    /** The error that names the package to be installed. */
    public static MountException missing(Throwable cause) {
        return new MountException(
                Category.UNAVAILABLE,
                LIBRARY + " is missing; install it: apt-get install -y libfuse2 fuse3",
                cause);
    }

    /**
     * Mounts without a filesystem.
     *
     * @param mountpoint address of its path
     * @param arguments address of struct fuse_args
     * @return the address of the channel, or 0 when libfuse refused
     */
    public long mount(long mountpoint, long arguments) {
        return NativeCalls.once(s -> (long) mount.invokeExact(s, mountpoint, arguments));
    }

    /** The descriptor of {@code /dev/fuse} behind a channel. */
    public int descriptor(long channel) {
        return (int) NativeCalls.once(s -> (int) descriptor.invokeExact(s, channel));
    }

    /** Unmounts if still mounted, and closes the channel. */
    public void unmount(long mountpoint, long channel) {
        NativeCalls.once(
                s -> {
                    unmount.invokeExact(s, mountpoint, channel);
                    return 0;
                });
    }

    /** A NULL-terminated vector of C strings. */
    public static MemorySegment vector(Arena arena, List<String> strings) {
        MemorySegment vector = arena.allocate(ADDRESS, strings.size() + 1L);
        for (int i = 0; i < strings.size(); i++) {
            vector.setAtIndex(ADDRESS, i, arena.allocateFrom(strings.get(i)));
        }
        return vector;
    }
}
