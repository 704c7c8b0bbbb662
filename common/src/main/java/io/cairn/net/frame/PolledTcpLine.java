package io.cairn.net.frame;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Message;
import io.cairn.net.PolledLine;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.runtime.StreamSocket;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SequencedMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link PolledLine} over TCP, speaking {@link Frame frames}. */
public final class PolledTcpLine implements PolledLine {
    /** Room for requests that the network does not take at once. */
    private static final int OUT_BYTES = 256 << 10;

    private static final int IN_BYTES = 64 << 10;

    /** Leaves room at the other side for requests of the other connections. */
    private static final int MAX_ASKED = Limits.MAX_IN_FLIGHT * 3 / 4;

    private final Endpoint remote;
    private final Clock clock;
    private final StreamSocket socket;
    private final Arena arena = Arena.ofShared();
    private final MemorySegment out = arena.allocate(OUT_BYTES);
    private final MemorySegment in = arena.allocate(IN_BYTES);
    private int version;
    private volatile boolean open = true;
    private volatile int expected;

    // Guarded by this; what an asker does is done without it.
    private final SequencedMap<Long, Asked> asked = new LinkedHashMap<>();
    private byte[] received = new byte[IN_BYTES];
    private int from;
    private int filled;
    private int collected;
    private long lastRequestId;

    /** A request that is not answered. */
    private record Asked(Asker asker, long deadlineNs, long timeoutMs) {}

    /** News for an asker. */
    private interface News {
        void tell();
    }

    private PolledTcpLine(Endpoint remote, StreamSocket socket, Clock clock) {
        this.remote = remote;
        this.socket = socket;
        this.clock = clock;
    }

    /**
     * Connects and greets; blocks.
     *
     * @throws FsException DISCONNECTED, ETIMEDOUT, or WRONG_CLUSTER (no common protocol version)
     */
    public static PolledTcpLine connect(Endpoint to, long timeoutMs, ChannelSettings context) {
        Attendant.aboutToWait();
        PolledTcpLine line = null;
        boolean done = false;
        try {
            line =
                    new PolledTcpLine(
                            to,
                            StreamSocket.connect(to.host(), to.port(), timeoutMs),
                            context.clock());
            line.greet(context.greeting(Integer.MAX_VALUE, true));
            done = true;
            return line;
        } catch (InterruptedIOException e) {
            throw new FsException(Errno.ETIMEDOUT, "cannot connect to " + to + " in time", e);
        } catch (IOException | MalformedMessageException e) {
            throw new FsException(
                    Errno.DISCONNECTED, "cannot connect to " + to + ": " + e.getMessage(), e);
        } finally {
            if (!done && line != null) {
                line.close();
            }
        }
    }

