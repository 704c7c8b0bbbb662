package io.cairn.wire.master;

import io.cairn.wire.TypeTable;
import io.cairn.wire.chunk.ChunkRequestType;

/**
 * The names of requests for people and for metrics, from their first bytes and without decoding
 * them. A fixed set, whatever a peer sends: what is not known is {@code other}.
 */
public final class OperationNames {
    private OperationNames() {}

    /** The name of a request to a master, such as {@code lookup}. */
    public static String ofMaster(byte[] frame) {
        MasterRequest kind = MasterRequest.of(frame);
        if (kind == null || frame.length < 2) {
            return TypeTable.OTHER;
        }
        return switch (kind) {
            case MUTATION -> ofMutation(frame);
            case QUERY -> frame.length < 10 ? TypeTable.OTHER : QueryType.TABLE.title(frame[9]);
            case CLUSTER -> ClusterRequestType.TABLE.title(frame[1]);
            case ADMIN -> "admin";
            case PUSH -> TypeTable.OTHER;
        };
    }

    private static String ofMutation(byte[] frame) {
        return frame.length <= 1 + Envelope.HEADER_BYTES
                ? TypeTable.OTHER
                : MutationType.TABLE.title(Envelope.codeOf(frame, 1));
    }

    /** The name of a request to a chunk server, such as {@code read}. */
    public static String ofChunk(byte[] header) {
        return header.length == 0 ? TypeTable.OTHER : ChunkRequestType.TABLE.title(header[0]);
    }
}
