package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Line;
import io.cairn.net.Lookout;
import io.cairn.net.Message;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.trace.TraceContext;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Line} over TCP, speaking {@link Frame frames}. */
final class TcpLine implements Line {
    private static final int BUFFER_BYTES = 16 << 10;

    private final Endpoint remote;
    private final Clock clock;
    private final Socket socket;
    private final InputStream in;
    private final OutputStream out;
    private final Lookout lookout;
    private final ByteBufAllocator allocator;
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int filled;
    private long lastRequestId;
    private int version;
    private boolean traces;
    private volatile boolean open = true;

    private TcpLine(
            Endpoint remote,
            Socket socket,
            Clock clock,
            Lookout lookout,
            ByteBufAllocator allocator)
            throws IOException {
        this.remote = remote;
        this.clock = clock;
        this.lookout = lookout;
        this.allocator = allocator;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects and greets.
     *
     * @param lookout shared by the lines of a transport
     * @param allocator of payloads
     * @throws FsException DISCONNECTED, ETIMEDOUT, or WRONG_CLUSTER (no common protocol version)
     */
    static TcpLine connect(
            Endpoint to,
            long timeoutMs,
            TransportContext context,
            Lookout lookout,
            ByteBufAllocator allocator) {
        Attendant.aboutToWait();
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.connect(
                    new InetSocketAddress(to.host(), to.port()),
                    (int) Math.min(timeoutMs, Integer.MAX_VALUE));
            TcpLine line = new TcpLine(to, socket, context.loops().clock(), lookout, allocator);
            line.greet(context.greeting(Integer.MAX_VALUE, true), timeoutMs);
            return line;
        } catch (SocketTimeoutException e) {
            close(socket);
            throw new FsException(Errno.ETIMEDOUT, "cannot connect to " + to + " in time", e);
        } catch (IOException | MalformedMessageException e) {
            close(socket);
            throw new FsException(
                    Errno.DISCONNECTED, "cannot connect to " + to + ": " + e.getMessage(), e);
        } catch (FsException e) {
            close(socket);
            throw e;
        }
    }

    private void greet(Greeting ours, long timeoutMs) throws IOException {
        out.write(Frame.lineHello(ours));
        long deadlineNs = deadlineNs(timeoutMs);
        Preface preface = preface(deadlineNs);
        if (preface.kind() != Frame.HELLO) {
            throw new MalformedMessageException(
                    "frame of kind " + preface.kind() + " before HELLO");
        }
        Greeting theirs = Greeting.decode(body(preface, deadlineNs).header());
        version = ours.agree(theirs, remote);
        traces = ours.traces() && theirs.traces();
    }

    private long deadlineNs(long timeoutMs) {
        return clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    }

    @Override
    public Endpoint remote() {
        return remote;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public int version() {
        return version;
    }

    @Override
    public Message call(byte[] request, long timeoutMs, @Nullable TraceContext trace) {
        if (request.length > MAX_REQUEST_BYTES) {
            throw new FsException(Errno.EINVAL, request.length + " bytes are too many for a line");
        }
        long requestId = ++lastRequestId;
        try {
            out.write(Frame.lineRequest(requestId, request, traces ? trace : null));
            long deadlineNs = deadlineNs(timeoutMs);
            while (true) {
                Preface preface = preface(deadlineNs);
                switch (preface.kind()) {
                    case Frame.REPLY -> {
                        return answerTo(requestId, preface, deadlineNs);
                    }
                    case Frame.FAILURE ->
                            throw Frame.failure(answerTo(requestId, preface, deadlineNs).header());
                    case Frame.BEAT -> {}
                    default ->
                            throw new MalformedMessageException(
                                    "frame of kind " + preface.kind() + " on a line");
                }
            }
        } catch (SocketTimeoutException e) {
            close();
            throw new FsException(
                    Errno.ETIMEDOUT,
                    "no answer from " + remote + " within " + timeoutMs + " ms",
                    e);
        } catch (IOException | MalformedMessageException e) {
            close();
            throw new FsException(Errno.DISCONNECTED, remote + ": " + e.getMessage(), e);
        }
    }

    private Message answerTo(long requestId, Preface preface, long deadlineNs) throws IOException {
        if (preface.requestId() != requestId) {
            throw new MalformedMessageException("an answer to request " + preface.requestId());
        }
        return body(preface, deadlineNs);
    }

    private Preface preface(long deadlineNs) throws IOException {
        byte[] bytes = new byte[Preface.BYTES];
        read(bytes, 0, bytes.length, deadlineNs);
        return Preface.read(bytes);
    }

    private Message body(Preface preface, long deadlineNs) throws IOException {
        byte[] header = new byte[preface.headerBytes()];
        read(header, 0, header.length, deadlineNs);
        int bytes = preface.payloadBytes();
        return new Message(header, bytes == 0 ? null : payload(bytes, deadlineNs), version);
    }

    private ByteBuf payload(int bytes, long deadlineNs) throws IOException {
        ByteBuf payload = allocator.heapBuffer(bytes, bytes);
        boolean complete = false;
        try {
            read(payload.array(), payload.arrayOffset(), bytes, deadlineNs);
            payload.writerIndex(bytes);
            complete = true;
            return payload;
        } finally {
            if (!complete) {
                payload.release();
            }
        }
    }

    private void read(byte[] target, int offset, int length, long deadlineNs) throws IOException {
        for (int done = 0; done < length; ) {
            done += readSome(target, offset + done, length - done, deadlineNs);
        }
    }

    /** From the buffer; what does not fit into it goes to the target at once. */
    private int readSome(byte[] target, int offset, int length, long deadlineNs)
            throws IOException {
        if (from == filled) {
            if (length >= BUFFER_BYTES) {
                return receive(target, offset, length, deadlineNs);
            }
            filled = receive(buffer, 0, BUFFER_BYTES, deadlineNs);
            from = 0;
        }
        int count = Math.min(filled - from, length);
        System.arraycopy(buffer, from, target, offset, count);
        from += count;
        return count;
    }

    /** Waits for bytes; how many came, at least one. */
    private int receive(byte[] target, int offset, int length, long deadlineNs) throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nanoTime());
        if (!lookout.sees(() -> in.available() > 0)) {
            Attendant.aboutToWait();
        }
        socket.setSoTimeout(Math.clamp(leftMs, 1, Integer.MAX_VALUE));
        int count = in.read(target, offset, length);
        if (count < 0) {
            throw new EOFException("closed by the other side");
        }
        return count;
    }

    @Override
    public void close() {
        open = false;
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing was buffered here, so nothing is lost.
            assert socket.isClosed();
        }
    }
}