    private synchronized void greet(Greeting ours) throws IOException {
        collect(Frame.lineHello(ours));
        send();
        Message hello = null;
        while (hello == null) {
            receive();
            Preface preface = nextPreface();
            if (preface != null && preface.kind() != Frame.HELLO) {
                throw new MalformedMessageException(
                        "frame of kind " + preface.kind() + " before HELLO");
            }
            hello = preface == null ? null : take(preface);
        }
        version = ours.agree(Greeting.decode(hello.header()), remote);
        socket.setNonBlocking();
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
    public int descriptor() {
        return open ? socket.descriptor() : -1;
    }

    @Override
    public int expected() {
        return expected;
    }

    @Override
    public boolean call(byte[] request, long timeoutMs, Asker asker) {
        if (request.length > MAX_REQUEST_BYTES) {
            throw new FsException(Errno.EINVAL, request.length + " bytes are too many for a line");
        }
        long deadlineNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        synchronized (this) {
            if (!open
                    || asked.size() >= MAX_ASKED
                    || collected + Preface.BYTES + request.length > OUT_BYTES) {
                return false;
            }
            long requestId = ++lastRequestId;
            collect(Frame.linePreface(requestId, request.length));
            collect(request);
            asked.put(requestId, new Asked(asker, deadlineNs, timeoutMs));
            expected = asked.size();
        }
        return true;
    }

    private void collect(byte[] bytes) {
        MemorySegment.copy(bytes, 0, out, ValueLayout.JAVA_BYTE, collected, bytes.length);
        collected += bytes.length;
    }

    @Override
    public void flush() {
        List<News> news = List.of();
        synchronized (this) {
            if (!open || collected == 0) {
                return;
            }
            try {
                send();
            } catch (IOException e) {
                news = fail(Errno.DISCONNECTED, String.valueOf(e.getMessage()));
            }
        }
        news.forEach(News::tell);
    }

    @Override
    public boolean poll() {
        List<News> news;
        synchronized (this) {
            if (!open) {
                return false;
            }
            news = new ArrayList<>(0);
            try {
                send();
                int count;
                do {
                    count = receive();
                    answers(news);
                } while (count == IN_BYTES);
                if (isLate()) {
                    news.addAll(fail(Errno.ETIMEDOUT, "no answer in time"));
                }
            } catch (IOException | MalformedMessageException e) {
                news.addAll(fail(Errno.DISCONNECTED, String.valueOf(e.getMessage())));
            }
            expected = asked.size();
        }
        news.forEach(News::tell);
        return !news.isEmpty();
    }

    /** Whether the request that waits longest waits too long; all have about the same time. */
    private boolean isLate() {
        return !asked.isEmpty() && clock.nanoTime() - asked.firstEntry().getValue().deadlineNs > 0;
    }

    /** Gives the network what was collected, as much as it takes. */
    private void send() throws IOException {
        int sent = 0;
        while (sent < collected) {
            int count = socket.send(out.asSlice(sent, collected - sent));
            if (count == 0) {
                break;
            }
            sent += count;
        }
        if (sent > 0 && sent < collected) {
            MemorySegment.copy(out, sent, out, 0, collected - sent);
        }
        collected -= sent;
    }

    /** Takes bytes from the network; how many there were. */
    private int receive() throws IOException {
        int count = socket.receive(in);
        if (from > 0) {
            System.arraycopy(received, from, received, 0, filled - from);
            filled -= from;
            from = 0;
        }
        if (filled + count > received.length) {
            received = Arrays.copyOf(received, Math.max(filled + count, 2 * received.length));
        }
        MemorySegment.copy(in, ValueLayout.JAVA_BYTE, 0, received, filled, count);
        filled += count;
        return count;
    }

    private void answers(List<News> news) {
        for (Preface preface = nextPreface(); preface != null; preface = nextPreface()) {
            Message message = take(preface);
            if (message == null) {
                return;
            }
            switch (preface.kind()) {
                case Frame.REPLY -> {
                    Asker asker = askerOf(preface);
                    news.add(() -> asker.answered(message));
                }
                case Frame.FAILURE -> {
                    Asker asker = askerOf(preface);
                    FsException failure = Frame.failure(message.header());
                    news.add(() -> asker.failed(failure));
                }
                case Frame.BEAT -> {}
                default ->
                        throw new MalformedMessageException(
                                "frame of kind " + preface.kind() + " on a line");
            }
        }
    }

    private Asker askerOf(Preface preface) {
        Asked request = asked.remove(preface.requestId());
        if (request == null) {
            throw new MalformedMessageException("an answer to request " + preface.requestId());
        }
        return request.asker;
    }

    /** The beginning of the next frame; null while not enough of it has come. */
    private @Nullable Preface nextPreface() {
        if (filled - from < Preface.BYTES) {
            return null;
        }
        Preface preface = Preface.read(Arrays.copyOfRange(received, from, from + Preface.BYTES));
        if (preface.payloadBytes() > 0) {
            throw new MalformedMessageException("a payload on a polled line");
        }
        return preface;
    }

    /** The frame, if it is complete. */
    private @Nullable Message take(Preface preface) {
        int begin = from + Preface.BYTES;
        int end = begin + preface.headerBytes();
        if (filled < end) {
            return null;
        }
        from = end;
        return new Message(Arrays.copyOfRange(received, begin, end), null, version);
    }

    /** Closes; what the askers are to hear then. */
    private List<News> fail(Errno errno, String reason) {
        open = false;
        socket.close();
        arena.close();
        List<News> news = new ArrayList<>();
        for (Asked request : asked.values()) {
            String message =
                    errno == Errno.ETIMEDOUT
                            ? "no answer from " + remote + " within " + request.timeoutMs + " ms"
                            : remote + ": " + reason;
            news.add(() -> request.asker.failed(new FsException(errno, message)));
        }
        asked.clear();
        expected = 0;
        return news;
    }

    @Override
    public void close() {
        List<News> news = List.of();
        synchronized (this) {
            if (open) {
                news = fail(Errno.DISCONNECTED, "the line is closed");
            }
        }
        news.forEach(News::tell);
    }
}
