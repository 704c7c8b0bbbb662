package io.cairn.chunk;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import java.util.ArrayList;
import java.util.List;

/** The map of a cluster whose servers have all come: one pool over all their targets. */
final class FirstMap {
    private FirstMap() {}

    /** Of servers that have sent these; all members serve. */
    static ClusterMap of(List<Heartbeat> heartbeats, int replicas, int groupCount) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (Heartbeat h : heartbeats) {
            int id = servers.size() + 1;
            servers.add(new ChunkServer(id, h.name(), h.endpoint(), h.incarnation(), h.bootId()));
            h.targets().forEach(t -> targets.add(new Target(targets.size() + 1, t.identity(), id)));
        }
        List<PlacementGroup> groups = new ArrayList<>();
        for (int g = 0; g < groupCount; g++) {
            List<Member> members = new ArrayList<>();
            for (int r = 0; r < replicas; r++) {
                int target = (g + r) % targets.size() + 1;
                members.add(new Member(target, MemberState.SERVING));
            }
            groups.add(new PlacementGroup(g + 1, 1, 1, members));
        }
        List<Pool> pools = List.of(new Pool(1, replicas, 1, groupCount));
        return new ClusterMap(1, servers, targets, pools, groups);
    }
}
