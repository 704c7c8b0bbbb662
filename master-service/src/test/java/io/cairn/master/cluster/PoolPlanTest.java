package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class PoolPlanTest {
    private static List<Target> targets(int servers, int each) {
        List<Target> targets = new ArrayList<>();
        for (int server = 1; server <= servers; server++) {
            for (int disk = 0; disk < each; disk++) {
                int id = targets.size() + 1;
                targets.add(new Target(id, 1000L + id, server));
            }
        }
        return targets;
    }

    private static List<List<Member>> plan(List<Target> targets, int replicas) {
        List<ChunkServer> servers = new ArrayList<>();
        for (int id = 1; id <= targets.getLast().serverId(); id++) {
            servers.add(new ChunkServer(id, "c" + id, new Endpoint("c" + id, 1), 1));
        }
        Spread spread = new Spread(new ClusterMap(1, servers, targets, List.of(), List.of()));
        return PoolPlan.groups(spread, PoolPlan.interleave(spread, targets), replicas);
    }

    @Test
    void membersAreOnDistinctServersAndEveryTargetHeadsEquallyOften() {
        for (int servers = 1; servers <= 7; servers++) {
            for (int each = 1; each <= 3; each++) {
                for (int replicas = 1; replicas <= servers; replicas++) {
                    checkPlan(targets(servers, each), replicas);
                }
            }
        }
    }

    private static void checkPlan(List<Target> targets, int replicas) {
        List<List<Member>> groups = plan(targets, replicas);
        Map<Integer, Integer> heads = new HashMap<>();
        for (List<Member> members : groups) {
            assertEquals(replicas, members.size());
            long distinct =
                    members.stream()
                            .map(m -> targets.get(m.targetId() - 1).serverId())
                            .distinct()
                            .count();
            assertEquals(replicas, distinct, () -> members + " of " + targets);
            heads.merge(members.get(0).targetId(), 1, Integer::sum);
        }
        assertEquals(targets.size(), heads.size());
        assertTrue(heads.values().stream().allMatch(n -> n == PoolPlan.GROUPS_PER_TARGET));
    }

    @Test
    void thePartnersOfATargetChange() {
        List<Target> targets = targets(5, 1);
        List<List<Member>> groups = plan(targets, 2);
        long partners =
                groups.stream()
                        .filter(g -> g.get(0).targetId() == 1)
                        .map(g -> g.get(1).targetId())
                        .distinct()
                        .count();
        assertEquals(4, partners);
    }

    @Test
    void tooFewServersAreRefused() {
        List<Target> targets = targets(2, 4);
        assertThrows(IllegalArgumentException.class, () -> plan(targets, 3));
    }
}
