package io.cairn.wire.chunk;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;

/**
 * Names a write of a client for ever, so that a resend is applied once.
 *
 * @param session the client's session
 * @param sequence number of the write within the session
 */
public record OperationId(long session, long sequence) {
    /** Of what no client asked for: nobody sends it again. */
    public static final OperationId NOBODY = new OperationId(0, 0);

    void encode(Encoder out) {
        out.i64(session).i64(sequence);
    }

    static OperationId decode(Decoder in) {
        return new OperationId(in.i64(), in.i64());
    }
}
