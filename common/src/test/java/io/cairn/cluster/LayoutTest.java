package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Layout.Run;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Layouts, and where the cluster map places what they describe. */
class LayoutTest {
    private static Layout layout(int stripeWidth, long seed) {
        return new Layout(1, 22, stripeWidth, seed, List.of(Run.of(0, 100)));
    }

    private static ClusterMap map(int groupCount) {
        List<PlacementGroup> groups = new ArrayList<>();
        for (int i = 0; i < groupCount; i++) {
            groups.add(new PlacementGroup(10 + i, 1, 1, List.of()));
        }
        return new ClusterMap(
                1, List.of(), List.of(), List.of(new Pool(1, 2, 10, groupCount)), groups);
    }

    private static int groupOf(ClusterMap map, Layout layout, long chunk) {
        PlacementGroup group = map.groupOf(layout, chunk);
        assertNotNull(group);
        return group.id();
    }

    @Test
    void runsHoldTheirChunks() {
        Layout layout =
                layout(0, 1).withRuns(List.of(Run.of(0, 1), new Run(5, 2, 1, 77), Run.of(9, 3)));
        assertEquals(1, layout.runOf(0).oid());
        assertEquals(1, layout.runOf(4).oid());
        assertEquals(2, layout.runOf(5).oid());
        assertEquals(2, layout.runOf(8).oid());
        assertEquals(3, layout.runOf(1L << 40).oid());
        assertEquals(3, layout.lastOid());
        Layout cloned = layout.withCloned(2);
        assertEquals(Run.of(5, 2), cloned.runs().get(1));
        assertEquals(layout.runs().get(0), cloned.runs().get(0));
    }

    /** Two that differ in anything are different, down to a field of a run. */
    @Test
    void equalIsWhatIsEqualInAll() {
        List<Layout> different = new ArrayList<>();
        List<Run> runs = List.of(new Run(0, 1, 2, 3));
        different.add(new Layout(1, 22, 4, 5, runs, 6));
        different.add(new Layout(9, 22, 4, 5, runs, 6));
        different.add(new Layout(1, 23, 4, 5, runs, 6));
        different.add(new Layout(1, 22, 9, 5, runs, 6));
        different.add(new Layout(1, 22, 4, 9, runs, 6));
        different.add(new Layout(1, 22, 4, 5, runs, 9));
        different.add(new Layout(1, 22, 4, 5, List.of(new Run(9, 1, 2, 3)), 6));
        different.add(new Layout(1, 22, 4, 5, List.of(new Run(0, 9, 2, 3)), 6));
        different.add(new Layout(1, 22, 4, 5, List.of(new Run(0, 1, 9, 3)), 6));
        different.add(new Layout(1, 22, 4, 5, List.of(new Run(0, 1, 2, 9)), 6));
        different.add(new Layout(1, 22, 4, 5, List.of(runs.get(0), Run.of(7, 8)), 6));
        assertEquals(different.size(), new HashSet<>(different).size());
        Layout again = new Layout(1, 22, 4, 5, List.of(new Run(0, 1, 2, 3)), 6);
        assertEquals(different.get(0), again);
        assertEquals(different.get(0).hashCode(), again.hashCode());
    }

    @Test
    void chunksAreCounted() {
        assertEquals(4 << 20, layout(0, 1).chunkSizeBytes());
        assertEquals(0, layout(0, 1).chunkOf((4 << 20) - 1));
        assertEquals(1, layout(0, 1).chunkOf(4 << 20));
    }

    @Test
    void aStripeUsesAsManyGroupsAsAsked() {
        ClusterMap map = map(64);
        for (int width : new int[] {1, 3, 64}) {
            Set<Integer> used = new HashSet<>();
            for (long chunk = 0; chunk < 1000; chunk++) {
                used.add(groupOf(map, layout(width, 42), chunk));
            }
            assertEquals(width, used.size());
        }
        Set<Integer> all = new HashSet<>();
        for (long chunk = 0; chunk < 64; chunk++) {
            all.add(groupOf(map, layout(0, 42), chunk));
            assertEquals(groupOf(map, layout(0, 42), chunk), groupOf(map, layout(99, 42), chunk));
        }
        assertEquals(64, all.size());
    }

    @Test
    void filesSpreadEvenlyOverTheGroups() {
        for (int groupCount : new int[] {1, 7, 64}) {
            ClusterMap map = map(groupCount);
            spreadsEvenly(map, groupCount, new Random(1)::nextLong);
            long[] counter = new long[1];
            // Seeds that count up are spread as well as random ones.
            spreadsEvenly(map, groupCount, () -> counter[0]++);
        }
    }

    private static void spreadsEvenly(ClusterMap map, int groupCount, LongSupplier seeds) {
        Map<Integer, Integer> counts = new HashMap<>();
        int files = 2_000 * groupCount;
        for (int i = 0; i < files; i++) {
            counts.merge(groupOf(map, layout(1, seeds.getAsLong()), 0), 1, Integer::sum);
        }
        assertEquals(groupCount, counts.size());
        for (int count : counts.values()) {
            assertTrue(count > 1_700 && count < 2_300, "a group has " + count + " of 2000");
        }
    }

    @Test
    void anUnknownPoolHasNoGroups() {
        assertNull(ClusterMap.EMPTY.groupOf(layout(0, 1), 0));
    }
}
