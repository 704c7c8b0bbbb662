package io.cairn.runtime;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.cairn.os.SocketCalls;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteOrder;
import java.util.concurrent.TimeUnit;

/**
 * A TCP socket whose file descriptor is known, so that a thread can wait for it and for another
 * descriptor at the same time. For one thread at a time.
 */
public final class StreamSocket implements AutoCloseable {
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int IPPROTO_TCP = 6;
    private static final int TCP_NODELAY = 1;
    private static final int SOL_SOCKET = 1;
    private static final int SO_KEEPALIVE = 9;
    private static final int SO_RCVTIMEO = 20;
    private static final int SO_SNDTIMEO = 21;
    private static final int SOCKADDR_IN_BYTES = 16;
    private static final int SOCKADDR_IN6_BYTES = 28;
    private static final ValueLayout.OfShort PORT =
            ValueLayout.JAVA_SHORT.withOrder(ByteOrder.BIG_ENDIAN);

    private final int fd;
    private boolean open = true;
    private boolean waits = true;

    private StreamSocket(int fd) {
        this.fd = fd;
    }

    /**
     * Connects.
     *
     * @param timeoutMs above 0; also how long {@link #receive} waits
     * @throws InterruptedIOException when the time is over
     * @throws IOException when the host is unknown, unreachable or refuses
     */
    public static StreamSocket connect(String host, int port, long timeoutMs) throws IOException {
        InetSocketAddress to = new InetSocketAddress(host, port);
        if (to.isUnresolved()) {
            throw new UnknownHostException("unknown host " + host);
        }
        InetAddress address = to.getAddress();
        int family = address instanceof Inet4Address ? AF_INET : AF_INET6;
        StreamSocket socket = new StreamSocket((int) checked("socket", SocketCalls.socket(family)));
        boolean done = false;
        try (Arena arena = Arena.ofConfined()) {
            socket.setFlag(arena, IPPROTO_TCP, TCP_NODELAY);
            socket.setFlag(arena, SOL_SOCKET, SO_KEEPALIVE);
            socket.setTimeout(arena, SO_SNDTIMEO, timeoutMs);
            socket.setTimeout(arena, SO_RCVTIMEO, timeoutMs);
            checked(
                    "connect",
                    SocketCalls.connect(socket.fd, nameOf(arena, family, address, port)));
            done = true;
            return socket;
        } finally {
            if (!done) {
                socket.close();
            }
        }
    }

    /**
     * <pre>
     *   struct sockaddr_in   +0 family +2 port +4 address
     *   struct sockaddr_in6  +0 family +2 port +4 flow +8 address +24 scope
     * </pre>
     */
    private static MemorySegment nameOf(Arena arena, int family, InetAddress address, int port) {
        boolean four = family == AF_INET;
        MemorySegment name = arena.allocate(four ? SOCKADDR_IN_BYTES : SOCKADDR_IN6_BYTES, 8);
        byte[] bytes = address.getAddress();
        name.set(ValueLayout.JAVA_SHORT, 0, (short) family);
        name.set(PORT, 2, (short) port);
        MemorySegment.copy(bytes, 0, name, JAVA_BYTE, four ? 4 : 8, bytes.length);
        return name;
    }

    private void setFlag(Arena arena, int level, int option) throws IOException {
        MemorySegment one = arena.allocateFrom(JAVA_INT, 1);
        checked("setsockopt", SocketCalls.setOption(fd, level, option, one));
    }

    /** struct timeval: seconds +0, microseconds +8. */
    private void setTimeout(Arena arena, int option, long timeoutMs) throws IOException {
        MemorySegment time = arena.allocate(16, 8);
        time.set(JAVA_LONG, 0, timeoutMs / 1000);
        time.set(JAVA_LONG, 8, TimeUnit.MILLISECONDS.toMicros(timeoutMs % 1000));
        checked("setsockopt", SocketCalls.setOption(fd, SOL_SOCKET, option, time));
    }

    private static long checked(String call, long result) throws IOException {
        if (result == -SocketCalls.EAGAIN || result == -SocketCalls.EINPROGRESS) {
            throw new InterruptedIOException(call + " takes too long");
        }
        if (result < 0) {
            throw new IOException(call + " failed with error " + -result);
        }
        return result;
    }

    /** The file descriptor, for poll(2) only. */
    public int descriptor() {
        return fd;
    }

    /**
     * From now on {@link #receive} does not wait.
     *
     * @throws IOException when the connection is broken
     */
    public void setNonBlocking() throws IOException {
        requireOpen();
        checked("fcntl", SocketCalls.setNonBlocking(fd));
        waits = false;
    }

    /**
     * Gives bytes to the network.
     *
     * @param source native memory
     * @return how many it took; 0 when it has no room now
     * @throws IOException when the connection is broken
     */
    public int send(MemorySegment source) throws IOException {
        requireOpen();
        long sent = SocketCalls.write(fd, source.address(), source.byteSize());
        return sent == -SocketCalls.EAGAIN ? 0 : (int) checked("write", sent);
    }

    /**
     * Takes bytes from the network. Waits for them, as long as connecting might take, before {@link
     * #setNonBlocking}.
     *
     * @param target native memory
     * @return how many there were; 0 when there are none now
     * @throws EOFException when the other side has closed the connection
     * @throws InterruptedIOException when none came while this waited
     * @throws IOException when the connection is broken
     */
    public int receive(MemorySegment target) throws IOException {
        requireOpen();
        long received = SocketCalls.read(fd, target.address(), target.byteSize());
        if (received == -SocketCalls.EAGAIN && !waits) {
            return 0;
        }
        if (checked("read", received) == 0) {
            throw new EOFException("closed by the other side");
        }
        return (int) received;
    }

    private void requireOpen() throws IOException {
        if (!open) {
            throw new IOException("the socket is closed");
        }
    }

    /** Closes. Idempotent. */
    @Override
    public void close() {
        if (open) {
            open = false;
            SocketCalls.close(fd);
        }
    }
}
