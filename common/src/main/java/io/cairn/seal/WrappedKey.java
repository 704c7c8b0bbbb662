package io.cairn.seal;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import java.util.Arrays;

/**
 * The key of a storage class as it may be stored and told: encrypted with the master key.
 *
 * @param number which key, from 1; a number is never used for another key
 * @param bytes as {@link MasterKey#wrap} makes them; none when the key was dropped for good
 */
public record WrappedKey(int number, byte[] bytes) {
    /** The largest number of a key. */
    public static final int MAX_NUMBER = 65_535;

    /** What is left of a key that was dropped. */
    public static WrappedKey dropped(int number) {
        return new WrappedKey(number, new byte[0]);
    }

    /** Whether the key is gone for good, and with it all that it encrypted. */
    public boolean isDropped() {
        return bytes.length == 0;
    }

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i32(number).bytes(bytes);
    }

    /** Reads the fields. */
    public static WrappedKey decode(Decoder in) {
        return new WrappedKey(in.i32(), in.bytes());
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof WrappedKey key
                && key.number == number
                && Arrays.equals(key.bytes, bytes);
    }

    @Override
    public int hashCode() {
        return 31 * number + Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "key " + number + (isDropped() ? ", dropped" : "");
    }
}
