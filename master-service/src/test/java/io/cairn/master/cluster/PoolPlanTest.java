package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.IntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
        return plan(targets, replicas, Labels.Expression.ANY, _ -> Labels.NONE);
    }

    private static List<List<Member>> plan(
            List<Target> targets,
            int replicas,
            Labels.Expression labels,
            IntFunction<Labels> labelsOf) {
        Spread spread = new Spread(map(targets, labelsOf), labels);
        return PoolPlan.groups(spread, PoolPlan.interleave(spread, targets), replicas);
    }

    private static ClusterMap map(List<Target> targets, IntFunction<Labels> labelsOf) {
        List<ChunkServer> servers = new ArrayList<>();
        for (int id = 1; id <= targets.getLast().serverId(); id++) {
            ChunkServer server = new ChunkServer(id, "c" + id, new Endpoint("c" + id, 1), 1);
            servers.add(server.labelled(labelsOf.apply(id)));
        }
        return new ClusterMap(1, servers, targets, List.of(), List.of());
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

    /** Each member is as far from those before it as any target that may follow them. */
    @Test
    void noOtherTargetIsFurtherFromTheMembersBefore() {
        Random random = new Random(7);
        for (int round = 0; round < 60; round++) {
            List<Target> targets = targets(4 + random.nextInt(9), 1 + random.nextInt(3));
            int racks = 1 + random.nextInt(4);
            int zones = 1 + random.nextInt(3);
            int few = random.nextInt(8);
            IntFunction<Labels> labelsOf =
                    id ->
                            Labels.parse(
                                    List.of(
                                            "rack=r" + (id < few ? 0 : id % racks),
                                            "zone=z" + id % zones,
                                            "room=" + (id % 3 == 0 ? "a" : "b")));
            Labels.Expression labels =
                    Labels.Expression.parse(random.nextBoolean() ? "any" : "room=a; room=b; any");
            Spread spread = new Spread(map(targets, labelsOf), labels);
            for (List<Member> group : plan(targets, 3, labels, labelsOf)) {
                List<Integer> before = new ArrayList<>();
                for (Member member : group) {
                    int least = Integer.MAX_VALUE;
                    for (Target each : targets) {
                        if (mayFollow(spread, each.id(), before)) {
                            least = Math.min(least, spread.closeness(each.id(), before));
                        }
                    }
                    assertTrue(mayFollow(spread, member.targetId(), before), group.toString());
                    assertEquals(least, spread.closeness(member.targetId(), before));
                    before.add(member.targetId());
                }
            }
        }
    }

    private static boolean mayFollow(Spread spread, int target, List<Integer> members) {
        return spread.isPerCopy()
                ? spread.mayJoin(target, members, 3)
                : !spread.isBeside(target, members);
    }

    /** In one rack, in two of which one is small, in racks of one zone, and with rare labels. */
    @Test
    @Timeout(30)
    void aPlanOfFourThousandTargetsIsMadeInSeconds() {
        List<Target> targets = targets(1000, 4);
        Labels.Expression any = Labels.Expression.ANY;
        assertEven(plan(targets, 3, any, _ -> labels("rack=r1")), 1, 4000);
        assertEven(plan(targets, 3, any, id -> labels(id > 4 ? "rack=r1" : "rack=r2")), 1, 16);
        assertEven(plan(targets, 3, any, id -> labels("zone=z", "rack=r" + id % 40)), 1, 4000);
        assertEven(plan(targets, 3, any, _ -> labels("zone=z")), 1, 4000);
        IntFunction<Labels> rare = id -> labels(id > 4 ? "room=a" : "room=b");
        assertEven(plan(targets, 2, Labels.Expression.parse("room=a; room=b"), rare), 1, 16);
    }

    private static Labels labels(String... labels) {
        return Labels.parse(List.of(labels));
    }

    /** The first of some targets are about as often second members as each other. */
    private static void assertEven(List<List<Member>> groups, int first, int last) {
        Map<Integer, Integer> seconds = new HashMap<>();
        groups.forEach(group -> seconds.merge(group.get(1).targetId(), 1, Integer::sum));
        int most = 0;
        int least = Integer.MAX_VALUE;
        for (int target = first; target <= last; target++) {
            most = Math.max(most, seconds.getOrDefault(target, 0));
            least = Math.min(least, seconds.getOrDefault(target, 0));
        }
        assertTrue(most <= 2 * least, most + " and " + least);
    }
}
