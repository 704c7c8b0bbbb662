package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.PlacementGroup.Member;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;

/** Layouts, and where the cluster map places what they describe. */
class LayoutTest {
    private static Layout layout(int stripeWidth, long seed) {
        return new Layout(22, stripeWidth, seed, List.of(Run.of(0, 1, 100)));
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
                layout(0, 1)
                        .withRuns(
                                List.of(
                                        Run.of(0, 1, 1),
                                        new Run(5, 1, 2, 1, 77, 0),
                                        Run.of(9, 1, 3)));
        assertEquals(1, layout.runOf(0).oid());
        assertEquals(1, layout.runOf(4).oid());
        assertEquals(2, layout.runOf(5).oid());
        assertEquals(2, layout.runOf(8).oid());
        assertEquals(3, layout.runOf(1L << 40).oid());
        assertEquals(3, layout.lastOid());
        Layout cloned = cloned(layout, 5, 2);
        assertEquals(Run.of(5, 1, 2), cloned.runs().get(1));
        assertEquals(layout.runs().get(0), cloned.runs().get(0));
    }

    private static Layout cloned(Layout layout, long chunk, long oid) {
        return layout.withCloned(new long[] {chunk}, new long[] {oid});
    }

    @Test
    void whatIsClonedContinuesItsNeighbours() {
        Layout layout =
                layout(0, 1)
                        .withRuns(
                                List.of(
                                        Run.of(0, 1, 1),
                                        new Run(5, 1, 2, 1, 77, 0),
                                        new Run(6, 1, 2, 1, 77, 0),
                                        Run.of(9, 1, 1)));
        assertTrue(layout.isPending(6, 2));
        assertFalse(layout.isPending(6, 1));
        assertFalse(layout.isPending(7, 2));
        assertEquals(layout, cloned(layout, 7, 2));
        assertEquals(
                List.of(Run.of(0, 1, 1), Run.of(5, 1, 2), layout.runs().get(2), Run.of(9, 1, 1)),
                cloned(layout, 5, 2).runs());
        assertEquals(
                List.of(Run.of(0, 1, 1), Run.of(5, 1, 2), Run.of(9, 1, 1)),
                layout.withCloned(new long[] {5, 6}, new long[] {2, 2}).runs());
        assertEquals(2, layout.objectCount());
    }

    /** A cut in its first chunk is told apart from a change of this chunk behind a snapshot. */
    @Test
    void aFileThatWasCutStaysSo() {
        Layout whole = layout(0, 1);
        assertTrue(whole.isWhole());
        Layout cut = whole.withRuns(List.of(new Run(0, 1, 2, 1, 77, 0)));
        assertFalse(cut.isWhole());
        assertFalse(cloned(cut, 0, 2).isPending(0, 2));
        assertFalse(cloned(cut, 0, 2).isWhole());
        Layout renewed = whole.withRuns(List.of(new Run(0, 1, 2, 1, whole.chunkSizeBytes(), 0)));
        assertTrue(cloned(renewed, 0, 2).isWhole());
    }

