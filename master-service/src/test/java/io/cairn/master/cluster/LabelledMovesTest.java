package io.cairn.master.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Copies stay on chunk servers with the labels of their pool, whatever moves them. */
final class LabelledMovesTest {
    private static final Pool.Kind SSD =
            new Pool.Kind(Compression.NONE, Labels.Expression.parse("disk=ssd"));

    private static final Pool.Kind ROOMS =
            new Pool.Kind(Compression.NONE, Labels.Expression.parse("room=a; room=b"));

    private final MovingCluster cluster = new MovingCluster(5);

    /** Three servers have the label, two others do not. */
    @BeforeEach
    void label() {
        for (int number = 1; number <= 5; number++) {
            label(number, number <= 3 ? "ssd" : "hdd");
        }
        cluster.tick();
        cluster.expand(Set.of(SSD));
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3), members(1));
        assertEquals(Set.of(1, 2, 3), members(3));
    }

    private void label(int number, String disk) {
        Objects.requireNonNull(cluster.servers.get(number)).labels =
                Labels.parse(List.of("disk=" + disk, "rack=r1"));
    }

    private List<PlacementGroup> groups(int copies) {
        return groups(copies, SSD);
    }

    private List<PlacementGroup> groups(int copies, Pool.Kind kind) {
        return cluster.map.groups().stream()
                .filter(group -> cluster.copies(group) == copies)
                .filter(group -> kind(group).equals(kind))
                .toList();
    }

    private Pool.Kind kind(PlacementGroup group) {
        return Objects.requireNonNull(cluster.map.pool(group.poolId())).kind();
    }

    /** Servers of the members of the labelled groups of so many copies. */
    private Set<Integer> members(int copies) {
        Set<Integer> found = new TreeSet<>();
        for (PlacementGroup group : groups(copies)) {
            group.members().stream().map(Member::targetId).forEach(found::add);
        }
        return found;
    }

    @Test
    void aLostCopyIsMadeAnewOnAServerWithTheLabelOrNotAtAll() {
        cluster.server(1).up = false;
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(2, 3), members(2));
        for (PlacementGroup group : groups(2)) {
            assertEquals(2, MovingCluster.serving(group), group.toString());
        }
        assertEquals(Set.of(1, 2, 3), members(3), "they wait for a third server");
        assertTrue(groups(3).stream().allMatch(cluster.map::isShort));
        label(4, "ssd");
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(2, 3, 4), members(3));
        assertTrue(groups(3).stream().noneMatch(cluster.map::isShort));
    }

    @Test
    void aServerThatLosesTheLabelIsEmptied() {
        label(1, "hdd");
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(2, 3), members(1));
        assertEquals(Set.of(2, 3), members(2));
        assertEquals(Set.of(1, 2, 3), members(3), "there is no other place");
        assertTrue(groups(3).stream().noneMatch(cluster.map::isShort));
        label(5, "ssd");
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(2, 3, 5), members(3));
    }

    @Test
    void aDrainGoesToServersWithTheLabel() {
        cluster.drain(2, true);
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 3), members(1));
        assertEquals(Set.of(1, 3), members(2));
        assertEquals(Set.of(1, 2, 3), members(3), "there is no other place");
    }

    private void room(int number, String room) {
        Objects.requireNonNull(cluster.servers.get(number)).labels =
                Labels.parse(List.of("room=" + room));
    }

    /** Two servers in each of two rooms, the fifth one in a third. */
    private void rooms() {
        for (int number = 1; number <= 5; number++) {
            room(number, List.of("a", "a", "b", "b", "c").get(number - 1));
        }
        cluster.tick();
        cluster.expand(Set.of(ROOMS));
        MemberMovesTest.rest(cluster);
    }

    /** Rooms of the members that serve, for groups of so many copies: each way that there is. */
    private Set<String> taken(int copies) {
        Set<String> taken = new TreeSet<>();
        for (PlacementGroup group : groups(copies, ROOMS)) {
            taken.add(
                    group.members().stream()
                            .filter(member -> member.state() == MemberState.SERVING)
                            .map(member -> cluster.map.serverOfTarget(member.targetId()))
                            .map(server -> String.valueOf(server.labels().get("room")))
                            .sorted()
                            .collect(Collectors.joining()));
        }
        return taken;
    }

    private Set<Integer> places(int copies) {
        Set<Integer> found = new TreeSet<>();
        for (PlacementGroup group : groups(copies, ROOMS)) {
            group.members().stream().map(Member::targetId).forEach(found::add);
        }
        return found;
    }

    @Test
    void aCopyIsMadeAnewWhereItsOwnLabelsHold() {
        rooms();
        assertEquals(Set.of("a"), taken(1));
        assertEquals(Set.of("ab"), taken(2));
        assertEquals(Set.of(1, 2, 3, 4), places(2));
        assertEquals(Set.of("aab", "abb", "abc"), taken(3));
        cluster.server(3).up = false;
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of("ab"), taken(2));
        assertEquals(Set.of(1, 2, 4), places(2));
        assertTrue(groups(2, ROOMS).stream().noneMatch(cluster.map::isShort));
        cluster.server(4).up = false;
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of("a"), taken(2), "the other copy waits for room b");
        assertTrue(groups(2, ROOMS).stream().allMatch(cluster.map::isShort));
        room(5, "b");
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of("ab"), taken(2));
        assertEquals(Set.of(1, 2, 5), places(2));
        assertTrue(groups(2, ROOMS).stream().noneMatch(cluster.map::isShort));
    }

    @Test
    void drainsAndRoomElsewhereLeaveEachCopyWhereItsLabelsHold() {
        rooms();
        cluster.drain(1, true);
        groups(2, ROOMS).forEach(group -> cluster.full.add(group.id()));
        cluster.add(6);
        room(6, "b");
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of("ab"), taken(2));
        assertEquals(Set.of(2, 3, 4, 6), places(2));
        room(3, "a"); // Where two copies are in one room one of them goes.
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of("ab"), taken(2));
        assertTrue(groups(2, ROOMS).stream().noneMatch(cluster.map::isShort));
    }

    @Test
    void poolsOfCopiesWithLabelsComeAsFarAsThereAreServers() {
        for (int number = 1; number <= 5; number++) {
            room(number, "a");
        }
        cluster.tick();
        cluster.expand(Set.of(ROOMS));
        assertEquals(Set.of("a"), taken(1));
        assertEquals(List.of(), groups(2, ROOMS));
        cluster.expand(Set.of(ROOMS));
        int pools = cluster.map.pools().size();
        room(5, "b");
        cluster.tick();
        cluster.expand(Set.of(ROOMS));
        assertEquals(Set.of("ab"), taken(2));
        assertEquals(Set.of("aab"), taken(3));
        assertTrue(cluster.map.pools().size() > pools);
        pools = cluster.map.pools().size();
        cluster.expand(Set.of(ROOMS));
        assertEquals(pools, cluster.map.pools().size(), "no news");
    }

    /** Others have its places meanwhile. It gets some again as these fill: no pool is made. */
    @Test
    void aServerThatIsBackGetsPlacesInThePoolsThatThereAre() {
        rooms();
        List<Integer> pools = cluster.map.pools().stream().map(Pool::id).toList();
        cluster.server(4).up = false;
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3), places(2));
        cluster.server(4).up = true;
        cluster.tick();
        cluster.expand(Set.of(ROOMS));
        assertEquals(pools, cluster.map.pools().stream().map(Pool::id).toList());
        groups(2, ROOMS).forEach(group -> cluster.full.add(group.id()));
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3, 4), places(2));
    }

    @Test
    void aDrainThatIsTakenBackMakesNoPools() {
        List<Integer> pools = cluster.map.pools().stream().map(Pool::id).toList();
        cluster.drain(2, true);
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 3), members(1));
        cluster.drain(2, false);
        cluster.expand(Set.of(SSD));
        assertEquals(pools, cluster.map.pools().stream().map(Pool::id).toList());
        groups(1).forEach(group -> cluster.full.add(group.id()));
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3), members(1));
    }

    @Test
    void roomElsewhereDoesNotDrawThemAway() {
        groups(2).forEach(group -> cluster.full.add(group.id()));
        cluster.add(6);
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3), members(2));
        assertEquals(Set.of(1, 2, 3), members(3));
    }

    /** The emptiest one is looked for among those with the label, not among all. */
    @Test
    void fullerServersThanThoseOfTheLabelDoNotKeepThemUneven() {
        for (int number = 1; number <= 5; number++) {
            Objects.requireNonNull(cluster.servers.get(number)).labels =
                    Labels.parse(List.of("disk=" + (number < 5 ? "ssd" : "hdd")));
        }
        cluster.tick();
        assertEquals(Set.of(1, 2, 3), members(1));
        groups(1).forEach(group -> cluster.full.add(group.id()));
        // Others are emptier, and may not have them; the one that may is fuller than these.
        cluster.map.groups().stream()
                .filter(group -> kind(group).equals(Pool.Kind.PLAIN))
                .filter(group -> cluster.copies(group) == 1 && group.stateOf(4) != null)
                .limit(2)
                .forEach(group -> cluster.full.add(group.id()));
        MemberMovesTest.rest(cluster);
        assertEquals(Set.of(1, 2, 3, 4), members(1));
    }
}
