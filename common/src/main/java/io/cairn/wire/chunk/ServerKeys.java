package io.cairn.wire.chunk;

import io.cairn.seal.WrappedKey;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.List;

/**
 * The keys that a master tells a chunk server.
 *
 * @param tickets to check those of clients
 * @param classes of storage classes that are encrypted at rest, wrapped; one that is not named
 *     stays as it was
 */
public record ServerKeys(TicketKeys tickets, List<WrappedKey> classes) {
    /** There are none. */
    public static final ServerKeys NONE = new ServerKeys(TicketKeys.NONE, List.of());

    /** Writes the fields. */
    public void encode(Encoder out) {
        tickets.encode(out);
        out.list(classes, (o, key) -> key.encode(o));
    }

    /** Reads the fields. */
    public static ServerKeys decode(Decoder in) {
        return new ServerKeys(TicketKeys.decode(in), in.list(WrappedKey::decode));
    }
}
