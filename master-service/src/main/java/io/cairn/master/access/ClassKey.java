package io.cairn.master.access;

import io.cairn.metadata.cluster.AdminRecord;
import io.cairn.seal.WrappedKey;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.util.Locale;

/**
 * The key of a storage class, as a record of the replicated state. A record stays when its key is
 * dropped, so that no number is given twice.
 *
 * @param wrapped the key
 * @param className the class for which it was made
 * @param madeMs when, in milliseconds since 1970
 */
public record ClassKey(WrappedKey wrapped, String className, long madeMs) {
    /** What the keys of the records begin with. */
    public static final String PREFIX = "class-keys/";

    private static final int VERSION = 1;

    /** The key of the record with a number; they are in the order of the numbers. */
    public static String recordKey(int number) {
        return PREFIX + String.format(Locale.ROOT, "%05d", number);
    }

    /** The value of the record. */
    public byte[] encode() {
        Encoder out = new Encoder().u8(VERSION);
        wrapped.encode(out);
        return out.text(className).i64(madeMs).toBytes();
    }

    /**
     * Reads a record.
     *
     * @throws IllegalArgumentException when a newer release has written it
     */
    public static ClassKey of(AdminRecord record) {
        try {
            Decoder in = new Decoder(record.value());
            int version = in.u8();
            if (version != VERSION) {
                throw new IllegalArgumentException(record.key() + " has version " + version);
            }
            return new ClassKey(WrappedKey.decode(in), in.text(), in.i64());
        } catch (MalformedMessageException e) {
            throw new IllegalArgumentException(record.key() + " is damaged", e);
        }
    }
}
