package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class HeadDecisionTest {
    /** Three servers with a pool of each number of copies. */
    static ClusterMap even() {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            servers.add(new ChunkServer(id, "c" + id, new Endpoint("c" + id, 1), 1));
            targets.add(new Target(id, 100 + id, id));
        }
        ClusterMap map = new ClusterMap(1, servers, targets, List.of(), List.of());
        MapDraft draft = new MapDraft(map);
        PoolDecision.expand(draft, targets, 3, Set.of(), 1);
        return map.with(draft.delta());
    }

    private static ClusterMap decided(ClusterMap map, long nowMs) {
        MapDraft draft = new MapDraft(map);
        HeadDecision.decide(draft, nowMs);
        return draft.delta().size() == 0 ? map : map.with(draft.delta());
    }

    private static Map<Integer, Integer> heads(ClusterMap map, int copies) {
        Map<Integer, Integer> heads = new HashMap<>();
        for (PlacementGroup group : map.groups()) {
            if (group.members().size() == copies) {
                assertNotNull(group.head());
                heads.merge(group.head().targetId(), 1, Integer::sum);
            }
        }
        return heads;
    }

    @Test
    void headsComeBackAFewAtATimeWhenMaintenanceIsOver() {
        ClusterMap map = even();
        assertEquals(map, decided(map, 0), "nothing to do");
        MapDraft draft = new MapDraft(map);
        for (PlacementGroup group : map.groups()) {
            PlacementGroup next = group.headedByOthers(1, draft.epoch());
            draft.put(next == null ? group : next);
        }
        draft.put(map.servers().iterator().next().maintainedUntil(1000));
        map = map.with(draft.delta());
        assertEquals(0, heads(map, 3).getOrDefault(1, 0));
        assertEquals(8, heads(map, 1).get(1), "the only one has no other head");
        assertEquals(map, decided(map, 999), "in maintenance");
        int steps = 0;
        for (ClusterMap next = decided(map, 1000); !next.equals(map); next = decided(map, 1000)) {
            assertTrue(next.since(map).size() <= 8);
            map = next;
            steps++;
        }
        assertTrue(steps < 10, "it ends");
        for (int copies = 1; copies <= 3; copies++) {
            for (int target = 1; target <= 3; target++) {
                int headed = heads(map, copies).getOrDefault(target, 0);
                assertTrue(headed >= 6 && headed <= 10, "target " + target + " heads " + headed);
            }
        }
        for (PlacementGroup group : map.groups()) {
            assertEquals(
                    group.members().size(),
                    group.members().stream().map(m -> m.targetId()).distinct().count());
        }
    }
}
