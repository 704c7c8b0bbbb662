package io.cairn.wire;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * A mutation as it travels and as it stands in the Raft log, byte for byte:
 *
 * <pre>
 * +---------+----------+-----------+--------+------+--------+
 * | session | sequence | ackedUpTo | timeNs | code | fields |
 * |   8     |    8     |     8     |   8    |  1   |  ...   |
 * +---------+----------+-----------+--------+------+--------+
 * </pre>
 *
 * The client leaves {@code timeNs} 0; the leader stamps it before it submits the bytes.
 *
 * @param session the session; 0 for the leader's own mutations and for opening a session
 * @param sequence number of the mutation in its session, from 1, consecutive
 * @param ackedUpTo the client has the replies of all sequence numbers up to this one
 * @param timeNs the leader's wall clock, nanoseconds since the epoch
 * @param mutation what to do
 */
public record Envelope(
        long session, long sequence, long ackedUpTo, long timeNs, Mutation mutation) {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int TIME_OFFSET = 24;

    /** Bytes before the code. */
    public static final int HEADER_BYTES = 32;

    /** The bytes of the envelope. */
    public void encode(Encoder out) {
        out.i64(session).i64(sequence).i64(ackedUpTo).i64(timeNs).u8(mutation.code());
        mutation.encode(out);
    }

    /** The bytes of the envelope, alone in an array. */
    public byte[] toBytes() {
        Encoder out = new Encoder();
        encode(out);
        return out.toBytes();
    }

    /** Reads an envelope. */
    public static Envelope decode(Decoder in) {
        return new Envelope(in.i64(), in.i64(), in.i64(), in.i64(), Mutation.decode(in));
    }

    /** Writes the time into the bytes of an envelope that starts at {@code offset}. */
    public static void stamp(byte[] bytes, int offset, long timeNs) {
        LONG.set(bytes, offset + TIME_OFFSET, timeNs);
    }

    /** The time in the bytes of an envelope that starts at {@code offset}. */
    public static long timeOf(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset + TIME_OFFSET);
    }

    /** The session in the bytes of an envelope that starts at {@code offset}. */
    public static long sessionOf(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset);
    }

    /** The code of the mutation in the bytes of an envelope that starts at {@code offset}. */
    public static int codeOf(byte[] bytes, int offset) {
        return bytes[offset + HEADER_BYTES] & 0xff;
    }
}
