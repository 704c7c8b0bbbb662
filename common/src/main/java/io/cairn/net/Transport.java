package io.cairn.net;

import io.cairn.cluster.Endpoint;
import java.util.concurrent.CompletableFuture;

/**
 * Makes connections. Futures complete on event loops, as {@link Handler} is called on them: what
 * hangs on a future must not block, or goes on to an executor. Thread-safe.
 */
public interface Transport extends AutoCloseable {
    /**
     * Connects. Requests of the other side go to {@code handler}.
     *
     * @return the connection, or fails with an {@code FsException} DISCONNECTED (refused,
     *     unreachable), ETIMEDOUT, or WRONG_CLUSTER (no common protocol version)
     */
    CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs);

    /**
     * Connects as {@link #connect(Endpoint, Handler, long)} does, and fails with DISCONNECTED when
     * somebody else answers. Without certificates nobody can tell.
     */
    default CompletableFuture<Connection> connect(Callee to, Handler handler, long timeoutMs) {
        return connect(to.endpoint(), handler, timeoutMs);
    }

    /**
     * Listens.
     *
     * @throws io.cairn.base.FsException EBUSY when the port is in use, EACCES when not allowed,
     *     ENXIO when the host is not an address of this machine; the message names the endpoint
     */
    Listener listen(Endpoint at, Handler handler);

    /** Closes all connections and listeners. Idempotent. */
    @Override
    void close();
}
