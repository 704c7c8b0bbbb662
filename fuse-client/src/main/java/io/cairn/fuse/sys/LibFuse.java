package io.cairn.fuse.sys;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.fuse.sys.MountException.Category;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.invoke.MethodHandle;
import java.util.List;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Delegate;
import jnr.ffi.types.intptr_t;
import jnr.ffi.types.size_t;

/**
 * The functions of libfuse 2 that Cairn calls. Addresses are plain numbers, so that no call makes
 * an object.
 */
public final class LibFuse {
    private static final String LIBRARY = "libfuse.so.2";

    /**
     * The functions that jnr-ffi binds; jnr wants it public. Names and arguments are those of
     * libfuse.
     */
    public interface Functions {
        /** Unmounts and frees a filesystem made by {@code fuse_setup}. */
        void fuse_teardown(@intptr_t long fuse, @intptr_t long mountpoint);

        /** The session of a filesystem. */
        @intptr_t
        long fuse_get_session(@intptr_t long fuse);

        /** The first channel of a session when {@code channel} is 0. */
        @intptr_t
        long fuse_session_next_chan(@intptr_t long session, @intptr_t long channel);

        /** The descriptor of {@code /dev/fuse}. */
        int fuse_chan_fd(@intptr_t long channel);

        /** How long a request may be. */
        @size_t
        long fuse_chan_bufsize(@intptr_t long channel);

        /** A channel whose replies go through a callback. */
        @intptr_t
        long fuse_chan_new(
                @intptr_t long operations, int fd, @size_t long bufferBytes, @intptr_t long data);

        /** Frees such a channel. */
        void fuse_chan_destroy(@intptr_t long channel);

        /** Executes a request. */
        void fuse_session_process(
                @intptr_t long session,
                @intptr_t long buffer,
                @size_t long lengthBytes,
                @intptr_t long channel);

        /** Mounts without a filesystem; the channel, or 0. */
        @intptr_t
        long fuse_mount(@intptr_t long mountpoint, @intptr_t long args);

        /** Unmounts if still mounted, and closes the channel. */
        void fuse_unmount(@intptr_t long mountpoint, @intptr_t long channel);
    }

    /** A callback with one argument. */
    public interface Call1 {
        @Delegate
        int call(@intptr_t long a);
    }

    /** A callback with two arguments. */
    public interface Call2 {
        @Delegate
        int call(@intptr_t long a, @intptr_t long b);
    }

    /** A callback with three arguments. */
    public interface Call3 {
        @Delegate
        int call(@intptr_t long a, @intptr_t long b, @intptr_t long c);
    }

    /** A callback with four arguments. */
    public interface Call4 {
        @Delegate
        int call(@intptr_t long a, @intptr_t long b, @intptr_t long c, @intptr_t long d);
    }

    /** A callback with five arguments. */
    public interface Call5 {
        @Delegate
        int call(
                @intptr_t long a,
                @intptr_t long b,
                @intptr_t long c,
                @intptr_t long d,
                @intptr_t long e);
    }

    /** A callback with six arguments. */
    public interface Call6 {
        @Delegate
        int call(
                @intptr_t long a,
                @intptr_t long b,
                @intptr_t long c,
                @intptr_t long d,
                @intptr_t long e,
                @intptr_t long f);
    }

    private final Functions functions;
    private final MethodHandle setup;

    private LibFuse(Functions functions, MethodHandle setup) {
        this.functions = functions;
        this.setup = setup;
    }

    /**
     * Loads the library.
     *
     * @throws MountException (UNAVAILABLE) naming the package when it is not installed
     */
    public @SuppressWarnings("restricted") static LibFuse load() {
        try {
            SymbolLookup symbols = SymbolLookup.libraryLookup(LIBRARY, Arena.global());
            // Seven arguments: bound without an interface.
            MethodHandle setup =
                    Linker.nativeLinker()
                            .downcallHandle(
                                    symbols.findOrThrow("fuse_setup"),
                                    FunctionDescriptor.of(
                                            JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG,
                                            ADDRESS, ADDRESS, JAVA_LONG));
            Functions functions =
                    LibraryLoader.create(Functions.class).failImmediately().load(LIBRARY);
            return new LibFuse(functions, setup);
        } catch (IllegalArgumentException | UnsatisfiedLinkError e) {
            throw new MountException(
                    Category.UNAVAILABLE,
                    "libfuse.so.2 is missing; install it: apt-get install -y libfuse2 fuse3",
                    e);
        }
    }

    public Functions functions() {
        return functions;
    }

    public Runtime runtime() {
        return Runtime.getRuntime(functions);
    }

    /**
     * Mounts a filesystem of callbacks.
     *
     * @param operations address of struct fuse_operations
     * @param mountpointOut gets the address of the mountpoint, for {@code fuse_teardown}
     * @return the address of struct fuse, or 0 when libfuse refused
     */
    public long setup(
            List<String> arguments,
            long operations,
            long operationsBytes,
            MemorySegment mountpointOut) {
        try (Arena arena = Arena.ofConfined()) {
            return (long)
                    setup.invokeExact(
                            arguments.size(),
                            vector(arena, arguments),
                            operations,
                            operationsBytes,
                            mountpointOut,
                            arena.allocate(JAVA_INT),
                            0L);
        } catch (RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError("a foreign call throws nothing checked", e);
        }
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
