package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * How fast a target may copy chunks to other servers; a part of the reply to a heartbeat.
 *
 * @param repairShare percent of the time of each copy lane, 1 to 100, while a copy is missing
 * @param moveBytes bytes per second when chunks only move; 0 = as many as there are
 */
public record CopyLimits(int repairShare, long moveBytes) {
    /** None: as fast as it can. */
    public static final CopyLimits NONE = new CopyLimits(100, 0);

    /** Writes the fields. */
    public void encode(Encoder out) {
        out.i32(repairShare).i64(moveBytes);
    }

    /** Reads the fields. */
    public static CopyLimits decode(Decoder in) {
        return new CopyLimits(in.i32(), in.i64());
    }
}
