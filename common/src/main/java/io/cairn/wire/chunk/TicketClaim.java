package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The words of a ticket. A master signs them together with the name of its holder, which is not in
 * the ticket: chunk servers take it from the certificate of who shows the ticket, so nobody else
 * can use it. Object numbers are unique in a cluster; the pool of an object needs no word.
 *
 * <pre>
 *   | 1 | hour of the key 4 | session 8 | first oid 8 | last oid 8 | writes 1 | end 8 | HMAC 16 |
 * </pre>
 *
 * @param hour the key that signs it
 * @param session of the client that it was given to
 * @param firstOid the lowest object that it opens
 * @param lastOid the highest one
 * @param writes whether objects may be changed; all that it opens may be read
 * @param endMs it is good up to this time, in milliseconds since 1970 by the master's clock
 */
public record TicketClaim(
        int hour, long session, long firstOid, long lastOid, boolean writes, long endMs) {
    private static final int FORMAT = 1;
    private static final int MAC_BYTES = 16;
    private static final int WORDS_BYTES = 1 + 4 + 8 + 8 + 8 + 1 + 8;

    /** For all objects. */
    public static TicketClaim ofAll(int hour, long session, boolean writes, long endMs) {
        return new TicketClaim(hour, session, 1, Long.MAX_VALUE, writes, endMs);
    }

    private byte[] words() {
        Encoder out = new Encoder(WORDS_BYTES);
        out.u8(FORMAT).i32(hour).i64(session).i64(firstOid).i64(lastOid).bool(writes).i64(endMs);
        return out.toBytes();
    }

    /**
     * The ticket.
     *
     * @param key that of the hour
     * @param holder who may show it, as in {@code mount.laptop7}
     */
    public Ticket sign(TicketKey key, String holder) {
        byte[] words = words();
        byte[] mac = key.sign(words, holder.getBytes(StandardCharsets.UTF_8));
        byte[] bytes = Arrays.copyOf(words, WORDS_BYTES + MAC_BYTES);
        System.arraycopy(mac, 0, bytes, WORDS_BYTES, MAC_BYTES);
        return new Ticket(bytes);
    }

    /** The words of a ticket, of which nobody knows whether they are true; null when it is none. */
    public static @Nullable TicketClaim read(Ticket ticket) {
        if (ticket.bytes().length != WORDS_BYTES + MAC_BYTES) {
            return null;
        }
        Decoder in = new Decoder(ticket.bytes());
        try {
            return in.u8() == FORMAT
                    ? new TicketClaim(in.i32(), in.i64(), in.i64(), in.i64(), in.bool(), in.i64())
                    : null;
        } catch (MalformedMessageException e) {
            return null;
        }
    }

    /** Whether a ticket is this one, signed for a holder. Takes the same time for every ticket. */
    public boolean isSigned(Ticket ticket, TicketKey key, String holder) {
        return MessageDigest.isEqual(ticket.bytes(), sign(key, holder).bytes());
    }

    /** Whether it opens an object. */
    public boolean opens(long oid) {
        return oid >= firstOid && oid <= lastOid;
    }
}
