package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;

/**
 * Receives requests. Called on an event loop: must not block; heavy work goes to an executor of its
 * own. Requests of one connection arrive in the order sent.
 */
public interface Handler {
    /**
     * A request arrived; the handler owns it and must complete {@code answer} exactly once, at any
     * time, from any thread. To a one-way request there is no answer: completing it does nothing.
     *
     * <p>When this throws, the request is released and answered with EIO (FsException: with its
     * errno) by the transport, so a handler must not throw after it released the request or gave it
     * away. {@link io.cairn.wire.MalformedMessageException} also ends the connection.
     */
    void handle(Connection from, Message request, Answer answer);

    /** Refuses all requests, for a connection over which only this side asks. Thread-safe. */
    static Handler refusing() {
        return (_, request, answer) -> {
            request.release();
            answer.fail(new FsException(Errno.ENOSYS));
        };
    }

    /**
     * The newest version of the protocol that may be spoken with what is behind this handler; asked
     * for each connection. A version above the release's own counts as that.
     */
    default int newestVersion() {
        return Integer.MAX_VALUE;
    }

    /** A connection was made. */
    default void opened(Connection connection) {}

    /** A connection ended, for whatever reason; called once, after the last {@link #handle}. */
    default void closed(Connection connection) {}
}
