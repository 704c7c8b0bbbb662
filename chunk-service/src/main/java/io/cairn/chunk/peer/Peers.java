package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.trace.Scope;
import java.util.Iterator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Connections from this server to masters and other chunk servers: one for each of them, made when
 * first needed and made anew after it broke. Thread-safe.
 */
public final class Peers implements AutoCloseable {
    private static final long CONNECT_TIMEOUT_MS = 2_000;

    private final Transport transport;
    private final Handler handler;
    private final ConcurrentHashMap<Callee, CompletableFuture<Connection>> connections =
            new ConcurrentHashMap<>();
    private volatile boolean closed;

    /**
     * @param handler what the other sides ask over these connections
     */
    public Peers(Transport transport, Handler handler) {
        this.transport = transport;
        this.handler = handler;
    }

    /**
     * Asks.
     *
     * @param request given away
     * @param timeoutMs above 0; connecting counts extra
     * @return the reply, to be released; fails as {@link Connection#call} and {@link
     *     Transport#connect} do
     */
    public CompletableFuture<Message> call(Callee to, Message request, long timeoutMs) {
        CompletableFuture<Connection> made = connection(to, timeoutMs);
        if (made.isDone() && !made.isCompletedExceptionally()) {
            return made.join().call(request, timeoutMs);
        }
        return made.whenComplete(
                        (connection, thrown) -> {
                            if (thrown != null) {
                                request.release();
                            }
                        })
                .thenCompose(Scope.carried(connection -> connection.call(request, timeoutMs)));
    }

    /** Whether a process greets there: makes a connection and closes it. */
    CompletableFuture<Void> probe(Callee to, long timeoutMs) {
        return transport.connect(to, handler, timeoutMs).thenAccept(Connection::close);
    }

    private CompletableFuture<Connection> connection(Callee to, long timeoutMs) {
        if (closed) {
            return Futures.failed(Errno.NOT_READY, "the chunk server is stopping");
        }
        CompletableFuture<Connection> present = connections.get(to);
        if (present != null && isUsable(present)) {
            return present;
        }
        CompletableFuture<Connection> fresh = new CompletableFuture<>();
        boolean mine =
                present == null
                        ? connections.putIfAbsent(to, fresh) == null
                        : connections.replace(to, present, fresh);
        if (!mine) {
            return connection(to, timeoutMs);
        }
        Futures.finish(
                transport.connect(to, handler, Math.min(timeoutMs, CONNECT_TIMEOUT_MS)),
                (connection, thrown) -> {
                    if (thrown != null) {
                        connections.remove(to, fresh);
                        fresh.completeExceptionally(thrown);
                    } else if (connection != null) {
                        fresh.complete(connection);
                        if (closed) {
                            connection.close();
                        }
                    }
                });
        return fresh;
    }

    private static boolean isUsable(CompletableFuture<Connection> made) {
        return !made.isDone() || (!made.isCompletedExceptionally() && made.join().isOpen());
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        Iterator<CompletableFuture<Connection>> all = connections.values().iterator();
        while (all.hasNext()) {
            CompletableFuture<Connection> made = all.next();
            all.remove();
            if (made.isDone() && !made.isCompletedExceptionally()) {
                made.join().close();
            }
        }
    }
}
