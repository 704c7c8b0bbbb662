package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * What chunk servers have to refuse, so that snapshots never change. Immutable and thread-safe.
 *
 * @param version of the mutation that decided it: a newer decision replaces an older one; 0 before
 *     the first one
 * @param firstOid objects with smaller numbers must not be changed in place; 0 = all may be
 */
public record ObjectFence(long version, long firstOid) {
    /** Nothing has to be refused. */
    public static final ObjectFence NONE = new ObjectFence(0, 0);

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i64(version).i64(firstOid);
    }

    /** Reads the fields. */
    public static ObjectFence decode(Decoder in) {
        return new ObjectFence(in.i64(), in.i64());
    }
}
