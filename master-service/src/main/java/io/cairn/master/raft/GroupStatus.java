package io.cairn.master.raft;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.raft.member.Admission;
import io.cairn.master.raft.member.Peer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.ratis.proto.RaftProtos.CommitInfoProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.proto.RaftProtos.ServerRpcProto;
import org.apache.ratis.server.RaftServer;
import org.jspecify.annotations.Nullable;

/** How the masters stand, in the eyes of one of them. */
final class GroupStatus {
    private final RaftServer.Division division;
    private final RatisSettings settings;
    private final List<Peer> peers;
    private final ReplicatedState state;
    private final Admission admission;

    GroupStatus(
            RaftServer.Division division,
            RatisSettings settings,
            List<Peer> peers,
            ReplicatedState state,
            Admission admission) {
        this.division = division;
        this.settings = settings;
        this.peers = peers;
        this.state = state;
        this.admission = admission;
    }

    /** All masters, by name. */
    List<Standing> list() {
        String leader = String.valueOf(division.getInfo().getLeaderId());
        Map<String, Long> silentMs = silentMs();
        Map<String, Long> committed = new HashMap<>();
        for (CommitInfoProto commit : division.getCommitInfos()) {
            committed.put(commit.getServer().getId().toStringUtf8(), commit.getCommitIndex());
        }
        List<Standing> list = new ArrayList<>();
        for (Peer peer : peers) {
            boolean leads = peer.id().equals(leader);
            Share share = admission.shareOf(peer.id());
            if (share == Share.CATCHING_UP || share == Share.FOREIGN) {
                // What is committed was told by a process that held more.
                committed.put(peer.id(), admission.reachedBy(peer.id()));
            }
            list.add(
                    new Standing(
                            peer.id(),
                            peer.raft(),
                            clientOf(peer.id()),
                            leads,
                            committed.getOrDefault(peer.id(), -1L),
                            leads ? 0 : silentMs.getOrDefault(peer.id(), -1L),
                            share));
        }
        list.sort(Comparator.comparing(Standing::id));
        return list;
    }

    private @Nullable Endpoint clientOf(String id) {
        if (id.equals(settings.id())) {
            return settings.client();
        }
        Endpoint told = admission.clientOf(id);
        return told != null ? told : state.endpointOf(id);
    }

    private Map<String, Long> silentMs() {
        Map<String, Long> silentMs = new HashMap<>();
        RoleInfoProto role = division.getInfo().getRoleInfoProto();
        if (role.hasLeaderInfo()) {
            for (ServerRpcProto follower : role.getLeaderInfo().getFollowerInfoList()) {
                silentMs.put(
                        follower.getId().getId().toStringUtf8(),
                        follower.getLastRpcElapsedTimeMs());
            }
        }
        return silentMs;
    }
}
