package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.net.Principal;
import io.cairn.net.Principal.Role;
import io.cairn.net.Refusals;
import io.cairn.net.Refusals.Reason;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ClusterRequestType;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.OperationNames;
import io.cairn.wire.master.QueryType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Decides by its role whether somebody may ask a master for something, from the first bytes of the
 * request. Thread-safe.
 */
final class MasterRoleCheck {
    /** Where the code of a query stands in its frame, behind the session. */
    private static final int QUERY_CODE = 9;

    private final Refusals refusals;

    /** A door that tells what it refuses. */
    MasterRoleCheck(Refusals refusals) {
        this.refusals = refusals;
    }

    /**
     * Lets a request in.
     *
     * @throws FsException EACCES when the role may not ask for this
     */
    void require(Principal principal, byte[] frame) {
        MasterRequest kind = MasterRequest.of(frame);
        int at = kind == MasterRequest.QUERY ? QUERY_CODE : 1;
        int code = frame.length > at ? frame[at] : 0;
        if (!isAllowed(principal.role(), kind, code)) {
            refuse(principal, "may not ask a master for " + OperationNames.ofMaster(frame));
        }
    }

    private static boolean isAllowed(Role role, @Nullable MasterRequest kind, int code) {
        boolean isOfCluster = kind == MasterRequest.CLUSTER;
        boolean renews =
                isOfCluster
                        && (code == ClusterRequestType.RENEW_CERTIFICATE.code()
                                || code == ClusterRequestType.CERTIFICATE_KEPT.code());
        boolean joins = isOfCluster && code == ClusterRequestType.JOIN.code();
        boolean isPresence = isOfCluster && code == ClusterRequestType.MASTER_PRESENT.code();
        return switch (role) {
            case ANONYMOUS -> true;
            case NEWCOMER -> joins || (kind == MasterRequest.QUERY && isLogin(code));
            case MASTER -> isPresence || renews || kind == MasterRequest.ADMIN;
            case CHUNK -> (isOfCluster && !isPresence && !joins) || kind == MasterRequest.QUERY;
            case MOUNT, GATEWAY, ADMIN ->
                    renews || kind == MasterRequest.MUTATION || kind == MasterRequest.QUERY;
            case USER -> kind == MasterRequest.MUTATION || kind == MasterRequest.QUERY;
        };
    }

    private static boolean isLogin(int code) {
        return code == QueryType.BEGIN_LOGIN.code() || code == QueryType.FINISH_LOGIN.code();
    }

    /**
     * Looks whether somebody speaks for itself: a chunk server only in its own name, a master, too.
     *
     * @throws FsException EACCES when it speaks for another
     */
    void requireOwnName(Principal principal, ClusterRequest request) {
        String told =
                switch (request) {
                    case ClusterRequest.Heartbeat heartbeat -> heartbeat.name();
                    case ClusterRequest.Leaving leaving -> leaving.name();
                    case ClusterRequest.MasterPresent present -> present.id();
                    case ClusterRequest.MemberFailed _,
                            ClusterRequest.MemberSynced _,
                            ClusterRequest.Join _,
                            ClusterRequest.RenewCertificate _,
                            ClusterRequest.CertificateKept _ ->
                            principal.name();
                };
        if (!principal.isAnonymous() && !told.equals(principal.name())) {
            refuse(principal, "may not speak for " + told);
        }
    }

    /**
     * Looks whether a chunk server speaks of a group that is its business: that a member failed,
     * any member may say, and that one is in sync, only the head. A word about an earlier epoch of
     * a group changes nothing, and may be late.
     *
     * @throws FsException EACCES when it speaks of another group
     */
    void requireOwnGroup(Principal principal, ClusterRequest request, ClusterMap map) {
        switch (request) {
            case ClusterRequest.MemberFailed(int group, long epoch, _, _) ->
                    requireOwnGroup(principal, map, group, epoch, false);
            case ClusterRequest.MemberSynced(int group, long epoch, _) ->
                    requireOwnGroup(principal, map, group, epoch, true);
            case ClusterRequest.Heartbeat _,
                    ClusterRequest.Leaving _,
                    ClusterRequest.MasterPresent _,
                    ClusterRequest.Join _,
                    ClusterRequest.RenewCertificate _,
                    ClusterRequest.CertificateKept _ -> {}
        }
    }

    private void requireOwnGroup(
            Principal principal, ClusterMap map, int number, long epoch, boolean asHead) {
        PlacementGroup group = map.group(number);
        if (principal.isAnonymous() || (group != null && epoch < group.epoch())) {
            return;
        }
        List<Member> entitled = new ArrayList<>();
        if (group != null && !asHead) {
            entitled.addAll(group.members());
        } else if (group != null) {
            Member head = group.head();
            entitled.addAll(head == null ? List.of() : List.of(head));
        }
        for (Member member : entitled) {
            ChunkServer server = map.serverOfTarget(member.targetId());
            if (server != null && server.name().equals(principal.name())) {
                return;
            }
        }
        refuse(
                principal,
                "may not speak for group %d: it is no %s of it"
                        .formatted(number, asHead ? "head" : "member"));
    }

    private void refuse(Principal principal, String what) {
        refusals.add(Reason.ROLE, principal.address(), principal + " " + what);
        throw new FsException(Errno.EACCES, principal + " " + what);
    }
}
