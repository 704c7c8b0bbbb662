package io.cairn.http;

import java.io.IOException;

/** Makes the body of an answer piece by piece, for instance events as they happen. */
@FunctionalInterface
public interface WebFeed {
    /**
     * Writes until it has nothing more to say. Called once, on a thread of its own that may block;
     * the answer ends when it returns.
     *
     * @throws IOException from {@code out}: the client has gone or takes nothing
     * @throws InterruptedException when the door closes
     */
    void writeTo(Sink out) throws IOException, InterruptedException;

    /** Where the pieces go. */
    @FunctionalInterface
    interface Sink {
        /**
         * Sends a piece and waits until the socket has taken it.
         *
         * @throws IOException when the client has gone, or took nothing for 15 s
         */
        void write(byte[] piece) throws IOException, InterruptedException;
    }
}
