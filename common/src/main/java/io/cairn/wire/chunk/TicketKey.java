package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The key that signs the tickets of one hour. Masters derive it from their secret; chunk servers
 * know a few keys and never the secret.
 *
 * @param hour hours since 1970 by the clock of the master that leads
 * @param bytes 32 random bytes; nobody changes them
 */
public record TicketKey(int hour, byte[] bytes) {
    private static final String ALGORITHM = "HmacSHA256";
    private static final long HOUR_MS = 3_600_000;

    /** The key of an hour. */
    public static TicketKey derive(byte[] secret, int hour) {
        byte[] number = ByteBuffer.allocate(Integer.BYTES).putInt(hour).array();
        return new TicketKey(hour, new TicketKey(0, secret).sign(number));
    }

    /**
     * The hour of a time.
     *
     * @param timeMs milliseconds since 1970
     */
    public static int hourOf(long timeMs) {
        return Math.toIntExact(Math.floorDiv(timeMs, HOUR_MS));
    }

    /** HMAC-SHA-256 of the parts, one after the other. */
    byte[] sign(byte[]... parts) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(bytes, ALGORITHM));
            for (byte[] part : parts) {
                mac.update(part);
            }
            return mac.doFinal();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }

    void encode(Encoder out) {
        out.i32(hour).bytes(bytes);
    }

    static TicketKey decode(Decoder in) {
        return new TicketKey(in.i32(), in.bytes());
    }

    /** Without the key. */
    @Override
    public String toString() {
        return "key of hour " + hour;
    }
}