    /** Two that differ in anything are different, down to a field of a run. */
    @Test
    void equalIsWhatIsEqualInAll() {
        List<Layout> different = new ArrayList<>();
        List<Run> runs = List.of(new Run(0, 1, 1, 2, 3, 0));
        different.add(new Layout(22, 4, 5, runs, 6));
        different.add(new Layout(22, 4, 5, List.of(new Run(0, 9, 1, 2, 3, 0)), 6));
        different.add(new Layout(23, 4, 5, runs, 6));
        different.add(new Layout(22, 9, 5, runs, 6));
        different.add(new Layout(22, 4, 9, runs, 6));
        different.add(new Layout(22, 4, 5, runs, 9));
        different.add(new Layout(22, 4, 5, List.of(new Run(9, 1, 1, 2, 3, 0)), 6));
        different.add(new Layout(22, 4, 5, List.of(new Run(0, 1, 9, 2, 3, 0)), 6));
        different.add(new Layout(22, 4, 5, List.of(new Run(0, 1, 1, 9, 3, 0)), 6));
        different.add(new Layout(22, 4, 5, List.of(new Run(0, 1, 1, 2, 9, 0)), 6));
        different.add(new Layout(22, 4, 5, List.of(new Run(0, 1, 1, 2, 3, 9)), 6));
        different.add(new Layout(22, 4, 5, List.of(runs.get(0), Run.of(7, 1, 8)), 6));
        assertEquals(different.size(), new HashSet<>(different).size());
        Layout again = new Layout(22, 4, 5, List.of(new Run(0, 1, 1, 2, 3, 0)), 6);
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

    /** A pool of groups with one member each on three servers, of which some serve. */
    private static ClusterMap serving(int groupCount, IntPredicate serves) {
        List<PlacementGroup> groups = new ArrayList<>();
        for (int i = 0; i < groupCount; i++) {
            MemberState state = serves.test(i) ? MemberState.SERVING : MemberState.LAST_SERVING;
            Member member = new Member(1 + i % 3, state);
            groups.add(new PlacementGroup(10 + i, 1, 1, List.of(member)));
        }
        return new ClusterMap(
                1, List.of(), List.of(), List.of(new Pool(1, 1, 10, groupCount)), groups);
    }

    private static Layout detoured(ClusterMap map, int stripeWidth, long seed) {
        Layout layout = layout(stripeWidth, seed);
        Run run = layout.lastRun().withDetour(Stripe.detour(map, layout));
        return layout.withRuns(List.of(run));
    }

    @Test
    void aDetourUsesServingGroupsOnlyAndAllOfThem() {
        for (int groupCount : new int[] {3, 24, 63, 64, 65, 300}) {
            ClusterMap map = serving(groupCount, i -> i % 3 != 1);
            for (int width : new int[] {0, 1, 2, 7, 64}) {
                int most = Math.min(width == 0 ? groupCount : width, groupCount);
                for (long seed = 0; seed < 50; seed++) {
                    Layout layout = detoured(map, width, seed);
                    Set<Integer> used = new HashSet<>();
                    for (long chunk = 0; chunk < 400; chunk++) {
                        int group = groupOf(map, layout, chunk);
                        assertTrue(map.isAvailable(group), groupCount + " " + width + " " + seed);
                        assertEquals(group, groupOf(map, layout, chunk));
                        used.add(group);
                    }
                    int serving = Math.min(groupCount, 64) * 2 / 3;
                    assertTrue(used.size() >= Math.min(serving, most), width + ": " + used.size());
                    assertTrue(used.size() <= most);
                    assertFalse(Stripe.isBlocked(map, layout));
                }
            }
        }
    }

    @Test
    void filesSpreadEvenlyOverTheGroupsThatServe() {
        ClusterMap map = serving(24, i -> i % 3 != 1);
        Map<Integer, Integer> counts = new HashMap<>();
        for (long seed = 0; seed < 16_000; seed++) {
            long mixed = new Random(seed).nextLong();
            counts.merge(groupOf(map, detoured(map, 0, mixed), 0), 1, Integer::sum);
        }
        assertEquals(16, counts.size());
        counts.forEach((group, n) -> assertTrue(n > 800 && n < 1200, group + " has " + n));
    }

    @Test
    void thereIsNoDetourWithoutNeedOrHelp() {
        Layout layout = layout(0, 42);
        assertEquals(0, Stripe.detour(serving(24, i -> true), layout));
        assertEquals(0, Stripe.detour(serving(24, i -> false), layout));
        assertTrue(Stripe.isBlocked(serving(24, i -> false), layout));
        assertFalse(Stripe.isBlocked(serving(24, i -> true), layout));
        assertEquals(0, Stripe.detour(ClusterMap.EMPTY, layout));
        assertTrue(Stripe.isBlocked(serving(24, i -> i != 7), layout));
        // A stripe of few groups that all serve needs none, whatever happened to the others.
        ClusterMap others = serving(24, i -> i != 7);
        for (long seed = 0; seed < 100; seed++) {
            PlacementGroup only = others.groupOf(layout(1, seed), 0);
            assertNotNull(only);
            assertEquals(only.id() == 17, Stripe.detour(others, layout(1, seed)) != 0);
        }
    }

    /** A pool of groups on three targets, of which some serve, and some of the targets are full. */
    private static ClusterMap filled(int groupCount, IntPredicate serves, IntPredicate isFull) {
        ClusterMap map = serving(groupCount, serves);
        List<Target> targets = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            targets.add(new Target(id, id, 1).filled(isFull.test(id)));
        }
        return new ClusterMap(
                1, List.of(), targets, List.copyOf(map.pools()), List.copyOf(map.groups()));
    }

    @Test
    void aDetourLeavesOutTargetsThatAreNearlyFullWhileOthersHaveRoom() {
        Layout layout = layout(0, 42);
        ClusterMap one = filled(24, i -> true, id -> id == 2);
        assertTrue(Stripe.isCrowded(one, layout));
        assertTrue(Stripe.isCrowded(one, layout, 0, 100));
        assertFalse(Stripe.isBlocked(one, layout));
        Layout around = detoured(one, 0, 42);
        assertFalse(Stripe.isCrowded(one, around));
        assertFalse(Stripe.isCrowded(one, around, 0, 100));
        for (long chunk = 0; chunk < 100; chunk++) {
            assertTrue(one.takesNew(groupOf(one, around, chunk)));
        }
        // When all are full, they are used as they are.
        ClusterMap all = filled(24, i -> true, id -> true);
        assertEquals(0, Stripe.detour(all, layout));
        assertFalse(Stripe.isCrowded(all, layout));
        assertFalse(Stripe.isCrowded(all, layout, 0, 100));
        // Rather into a target that is nearly full than into a group that does not serve.
        ClusterMap both = filled(24, i -> i % 3 != 0, id -> id != 1);
        Layout last = detoured(both, 0, 42);
        assertFalse(Stripe.isBlocked(both, last));
        assertTrue(Stripe.isBlocked(both, layout));
    }

