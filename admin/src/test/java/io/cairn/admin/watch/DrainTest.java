package io.cairn.admin.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class DrainTest {
    private static final long GIB = 1L << 30;

    /**
     * A map with one target on each server, and one group for each pair of neighbours.
     *
     * @param racks the rack of each server, or nothing
     */
    private static ClusterMap map(String... racks) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        List<PlacementGroup> groups = new ArrayList<>();
        for (int id = 1; id <= racks.length; id++) {
            String rack = racks[id - 1];
            Labels labels = Labels.parse(rack.isEmpty() ? List.of() : List.of("rack=" + rack));
            Endpoint at = new Endpoint("c" + id, 1);
            servers.add(new ChunkServer(id, "c" + id, at, 1, 1, labels, 0));
            targets.add(new Target(id, 100 + id, id));
            int other = id % racks.length + 1;
            groups.add(
                    new PlacementGroup(
                            id,
                            1,
                            1,
                            List.of(
                                    new Member(id, MemberState.SERVING),
                                    new Member(other, MemberState.SERVING))));
        }
        Pool pool = new Pool(1, 2, 1, groups.size());
        return new ClusterMap(1, servers, targets, List.of(pool), groups);
    }

    /** Each has the chunks for a GiB and so much free. */
    private static List<TargetReport> reports(long... freeGib) {
        List<TargetReport> reports = new ArrayList<>();
        for (int id = 1; id <= freeGib.length; id++) {
            long free = freeGib[id - 1] * GIB;
            reports.add(new TargetReport(100 + id, free + GIB, free, 256, true));
        }
        return reports;
    }

    private static Drain drain(ClusterMap map, List<TargetReport> reports, Integer... leaving) {
        return new Drain(map, reports, Set.of(1), Set.of(leaving));
    }

    @Test
    void whatMovesIsCounted() {
        Drain drain = drain(map("", "", "", ""), reports(9, 9, 9, 9), 2);
        assertEquals(2, drain.groups());
        assertEquals(GIB, drain.movedBytes());
        assertEquals(List.of(), drain.obstacles());
        assertEquals(GIB, drain.bytesOf(2));
        assertEquals(2, drain.sources());
    }

    @Test
    void poolsWithoutFilesDoNotCount() {
        Drain drain = new Drain(map("", ""), reports(9, 9), Set.of(), Set.of(1));
        assertEquals(List.of(), drain.obstacles());
        assertEquals(0, drain.groups());
    }

    /** What a disk holds is in the groups of pools with files alone. */
    @Test
    void groupsOfPoolsWithoutFilesHaveNoPartOfTheBytes() {
        ClusterMap map = map("", "", "", "");
        List<PlacementGroup> groups = new ArrayList<>(List.copyOf(map.groups()));
        map.groups().forEach(g -> groups.add(new PlacementGroup(g.id() + 4, 2, 1, g.members())));
        ClusterMap two =
                new ClusterMap(
                        1,
                        List.copyOf(map.servers()),
                        List.copyOf(map.targets()),
                        List.of(new Pool(1, 2, 1, 4), new Pool(2, 2, 5, 4)),
                        groups);
        Drain drain = drain(two, reports(9, 9, 9, 9), 2);
        assertEquals(2, drain.groups());
        assertEquals(GIB, drain.movedBytes());
    }

    @Test
    void tooFewServersAreAnObstacle() {
        String told = drain(map("", "", ""), reports(9, 9, 9), 1, 2).obstacles().getFirst();
        assertTrue(told.contains("3 placement groups find no other target"), told);
        assertEquals(List.of(), drain(map("", "", ""), reports(9, 9, 9), 1).obstacles());
        // One that is away takes nothing.
        told = drain(map("", "", ""), reports(9, 9), 1).obstacles().getFirst();
        assertTrue(told.contains("find"), told);
    }

    /** Two disks in each server; the groups are on the first ones. */
    private static ClusterMap twoDisks(int servers) {
        ClusterMap one = map(Collections.nCopies(servers, "").toArray(String[]::new));
        List<Target> targets = new ArrayList<>(List.copyOf(one.targets()));
        for (int id = 1; id <= servers; id++) {
            targets.add(new Target(servers + id, 100 + servers + id, id));
        }
        return new ClusterMap(
                1,
                List.copyOf(one.servers()),
                targets,
                List.copyOf(one.pools()),
                List.copyOf(one.groups()));
    }

    @Test
    void anotherDiskOfTheSameServerTakesItWhenNoOtherOneMay() {
        Drain within = drain(twoDisks(2), reports(9, 9, 9, 9), 1);
        assertEquals(List.of(), within.obstacles());
        assertEquals(GIB, within.movedBytes());
        assertEquals(GIB, within.withinBytes());
        String told = drain(twoDisks(2), reports(9, 9, 0, 9), 1).obstacles().getFirst();
        assertTrue(told.contains("lack room for " + Wording.bytes(GIB)), told);
        // The third server has most room.
        Drain across = drain(twoDisks(3), reports(9, 9, 19, 9, 9, 19), 1);
        assertEquals(List.of(), across.obstacles());
        assertEquals(GIB, across.movedBytes());
        assertTrue(across.withinBytes() < GIB, across.withinBytes() + " bytes");
        // One after the other: the second finds room where the first one was.
        Drain both = drain(twoDisks(3), reports(9, 9, 9, 9, 9, 9), 1, 2);
        assertEquals(List.of(), both.obstacles());
    }

    /** A group that moves has one member more: it needs no further place. */
    @Test
    void whatIsUnderWayIsNoObstacle() {
        ClusterMap before = twoDisks(2);
        List<PlacementGroup> groups = new ArrayList<>();
        for (PlacementGroup group : before.groups()) {
            List<Member> members = new ArrayList<>(group.members());
            members.add(new Member(3, MemberState.SYNCING)); // the second disk of the first server
            groups.add(new PlacementGroup(group.id(), 1, 2, members));
        }
        ClusterMap moving =
                new ClusterMap(
                        2,
                        List.copyOf(before.servers()),
                        List.copyOf(before.targets()),
                        List.copyOf(before.pools()),
                        groups);
        Drain drain = drain(moving, reports(9, 9, 9, 9), 1);
        assertEquals(List.of(), drain.obstacles());
        assertEquals(2, drain.groups());
        assertEquals(0, drain.movedBytes());
    }

    @Test
    void racksAreKeptApart() {
        // Neighbours are in different racks; what leaves has to go to the same rack.
        ClusterMap map = map("r1", "r2", "r1", "r2");
        assertEquals(List.of(), drain(map, reports(9, 9, 9, 9), 1).obstacles());
        // Without the second server of its rack the others may take both.
        assertEquals(List.of(), drain(map, reports(9, 9, 9, 9), 1, 3).obstacles());
        // A rack that is away is not given up.
        List<TargetReport> three =
                reports(9, 9, 9, 9).stream().filter(r -> r.identity() != 103).toList();
        String told = drain(map, three, 1).obstacles().getFirst();
        assertTrue(told.contains("2 placement groups find no other"), told);
    }

    @Test
    void tooLittleRoomIsAnObstacle() {
        String told = drain(map("", "", ""), reports(9, 0, 0), 1).obstacles().getFirst();
        assertTrue(told.contains("lack room for " + Wording.bytes(GIB)), told);
        assertEquals(List.of(), drain(map("", "", ""), reports(0, 1, 1), 1).obstacles());
    }

    private static List<String> health(ClusterMap map, long nowMs) {
        List<ServerStatus> servers = new ArrayList<>();
        for (TargetReport report : reports(9, 9, 9)) {
            String name = "c" + (report.identity() - 100);
            servers.add(
                    new ServerStatus(
                            name,
                            new Endpoint(name, 1),
                            true,
                            null,
                            List.of(report),
                            Declaration.NONE));
        }
        Health health = new Health();
        new PlacementHealth(map, servers, Set.of(1), nowMs).tell(health);
        return Objects.requireNonNull((List<?>) health.toJson().get("reasons")).stream()
                .map(String::valueOf)
                .toList();
    }

    @Test
    void whatAdministratorsWantIsToldUntilItIsDone() {
        assertEquals(List.of(), health(map("", "", ""), 0));
        String one = health(map("r1", "r1", "r1"), 0).getFirst();
        assertTrue(one.contains("2 copies, and the chunk servers are in 1 rack"), one);
        List<String> near = health(map("r1", "r1", "r2"), 0);
        assertTrue(
                near.getFirst().contains("1 placement group has copies in one rack"),
                near::toString);
        ClusterMap map = map("", "", "");
        ClusterMap maintained =
                new ClusterMap(
                        2,
                        map.servers().stream().map(s -> s.maintainedUntil(60_000)).toList(),
                        List.copyOf(map.targets()),
                        List.copyOf(map.pools()),
                        List.copyOf(map.groups()));
        assertTrue(health(maintained, 59_999).getFirst().contains("in maintenance until"));
        assertEquals(List.of(), health(maintained, 60_000));
        ClusterMap drained =
                new ClusterMap(
                        2,
                        List.copyOf(map.servers()),
                        map.targets().stream().map(t -> t.in(TargetState.DRAINING)).toList(),
                        List.copyOf(map.pools()),
                        List.copyOf(map.groups()));
        String told = health(drained, 0).getFirst();
        assertTrue(told.contains("Not all of draining target 1 of c1, 2 of c2, 3 of c3"), told);
    }

    /** The groups of two disks in each server when the first has other members. */
    private static ClusterMap with(int... targets) {
        ClusterMap map = twoDisks(3);
        List<Member> members =
                Arrays.stream(targets).mapToObj(id -> new Member(id, MemberState.SERVING)).toList();
        return new ClusterMap(
                2,
                List.copyOf(map.servers()),
                List.copyOf(map.targets()),
                List.copyOf(map.pools()),
                map.groups().stream()
                        .map(g -> g.id() == 1 ? new PlacementGroup(1, 1, 2, members) : g)
                        .toList());
    }

    @Test
    void twoCopiesOnOneServerAreToldUnlessOneOfThemIsMoving() {
        assertEquals(List.of(), health(with(1, 2), 0));
        List<String> told = health(with(1, 4), 0);
        assertEquals(1, told.size(), told::toString);
        assertTrue(
                told.getFirst().contains("1 placement group has two copies on one chunk server"),
                told::toString);
        assertEquals(List.of(), health(with(1, 2, 4), 0));
    }

    @Test
    void theTargetThatFillsFirstIsNamed() {
        ClusterMap map = map("", "", "");
        assertNull(SpaceLimit.of(map, reports(9, 9, 9), 2));
        SpaceLimit limit = SpaceLimit.of(map, reports(3, 9, 9), 2);
        assertEquals(9 * GIB / 2, Objects.requireNonNull(limit).bytes());
        assertEquals("pool: pool 1 spreads evenly, and target 1 of c1 fills first", limit.why());
        limit = SpaceLimit.of(map, reports(9, 0, 9), 2);
        assertTrue(Objects.requireNonNull(limit).why().startsWith("reserve: target 2 of c2"));
        limit = SpaceLimit.of(map("r1", "r2", "r2"), reports(3, 9, 9), 2);
        assertTrue(Objects.requireNonNull(limit).why().startsWith("label: "));
        assertNull(SpaceLimit.of(map, reports(9, 9, 9), 3), "no such pool");
    }
}
