package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * One connection to each chunk server, made when it is first needed and again after it broke.
 * Thread-safe; never blocks.
 */
public final class ChunkConnections implements AutoCloseable {
    private final Transport transport;
    private final long connectTimeoutMs;
    private final Map<Endpoint, CompletableFuture<Connection>> connections =
            new ConcurrentHashMap<>();
    private volatile boolean closed;

    public ChunkConnections(Transport transport, long connectTimeoutMs) {
        this.transport = transport;
        this.connectTimeoutMs = connectTimeoutMs;
    }

    /** The connection to a server; fails when it cannot be made. */
    CompletableFuture<Connection> to(Endpoint endpoint) {
        CompletableFuture<Connection> known = connections.get(endpoint);
        if (known != null && isUsable(known)) {
            return known;
        }
        if (closed) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.EIO, "this filesystem client is closed"));
        }
        if (known != null) {
            connections.remove(endpoint, known);
        }
        CompletableFuture<Connection> fresh = new CompletableFuture<>();
        CompletableFuture<Connection> other = connections.putIfAbsent(endpoint, fresh);
        if (other != null) {
            return other;
        }
        Promises.whenDone(
                transport.connect(endpoint, new Refusal(), connectTimeoutMs),
                (connection, failure) -> {
                    if (connection == null) {
                        connections.remove(endpoint, fresh);
                        fresh.completeExceptionally(Promises.cause(failure));
                    } else {
                        fresh.complete(connection);
                    }
                });
        return fresh;
    }

    /** Still being made, or open. */
    private static boolean isUsable(CompletableFuture<Connection> future) {
        return !future.isDone() || (!future.isCompletedExceptionally() && future.join().isOpen());
    }

    /** Gives up a connection on which an answer stayed away, so that the next call makes a new. */
    void giveUp(Connection connection) {
        connection.close();
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        connections
                .values()
                .forEach(
                        each ->
                                Promises.whenDone(
                                        each,
                                        (connection, failure) -> {
                                            if (connection != null) {
                                                connection.close();
                                            }
                                        }));
        connections.clear();
    }

    /** Chunk servers have nothing to ask a client. */
    private static final class Refusal implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            request.release();
            answer.fail(new FsException(Errno.EPROTO, "a client serves nothing"));
        }
    }
}
