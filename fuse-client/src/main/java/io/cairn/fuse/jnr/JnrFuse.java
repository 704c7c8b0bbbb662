package io.cairn.fuse.jnr;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.fuse.sys.LibFuse;
import io.cairn.fuse.sys.MountException;
import io.cairn.os.NativeCalls;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.util.List;
import jnr.ffi.LibraryLoader;
import jnr.ffi.Runtime;
import jnr.ffi.annotations.Delegate;
import jnr.ffi.types.intptr_t;
import jnr.ffi.types.size_t;

/**
 * The functions of libfuse 2 that this driver calls, and its callbacks. Addresses are plain
 * numbers, so that no call makes an object.
 */
final class JnrFuse {
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

    private JnrFuse(Functions functions, MethodHandle setup) {
        this.functions = functions;
        this.setup = setup;
    }

    /**
     * Loads the library.
     *
     * @throws MountException (UNAVAILABLE) naming the package when it is not installed
     */
    static JnrFuse load() {
        MethodHandle setup =
                NativeCalls.bind(
                        LibFuse.library(),
                        "fuse_setup",
                        -1,
                        FunctionDescriptor.of(
                                JAVA_LONG, JAVA_INT, ADDRESS, JAVA_LONG, JAVA_LONG, ADDRESS,
                                ADDRESS, JAVA_LONG));
        try {
            return new JnrFuse(
                    LibraryLoader.create(Functions.class).failImmediately().load(LibFuse.LIBRARY),
                    setup);
        } catch (UnsatisfiedLinkError e) {
            throw LibFuse.missing(e);
        }
    }

    Functions functions() {
        return functions;
    }

    Runtime runtime() {
        return Runtime.getRuntime(functions);
    }

    /**
     * Mounts a filesystem of callbacks.
     *
     * @param operations address of struct fuse_operations
     * @param mountpointOut gets the address of the mountpoint, for {@code fuse_teardown}
     * @return the address of struct fuse, or 0 when libfuse refused
     */
    long setup(
            List<String> arguments,
            long operations,
            long operationsBytes,
            MemorySegment mountpointOut) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment vector = LibFuse.vector(arena, arguments);
            MemorySegment multithreaded = arena.allocate(JAVA_INT);
            return NativeCalls.once(
                    s ->
                            (long)
                                    setup.invokeExact(
                                            s,
                                            arguments.size(),
                                            vector,
                                            operations,
                                            operationsBytes,
                                            mountpointOut,
                                            multithreaded,
                                            0L));
        }
    }
}
