package io.cairn.trace;

import io.cairn.wire.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * Which span of which trace asks for something, as the W3C recommendation "Trace Context" has it,
 * in binary. Numbers are big-endian.
 *
 * <pre>
 * +----------+--------+-------+
 * | trace id | span   | flags |
 * |    16    |   8    |   1   |
 * +----------+--------+-------+
 * </pre>
 *
 * @param traceHigh the first eight bytes of the number of the trace, which is not 0 as a whole
 * @param traceLow its other eight bytes
 * @param span the number of the span, not 0
 * @param flags bit 0: it is recorded
 */
public record TraceContext(long traceHigh, long traceLow, long span, byte flags) {
    /** Its size. */
    public static final int BYTES = 25;

    private static final int SAMPLED = 1;

    /** Refuses zeros, which name nothing. */
    public TraceContext {
        if ((traceHigh | traceLow) == 0 || span == 0) {
            throw new MalformedMessageException("a trace context of zeros");
        }
    }

    /** Whether whoever asks records its part of the trace. */
    public boolean isSampled() {
        return (flags & SAMPLED) != 0;
    }

    /** Its bytes, and those of a message behind them. */
    public byte[] before(byte[] message) {
        return ByteBuffer.allocate(BYTES + message.length)
                .putLong(traceHigh)
                .putLong(traceLow)
                .putLong(span)
                .put(flags)
                .put(message)
                .array();
    }

    /**
     * Reads it.
     *
     * @param in holds {@link #BYTES} or more
     * @throws MalformedMessageException when it names nothing
     */
    public static TraceContext read(ByteBuffer in) {
        return new TraceContext(in.getLong(), in.getLong(), in.getLong(), in.get());
    }
}
