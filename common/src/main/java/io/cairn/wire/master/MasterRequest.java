package io.cairn.wire.master;

import io.cairn.wire.Encoder;

/**
 * The first byte of every frame to a master tells its kind; the rest is the message of that kind.
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
public final class MasterRequest {
    public static final int MUTATION = 1;
    public static final int QUERY = 2;
    public static final int CLUSTER = 3;
    public static final int PUSH = 4;
    public static final int ADMIN = 5;

    private MasterRequest() {}

    /**
     * The frame of a mutation; the envelope starts at offset 1. It tells its version itself: the
     * same bytes are good for every connection, and for the log.
     */
    public static byte[] mutation(Envelope envelope) {
        Encoder out = Encoder.speaking(envelope.version(), 1 + envelope.expectedBytes());
        out.u8(MUTATION);
        envelope.encode(out);
        return out.toBytes();
    }

    /** The frame of a query, for a connection that speaks this version. */
    public static byte[] query(long session, Query query, int version) {
        Encoder out = Encoder.speaking(version);
        query.write(out.u8(QUERY).i64(session));
        return out.toBytes();
    }

    /** The frame of a message from a server, for a connection that speaks this version. */
    public static byte[] cluster(ClusterRequest request, int version) {
        Encoder out = Encoder.speaking(version);
        request.write(out.u8(CLUSTER));
        return out.toBytes();
    }

    /** The frame of a push, for a connection that speaks this version. */
    public static byte[] push(Push push, int version) {
        Encoder out = Encoder.speaking(version);
        push.write(out.u8(PUSH));
        return out.toBytes();
    }
}