    /** An old pool on the first target, and a younger one on the others. */
    @Test
    void theTargetsOfADetourCountWhereALayoutIsCrowded() {
        List<PlacementGroup> groups = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            Member member = new Member(id, MemberState.SERVING);
            groups.add(new PlacementGroup(9 + id, id == 1 ? 1 : 2, 1, List.of(member)));
        }
        List<Pool> pools = List.of(new Pool(1, 1, 10, 1), new Pool(2, 1, 11, 2));
        for (int full = 0; full <= 2; full++) {
            List<Target> targets = new ArrayList<>();
            for (int id = 1; id <= 3; id++) {
                targets.add(new Target(id, id, 1).filled(id <= full));
            }
            ClusterMap map = new ClusterMap(1, List.of(), targets, pools, groups);
            Set<Long> wanted =
                    switch (full) {
                        case 0 -> Set.of(1L);
                        case 1 -> Set.of(1L, 2L, 3L);
                        default -> Set.of(1L, 3L);
                    };
            assertEquals(wanted, Stripe.targets(map, layout(0, 42)), full + " are nearly full");
        }
    }

    /** Else a file that grows would ask for a detour again and again, in vain. */
    @Test
    void roomThatNoDetourReachesDoesNotCount() {
        ClusterMap map = filled(300, i -> i % 3 == 1 || i == 0, id -> id == 2);
        int crowded = 0;
        for (long seed = 0; seed < 200; seed++) {
            Layout layout = layout(1, seed);
            boolean helps =
                    !Stripe.takesNew(map, layout) && Stripe.takesNew(map, detoured(map, 1, seed));
            assertEquals(helps, Stripe.isCrowded(map, layout));
            assertEquals(helps, Stripe.isCrowded(map, layout, 0, 10));
            crowded += helps ? 1 : 0;
        }
        assertTrue(crowded > 0 && crowded < 100, "crowded: " + crowded);
    }

    @Test
    void whatGoesOnBesideARunStaysInItsGroups() {
        ClusterMap map = serving(24, i -> i % 3 != 1);
        Layout layout = detoured(map, 0, 42);
        Run run = layout.lastRun();
        Run cut = new Run(5, 1, 200, run.oid(), 77, run.detour());
        Layout two = layout.withRuns(List.of(run, cut));
        assertEquals(groupOf(map, layout, 5), groupOf(map, two, 5));
        assertEquals(groupOf(map, layout, 5), groupOf(map, cloned(two, 5, 200), 5));
        assertEquals(run.detour(), cloned(two, 5, 200).lastRun().detour());
    }

    @Test
    void eachRunIsInThePoolThatItNames() {
        ClusterMap one = serving(3, i -> true);
        List<PlacementGroup> groups = new ArrayList<>(one.groups());
        groups.add(new PlacementGroup(20, 2, 1, List.of(new Member(9, MemberState.WAITING))));
        List<Pool> pools = List.of(one.pools().iterator().next(), new Pool(2, 2, 20, 1));
        ClusterMap map = new ClusterMap(1, List.of(), List.of(), pools, groups);
        Layout both = layout(0, 42).withRuns(List.of(Run.of(0, 1, 100), Run.of(5000, 2, 101)));
        assertEquals(groupOf(one, layout(0, 42), 4999), groupOf(map, both, 4999));
        assertEquals(20, groupOf(map, both, 5000));
        assertEquals(20, groupOf(map, both, 5001));
        assertTrue(Stripe.isBlocked(map, both));
        assertFalse(Stripe.isBlocked(map, both, 0, 4999));
        assertTrue(Stripe.isBlocked(map, both, 0, 5000), "far behind where the groups repeat");
        assertEquals(Set.of(1, 2), both.pools());
        assertEquals(1, map.copies(both));
        assertEquals(0, one.copies(both), "a pool is not known");
        assertFalse(layout(0, 42).withRuns(List.of(Run.of(0, 0, 100))).hasPool());
    }

    @Test
    void anUnknownPoolHasNoGroups() {
        assertNull(ClusterMap.EMPTY.groupOf(layout(0, 1), 0));
    }
}
