package io.cairn.wire.master;

import io.cairn.wire.Decoder;
import io.cairn.wire.MessageType;
import io.cairn.wire.TypeTable;
import java.util.function.Function;

/** The types of messages of servers to the leader. */
public enum ClusterRequestType implements MessageType {
    HEARTBEAT(1, ClusterRequest.Heartbeat::decode),
    MEMBER_FAILED(2, ClusterRequest.MemberFailed::decode),
    MEMBER_SYNCED(3, ClusterRequest.MemberSynced::decode),
    MASTER_PRESENT(4, ClusterRequest.MasterPresent::decode),
    LEAVING(5, ClusterRequest.Leaving::decode),
    JOIN(25, ClusterRequest.Join::decode),
    RENEW_CERTIFICATE(26, ClusterRequest.RenewCertificate::decode),
    CERTIFICATE_KEPT(30, ClusterRequest.CertificateKept::decode);

    static final TypeTable<ClusterRequestType> TABLE = new TypeTable<>("cluster request", values());

    private final int code;

    @SuppressWarnings("ImmutableEnumChecker") // a reference to a static method
    private final Function<Decoder, ClusterRequest> decoder;

    ClusterRequestType(int code, Function<Decoder, ClusterRequest> decoder) {
        this.code = code;
        this.decoder = decoder;
    }

    @Override
    public int code() {
        return code;
    }

    /** Reads the fields. */
    ClusterRequest decode(Decoder in) {
        return decoder.apply(in);
    }
}
