package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.trace.TraceContext;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
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
    private final byte[] buffer = new byte[BUFFER_BYTES];
    private int from;
    private int filled;
    private long lastRequestId;
    private int version;
    private boolean traces;
    private volatile boolean open = true;

    private record Arrived(int kind, long requestId, byte[] header) {}

    private TcpLine(Endpoint remote, Socket socket, Clock clock, Lookout lookout)
            throws IOException {
        this.remote = remote;
        this.clock = clock;
        this.lookout = lookout;
        this.socket = socket;
        this.in = socket.getInputStream();
        this.out = socket.getOutputStream();
    }

    /**
     * Connects and greets.
     *
     * @param lookout shared by the lines of a transport
     * @param ours told to the other side
     * @throws FsException DISCONNECTED, ETIMEDOUT, or WRONG_CLUSTER (no common protocol version)
     */
    static TcpLine connect(
            Endpoint to, long timeoutMs, Clock clock, Lookout lookout, Greeting ours) {
        Attendant.aboutToWait();
        Socket socket = new Socket();
        try {
            socket.setTcpNoDelay(true);
            socket.setKeepAlive(true);
            socket.connect(
                    new InetSocketAddress(to.host(), to.port()),
                    (int) Math.min(timeoutMs, Integer.MAX_VALUE));
            TcpLine line = new TcpLine(to, socket, clock, lookout);
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
    public byte[] call(byte[] request, long timeoutMs, @Nullable TraceContext trace) {
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
                    case Frame.FAILURE -> throw Frame.failure(answerTo(requestId, arrived));
                    case Frame.BEAT -> {}
                    default ->
                            throw new MalformedMessageException(
                                    "frame of kind " + arrived.kind + " on a line");
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

    private static byte[] answerTo(long requestId, Arrived arrived) {
        if (arrived.requestId != requestId) {
            throw new MalformedMessageException("an answer to request " + arrived.requestId);
        }
        return arrived.header;
    }

    private Arrived next(long deadlineNs) throws IOException {
        byte[] preface = new byte[Frame.PREFACE_BYTES];
        read(preface, deadlineNs);
        ByteBuffer fields = ByteBuffer.wrap(preface);
        long lengthBytes = Integer.toUnsignedLong(fields.getInt());
        int kind = fields.get() & 0xff;
        long requestId = fields.getLong();
        long headerBytes = Integer.toUnsignedLong(fields.getInt());
        if (lengthBytes != Frame.FIXED_BYTES + headerBytes
                || headerBytes > Limits.MAX_HEADER_BYTES
                || !Frame.allows(kind, (int) headerBytes, 0)) {
            throw new MalformedMessageException(
                    "frame of kind %d with length %d and header length %d"
                            .formatted(kind, lengthBytes, headerBytes));
        }
        byte[] header = new byte[(int) headerBytes];
        read(header, deadlineNs);
        return new Arrived(kind, requestId, header);
    }

    private void read(byte[] target, long deadlineNs) throws IOException {
        int done = 0;
        while (done < target.length) {
            if (from == filled) {
                fill(deadlineNs);
            }
            int count = Math.min(filled - from, target.length - done);
            System.arraycopy(buffer, from, target, done, count);
            from += count;
            done += count;
        }
    }

    private void fill(long deadlineNs) throws IOException {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - clock.nanoTime());
        if (!lookout.sees(() -> in.available() > 0)) {
            Attendant.aboutToWait();
        }
        socket.setSoTimeout(Math.clamp(leftMs, 1, Integer.MAX_VALUE));
        int count = in.read(buffer, 0, buffer.length);
        if (count < 0) {
            throw new EOFException("closed by the other side");
        }
        from = 0;
        filled = count;
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
