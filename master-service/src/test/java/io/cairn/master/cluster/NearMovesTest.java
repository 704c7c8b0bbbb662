package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import java.util.List;
import java.util.function.IntPredicate;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

/** Groups that may only move to a target in the rack of the one they leave. */
@NullUnmarked
final class NearMovesTest {
    private static List<PlacementGroup> groups(MovingCluster cluster, int copies) {
        return cluster.map.groups().stream()
                .filter(group -> cluster.copies(group) == copies)
                .toList();
    }

    /** How many of the members of groups of so many copies are on such disks. */
    private static long members(MovingCluster cluster, int copies, IntPredicate disks) {
        return groups(cluster, copies).stream()
                .flatMap(group -> group.members().stream())
                .map(Member::targetId)
                .filter(id -> disks.test(cluster.server(id).number))
                .count();
    }

    private static void fill(MovingCluster cluster, int copies) {
        groups(cluster, copies).forEach(group -> cluster.full.add(group.id()));
    }

    private static void requireRest(MovingCluster cluster) {
        long epoch = cluster.map.epoch();
        for (int i = 0; i < 30; i++) {
            cluster.pass(1_000);
            cluster.tick();
        }
        assertEquals(epoch, cluster.map.epoch(), "it rests");
        for (PlacementGroup group : cluster.map.groups()) {
            assertEquals(cluster.copies(group), group.members().size(), "" + group);
        }
    }

    @Test
    void aNewServerTakesItsPartOfOneRackWithOneCopy() {
        MovingCluster cluster = new MovingCluster(3, 1);
        fill(cluster, 1);
        cluster.add(4);
        MemberMovesTest.rest(cluster);
        assertTrue(members(cluster, 1, disk -> disk == 4) > 0, "it has some");
        assertTrue(cluster.spread() <= 5, cluster.spread() + " % apart");
        requireRest(cluster);
    }

    @Test
    void aNewServerTakesItsPartOfItsRackWhenThereAreAsManyRacksAsCopies() {
        MovingCluster cluster = new MovingCluster(3, 3);
        fill(cluster, 3);
        long before = members(cluster, 3, disk -> disk == 1);
        cluster.add(4); // in the rack of the first
        MemberMovesTest.rest(cluster);
        long moved = members(cluster, 3, disk -> disk == 4);
        assertTrue(moved >= before / 2 - 3, moved + " of " + before + " have moved");
        assertEquals(before, members(cluster, 3, disk -> disk == 1) + moved);
        assertEquals(before, members(cluster, 3, disk -> disk == 2), "the others stay");
        requireRest(cluster);
    }
}
