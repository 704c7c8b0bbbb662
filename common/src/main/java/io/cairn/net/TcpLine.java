package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.trace.TraceContext;
import io.cairn.wire.Limits;
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
import java.nio.ByteBuffer;
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

    private record Arrived(int kind, long requestId, byte[] header, @Nullable ByteBuf payload) {
        Message message(int version) {
            return new Message(header, payload, version);
        }
    }

    /** What lines need besides the socket, shared by the lines of a transport. */
    record Needs(Clock clock, Lookout lookout, ByteBufAllocator allocator) {}

    private TcpLine(Endpoint remote, Socket socket, Needs needs) throws IOException {
        this.remote = remote;
        this.clock = needs.clock;
        this.lookout = needs.lookout;
        this.allocator = needs.allocator;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects and greets.
     *
     * @param ours told to the other side
     * @throws FsException DISCONNECTED, ETIMEDOUT, or WRONG_CLUSTER (no common protocol version)
     */
    static TcpLine connect(Endpoint to, long timeoutMs, Needs needs, Greeting ours) {
        Attendant.aboutToWait();
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.connect(
                    new InetSocketAddress(to.host(), to.port()),
                    (int) Math.min(timeoutMs, Integer.MAX_VALUE));
            TcpLine line = new TcpLine(to, socket, needs);
            line.out.write(Frame.lineHello(ours));
            line.greeted(ours, line.next(line.deadlineNs(timeoutMs)));
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

    private void greeted(Greeting ours, Arrived hello) {
        if (hello.kind != Frame.HELLO) {
            throw new MalformedMessageException("frame of kind " + hello.kind + " before HELLO");
        }
        Greeting theirs = Greeting.decode(hello.header);
        version = ours.range().common(theirs.range());
        traces = ours.traces() && theirs.traces();
        if (version == 0) {
            throw new FsException(
                    Errno.WRONG_CLUSTER, ours.range().refusal(remote, theirs.range()));
        }
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
                Arrived arrived = next(deadlineNs);
                switch (arrived.kind) {
                    case Frame.REPLY -> {
                        return answerTo(requestId, arrived);
                    }
                    case Frame.FAILURE ->
                            throw Frame.failure(answerTo(requestId, arrived).header());
                    case Frame.BEAT -> {}
                    default -> {
                        arrived.message(version).release();
                        throw new MalformedMessageException(
                                "frame of kind " + arrived.kind + " on a line");
                    }
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

    private Message answerTo(long requestId, Arrived arrived) {
        Message answer = arrived.message(version);
        if (arrived.requestId != requestId) {
            answer.release();
            throw new MalformedMessageException("an answer to request " + arrived.requestId);
        }
        return answer;
    }

    private Arrived next(long deadlineNs) throws IOException {
        byte[] preface = new byte[Frame.PREFACE_BYTES];
        read(preface, 0, preface.length, deadlineNs);
        ByteBuffer fields = ByteBuffer.wrap(preface);
        long lengthBytes = Integer.toUnsignedLong(fields.getInt());
        int kind = fields.get() & 0xff;
        long requestId = fields.getLong();
        long headerBytes = Integer.toUnsignedLong(fields.getInt());
        long payloadBytes = lengthBytes - Frame.FIXED_BYTES - headerBytes;
        if (headerBytes > Limits.MAX_HEADER_BYTES
                || payloadBytes < 0
                || payloadBytes > Limits.MAX_PAYLOAD_BYTES
                || !Frame.allows(kind, (int) headerBytes, (int) payloadBytes)) {
            throw new MalformedMessageException(
                    "frame of kind %d with length %d and header length %d"
                            .formatted(kind, lengthBytes, headerBytes));
        }
        byte[] header = new byte[(int) headerBytes];
        read(header, 0, header.length, deadlineNs);
        ByteBuf payload = payloadBytes == 0 ? null : payload((int) payloadBytes, deadlineNs);
        return new Arrived(kind, requestId, header, payload);
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
        int done = 0;
        while (done < length) {
            int left = length - done;
            if (from == filled && left >= BUFFER_BYTES) {
                done += receive(target, offset + done, left, deadlineNs);
                continue;
            }
            if (from == filled) {
                filled = receive(buffer, 0, BUFFER_BYTES, deadlineNs);
                from = 0;
            }
            int count = Math.min(filled - from, left);
            System.arraycopy(buffer, from, target, offset + done, count);
            from += count;
            done += count;
        }
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
