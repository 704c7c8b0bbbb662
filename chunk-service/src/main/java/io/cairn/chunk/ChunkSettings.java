package io.cairn.chunk;

import io.cairn.cluster.Endpoint;
import java.util.List;

/**
 * The operator's settings of a chunk server.
 *
 * @param name the server's name in the cluster, unique, not empty
 * @param listen where it listens and is reached by clients and other servers; port 0 = any free one
 * @param masters the masters, in any order; at least one
 * @param clientBytes payload bytes of client requests held at a time, above 0; more are refused
 *     with NOT_READY
 * @param adopts whether targets of other servers have moved here for good, or older copies of its
 *     own are to be used
 * @param replaces whether targets that this server had and does not have now were replaced
 */
public record ChunkSettings(
        String name,
        Endpoint listen,
        List<Endpoint> masters,
        long clientBytes,
        boolean adopts,
        boolean replaces) {
    private static final int MAX_NAME = 255;

    /** Payload bytes of client requests held at a time unless settings say otherwise. */
    public static final long STANDARD_CLIENT_BYTES = 128L << 20;

    /** Checks and copies. */
    public ChunkSettings {
        masters = List.copyOf(masters);
        if (name.isEmpty() || name.length() > MAX_NAME) {
            throw new IllegalArgumentException(
                    "a chunk server needs a name of at most " + MAX_NAME + " letters: --id NAME");
        }
        if (masters.isEmpty()) {
            throw new IllegalArgumentException(
                    "chunk server " + name + " needs a master: --masters HOST:PORT");
        }
        if (clientBytes <= 0) {
            throw new IllegalArgumentException("clientBytes is " + clientBytes + ", not above 0");
        }
    }

    /** One that takes no targets of others over. */
    public ChunkSettings(String name, Endpoint listen, List<Endpoint> masters, long clientBytes) {
        this(name, listen, masters, clientBytes, false, false);
    }

    /** The same for a server to which targets of others have moved. */
    public ChunkSettings adopting() {
        return new ChunkSettings(name, listen, masters, clientBytes, true, replaces);
    }

    /** The same for a server whose missing targets were replaced. */
    public ChunkSettings replacing() {
        return new ChunkSettings(name, listen, masters, clientBytes, adopts, true);
    }

    /** With the standard limits. */
    public static ChunkSettings of(String name, Endpoint listen, List<Endpoint> masters) {
        return new ChunkSettings(name, listen, masters, STANDARD_CLIENT_BYTES);
    }
}
