package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.FailureDomain;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class SpreadTest {
    /** A map of servers with the labels, separated by blanks, and a target of the same number. */
    private static ClusterMap map(String... labels) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int id = 1; id <= labels.length; id++) {
            List<String> own = labels[id - 1].isEmpty() ? List.of() : split(labels[id - 1]);
            Endpoint at = new Endpoint("c" + id, 1);
            servers.add(new ChunkServer(id, "c" + id, at, 1, 1, Labels.parse(own), 0));
            targets.add(new Target(id, 100 + id, id));
        }
        return new ClusterMap(1, servers, targets, List.of(), List.of());
    }

    private static List<String> split(String labels) {
        return List.of(labels.split(" ", -1));
    }

    private static ClusterMap drained(ClusterMap map, int target) {
        List<Target> targets = new ArrayList<>();
        map.targets().forEach(t -> targets.add(t.id() == target ? t.in(TargetState.DRAINING) : t));
        return new ClusterMap(2, map.servers(), targets, List.of(), List.of());
    }

    @Test
    void copiesWithLabelsOfTheirOwnAreMatched() {
        ClusterMap map = map("zone=a rack=1", "zone=a rack=2", "zone=b rack=1", "zone=c", "zone=a");
        Spread spread = new Spread(map, Labels.Expression.parse("zone=a,rack; zone=a; zone=b"));
        assertTrue(spread.mayJoin(2, List.of(1), 3), "the second copy may be there");
        assertTrue(spread.mayJoin(1, List.of(5), 3), "the first one is left");
        assertTrue(spread.mayJoin(5, List.of(1, 3), 3));
        assertFalse(spread.mayJoin(5, List.of(1, 2), 3), "the third one is to be in zone b");
        assertFalse(spread.mayJoin(4, List.of(), 3), "none may be there");
        assertFalse(spread.mayJoin(1, List.of(1), 3), "itself");
        assertTrue(spread.isMatched(List.of(5, 2, 3)));
        assertFalse(spread.isMatched(List.of(5, 2, 1)));
        Labels.Expression two = Labels.Expression.parse("zone=a; zone=b").ofCopies(3);
        assertTrue(new Spread(map, two).mayJoin(4, List.of(1, 3), 3), "the third one anywhere");
        assertFalse(new Spread(map, two).mayJoin(4, List.of(1, 2), 3), "one is to be in zone b");
        List<Target> all = List.copyOf(map.targets());
        assertEquals(3, Spread.places(map, two, all));
        assertEquals(2, Spread.places(map, Labels.Expression.parse("zone=b; zone=b; rack"), all));
        assertEquals(3, Spread.places(map, Labels.Expression.parse("zone=a"), all));
    }

    /** Members that join one after the other never end before all copies have a place. */
    @Test
    void whatMayJoinCanAlwaysBeCompleted() {
        Random random = new Random(5);
        for (int round = 0; round < 400; round++) {
            String[] servers = new String[3 + random.nextInt(4)];
            for (int i = 0; i < servers.length; i++) {
                servers[i] = zone(random) + " rack=r" + random.nextInt(2);
            }
            ClusterMap map = map(servers);
            List<String> lists = new ArrayList<>();
            while (lists.size() < 3) {
                String zone = zone(random);
                List<String> some = List.of(zone, zone + ",rack=r1", "!" + zone, "any");
                lists.add(some.get(random.nextInt(4)));
            }
            Labels.Expression labels = Labels.Expression.parse(String.join(";", lists)).ofCopies(3);
            List<Target> order = new ArrayList<>(map.targets());
            int most = Spread.places(map, labels, order);
            Collections.shuffle(order, random);
            Spread spread = new Spread(map, labels);
            List<Integer> members = new ArrayList<>();
            for (Target target : order) {
                if (labels.isPerCopy() && spread.mayJoin(target.id(), members, 3)) {
                    members.add(target.id());
                }
            }
            String where = lists + " on " + map.servers();
            assertEquals(labels.isPerCopy() ? most : 0, members.size(), where);
        }
    }

    private static String zone(Random random) {
        return "zone=" + List.of("a", "b", "c").get(random.nextInt(3));
    }

    @Test
    void withAsManyRacksAsCopiesEachHasItsOwn() {
        Spread spread = new Spread(map("rack=r1", "rack=r1", "rack=r2", "rack=r2", "rack=r3"));
        assertTrue(spread.mayJoin(3, List.of(1), 2));
        assertTrue(spread.mayJoin(5, List.of(1, 3), 3));
        assertFalse(spread.mayJoin(2, List.of(1), 2), "the same rack");
        assertFalse(spread.mayJoin(4, List.of(1, 3), 3), "the same rack");
        assertFalse(spread.mayJoin(1, List.of(1), 2), "itself");
    }

    @Test
    void withFewerRacksTheySpreadEvenly() {
        Spread spread = new Spread(map("rack=r1", "rack=r1", "rack=r1", "rack=r2", "rack=r2"));
        assertTrue(spread.mayJoin(2, List.of(1, 4), 3), "two of three in one rack");
        assertFalse(spread.mayJoin(3, List.of(1, 2), 3), "all three in one rack");
        assertFalse(spread.mayJoin(2, List.of(1), 2));
    }

    @Test
    void aServerWithoutLabelIsARackOfItsOwn() {
        Spread spread = new Spread(map("", "", "rack=r1", "rack=r1"));
        assertTrue(spread.mayJoin(2, List.of(1), 2));
        assertTrue(spread.mayJoin(3, List.of(1, 2), 3));
        assertFalse(spread.mayJoin(4, List.of(3), 2));
    }

    @Test
    void zonesHaveRacksOfTheSameName() {
        Spread spread =
                new Spread(map("zone=a rack=1", "zone=b rack=1", "zone=a rack=2", "zone=b rack=2"));
        assertTrue(spread.mayJoin(2, List.of(1), 2));
        assertFalse(spread.mayJoin(3, List.of(1), 2), "the same zone");
        assertTrue(spread.mayJoin(3, List.of(1, 2), 3));
        assertEquals(0, spread.closeness(2, List.of(1)));
        assertEquals(1, spread.closeness(3, List.of(1)));
    }

    @Test
    void aRackThatDrainsDoesNotCount() {
        ClusterMap map = map("rack=r1", "rack=r1", "rack=r2");
        assertFalse(new Spread(map).mayJoin(2, List.of(1), 2));
        assertTrue(new Spread(drained(map, 3)).mayJoin(2, List.of(1), 2));
    }

    @Test
    void newPoolsSpreadOverRacks() {
        ClusterMap map =
                map("rack=r1", "rack=r1", "rack=r1", "rack=r2", "rack=r2", "rack=r3", "rack=r3");
        Spread spread = new Spread(map);
        List<Target> order = PoolPlan.interleave(spread, List.copyOf(map.targets()));
        Map<Integer, Integer> load = new HashMap<>();
        for (List<Member> group : PoolPlan.groups(spread, order, 3)) {
            long racks =
                    group.stream()
                            .map(m -> FailureDomain.RACK.of(map, m.targetId()))
                            .distinct()
                            .count();
            assertEquals(3, racks, () -> "racks of " + group);
            group.forEach(m -> load.merge(m.targetId(), 1, Integer::sum));
        }
        // Rack 1 has three servers for a third of all copies, the others two.
        for (int id = 1; id <= 7; id++) {
            int fair = 7 * PoolPlan.GROUPS_PER_TARGET / (id <= 3 ? 3 : 2);
            int copies = load.getOrDefault(id, 0);
            assertTrue(copies > fair * 7 / 10 && copies < fair * 13 / 10, () -> "load " + load);
        }
    }

    @Test
    void poolsOfFewRacksHaveAllCopies() {
        ClusterMap map = map("rack=r1", "rack=r1", "rack=r1", "rack=r2");
        Spread spread = new Spread(map);
        List<Target> order = PoolPlan.interleave(spread, List.copyOf(map.targets()));
        for (List<Member> group : PoolPlan.groups(spread, order, 3)) {
            assertEquals(3, group.stream().map(Member::targetId).distinct().count());
            assertTrue(group.stream().anyMatch(m -> m.targetId() == 4), () -> "" + group);
        }
    }
}
