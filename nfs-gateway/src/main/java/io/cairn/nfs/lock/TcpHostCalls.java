package io.cairn.nfs.lock;

import io.cairn.nfs.rpc.PortmapProgram;
import io.cairn.nfs.rpc.XdrException;
import io.cairn.nfs.rpc.XdrReader;
import io.cairn.nfs.rpc.XdrWriter;
import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Calls over TCP, one at a time to a machine: asks its port mapper for the port, connects from the
 * address by which the machine knows us, and keeps the connection for the next call. On any failure
 * the connection is dropped, and the machine is not tried again for a moment, so that those who
 * wait for a dead one do not wait one after the other. Meant for virtual threads.
 */
final class TcpHostCalls implements HostCalls {
    /** Machines to which connections are kept. */
    private static final int MAX_CONNECTIONS = 256;

    /** Calls at a time, to all machines together. */
    private static final int MAX_CALLS = 64;

    private static final int MAX_REPLY_BYTES = 16 << 10;
    private static final int GETPORT = 3;
    private static final int TCP = 6;
    private static final int LAST = 1 << 31;
    private static final int HEADER_WORDS = 6;

    /** The connection to one service of a machine. Guarded by its lock. */
    private static final class HostConnection {
        final ReentrantLock lock = new ReentrantLock();
        @Nullable Socket socket;
        volatile long usedMs;
        long failedMs = Long.MIN_VALUE;
        String failure = "";

        void drop() {
            Socket old = socket;
            socket = null;
            closeQuietly(old);
        }
    }

    private final LockPace pace;
    private final Clock clock;
    private final Map<Callee, HostConnection> connections = new ConcurrentHashMap<>();
    private final Semaphore calls = new Semaphore(MAX_CALLS);
    private final AtomicInteger xids = new AtomicInteger();
    private volatile boolean closed;

    TcpHostCalls(LockPace pace, Clock clock) {
        this.pace = pace;
        this.clock = clock;
        xids.set((int) clock.millis());
    }

