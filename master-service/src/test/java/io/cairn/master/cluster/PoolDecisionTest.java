package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class PoolDecisionTest {
    private static final Pool.Kind LZ4 = Pool.Kind.of(Compression.LZ4);
    private static final Pool.Kind ZSTD = Pool.Kind.of(Compression.ZSTD);
    private static final Pool.Kind SSD =
            new Pool.Kind(Compression.NONE, Labels.Expression.parse("disk=ssd"));
    private static final Policy FAST = Policy.STANDARD.with(SSD.labels());

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
        return retired(map, Set.of(LZ4, ZSTD), used);
    }

    private static List<Integer> retired(ClusterMap map, Set<Pool.Kind> wanted, Integer... used) {
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
        assertFalse(PoolDecision.isNews(without, two, 3, Pool.Kind.PLAIN));
        List<Target> all = List.copyOf(map.targets());
        assertTrue(PoolDecision.isNews(without, all, 3, Pool.Kind.PLAIN));
        assertFalse(PoolDecision.isNews(map, all, 3, Pool.Kind.PLAIN));
        List<Integer> copies = expanded(without, all).pools().stream().map(Pool::replicas).toList();
        assertEquals(List.of(1, 2, 3), copies, "no others beside those that are there");
    }

    /** Nothing is left of pools on disks that are gone, also when as many others came. */
    @Test
    void disksInThePlaceOfThoseThatAreGoneGetPools() {
        ClusterMap map = HeadDecisionTest.even();
        MapDraft draft = new MapDraft(map);
        List<Target> fresh =
                map.targets().stream()
                        .map(old -> new Target(old.id() + 3, 200 + old.id(), old.serverId()))
                        .toList();
        fresh.forEach(draft::put);
        ClusterMap replaced = map.with(draft.delta());
        List<Integer> copies =
                expanded(replaced, fresh).pools().stream().map(Pool::replicas).toList();
        assertEquals(List.of(1, 2, 3, 1, 2, 3), copies);
    }

    private static ClusterMap expanded(ClusterMap map, List<Target> present, Pool.Kind... wanted) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.expand(draft, present, 3, Set.of(wanted), 1);
        return map.with(draft.delta());
    }

    private static List<Pool.Kind> kinds(ClusterMap map) {
        return map.pools().stream().map(Pool::kind).toList();
    }

    @Test
    void eachCompressionThatIsWantedGetsPoolsOfItsOwn() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        assertEquals(plain.pools().size(), expanded(plain, all).pools().size(), "no news");
        ClusterMap packed = expanded(plain, all, ZSTD);
        assertEquals(
                Stream.concat(
                                Collections.nCopies(3, Pool.Kind.PLAIN).stream(),
                                Collections.nCopies(3, ZSTD).stream())
                        .toList(),
                kinds(packed));
        int groups = packed.pools().stream().mapToInt(Pool::groupCount).sum();
        assertEquals(groups, packed.groups().size(), "each group belongs to one pool");
        for (Pool pool : packed.pools()) {
            packed.groupsOf(pool).forEach(group -> assertEquals(pool.id(), group.poolId()));
        }
        Pool youngest = packed.youngestPool(2, ZSTD);
        assertEquals(5, youngest == null ? 0 : youngest.id());
        youngest = packed.youngestPool(2);
        assertEquals(2, youngest == null ? 0 : youngest.id());
        assertEquals(6, expanded(packed, all, ZSTD).pools().size(), "no news");
        ClusterMap both = expanded(packed, all, LZ4, ZSTD);
        assertEquals(9, both.pools().size());
        assertEquals(List.of(), retired(both), "each is the youngest of its kind");
    }

    /** The next map where no class asks for a compression any more. */
    private static ClusterMap unwanted(ClusterMap map, List<Target> present, Integer... used) {
        MapDraft draft = new MapDraft(map);
        Set<Pool.Kind> kinds = PoolDecision.kinds(map, Set.of(used), Set.of());
        PoolDecision.expand(draft, present, 3, kinds, 1);
        PoolDecision.retire(draft, Set.of(used), kinds);
        return map.with(draft.delta());
    }

    @Test
    void poolsOfACompressionInUseAreStillExpanded() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        List<Target> two = all.stream().filter(t -> t.id() < 3).toList();
        ClusterMap packed = expanded(plain, all, ZSTD);
        assertEquals(plain.pools().size(), unwanted(packed, all, 1, 2).pools().size());
        ClusterMap kept = unwanted(packed, all, 1, 5);
        assertEquals(kinds(packed), kinds(kept), "files refer to one of them");
        ClusterMap small = expanded(plain, two, ZSTD);
        ClusterMap large = unwanted(unwanted(small, all, 4), all, 4);
        assertEquals(kinds(packed).subList(3, 6), kinds(large).subList(4, 7), "new targets");
        assertEquals(kinds(large), kinds(unwanted(large, all, 4)), "it settles");
    }

    @Test
    void poolsOfACompressionThatNobodyWantsGoWhenNothingRefersToThem() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        ClusterMap both = expanded(plain, all, LZ4, ZSTD);
        Set<Pool.Kind> zstd = Set.of(ZSTD);
        List<Integer> lz4 =
                both.pools().stream()
                        .filter(pool -> pool.kind().equals(LZ4))
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
        ClusterMap small = expanded(plain, two, LZ4);
        assertEquals(5, small.pools().size(), "two copies of it at most");
        ClusterMap large = expanded(small, List.copyOf(plain.targets()), LZ4);
        assertEquals(8, large.pools().size(), "and three plain ones as before");
        assertEquals(List.of(), retired(large, 4, 5), "files refer to them");
        assertEquals(List.of(4, 5), retired(large));
    }

    /** A server of the map has other labels from now on. */
    private static ClusterMap labelled(ClusterMap map, int id, String... labels) {
        MapDraft draft = new MapDraft(map);
        ChunkServer server = map.server(id);
        if (server != null) {
            draft.put(server.labelled(Labels.parse(List.of(labels))));
        }
        return map.with(draft.delta());
    }

    @Test
    void poolsWithLabelsAreOnServersWithTheseLabelsOnly() {
        ClusterMap plain = labelled(HeadDecisionTest.even(), 1, "disk=ssd");
        List<Target> all = List.copyOf(plain.targets());
        ClusterMap one = expanded(plain, all, SSD);
        assertEquals(List.of(1), copiesOf(one, SSD), "one server has the label");
        ClusterMap two = expanded(labelled(one, 2, "disk=ssd", "rack=r1"), all, SSD);
        assertEquals(List.of(1, 1, 2), copiesOf(two, SSD), "a second one");
        for (Pool pool : two.pools()) {
            for (PlacementGroup group : two.groupsOf(pool)) {
                for (PlacementGroup.Member member : group.members()) {
                    assertTrue(!pool.kind().equals(SSD) || member.targetId() < 3, group.toString());
                }
            }
        }
        assertEquals(two.pools().size(), expanded(two, all, SSD).pools().size(), "no news");
        assertEquals(
                plain.pools().size(),
                expanded(labelled(plain, 1), all, SSD).pools().size(),
                "no server has the label");
    }

    /** Whoever asks for labels need not wait for servers that are away and lack them. */
    @Test
    void labelsGetTheirFirstPoolsWhileOtherServersAreAway() {
        ClusterMap plain = labelled(HeadDecisionTest.even(), 1, "disk=ssd");
        List<Target> one = plain.targets().stream().filter(t -> t.id() == 1).toList();
        ClusterMap few = expandedWithFew(plain, one);
        assertEquals(List.of(1), copiesOf(few, SSD));
        assertEquals(List.of(), copiesOf(few, ZSTD), "no other kinds");
        assertEquals(plain.pools().size() + 1, few.pools().size());
        assertEquals(few.pools().size(), expandedWithFew(few, one).pools().size(), "once");
        List<Target> two = plain.targets().stream().filter(t -> t.id() < 3).toList();
        ClusterMap more = expandedWithFew(labelled(few, 2, "disk=ssd"), two);
        assertEquals(List.of(1, 1, 2), copiesOf(more, SSD), "two copies became possible");
    }

    /** Files of a class with a key may be in no other pool. */
    @Test
    void keysGetTheirFirstPoolsWhileOtherServersAreAway() {
        ClusterMap plain = HeadDecisionTest.even();
        Pool.Kind keyed = new Pool.Kind(ZSTD.compression(), ZSTD.labels(), 7);
        List<Target> one = plain.targets().stream().filter(t -> t.id() == 1).toList();
        assertEquals(List.of(1), copiesOf(expandedWithFew(plain, one, Set.of(keyed)), keyed));
    }

    private static ClusterMap expandedWithFew(ClusterMap map, List<Target> present) {
        return expandedWithFew(map, present, Set.of(SSD, ZSTD));
    }

    private static ClusterMap expandedWithFew(
            ClusterMap map, List<Target> present, Set<Pool.Kind> kinds) {
        MapDraft draft = new MapDraft(map);
        PoolDecision.expand(draft, present, 3, kinds, 3);
        return map.with(draft.delta());
    }

    /** A file may keep the labels of a class and lose its compression. */
    @Test
    void labelsThatComeWithACompressionGetPlainPoolsToo() {
        Policy asked = FAST.with(Compression.ZSTD);
        Pool.Kind packed = asked.kind();
        ClusterMap plain = labelled(HeadDecisionTest.even(), 1, "disk=ssd");
        assertEquals(
                Set.of(Pool.Kind.PLAIN, packed, SSD),
                PoolDecision.kinds(plain, Set.of(), Set.of(asked)));
        ClusterMap made = expanded(plain, List.copyOf(plain.targets()), packed, SSD);
        Pool used = made.youngestPool(1, packed);
        assertEquals(
                Set.of(Pool.Kind.PLAIN, packed, SSD),
                PoolDecision.kinds(made, Set.of(used == null ? 0 : used.id()), Set.of()));
    }

    /** A file may keep the labels of a class, and take the key of another one. */
    @Test
    void labelsOfOneClassGetPoolsWithTheKeyOfAnother() {
        Policy secret = Policy.STANDARD.with(Compression.ZSTD).withKey(7);
        Pool.Kind keyed = secret.kind();
        Pool.Kind both = new Pool.Kind(Compression.NONE, SSD.labels(), 7);
        ClusterMap plain = labelled(HeadDecisionTest.even(), 1, "disk=ssd");
        Set<Pool.Kind> kinds = PoolDecision.kinds(plain, Set.of(), Set.of(secret, FAST));
        assertEquals(Set.of(Pool.Kind.PLAIN, keyed, keyed.unpacked(), SSD, both), kinds);
        ClusterMap made =
                expanded(plain, List.copyOf(plain.targets()), kinds.toArray(Pool.Kind[]::new));
        assertEquals(List.of(1), copiesOf(made, both));
        Pool used = Objects.requireNonNull(made.youngestPool(1, keyed));
        assertEquals(
                Set.of(Pool.Kind.PLAIN, keyed, keyed.unpacked(), SSD, both),
                PoolDecision.kinds(made, Set.of(used.id()), Set.of(FAST)),
                "files have the key still");
    }

    /** Files of a class with both may keep one of them where the other one is taken away. */
    @Test
    void whatIsLeftOfLabelsAndAKeyGetsPools() {
        Policy vault = FAST.withKey(7);
        Policy open = Policy.STANDARD.withKey(Policy.NO_KEY);
        Policy anywhere = Policy.STANDARD.with(Labels.Expression.ANY);
        Pool.Kind keyed = new Pool.Kind(Compression.NONE, Labels.Expression.ANY, 7);
        ClusterMap map = labelled(HeadDecisionTest.even(), 1, "disk=ssd");
        assertEquals(
                Set.of(Pool.Kind.PLAIN, vault.kind(), SSD),
                PoolDecision.kinds(map, Set.of(), Set.of(vault, open)));
        assertEquals(
                Set.of(Pool.Kind.PLAIN, vault.kind(), keyed),
                PoolDecision.kinds(map, Set.of(), Set.of(vault, anywhere)));
        ClusterMap made = expanded(map, List.copyOf(map.targets()), vault.kind());
        Pool used = Objects.requireNonNull(made.youngestPool(1, vault.kind()));
        assertEquals(
                Set.of(Pool.Kind.PLAIN, vault.kind(), SSD),
                PoolDecision.kinds(made, Set.of(used.id()), Set.of(open)),
                "the class itself says so now, and labels no more");
    }

    /** Else many classes, each with its own, would have pools for all pairs. */
    @Test
    void classesThatSayBothGetNoPoolsForEachOther() {
        Policy one = FAST.withKey(7);
        Policy other = Policy.STANDARD.with(Labels.Expression.parse("disk=hdd")).withKey(8);
        assertEquals(
                Set.of(Pool.Kind.PLAIN, one.kind(), other.kind()),
                PoolDecision.kinds(HeadDecisionTest.even(), Set.of(), Set.of(one, other)));
    }

    @Test
    void anUnusedPoolGoesWhenTooFewServersHaveItsLabels() {
        ClusterMap plain = HeadDecisionTest.even();
        List<Target> all = List.copyOf(plain.targets());
        ClusterMap both = labelled(labelled(plain, 1, "disk=ssd"), 2, "disk=ssd");
        ClusterMap made = expanded(both, all, SSD);
        assertEquals(List.of(1, 2), copiesOf(made, SSD));
        assertEquals(List.of(), retired(made, Set.of(SSD)));
        ClusterMap less = labelled(made, 2, "disk=hdd");
        assertEquals(List.of(5), retired(less, Set.of(SSD)), "two copies on one server");
        assertEquals(List.of(), retired(less, Set.of(SSD), 5), "files refer to it");
        assertEquals(List.of(4, 5), retired(made, Set.of()), "no class asks for it");
    }

    private static List<Integer> copiesOf(ClusterMap map, Pool.Kind kind) {
        return map.pools().stream()
                .filter(pool -> pool.kind().equals(kind))
                .map(Pool::replicas)
                .sorted()
                .toList();
    }
}
