package io.cairn.wire.master;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import org.jspecify.annotations.Nullable;

/**
 * What a frame to a master is: its first byte tells that, and the rest is the message.
 *
 * <pre>
 *   1 MUTATION  Envelope                     -> Reply
 *   2 QUERY     session(8) code fields       -> Reply
 *   3 CLUSTER   code fields                  -> Heartbeat: HeartbeatReply; else nothing,
 *                                           or the certificate that was asked for
 *   4 PUSH      code fields (master to client), no reply
 *   5 ADMIN     AdminForward (from another master) -> AdminForward.Answer
 * </pre>
 */
public enum MasterRequest implements Coded {
    MUTATION(1),
    QUERY(2),
    CLUSTER(3),
    PUSH(4),
    ADMIN(5);

    private static final CodeTable<MasterRequest> CODES = new CodeTable<>(values());

    private final int code;

    MasterRequest(int code) {
        this.code = code;
    }

    @Override
    public int code() {
        return code;
    }

    /** What a frame is; null when it is none of them. */
    public static @Nullable MasterRequest of(byte[] frame) {
        return frame.length == 0 ? null : CODES.find(Byte.toUnsignedInt(frame[0]));
    }

    /** Reads the first byte; fails with {@code MalformedMessageException}. */
    public static MasterRequest read(Decoder in) {
        return in.coded(CODES);
    }

    /**
     * The frame of a mutation; the envelope starts at offset 1. It tells its version itself: the
     * same bytes are good for every connection, and for the log.
     */
    public static byte[] mutation(Envelope envelope) {
        Encoder out = Encoder.speaking(envelope.version(), 1 + envelope.expectedBytes());
        out.u8(MUTATION.code);
        envelope.encode(out);
        return out.toBytes();
    }

    /** The frame of a query, for a connection that speaks this version. */
    public static byte[] query(long session, Query query, int version) {
        Encoder out = Encoder.speaking(version);
        query.write(out.u8(QUERY.code).i64(session));
        return out.toBytes();
    }

    /** The frame of a message from a server, for a connection that speaks this version. */
    public static byte[] cluster(ClusterRequest request, int version) {
        Encoder out = Encoder.speaking(version);
        request.write(out.u8(CLUSTER.code));
        return out.toBytes();
    }

    /** The frame of a push, for a connection that speaks this version. */
    public static byte[] push(Push push, int version) {
        Encoder out = Encoder.speaking(version);
        push.write(out.u8(PUSH.code));
        return out.toBytes();
    }
}
