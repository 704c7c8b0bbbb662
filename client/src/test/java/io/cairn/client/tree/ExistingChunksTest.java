package io.cairn.client.tree;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Stripe;
import io.cairn.wire.chunk.ChunkRange;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ExistingChunksTest {
    private static final ClusterMap MAP = map();

    private static ClusterMap map() {
        List<PlacementGroup> groups = new ArrayList<>();
        for (int id = 1; id <= 24 + 5; id++) {
            Member member = new Member(id, MemberState.SERVING);
            groups.add(new PlacementGroup(id, id <= 24 ? 1 : 2, 1, List.of(member)));
        }
        List<Pool> pools = List.of(new Pool(1, 1, 1, 24), new Pool(2, 1, 25, 5));
        return new ClusterMap(1, List.of(), List.of(), pools, groups);
    }

    /** Else chunks that are there would be taken for a hole. */
    @Test
    void everyGroupThatMayHoldAChunkOfAPageIsAsked() {
        Random random = new Random(5);
        for (int i = 0; i < 500; i++) {
            Layout layout = layout(random);
            long from = random.nextInt(40);
            long end = from + 20 + random.nextInt(200);
            while (from < end) {
                List<ChunkRange> ranges = new ArrayList<>();
                long next = ExistingChunks.ranges(layout, from, end, ranges, new TreeSet<>());
                assertTrue(next > from, "it goes on");
                Pool pool = MAP.pool(layout.runOf(from).poolId());
                long groups = Math.min(Stripe.width(layout, pool), next - from);
                Set<Integer> asked = groups(layout, from, from + groups);
                assertTrue(asked.containsAll(groups(layout, from, next)), layout.toString());
                for (ChunkRange range : ranges) {
                    assertEquals(layout.runOf(range.fromIndex()).oid(), range.oid());
                }
                assertEquals(next, ranges.getLast().endIndex());
                from = next;
            }
        }
    }

    private static Layout layout(Random random) {
        List<Run> runs = new ArrayList<>();
        long first = 0;
        for (int i = 0; i <= random.nextInt(5); i++) {
            long detour = random.nextBoolean() ? 0 : random.nextInt(1, 1 << 5);
            runs.add(Run.of(first, random.nextInt(1, 3), 100 + i).withDetour(detour));
            first += 1 + random.nextInt(30);
        }
        return new Layout(22, random.nextInt(4) * 3, random.nextLong(), runs);
    }

    private static Set<Integer> groups(Layout layout, long from, long end) {
        Set<Integer> groups = new HashSet<>();
        for (long index = from; index < end; index++) {
            groups.add(MAP.groupOf(layout, index).id());
        }
        return groups;
    }
}
