package io.cairn.net;

import io.cairn.cluster.Endpoint;

/** A listening socket. */
public interface Listener extends AutoCloseable {
    /** Where it listens, with the real port. */
    Endpoint endpoint();

    /** Stops listening and closes all accepted connections. Idempotent. */
    @Override
    void close();
}
