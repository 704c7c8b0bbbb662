package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PoolDecisionTest {
    /** Three servers, of which some drain, with pools of one to three copies. */
    private static ClusterMap drained(int... ids) {
        ClusterMap map = HeadDecisionTest.even();
        MapDraft draft = new MapDraft(map);
        for (Target target : map.targets()) {
            for (int id : ids) {
                draft.put(id == target.id() ? target.in(TargetState.DRAINING) : target);
            }
        }
        return map.with(draft.delta());
    }

    private static List<Integer> retired(ClusterMap map, Integer... used) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.retire(draft, Set.of(used));
        return draft.delta().gone().pools();
    }

    @Test
    void anUnusedPoolGoesWhenItKeepsTargetsFromDraining() {
        assertEquals(List.of(3), retired(drained(1), 1, 2), "three copies on two servers");
        assertEquals(List.of(3), retired(drained(1)));
        assertEquals(List.of(), retired(drained(1), 3), "files refer to it");
        assertEquals(List.of(2, 3), retired(drained(1, 2)));
        assertEquals(List.of(), retired(drained()));
        assertEquals(List.of(), retired(drained(1, 2, 3)), "nothing would be left");
    }

    @Test
    void itIsMadeAgainWhenTheTargetIsBack() {
        ClusterMap map = drained(1);
        MapDraft draft = new MapDraft(map);
        PoolDecision.retire(draft, Set.of());
        ClusterMap without = map.with(draft.delta());
        List<Target> two = map.targets().stream().filter(t -> !t.isDraining()).toList();
        assertFalse(PoolDecision.isNews(without, two, 3));
        assertTrue(PoolDecision.isNews(without, List.copyOf(map.targets()), 3));
        assertFalse(PoolDecision.isNews(map, List.copyOf(map.targets()), 3));
    }
}
