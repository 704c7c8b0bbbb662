package io.cairn.os;

import static io.cairn.os.NativeCalls.bind;
import static io.cairn.os.NativeCalls.invoke;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/**
 * The calls on sockets within one machine (unix(7)), which can carry open files. Every method
 * returns what the call returns, or the negated error number. Thread-safe.
 */
public final class LocalSocketCalls {
    public static final int AF_UNIX = 1;

    private static final int SOCK_CLOEXEC = 02000000;
    private static final int SHUT_RDWR = 2;
    private static final int SOL_SOCKET = 1;
    private static final int SCM_RIGHTS = 1;
    private static final int MSG_NOSIGNAL = 0x4000;
    private static final int MSG_CMSG_CLOEXEC = 0x40000000;
    private static final int POLLERR_HUP_NVAL = 0x38;

    /** struct msghdr: name +0, its length +8, iovec +16, count +24, control +32, length +40. */
    private static final int MSGHDR_BYTES = 56;

    private static final int IOVEC_BYTES = 16;

    /** struct cmsghdr: length +0, level +8, type +12; a file descriptor +16. */
    private static final int CONTROL_BYTES = 24;

    private static final long CONTROL_LENGTH = 20;

    private static final MethodHandle BIND =
            bind("bind", -1, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle LISTEN = bind("listen", -1, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle ACCEPT4 =
            bind("accept4", -1, JAVA_INT, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);
    private static final MethodHandle SHUTDOWN = bind("shutdown", -1, JAVA_INT, JAVA_INT, JAVA_INT);
    private static final MethodHandle SENDMSG =
            bind("sendmsg", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle RECVMSG =
            bind("recvmsg", -1, JAVA_LONG, JAVA_INT, JAVA_LONG, JAVA_INT);
    private static final MethodHandle POLL =
            bind("poll", -1, JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_INT);

    /** struct pollfd for {@link #hasEnded}, one for each thread. */
    private static final ThreadLocal<MemorySegment> POLLED =
            ThreadLocal.withInitial(() -> Arena.ofAuto().allocate(8, 8));

    private LocalSocketCalls() {}

    /** Gives a socket its name, which makes a file. */
    public static int bindTo(int fd, MemorySegment name) {
        long at = name.address();
        int length = (int) name.byteSize();
        return (int) invoke(s -> (int) BIND.invokeExact(s, fd, at, length));
    }

    /** From now on others may connect. */
    public static int listen(int fd, int backlog) {
        return (int) invoke(s -> (int) LISTEN.invokeExact(s, fd, backlog));
    }

    /** Waits for a connection; its descriptor. */
    public static int accept(int fd) {
        return (int) invoke(s -> (int) ACCEPT4.invokeExact(s, fd, 0L, 0L, SOCK_CLOEXEC));
    }

    /** Ends both directions; who waits for the socket hears of it. */
    public static int shutdown(int fd) {
        return (int) NativeCalls.once(s -> (int) SHUTDOWN.invokeExact(s, fd, SHUT_RDWR));
    }

    /** Sends bytes, with an open file unless {@code passed} is negative. */
    public static long send(int fd, MemorySegment bytes, int passed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
            control.set(JAVA_LONG, 0, CONTROL_LENGTH);
            control.set(JAVA_INT, 8, SOL_SOCKET);
            control.set(JAVA_INT, 12, SCM_RIGHTS);
            control.set(JAVA_INT, 16, passed);
            long at = header(arena, bytes, passed < 0 ? null : control).address();
            return invoke(s -> (long) SENDMSG.invokeExact(s, fd, at, MSG_NOSIGNAL));
        }
    }

    /**
     * Receives bytes.
     *
     * @param passed takes at 0 the descriptor of the open file that came along; -1 for none
     */
    public static long receive(int fd, MemorySegment bytes, MemorySegment passed) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment control = arena.allocate(CONTROL_BYTES, 8);
            MemorySegment header = header(arena, bytes, control);
            long at = header.address();
            long count = invoke(s -> (long) RECVMSG.invokeExact(s, fd, at, MSG_CMSG_CLOEXEC));
            boolean came =
                    count >= 0
                            && header.get(JAVA_LONG, 40) >= CONTROL_LENGTH
                            && control.get(JAVA_INT, 8) == SOL_SOCKET
                            && control.get(JAVA_INT, 12) == SCM_RIGHTS;
            passed.set(JAVA_INT, 0, came ? control.get(JAVA_INT, 16) : -1);
            return count;
        }
    }

    private static MemorySegment header(
            Arena arena, MemorySegment bytes, @Nullable MemorySegment control) {
        MemorySegment vector = arena.allocate(IOVEC_BYTES, 8);
        vector.set(JAVA_LONG, 0, bytes.address());
        vector.set(JAVA_LONG, 8, bytes.byteSize());
        MemorySegment header = arena.allocate(MSGHDR_BYTES, 8);
        header.set(JAVA_LONG, 16, vector.address());
        header.set(JAVA_LONG, 24, 1L);
        if (control != null) {
            header.set(JAVA_LONG, 32, control.address());
            header.set(JAVA_LONG, 40, control.byteSize());
        }
        return header;
    }

    /** Whether the other side has closed a connection, or its process has ended. */
    public static boolean hasEnded(int fd) {
        MemorySegment poll = POLLED.get();
        poll.set(JAVA_INT, 0, fd);
        poll.set(JAVA_INT, 4, 0);
        long at = poll.address();
        long found = invoke(s -> (int) POLL.invokeExact(s, at, 1L, 0));
        return found < 0 || (found > 0 && (poll.get(JAVA_INT, 4) >>> 16 & POLLERR_HUP_NVAL) != 0);
    }
}
