package io.cairn.master.namespace;

import static io.cairn.master.namespace.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.wire.LeaderMutation;
import io.cairn.wire.TreeMutation;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutChoiceTest {
    private static int chosen(int wanted, int... pools) {
        Pool pool = LayoutChoice.pool(Bench.map(1, pools), wanted);
        assertNotNull(pool);
        return pool.id();
    }

    @Test
    void theYoungestPoolThatFits() {
        assertEquals(3, chosen(2, 2, 1, 2, 3));
    }

    @Test
    void ratherMoreCopiesThanFewer() {
        assertEquals(2, chosen(2, 5, 3, 1));
        assertEquals(3, chosen(2, 3, 5, 3));
    }

    @Test
    void theMostThereAreWhenNobodyHasEnough() {
        assertEquals(3, chosen(4, 1, 3, 3, 2));
        assertEquals(1, chosen(15, 1));
    }

    @Test
    void noPoolNoChoice() {
        assertNull(LayoutChoice.pool(ClusterMap.EMPTY, 1));
    }

    @Test
    void theStandardOfTheClusterCountsUnlessThePolicySaysOtherwise() {
        Bench bench = Bench.withPools(1, 2, 3);
        assertEquals(2, pool(bench.create(ROOT, "standard")));
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(3, 0, -1)));
        assertEquals(3, pool(bench.create(ROOT, "three")));
        Policy five = new Policy(5, 0, -1);
        bench.ok(new TreeMutation.SetPolicy(ROOT, five));
        Inode file = bench.create(ROOT, "five");
        assertEquals(3, pool(file));
        assertEquals(five, file.policy());
    }

    @Test
    void newContentsGoToANewerPool() {
        Bench bench = Bench.withPools(2);
        Inode file = bench.create(ROOT, "f", "x");
        bench.leader(new LeaderMutation.ChangeMap(Bench.map(2, 2, 2)));
        assertEquals(1, pool(bench.truncate(file.ino(), 2)));
        assertEquals(2, pool(bench.create(ROOT, "g")));
        long version = bench.inode(file.ino()).attributes().version();
        bench.ok(new io.cairn.wire.ContentMutation.Spill(file.ino(), version, 9000, 0, 9000));
        assertEquals(2, pool(bench.truncate(file.ino(), 0)));
    }

    @Test
    void seedsSpread() {
        Set<Long> lowBits = new HashSet<>();
        for (long ino = 1; ino <= 1000; ino++) {
            lowBits.add(LayoutChoice.seed(ino) & 1023);
        }
        assertEquals(true, lowBits.size() > 500, "distinct low bits: " + lowBits.size());
    }

    private static int pool(Inode file) {
        Layout layout = file.layout();
        assertNotNull(layout);
        return layout.poolId();
    }
}
