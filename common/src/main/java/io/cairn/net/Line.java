package io.cairn.net;

import io.cairn.cluster.Endpoint;
import io.cairn.trace.TraceContext;
import org.jspecify.annotations.Nullable;

/**
 * A connection for one thread at a time, which sends a request and waits for the answer itself: no
 * event loop stands between it and the socket, which saves two changes of threads a call. The other
 * side needs not know; a line that is silent is left alone.
 */
public interface Line extends AutoCloseable {
    /** Requests up to this size go over a line: they fit into the socket's buffer at once. */
    int MAX_REQUEST_BYTES = 32 << 10;

    /** The other side. */
    Endpoint remote();

    /** Whether it can still be used, as far as this side knows. */
    boolean isOpen();

    /** The version of the protocol that both sides speak; requests and replies are in it. */
    int version();

    /**
     * Sends a request and waits for the reply.
     *
     * @param request at most {@link #MAX_REQUEST_BYTES}
     * @param timeoutMs above 0
     * @param trace which span asks; null when the request belongs to no trace
     * @return the reply; the caller releases its payload
     * @throws io.cairn.base.FsException the handler's error; or DISCONNECTED or ETIMEDOUT, and the
     *     line is closed then: whether the request was executed is unknown
     */
    Message call(byte[] request, long timeoutMs, @Nullable TraceContext trace);

    /** As the other one, for a request that belongs to no trace. */
    default Message call(byte[] request, long timeoutMs) {
        return call(request, timeoutMs, null);
    }

    /** Closes, from any thread; a call in progress fails. Idempotent. */
    @Override
    void close();
}
