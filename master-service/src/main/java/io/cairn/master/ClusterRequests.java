package io.cairn.master;

import io.cairn.master.access.Logins;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.metadata.Namespace;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.wire.master.ClusterRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Serves what chunk servers, other masters and newcomers ask the leader. Thread-safe. */
final class ClusterRequests {
    private final ReplicatedLog log;
    private final Supplier<Namespace> namespace;
    private final ServerWatch servers;
    private final Presence presence;
    private final Certification certification;
    private final Logins logins;

    ClusterRequests(
            ReplicatedLog log,
            Supplier<Namespace> namespace,
            ServerWatch servers,
            Presence presence,
            Certification certification,
            Logins logins) {
        this.log = log;
        this.namespace = namespace;
        this.servers = servers;
        this.presence = presence;
        this.certification = certification;
        this.logins = logins;
    }

    /**
     * The reply; null when it comes later, to the answer itself.
     *
     * @throws io.cairn.base.FsException EACCES when it is not the asker's business
     */
    @Nullable Message serve(Connection from, ClusterRequest asked, Answer answer) {
        MasterRoleCheck door = certification.door();
        door.requireOwnName(from.principal(), asked);
        door.requireOwnGroup(from.principal(), asked, namespace.get().clusterMap());
        return switch (asked) {
            case ClusterRequest.Heartbeat heartbeat ->
                    Message.of(
                            servers.heartbeat(heartbeat, from)
                                            .telling(
                                                    log.endpoints(),
                                                    certification.keys(from.principal()))
                                    ::toBytes);
            case ClusterRequest.MemberFailed failed -> done(() -> servers.memberFailed(failed));
            case ClusterRequest.MemberSynced synced -> done(() -> servers.memberSynced(synced));
            case ClusterRequest.Leaving leaving -> done(() -> servers.leaving(leaving));
            case ClusterRequest.MasterPresent present -> done(() -> presence.heard(present, from));
            case ClusterRequest.Join join -> {
                if (join.secret().isEmpty()) {
                    certification.join(from, logins.user(from), join, answer);
                } else {
                    certification.join(from, join, answer);
                }
                yield null;
            }
            case ClusterRequest.RenewCertificate renewal -> {
                certification.renew(from, renewal, answer);
                yield null;
            }
            case ClusterRequest.CertificateKept kept -> {
                certification.kept(from, kept, answer);
                yield null;
            }
        };
    }

    private static Message done(Runnable action) {
        action.run();
        return Message.empty();
    }
}
