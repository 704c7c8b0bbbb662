package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.TreeMutation;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which pools take the files of policies with labels. */
final class LabelledLayoutTest {
    private static final long ROOT = Bench.ROOT;

    private static int pool(Inode file) {
        Layout layout = file.layout();
        return layout == null ? -1 : layout.lastRun().poolId();
    }

    private static ClusterMap kinds(Pool... pools) {
        return LayoutChoiceTest.kinds(pools);
    }

    private static Pool kind(int replicas, Compression compression) {
        return LayoutChoiceTest.kind(replicas, compression);
    }

    @Test
    void aPoolWithTheLabelsOfThePolicyOrNone() {
        Labels.Expression ssd = Labels.Expression.parse("disk=ssd");
        Pool.Kind onSsd = new Pool.Kind(Compression.NONE, ssd);
        ClusterMap map =
                kinds(
                        kind(1, Compression.NONE),
                        kind(2, Compression.NONE),
                        kind(3, Compression.ZSTD),
                        new Pool(1, 1, 1, 1, onSsd),
                        new Pool(1, 2, 1, 1, onSsd),
                        kind(2, Compression.NONE));
        Bench bench = new Bench();
        bench.changeMap(map);
        Policy two = new Policy(2, 0, -1);
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(ssd)));
        Inode file = bench.create(ROOT, "ssd");
        assertEquals(5, pool(file));
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(3, 0, -1).with(ssd)));
        assertEquals(5, pool(bench.create(ROOT, "three")), "the labels come before the copies");
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(ssd).with(Compression.LZ4)));
        assertEquals(5, pool(bench.create(ROOT, "lz4")), "and before the compression");
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(Labels.Expression.ANY)));
        assertEquals(6, pool(bench.create(ROOT, "any")));
        Policy elsewhere = two.with(Labels.Expression.parse("!disk"));
        bench.ok(new TreeMutation.SetPolicy(ROOT, elsewhere));
        assertEquals(0, pool(bench.create(ROOT, "nowhere")), "no pool, not another one");
        Layout layout = file.layout();
        assertNotNull(layout);
        assertTrue(LayoutChoice.satisfies(map, 1, layout, two.with(ssd)));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, two));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, elsewhere));
    }

    /** A client may have begun to write there, and would lose what it wrote. */
    @Test
    void aFileKeepsItsPoolUntilItsNewLabelsHaveOne() {
        Bench bench = new Bench();
        bench.changeMap(kinds(kind(1, Compression.NONE)));
        Inode file = bench.create(ROOT, "f");
        assertEquals(1, pool(file));
        Labels.Expression ssd = Labels.Expression.parse("disk=ssd");
        Policy one = new Policy(1, 0, -1).with(ssd);
        bench.ok(new TreeMutation.SetPolicy(file.ino(), one));
        assertEquals(1, pool(bench.inode(file.ino())));
    }

    @Test
    void filesKeepToTheirLabelsAlsoWhenNoGroupServes() {
        Labels.Expression ssd = Labels.Expression.parse("disk=ssd");
        Pool labelled = new Pool(1, 1, 1, 1, new Pool.Kind(Compression.NONE, ssd));
        ClusterMap map = LayoutChoiceTest.kinds(Set.of(2), kind(1, Compression.NONE), labelled);
        Bench bench = new Bench();
        bench.changeMap(map);
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(1, 0, -1).with(ssd)));
        assertEquals(2, pool(bench.create(ROOT, "f")), "as asked, when it serves again");
        map = LayoutChoiceTest.kinds(Set.of(1), kind(1, Compression.NONE), labelled);
        assertEquals(
                1, LayoutChoiceTest.chosen(map, Compression.NONE), "not those of others either");
    }
}
