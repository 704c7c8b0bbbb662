package io.cairn.wire;

/**
 * The first byte of every frame to a master tells its kind; the rest is the message of that kind.
 *
 * <pre>
 *   1 MUTATION  Envelope                     -> Reply
 *   2 QUERY     session(8) code fields       -> Reply
 *   3 CLUSTER   code fields                  -> Heartbeat: HeartbeatReply; else nothing
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

    /** The frame of a mutation; the envelope starts at offset 1. */
    public static byte[] mutation(Envelope envelope) {
        Encoder out = new Encoder();
        out.u8(MUTATION);
        envelope.encode(out);
        return out.toBytes();
    }

    /** The frame of a query. */
    public static byte[] query(long session, Query query) {
        Encoder out = new Encoder();
        out.u8(QUERY).i64(session).u8(query.code());
        query.encode(out);
        return out.toBytes();
    }

    /** The frame of a message from a chunk server. */
    public static byte[] cluster(ClusterRequest request) {
        Encoder out = new Encoder();
        out.u8(CLUSTER).u8(request.code());
        request.encode(out);
        return out.toBytes();
    }

    /** The frame of a push. */
    public static byte[] push(Push push) {
        Encoder out = new Encoder();
        out.u8(PUSH).u8(push.code());
        push.encode(out);
        return out.toBytes();
    }
}
