package io.cairn.os;

import static io.cairn.os.NativeCalls.bind;
import static io.cairn.os.NativeCalls.invoke;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The system calls on stream sockets. Every method returns what the call returns, or the negated
 * error number. Thread-safe.
 */
public final class SocketCalls {
    public static final int EAGAIN = 11;
    public static final int EINPROGRESS = 115;

    private static final int SOCK_STREAM_CLOEXEC = 1 | 02000000;
    private static final int SHUT_RDWR = 2;
    private static final int F_SETFL = 4;
    private static final int O_NONBLOCK = 2048;

    private static final MethodHandle SOCKET =
            bind("socket", -1, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CONNECT =
            bind("connect", -1, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SETSOCKOPT =
            bind("setsockopt", -1, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle FCNTL =
            bind("fcntl", 2, JAVA_INT, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle READ =
            bind("read", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle WRITE =
            bind("write", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final MethodHandle SHUTDOWN = bind("shutdown", -1, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle CLOSE = bind("close", -1, JAVA_INT, JAVA_INT);

    private SocketCalls() {}

    /** A stream socket; closed on exec. */
    public static int socket(int family) {
        return (int) invoke(s -> (int) SOCKET.invokeExact(s, family, SOCK_STREAM_CLOEXEC, 0));
    }

    /** Connects, as long as the send timeout of the socket allows (socket(7)). */
    public static int connect(int fd, MemorySegment name) {
        long at = name.address();
        int length = (int) name.byteSize();
        return (int) invoke(s -> (int) CONNECT.invokeExact(s, fd, at, length));
    }

    public static int setOption(int fd, int level, int option, MemorySegment value) {
        long at = value.address();
        int length = (int) value.byteSize();
        return (int) invoke(s -> (int) SETSOCKOPT.invokeExact(s, fd, level, option, at, length));
    }

    /** From now on nothing waits. */
    public static int setNonBlocking(int fd) {
        return (int) invoke(s -> (int) FCNTL.invokeExact(s, fd, F_SETFL, O_NONBLOCK));
    }

    /** Bytes received, 0 at the end. */
    public static long read(int fd, long address, long lengthBytes) {
        return invoke(s -> (long) READ.invokeExact(s, fd, address, lengthBytes));
    }

    /** Bytes sent, perhaps fewer than asked. The JVM ignores SIGPIPE. */
    public static long write(int fd, long address, long lengthBytes) {
        return invoke(s -> (long) WRITE.invokeExact(s, fd, address, lengthBytes));
    }

    /** Ends both directions and closes; who waits for the descriptor hears of it. */
    public static void close(int fd) {
        // The number may soon belong to another file.
        NativeCalls.once(s -> (int) SHUTDOWN.invokeExact(s, fd, SHUT_RDWR));
        NativeCalls.once(s -> (int) CLOSE.invokeExact(s, fd));
    }
}
