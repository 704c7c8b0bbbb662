package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
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
        return retired(map, Set.of(Compression.LZ4, Compression.ZSTD), used);
    }

    private static List<Integer> retired(ClusterMap map, Set<Compression> wanted, Integer... used) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.retire(draft, Set.of(used), wanted);
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
        PoolDecision.retire(draft, Set.of(), Set.of());
        ClusterMap without = map.with(draft.delta());
        List<Target> two = map.targets().stream().filter(t -> !t.isDraining()).toList();
        assertFalse(PoolDecision.isNews(without, two, 3, Compression.NONE));
        List<Target> all = List.copyOf(map.targets());
        assertTrue(PoolDecision.isNews(without, all, 3, Compression.NONE));
        assertFalse(PoolDecision.isNews(map, all, 3, Compression.NONE));
    }

    private static ClusterMap expanded(
            ClusterMap map, List<Target> present, Compression... wanted) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.expand(draft, present, 3, Set.of(wanted));
        return map.with(draft.delta());
    }

    private static List<Compression> kinds(ClusterMap map) {
        return map.pools().stream().map(Pool::compression).toList();
    }

    @Test
    void eachCompressionThatIsWantedGetsPoolsOfItsOwn() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        assertEquals(plain.pools().size(), expanded(plain, all).pools().size(), "no news");
        ClusterMap packed = expanded(plain, all, Compression.ZSTD);
        assertEquals(
                Stream.concat(
                                Collections.nCopies(3, Compression.NONE).stream(),
                                Collections.nCopies(3, Compression.ZSTD).stream())
                        .toList(),
                kinds(packed));
        int groups = packed.pools().stream().mapToInt(Pool::groupCount).sum();
        assertEquals(groups, packed.groups().size(), "each group belongs to one pool");
        for (Pool pool : packed.pools()) {
            packed.groupsOf(pool).forEach(group -> assertEquals(pool.id(), group.poolId()));
        }
        Pool youngest = packed.youngestPool(2, Compression.ZSTD);
        assertEquals(5, youngest == null ? 0 : youngest.id());
        youngest = packed.youngestPool(2);
        assertEquals(2, youngest == null ? 0 : youngest.id());
        assertEquals(6, expanded(packed, all, Compression.ZSTD).pools().size(), "no news");
        ClusterMap both = expanded(packed, all, Compression.LZ4, Compression.ZSTD);
        assertEquals(9, both.pools().size());
        assertEquals(List.of(), retired(both), "each is the youngest of its kind");
    }

    /** The next map where no class asks for a compression any more. */
    private static ClusterMap unwanted(ClusterMap map, List<Target> present, Integer... used) {
        MapDraft draft = new MapDraft(map);
        Set<Compression> kinds = PoolDecision.kinds(map, Set.of(used), Set.of());
        PoolDecision.expand(draft, present, 3, kinds);
        PoolDecision.retire(draft, Set.of(used), kinds);
        return map.with(draft.delta());
    }

    @Test
    void poolsOfACompressionInUseAreStillExpanded() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        List<Target> two = all.stream().filter(t -> t.id() < 3).toList();
        ClusterMap packed = expanded(plain, all, Compression.ZSTD);
        assertEquals(plain.pools().size(), unwanted(packed, all, 1, 2).pools().size());
        ClusterMap kept = unwanted(packed, all, 1, 5);
        assertEquals(kinds(packed), kinds(kept), "files refer to one of them");
        ClusterMap small = expanded(plain, two, Compression.ZSTD);
        ClusterMap large = unwanted(unwanted(small, all, 4), all, 4);
        assertEquals(kinds(packed).subList(3, 6), kinds(large).subList(4, 7), "new targets");
        assertEquals(kinds(large), kinds(unwanted(large, all, 4)), "it settles");
    }

    @Test
    void poolsOfACompressionThatNobodyWantsGoWhenNothingRefersToThem() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        ClusterMap both = expanded(plain, all, Compression.LZ4, Compression.ZSTD);
        Set<Compression> zstd = Set.of(Compression.ZSTD);
        List<Integer> lz4 =
                both.pools().stream()
                        .filter(pool -> pool.compression() == Compression.LZ4)
                        .map(Pool::id)
                        .toList();
        assertEquals(3, lz4.size());
        assertEquals(lz4, retired(both, zstd));
        assertEquals(lz4.subList(1, 3), retired(both, zstd, lz4.getFirst()), "files refer to it");
        assertEquals(6, retired(both, Set.of()).size(), "never the plain ones");
    }

    @Test
    void newTargetsGetPoolsOfEachKindAndTheOldOnesGo() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> two = plain.targets().stream().filter(t -> t.id() < 3).toList();
        ClusterMap small = expanded(plain, two, Compression.LZ4);
        assertEquals(5, small.pools().size(), "two copies of it at most");
        ClusterMap large = expanded(small, List.copyOf(plain.targets()), Compression.LZ4);
        assertEquals(8, large.pools().size(), "and three plain ones as before");
        assertEquals(List.of(), retired(large, 4, 5), "files refer to them");
        assertEquals(List.of(4, 5), retired(large));
    }
}
