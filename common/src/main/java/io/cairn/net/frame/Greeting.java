package io.cairn.net.frame;

import io.cairn.base.Printable;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
import java.nio.charset.StandardCharsets;

/**
 * The facts that each side of a connection tells about itself, in the first frame.
 *
 * <pre>
 * +-------+--------+-------+--------+---------+------+-----------+
 * | magic | newest | flags | oldest | release | form | principal |
 * |   8   |   4    |   1   |   4    |  4 + n  |  1   |   4 + n   |
 * +-------+--------+-------+--------+---------+------+-----------+
 * </pre>
 *
 * This layout never changes; bytes behind it are ignored. A side that tells only its newest version
 * speaks no other one. Flag 2: it takes part in traces and understands TRACED. Other flags are
 * ignored. The form says how the principal is told in whose name the side speaks; form 0 is nobody
 * in particular, without bytes. Other forms are read as form 0.
 *
 * @param range what the side understands
 * @param traces whether it takes part in traces
 * @param release what it is, for operators; cut at 64 bytes
 */
record Greeting(ProtocolRange range, boolean traces, String release) {
    /** "Cairn" between bytes that text and line-end conversions would change. */
    private static final long MAGIC = 0x8943_6169_726e_0d0aL;

    /** The shortest: magic and newest version. */
    static final int MIN_BYTES = 12;

    private static final int FLAG_TRACES = 2;
    private static final int NO_PRINCIPAL = 0;
    private static final int MAX_RELEASE_BYTES = 64;
    private static final String UNKNOWN = "unknown";

    /** The header of the frame. */
    byte[] toBytes() {
        byte[] text = release.getBytes(StandardCharsets.UTF_8);
        int length = Math.min(text.length, MAX_RELEASE_BYTES);
        return new Encoder(64)
                .i64(MAGIC)
                .i32(range.newest())
                .u8(traces ? FLAG_TRACES : 0)
                .i32(range.oldest())
                .i32(length)
                .raw(text, 0, length)
                .u8(NO_PRINCIPAL)
                .i32(0)
                .toBytes();
    }

    /**
     * Reads the header of a frame.
     *
     * @throws MalformedMessageException when it is no greeting
     */
    static Greeting decode(byte[] header) {
        Decoder in = new Decoder(header);
        if (in.i64() != MAGIC) {
            throw new MalformedMessageException("first frame without Cairn's magic number");
        }
        int newest = in.i32();
        int flags = in.remaining() > 0 ? in.u8() : 0;
        boolean traces = (flags & FLAG_TRACES) != 0;
        if (in.remaining() == 0) {
            return new Greeting(new ProtocolRange(newest, newest), traces, UNKNOWN);
        }
        ProtocolRange range = new ProtocolRange(in.i32(), newest);
        return new Greeting(range, traces, Printable.of(in.text()));
    }
}
