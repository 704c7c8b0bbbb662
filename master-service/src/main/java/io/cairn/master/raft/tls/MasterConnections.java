package io.cairn.master.raft.tls;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Connections to other masters: one for each of them, made when first needed and made anew after it
 * broke. Thread-safe; calls block.
 */
final class MasterConnections implements AutoCloseable {
    private static final long CONNECT_MS = 2_000;

    /** The transport keeps to its limits by itself; this is for the case that it does not. */
    private static final long GRACE_MS = 1_000;

    private final Transport transport;
    private final Map<Callee, Connection> connections = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** No connection yet. */
    MasterConnections(Transport transport) {
        this.transport = transport;
    }

    /** The other side of a call, as its certificate tells, and what it answered. */
    record Answered(String name, byte[] bytes) {}

    /**
     * Asks.
     *
     * @param timeoutMs for the answer; connecting counts extra
     * @throws IOException when the master refuses, or does not answer
     */
    Answered call(Callee to, MessageKind kind, byte[] body, long timeoutMs) throws IOException {
        Connection connection = connection(to);
        Message request = new Message(kind.header(), Unpooled.wrappedBuffer(body));
        Message reply = await(connection.call(request, timeoutMs), timeoutMs, to);
        try {
            return new Answered(connection.principal().name(), reply.header());
        } finally {
            reply.release();
        }
    }

    /** Gives up the connection to a master: the next call makes another one. */
    void drop(Callee to) {
        Connection known = connections.remove(to);
        if (known != null) {
            known.abort();
        }
    }

    private Connection connection(Callee to) throws IOException {
        Connection known = connections.get(to);
        if (known != null && known.isOpen()) {
            return known;
        }
        Connection made =
                await(transport.connect(to, MasterConnections::refuse, CONNECT_MS), CONNECT_MS, to);
        Connection kept = connections.merge(to, made, (old, fresh) -> old.isOpen() ? old : fresh);
        if (closed) {
            close();
        }
        if (!kept.equals(made)) {
            made.close();
        }
        return kept;
    }

    private static <T> T await(CompletableFuture<T> future, long timeoutMs, Callee from)
            throws IOException {
        try {
            return future.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new IOException(String.valueOf(cause.getMessage()), cause);
        } catch (TimeoutException e) {
            throw new IOException("no answer from " + from.who() + " at " + from.endpoint(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            InterruptedIOException failure = new InterruptedIOException("interrupted in a call");
            failure.initCause(e);
            throw failure;
        }
    }

    private static void refuse(Connection from, Message request, Answer answer) {
        request.release();
        answer.fail(new FsException(Errno.EPROTO, "this connection serves nothing"));
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        connections.values().forEach(Connection::close);
        connections.clear();
    }
}
