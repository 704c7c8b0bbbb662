package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.ProtocolRange;
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
 *                                           | 0 | version 1 | code 1 | fields ... |   from 2 on
 * </pre>
 *
 * The client leaves {@code timeNs} 0; the leader stamps it before it submits the bytes. The version
 * goes along because the bytes are sent again over other connections, and stay in the log: it is
 * never above the level of the cluster, so all masters understand it. No code is 0, so an envelope
 * of the first version needs no word about it. The reply is encoded in the same version.
 *
 * @param version of the protocol in which the fields are encoded, 1..255
 * @param session the session; 0 for the leader's own mutations and for opening a session
 * @param sequence number of the mutation in its session, from 1, consecutive
 * @param ackedUpTo the client has the replies of all sequence numbers up to this one
 * @param timeNs the leader's wall clock, nanoseconds since the epoch
 * @param mutation what to do
 */
public record Envelope(
        int version, long session, long sequence, long ackedUpTo, long timeNs, Mutation mutation) {
    private static final VarHandle LONG =
            MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final int SEQUENCE_OFFSET = 8;
    private static final int TIME_OFFSET = 24;

    /** Bytes before the code, or the 0 before a version. */
    public static final int HEADER_BYTES = 32;

    private static final int VERSION_FOLLOWS = 0;

    /** An envelope of the first version, which every master understands. */
    public Envelope(long session, long sequence, long ackedUpTo, long timeNs, Mutation mutation) {
        this(ProtocolRange.FIRST, session, sequence, ackedUpTo, timeNs, mutation);
    }

    /** The bytes of the envelope; the encoder speaks its version. */
    public void encode(Encoder out) {
        out.i64(session).i64(sequence).i64(ackedUpTo).i64(timeNs);
        if (version > ProtocolRange.FIRST) {
            out.u8(VERSION_FOLLOWS).u8(version);
        }
        mutation.write(out);
    }

    /** About how many bytes it takes: exactly those when its mutation knows. */
    public int expectedBytes() {
        int versionBytes = version > ProtocolRange.FIRST ? 2 : 0;
        return HEADER_BYTES + versionBytes + 1 + mutation.expectedBytes();
    }

    /** The bytes of the envelope, alone in an array. */
    public byte[] toBytes() {
        Encoder out = Encoder.speaking(version, expectedBytes());
        encode(out);
        return out.toBytes();
    }

    /** Reads an envelope, whose version the reader must understand: see {@link #versionOf}. */
    public static Envelope decode(Decoder in) {
        long session = in.i64();
        long sequence = in.i64();
        long ackedUpTo = in.i64();
        long timeNs = in.i64();
        int version = ProtocolRange.FIRST;
        int code = in.u8();
        if (code == VERSION_FOLLOWS) {
            version = in.u8();
            code = in.u8();
            if (version <= ProtocolRange.FIRST) {
                throw new MalformedMessageException(
                        "mutation with a word about version " + version);
            }
        }
        Mutation mutation = Mutation.decode(code, in.speaking(version));
        return new Envelope(version, session, sequence, ackedUpTo, timeNs, mutation);
    }

    /** Reads the reply to this envelope, which is in its version. */
    public Reply reply(byte[] bytes) {
        return Reply.decode(new Decoder(bytes, version));
    }

    /** The version in the bytes of an envelope that starts at {@code offset}. */
    public static int versionOf(byte[] bytes, int offset) {
        int at = offset + HEADER_BYTES;
        boolean follows = bytes[at] == VERSION_FOLLOWS && bytes.length > at + 1;
        return follows ? bytes[at + 1] & 0xff : ProtocolRange.FIRST;
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

    /** The sequence number in the bytes of an envelope that starts at {@code offset}. */
    public static long sequenceOf(byte[] bytes, int offset) {
        return (long) LONG.get(bytes, offset + SEQUENCE_OFFSET);
    }

    /**
     * The type of the mutation in the bytes of an envelope that starts at {@code offset}.
     *
     * @throws MalformedMessageException when there is none with its code
     */
    public static MutationType typeOf(byte[] bytes, int offset) {
        return MutationType.TABLE.require(codeOf(bytes, offset));
    }

    /** The code of the mutation in the bytes of an envelope that starts at {@code offset}. */
    public static int codeOf(byte[] bytes, int offset) {
        int at = offset + HEADER_BYTES;
        boolean follows = bytes[at] == VERSION_FOLLOWS && bytes.length > at + 2;
        return bytes[follows ? at + 2 : at] & 0xff;
    }
}
