package io.cairn.net.frame;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.trace.TraceContext;
import io.cairn.wire.Limits;

/** What a {@link Frame} is, as its fifth byte tells. */
public enum FrameKind implements Coded {
    HELLO(1),
    REQUEST(2),
    REPLY(3),
    FAILURE(4),
    ONE_WAY(5),
    BEAT(6),
    TRACED(7);

    static final CodeTable<FrameKind> CODES = new CodeTable<>(values());

    private static final int MAX_HELLO_BYTES = 256;
    private static final int MAX_FAILURE_BYTES = 16 << 10;

    private final int code;

    FrameKind(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }

    /** Whether a frame of this kind may have these lengths. */
    boolean allows(int headerBytes, int payloadBytes) {
        return switch (this) {
            case HELLO ->
                    headerBytes >= Greeting.MIN_BYTES
                            && headerBytes <= MAX_HELLO_BYTES
                            && payloadBytes == 0;
            case REQUEST, REPLY, ONE_WAY ->
                    headerBytes <= Limits.MAX_HEADER_BYTES
                            && payloadBytes <= Limits.MAX_PAYLOAD_BYTES;
            case FAILURE -> headerBytes <= MAX_FAILURE_BYTES && payloadBytes == 0;
            case TRACED ->
                    headerBytes >= TraceContext.BYTES
                            && headerBytes <= Limits.MAX_HEADER_BYTES + TraceContext.BYTES
                            && payloadBytes <= Limits.MAX_PAYLOAD_BYTES;
            case BEAT -> headerBytes == 0 && payloadBytes == 0;
        };
    }
}
