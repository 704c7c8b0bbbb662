package io.cairn.net;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Polled;

/**
 * A connection for requests whose answers a thread looks for itself, between other work: many may
 * be under way, what is asked in one go is sent in one go, and no thread is woken for an answer.
 * For requests without payload that belong to no trace, and replies of the same kind. The other
 * side needs not know; a line that is silent is left alone. Thread-safe.
 */
public interface PolledLine extends AutoCloseable {
    /** Requests up to this size go over a line: they fit into its buffer. */
    int MAX_REQUEST_BYTES = 32 << 10;

    /** The asker; hears once. Must not wait: others wait for the thread that found the answer. */
    interface Asker {
        /** The reply has come. */
        void answered(Message reply);

        /**
         * The handler's error; or DISCONNECTED or ETIMEDOUT, and the line is closed then: whether
         * the request was executed is unknown.
         */
        void failed(FsException error);
    }

    /** The other side. */
    Endpoint remote();

    /** Whether it can still be used, as far as this side knows. */
    boolean isOpen();

    /** The version of the protocol that both sides speak; requests and replies are in it. */
    int version();

    /**
     * Collects a request, to be sent by {@link #flush} or {@link #poll}.
     *
     * @param request at most {@link #MAX_REQUEST_BYTES}
     * @param timeoutMs above 0
     * @return whether there was room for it; if not, the asker hears nothing
     */
    boolean call(byte[] request, long timeoutMs, Asker asker);

    /** As {@link Polled#descriptor}. */
    int descriptor();

    /** As {@link Polled#expected}. */
    int expected();

    /** As {@link Polled#flush}. */
    void flush();

    /** As {@link Polled#poll}. */
    boolean poll();

    /** Closes; who waits for an answer hears of it here. Idempotent. */
    @Override
    void close();
}
