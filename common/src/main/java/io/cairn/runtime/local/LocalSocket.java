package io.cairn.runtime.local;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.cairn.os.LocalSocketCalls;
import io.cairn.os.SocketCalls;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection to another process of this machine that carries messages of two numbers, each with
 * an open file or without. The name of the listening side is a file that only its user (and root)
 * may connect to. Thread-safe; one sender and one receiver at a time.
 */
public final class LocalSocket implements AutoCloseable {
    /** Longest name of a socket, in bytes. */
    public static final int MAX_NAME_BYTES = 107;

    private static final int MESSAGE_BYTES = 16;
    private static final int SOL_SOCKET = 1;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int BACKLOG = 64;

    /** A message, and the open file that came along with it. */
    public record Received(long first, long second, @Nullable OpenDescriptor file) {}

    private final Descriptor descriptor;

    private LocalSocket(int fd) {
        this.descriptor = new Descriptor(fd);
    }

    /**
     * Connects.
     *
     * @param timeoutMs how long it, and each message later, may take; above 0
     * @throws IOException when nobody listens there or this user may not connect
     */
    public static LocalSocket connect(Path path, long timeoutMs) throws IOException {
        LocalSocket socket = make();
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            socket.limit(arena, timeoutMs);
            MemorySegment name = nameOf(arena, path);
            check("connect to " + path, socket.descriptor.use(f -> SocketCalls.connect(f, name)));
            done = true;
            return socket;
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    /** Listens; replaces what an earlier process left. */
    public static LocalSocket listen(Path path) throws IOException {
        LocalSocket socket = make();
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment name = nameOf(arena, path);
            Files.deleteIfExists(path);
            check("bind " + path, socket.descriptor.use(f -> LocalSocketCalls.bindTo(f, name)));
            // Nobody can connect before this socket listens.
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            check("listen", socket.descriptor.use(f -> LocalSocketCalls.listen(f, BACKLOG)));
            done = true;
            return socket;
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    /** Whether a path is short enough to name a socket. */
    public static boolean canName(Path path) {
        return path.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_NAME_BYTES;
    }

    private static LocalSocket make() throws IOException {
        return new LocalSocket((int) check("socket", SocketCalls.socket(LocalSocketCalls.AF_UNIX)));
    }

    /** struct sockaddr_un: family +0, path +2. */
    private static MemorySegment nameOf(Arena arena, Path path) throws IOException {
        byte[] bytes = path.toString().getBytes(StandardCharsets.UTF_8);
        if (bytes.length > MAX_NAME_BYTES) {
            throw new IOException(path + " is too long for a socket");
        }
        MemorySegment name = arena.allocate(2 + bytes.length + 1L, 8);
        name.set(JAVA_SHORT, 0, (short) LocalSocketCalls.AF_UNIX);
        MemorySegment.copy(bytes, 0, name, JAVA_BYTE, 2, bytes.length);
        return name;
    }

    /** struct timeval: seconds +0, microseconds +8. */
    private void limit(Arena arena, long timeoutMs) throws IOException {
        MemorySegment time = arena.allocate(16, 8);
        time.set(JAVA_LONG, 0, timeoutMs / 1000);
        time.set(JAVA_LONG, 8, TimeUnit.MILLISECONDS.toMicros(timeoutMs % 1000));
        for (int option : new int[] {SO_RCVTIMEO, SO_SNDTIMEO}) {
            check(
                    "setsockopt",
                    descriptor.use(f -> SocketCalls.setOption(f, SOL_SOCKET, option, time)));
        }
    }

    private static long check(String what, long result) throws IOException {
        if (result < 0) {
            throw new IOException(what + " failed with error " + -result);
        }
        return result;
    }

    /**
     * Waits for a connection, of a listening socket.
     *
     * @throws IOException when this socket is closed
     */
    public LocalSocket accept() throws IOException {
        return new LocalSocket((int) check("accept", descriptor.use(LocalSocketCalls::accept)));
    }

    /**
     * Sends a message.
     *
     * @param file sent along and still the caller's
     */
    public void send(long first, long second, @Nullable OpenDescriptor file) throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(MESSAGE_BYTES, 8);
            bytes.set(JAVA_LONG, 0, first);
            bytes.set(JAVA_LONG, 8, second);
            int passed = file == null ? -1 : file.number();
            check("send", descriptor.use(f -> LocalSocketCalls.send(f, bytes, passed)));
        }
    }

    /**
     * Waits for a message.
     *
     * @throws EOFException when the other side has closed the connection
     */
    public Received receive() throws IOException {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment bytes = arena.allocate(MESSAGE_BYTES, 8);
            MemorySegment passed = arena.allocate(4, 4);
            passed.set(JAVA_INT, 0, -1);
            long count = descriptor.use(f -> LocalSocketCalls.receive(f, bytes, passed));
            int fd = passed.get(JAVA_INT, 0);
            OpenDescriptor file = fd < 0 ? null : new OpenDescriptor(fd);
            if (count != MESSAGE_BYTES) {
                if (file != null) {
                    file.close();
                }
                check("receive", count);
                throw new EOFException("closed by the other side");
            }
            return new Received(bytes.get(JAVA_LONG, 0), bytes.get(JAVA_LONG, 8), file);
        }
    }

    /** Whether the other side has closed the connection, or its process has ended. */
    public boolean hasEnded() {
        return descriptor.use(f -> LocalSocketCalls.hasEnded(f) ? 1 : 0) != 0;
    }

    /** Closes; threads that wait here hear of it. Idempotent. */
    @Override
    public void close() {
        long _ = descriptor.use(LocalSocketCalls::shutdown);
        descriptor.close();
    }
}
