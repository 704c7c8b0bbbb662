package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/** Chunks [fromIndex, endIndex) of an object. */
public record ChunkRange(long oid, long fromIndex, long endIndex) {
    void encode(Encoder out) {
        out.i64(oid).i64(fromIndex).i64(endIndex);
    }

    static ChunkRange decode(Decoder in) {
        return new ChunkRange(in.i64(), in.i64(), in.i64());
    }
}