    @Override
    public XdrReader call(Callee callee, int procedure, Consumer<XdrWriter> arguments)
            throws NoAnswer {
        HostConnection connection = connections.computeIfAbsent(callee, c -> new HostConnection());
        try {
            if (!connection.lock.tryLock(pace.timeoutMs(), TimeUnit.MILLISECONDS)) {
                throw new NoAnswer("other calls to " + callee.address() + " take long", false);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new NoAnswer("interrupted", false);
        }
        try {
            requireRested(connection);
            return callWithin(connection, callee, procedure, arguments);
        } finally {
            connection.usedMs = clock.millis();
            if (closed || !connection.equals(connections.get(callee))) {
                connection.drop();
            }
            connection.lock.unlock();
            limitConnections();
        }
    }

    private void requireRested(HostConnection connection) throws NoAnswer {
        if (closed) {
            throw new NoAnswer("the gateway ends", false);
        }
        if (connection.socket == null
                && clock.millis() - pace.retryMs() / 4 < connection.failedMs) {
            throw new NoAnswer(connection.failure, false);
        }
    }

    private XdrReader callWithin(
            HostConnection connection, Callee callee, int procedure, Consumer<XdrWriter> arguments)
            throws NoAnswer {
        calls.acquireUninterruptibly();
        boolean[] isSent = {false};
        try {
            Socket socket = connection.socket;
            if (socket == null || !isIdle(socket)) {
                connection.drop();
                socket = connect(callee);
                connection.socket = socket;
            }
            int[] header = {0, 0, 2, callee.program(), callee.version(), procedure};
            isSent[0] = true;
            return exchange(socket, header, arguments);
        } catch (IOException | XdrException e) {
            connection.drop();
            connection.failedMs = clock.millis();
            connection.failure = callee.address() + ": " + e.getMessage();
            throw new NoAnswer(connection.failure, isSent[0]);
        } finally {
            calls.release();
        }
    }

    /** A connection that was kept: the machine has neither closed it nor said anything. */
    private static boolean isIdle(Socket socket) throws IOException {
        socket.setSoTimeout(1);
        try {
            socket.getInputStream().read();
            return false;
        } catch (java.net.SocketTimeoutException e) {
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private Socket connect(Callee callee) throws IOException {
        int port;
        try (Socket portmap = open(callee, pace.portmapPort())) {
            int[] header = {0, 0, 2, PortmapProgram.NUMBER, 2, GETPORT};
            port =
                    exchange(
                                    portmap,
                                    header,
                                    out ->
                                            out.i32(callee.program())
                                                    .i32(callee.version())
                                                    .i32(TCP)
                                                    .i32(0))
                            .i32();
        }
        if (port <= 0 || port > 65_535) {
            throw new IOException("program " + callee.program() + " is not registered");
        }
        return open(callee, port);
    }

    private Socket open(Callee callee, int port) throws IOException {
        Socket socket = new Socket();
        try {
            try {
                socket.bind(new InetSocketAddress(callee.from(), 0));
            } catch (IOException e) {
                // The address has moved to another gateway; any of ours is better than none.
                closeQuietly(socket);
                socket = new Socket();
            }
            socket.setTcpNoDelay(true);
            socket.connect(new InetSocketAddress(callee.address(), port), pace.timeoutMs());
            return socket;
        } catch (IOException e) {
            closeQuietly(socket);
            throw e;
        }
    }

    private XdrReader exchange(Socket socket, int[] header, Consumer<XdrWriter> arguments)
            throws IOException {
        header[0] = xids.incrementAndGet();
        ByteBuf record = Unpooled.buffer(256).writeInt(0);
        XdrWriter writer = new XdrWriter(record);
        for (int i = 0; i < HEADER_WORDS; i++) {
            writer.i32(header[i]);
        }
        // Nobody in particular calls: two times flavor AUTH_NONE of length 0.
        writer.i32(0).i32(0).i32(0).i32(0);
        arguments.accept(writer);
        record.setInt(0, LAST | (record.readableBytes() - 4));
        socket.getOutputStream().write(record.array(), 0, record.readableBytes());
        long deadlineMs = clock.millis() + pace.timeoutMs();
        while (true) {
            XdrReader reply = new XdrReader(receive(socket, deadlineMs));
            if (reply.i32() == header[0] && reply.i32() == 1) {
                return results(reply);
            }
        }
    }

    private ByteBuf receive(Socket socket, long deadlineMs) throws IOException {
        ByteBuf record = Unpooled.buffer();
        int mark;
        do {
            ByteBuf markBytes = Unpooled.buffer(4);
            fill(socket, markBytes, 4, deadlineMs);
            mark = markBytes.readInt();
            int length = mark & Integer.MAX_VALUE;
            if (length == 0 || length > MAX_REPLY_BYTES - record.readableBytes()) {
                throw new IOException("an answer with a fragment of " + length + " bytes");
            }
            fill(socket, record, length, deadlineMs);
        } while (mark >= 0);
        return record;
    }

    /** Reads so many bytes; however slowly they come, not beyond the deadline. */
    private void fill(Socket socket, ByteBuf into, int bytes, long deadlineMs) throws IOException {
        int left = bytes;
        while (left > 0) {
            long leftMs = deadlineMs - clock.millis();
            if (leftMs <= 0) {
                throw new IOException("no answer within " + pace.timeoutMs() + " ms");
            }
            socket.setSoTimeout((int) leftMs);
            int count = into.writeBytes(socket.getInputStream(), left);
            if (count < 0) {
                throw new IOException("the connection was closed");
            }
            left -= count;
        }
    }

    private static XdrReader results(XdrReader reply) throws IOException {
        int stat = reply.i32();
        if (stat != 0) {
            throw new IOException("the call was denied");
        }
        reply.i32();
        reply.opaque(400);
        int accept = reply.i32();
        if (accept != 0) {
            throw new IOException("the call was refused with status " + accept);
        }
        return reply;
    }

    /** Forgets the connections used least lately when there are too many. */
    private void limitConnections() {
        while (connections.size() > MAX_CONNECTIONS) {
            Map.Entry<Callee, HostConnection> eldest = null;
            for (Map.Entry<Callee, HostConnection> entry : connections.entrySet()) {
                if (eldest == null || entry.getValue().usedMs < eldest.getValue().usedMs) {
                    eldest = entry;
                }
            }
            if (eldest == null || !eldest.getValue().lock.tryLock()) {
                return;
            }
            try {
                eldest.getValue().drop();
                connections.remove(eldest.getKey(), eldest.getValue());
            } finally {
                eldest.getValue().lock.unlock();
            }
        }
    }

    private static void closeQuietly(@Nullable Socket socket) {
        if (socket != null) {
            try {
                socket.close();
            } catch (IOException e) {
                // It is gone either way.
            }
        }
    }

    @Override
    public void close() {
        closed = true;
        for (HostConnection connection : connections.values()) {
            if (connection.lock.tryLock()) {
                try {
                    connection.drop();
                } finally {
                    connection.lock.unlock();
                }
            }
        }
    }
}
