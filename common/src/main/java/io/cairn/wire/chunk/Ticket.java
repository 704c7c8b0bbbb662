package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.util.Arrays;

/**
 * The proof of a client's right to what it asks of a chunk server, see {@link TicketClaim}. Empty
 * on connections without certificates. Equal when the bytes are.
 *
 * @param bytes at most {@link #MAX_BYTES}; nobody changes them
 */
public record Ticket(byte[] bytes) {
    /** The longest ticket, in bytes. */
    public static final int MAX_BYTES = 255;

    /** No ticket. */
    public static final Ticket NONE = new Ticket(new byte[0]);

    void encode(Encoder out) {
        out.bytes(bytes);
    }

    static Ticket decode(Decoder in) {
        byte[] bytes = in.bytes();
        if (bytes.length > MAX_BYTES) {
            throw new MalformedMessageException("a ticket of " + bytes.length + " bytes");
        }
        return bytes.length == 0 ? NONE : new Ticket(bytes);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Ticket ticket && Arrays.equals(bytes, ticket.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }
}
