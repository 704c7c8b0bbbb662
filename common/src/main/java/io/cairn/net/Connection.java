package io.cairn.net;

import io.cairn.cluster.Endpoint;
import java.util.concurrent.CompletableFuture;

/**
 * A connection between two services; either side may call the other. Thread-safe. Messages are
 * delivered in the order sent, at most once; when the connection breaks, all calls in flight fail
 * with DISCONNECTED.
 */
public interface Connection extends AutoCloseable {
    /** The other side: the endpoint connected to, or the address a caller came from. */
    Endpoint remote();

    /**
     * The other side, as its certificate tells; {@linkplain Principal#anonymous anonymous} where
     * connections have none. It is the same from the first message on.
     */
    default Principal principal() {
        return Principal.anonymous(remote().host());
    }

    /** Whether calls can still be made. */
    boolean isOpen();

    /** The version of the protocol that both sides speak. */
    int version();

    /** The release that the other side runs, as it tells it, for operators. */
    String release();

    /**
     * Sends a request.
     *
     * @param timeoutMs above 0; then the call fails with ETIMEDOUT, and a late reply is dropped
     * @return the reply, which the receiver must release; or fails with an {@code FsException} in
     *     its cause chain: the handler's, DISCONNECTED, ETIMEDOUT, or EAGAIN when too many calls
     *     are in flight
     */
    CompletableFuture<Message> call(Message request, long timeoutMs);

    /** Sends a message that has no answer; lost silently when the connection breaks. */
    void send(Message oneWay);

    /** Closes; idempotent. */
    @Override
    void close();

    /**
     * Closes at once: bytes that are not with the other side yet never come to it, so that a
     * request cannot be done long after it was given up. Idempotent.
     */
    default void abort() {
        close();
    }
}
