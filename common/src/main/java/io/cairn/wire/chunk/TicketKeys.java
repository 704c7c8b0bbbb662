package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.List;

/**
 * What chunk servers need to check tickets.
 *
 * @param timeMs the time of the leading master, in milliseconds since 1970: tickets end by it
 * @param list the keys of the hours in which tickets are good now; empty where there are no tickets
 */
public record TicketKeys(long timeMs, List<TicketKey> list) {
    /** There are no tickets. */
    public static final TicketKeys NONE = new TicketKeys(0, List.of());

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i64(timeMs).list(list, (o, key) -> key.encode(o));
    }

    /** Reads the fields. */
    public static TicketKeys decode(Decoder in) {
        return new TicketKeys(in.i64(), in.list(TicketKey::decode));
    }
}
