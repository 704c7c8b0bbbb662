package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * One change of the records that administrators' tools keep in the replicated state.
 *
 * @param key name of the record, 1..200 bytes in UTF-8, such as {@code token/first}
 * @param expectedVersion the change is made only to this version; 0 when the record must not exist,
 *     {@link #ANY} for whatever is there
 * @param value what it holds from now on, at most {@value #MAX_VALUE_BYTES} bytes; null removes it
 */
public record RecordChange(String key, long expectedVersion, byte @Nullable [] value) {
    /** Stands for every version. */
    public static final long ANY = -1;

    /** Largest value of a record, in bytes. */
    public static final int MAX_VALUE_BYTES = 256 << 10;

    /** Largest key of a record, in bytes. */
    public static final int MAX_KEY_BYTES = 200;

    void encode(Encoder out) {
        out.text(key).i64(expectedVersion).optionalBytes(value);
    }

    static RecordChange decode(Decoder in) {
        return new RecordChange(in.text(), in.i64(), in.optionalBytes());
    }
}
