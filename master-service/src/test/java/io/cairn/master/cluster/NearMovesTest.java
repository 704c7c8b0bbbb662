package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import java.util.List;
import java.util.Objects;
import java.util.function.IntPredicate;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Groups that may only move to a target in the rack, or on the server, of the one they leave. */
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

    @Test
    void aNewDiskTakesItsPartOfItsServer() {
        MovingCluster cluster = new MovingCluster(5, 0, 2); // the third has one disk
        fill(cluster, 3);
        long before = members(cluster, 3, disk -> disk == 5);
        assertEquals(groups(cluster, 3).size(), before, "each has a copy there");
        cluster.add(6);
        MemberMovesTest.rest(cluster);
        long moved = members(cluster, 3, disk -> disk == 6);
        assertTrue(moved >= before / 2 - 3, moved + " of " + before + " have moved");
        assertEquals(before, members(cluster, 3, disk -> disk == 5) + moved);
        requireRest(cluster);
    }

    @Test
    void aDiskWithoutAnyRoomGivesToo() {
        MovingCluster cluster = new MovingCluster(5, 0, 2);
        fill(cluster, 3);
        fill(cluster, 2);
        long before = 0;
        for (int copies = 2; copies <= 3; copies++) {
            before += members(cluster, copies, disk -> disk == 5);
        }
        assertTrue(before >= MovingCluster.FULL_GROUPS, before + " fill the disk");
        cluster.add(6);
        MemberMovesTest.rest(cluster);
        assertTrue(members(cluster, 3, disk -> disk == 6) > 0, "some have moved");
        requireRest(cluster);
    }

    /** Three servers, three copies: nobody else may take them. */
    @Test
    void aDiskIsEmptiedToAnotherOneOfItsServer() {
        MovingCluster cluster = new MovingCluster(6, 0, 2);
        fill(cluster, 1);
        cluster.map.groups().forEach(group -> cluster.write(group.id()));
        cluster.drain(1, true);
        MemberMovesTest.rest(cluster);
        Target drained = Objects.requireNonNull(cluster.map.target(1));
        assertEquals(List.of(), List.copyOf(cluster.map.groupsOf(drained)));
        assertTrue(cluster.server(1).copies.isEmpty(), "nothing is left there");
        assertEquals(groups(cluster, 3).size(), members(cluster, 3, disk -> disk == 2));
        requireRest(cluster);
    }

    /** Both members of a server serve for a moment; what it has then survives its end. */
    @Test
    void aServerThatEndsDuringTheMoveLosesNothing() {
        MovingCluster cluster = new MovingCluster(6, 0, 2);
        cluster.map.groups().forEach(group -> cluster.write(group.id()));
        cluster.drain(1, true);
        for (int round = 0; round < 40; round++) {
            cluster.tell();
            cluster.tick();
            if (round % 3 == 0) {
                cluster.map.groups().forEach(group -> cluster.sync(group.id()));
            }
            cluster.power(cluster.server(1), round % 5 != 2);
            cluster.tick();
            cluster.map.groups().forEach(group -> cluster.write(group.id()));
            cluster.pass(1_000);
        }
        cluster.power(cluster.server(1), true);
        MemberMovesTest.rest(cluster);
        assertTrue(cluster.server(1).copies.isEmpty(), "nothing is left there");
        requireRest(cluster);
    }

    /** Both copies would be on one server, or in one rack, until all was copied anew. */
    @ParameterizedTest
    @ValueSource(ints = {0, 2})
    void aServerThatIsAwayForAMomentDuringTheMoveKeepsItsPlaces(int racks) {
        MovingCluster cluster = new MovingCluster(4, racks, racks == 0 ? 2 : 1);
        int near = racks == 0 ? 2 : 3;
        int other = racks == 0 ? 3 : 2;
        cluster.map.groups().forEach(group -> cluster.write(group.id()));
        cluster.drain(1, true);
        cluster.tick();
        cluster.power(cluster.server(other), false);
        for (int look = 0; look < 5; look++) {
            cluster.map.groups().forEach(group -> cluster.sync(group.id()));
            cluster.pass(1_000);
            cluster.tick();
        }
        List<PlacementGroup> beside =
                groups(cluster, 2).stream()
                        .filter(group -> group.stateOf(1) == MemberState.SERVING)
                        .filter(group -> group.stateOf(near) == MemberState.SERVING)
                        .toList();
        assertFalse(beside.isEmpty(), "some have two members beside each other");
        beside.forEach(group -> assertEquals(3, group.members().size(), "" + group));
        cluster.power(cluster.server(other), true);
        MemberMovesTest.rest(cluster);
        assertTrue(cluster.server(1).copies.isEmpty(), "nothing is left there");
        requireRest(cluster);
    }
}
