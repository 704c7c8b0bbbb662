package io.cairn.chunk;

import io.cairn.cluster.Declaration;
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
 * @param declaration what the operator says about the server
 * @param packAfterMs how long a chunk is not changed before it is packed, where its pool wants
 *     that; above 0
 */
public record ChunkSettings(
        String name,
        Endpoint listen,
        List<Endpoint> masters,
        long clientBytes,
        Declaration declaration,
        long packAfterMs) {
    private static final int MAX_NAME = 255;

    /** Payload bytes of client requests held at a time unless settings say otherwise. */
    public static final long STANDARD_CLIENT_BYTES = 128L << 20;

    /** How long a chunk rests before it is packed unless settings say otherwise. */
    public static final long STANDARD_PACK_AFTER_MS = 60_000;

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
        if (packAfterMs <= 0) {
            throw new IllegalArgumentException("packAfterMs is " + packAfterMs + ", not above 0");
        }
        if (clientBytes <= 0) {
            throw new IllegalArgumentException("clientBytes is " + clientBytes + ", not above 0");
        }
    }

    /** One about which nothing is said. */
    public ChunkSettings(String name, Endpoint listen, List<Endpoint> masters, long clientBytes) {
        this(name, listen, masters, clientBytes, Declaration.NONE, STANDARD_PACK_AFTER_MS);
    }

    /** The same for a server about which the operator says that. */
    public ChunkSettings declared(Declaration said) {
        return new ChunkSettings(name, listen, masters, clientBytes, said, packAfterMs);
    }

    /** The same with another time of rest before chunks are packed. */
    public ChunkSettings packingAfter(long restMs) {
        return new ChunkSettings(name, listen, masters, clientBytes, declaration, restMs);
    }

    /** With the standard limits. */
    public static ChunkSettings of(String name, Endpoint listen, List<Endpoint> masters) {
        return new ChunkSettings(name, listen, masters, STANDARD_CLIENT_BYTES);
    }
}
