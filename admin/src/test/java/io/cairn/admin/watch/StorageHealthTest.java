package io.cairn.admin.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.master.cluster.Space;
import io.cairn.wire.master.ClusterRequest.Damage;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class StorageHealthTest {
    private static final MemberState SERVING = MemberState.SERVING;
    private static final MemberState OFFLINE = MemberState.OFFLINE;
    private static final MemberState LAST = MemberState.LAST_SERVING;

    private static PlacementGroup group(int id, int pool, MemberState one, MemberState two) {
        return new PlacementGroup(id, pool, 1, List.of(new Member(1, one), new Member(2, two)));
    }

    private static ClusterMap map(PlacementGroup... groups) {
        return new ClusterMap(
                7,
                List.of(server(1), server(2)),
                List.of(new Target(1, 11, 1), new Target(2, 12, 2)),
                List.of(new Pool(1, 2, 1, groups.length)),
                List.of(groups));
    }

    private static ChunkServer server(int id) {
        return new ChunkServer(id, "c" + id, new Endpoint("10.0.0." + id, 9881), 1);
    }

    private static ServerStatus status(int id, boolean alive, boolean healthy, Damage... damages) {
        return status(id, alive, healthy, 50, damages);
    }

    private static ServerStatus status(
            int id, boolean alive, boolean healthy, long freeBytes, Damage... damages) {
        TargetReport report =
                new TargetReport(
                        10 + id,
                        100,
                        freeBytes,
                        1,
                        healthy,
                        0,
                        "/disk" + id,
                        TargetLoad.NONE,
                        List.of(damages),
                        List.of(),
                        "",
                        ScrubReport.NONE,
                        Holdings.NONE,
                        0);
        return new ServerStatus(
                "c" + id, server(id).endpoint(), alive, null, List.of(report), Declaration.NONE);
    }

    private static List<String> told(ClusterMap map, ServerStatus... servers) {
        return told(map, Set.of(), servers);
    }

    private static List<String> told(
            ClusterMap map, Set<Integer> usedPools, ServerStatus... servers) {
        Health health = new Health();
        new StorageHealth(map, List.of(servers), new Space(100, 50, 2), 0, usedPools, 1_000)
                .tell(health);
        return Objects.requireNonNull((List<?>) health.toJson().get("reasons")).stream()
                .map(reason -> (Map<?, ?>) reason)
                .map(reason -> reason.get("level") + ": " + reason.get("what"))
                .toList();
    }

    @Test
    void ofAServerThatIsGoneItIsToldWhatWaitsForIt() {
        ClusterMap map = map(group(1, 1, SERVING, OFFLINE), group(2, 1, OFFLINE, LAST));
        assertEquals(
                List.of(
                        "critical: Chunk server c2 does not answer: 1 placement group waits for"
                                + " it, whose files cannot be read or written."),
                told(map, status(1, true, true), status(2, false, true)).subList(0, 1));
        // A leader that is new has not heard of it at all.
        assertTrue(
                told(map, status(1, true, true))
                        .getFirst()
                        .startsWith("critical: Chunk server c2 does not answer: 1 placement"));
    }

    @Test
    void ofAServerInMaintenanceItIsToldUntilWhen() {
        ClusterMap all = map(group(1, 1, SERVING, OFFLINE));
        ClusterMap map =
                new ClusterMap(
                        8,
                        List.of(server(1), server(2).maintainedUntil(60_000)),
                        List.copyOf(all.targets()),
                        List.copyOf(all.pools()),
                        List.copyOf(all.groups()));
        assertEquals(
                List.of(
                        "warning: Chunk server c2 is away, in maintenance until"
                                + " 1970-01-01T00:01:00Z: 1 placement group is short of a copy."),
                told(map, status(1, true, true), status(2, false, true)));
    }

    @Test
    void aPoolWithFewerCopiesThanTheStandardCountsWhenFilesAreInIt() {
        List<PlacementGroup> alone =
                List.of(new PlacementGroup(1, 1, 1, List.of(new Member(2, LAST))));
        ClusterMap map =
                new ClusterMap(
                        7,
                        List.of(server(1), server(2)),
                        List.of(new Target(1, 11, 1), new Target(2, 12, 2)),
                        List.of(new Pool(1, 1, 1, 1)),
                        alone);
        ServerStatus[] servers = {status(1, true, true), status(2, false, true)};
        assertEquals(
                List.of("warning: Chunk server c2 does not answer."), told(map, Set.of(), servers));
        assertEquals(
                List.of(
                        "critical: Chunk server c2 does not answer: 1 placement group waits for"
                                + " it, whose files cannot be read or written."),
                told(map, Set.of(1), servers));
    }

    @Test
    void oneReasonForACauseAndWhatItCauses() {
        ClusterMap map = map(group(1, 1, SERVING, OFFLINE), group(2, 1, SERVING, OFFLINE));
        assertEquals(
                List.of(
                        "warning: Chunk server c2 does not answer: 2 placement groups are short of"
                                + " a copy."),
                told(map, status(1, true, true), status(2, false, true)));
    }

    @Test
    void disksAreToldByTheirPaths() {
        ClusterMap map = map(group(1, 1, SERVING, OFFLINE));
        assertEquals(
                List.of(
                        "warning: Disk /disk2 of chunk server c2 has failed: 1 placement group is"
                                + " short of a copy."),
                told(map, status(1, true, true), status(2, true, false)));
    }

    @Test
    void whatIsBeingBroughtUpToDateIsNoLoss() {
        ClusterMap map = map(group(1, 1, SERVING, MemberState.SYNCING));
        assertEquals(
                List.of(
                        "warning: 1 placement group is short of a copy and being brought up to"
                                + " date."),
                told(map, status(1, true, true), status(2, true, true)));
    }

    @Test
    void ofDamageItIsToldWhoMayHaveAGoodCopy() {
        ClusterMap map = map(group(1, 1, SERVING, OFFLINE), group(2, 1, OFFLINE, SERVING));
        List<String> told =
                told(
                        map,
                        status(1, true, true, new Damage(1, 2), new Damage(2, 5)),
                        status(2, false, true, new Damage(2, 1)));
        assertEquals(
                List.of(
                        "critical: 2 chunks are damaged on chunk server c1 and wait for chunk"
                                + " server c2, which may have a good copy."),
                told.stream().filter(line -> line.contains("damaged")).toList());
        assertEquals(
                List.of("warning: 1 chunk is damaged on chunk server c1."),
                told(
                        map(group(1, 1, SERVING, SERVING)),
                        status(1, true, true, new Damage(1, 1)),
                        status(2, true, true, new Damage(1, 3))));
    }

    @Test
    void allIsWell() {
        assertEquals(
                List.of(),
                told(
                        map(group(1, 1, SERVING, SERVING)),
                        status(1, true, true),
                        status(2, true, true)));
    }

    /** Groups on one disk each, of which some are nearly full. */
    private static ClusterMap single(Integer... full) {
        Set<Integer> nearly = Set.of(full);
        List<Target> targets =
                List.of(
                        new Target(1, 11, 1).filled(nearly.contains(1)),
                        new Target(2, 12, 2).filled(nearly.contains(2)));
        List<PlacementGroup> groups =
                List.of(
                        new PlacementGroup(1, 1, 1, List.of(new Member(1, SERVING))),
                        new PlacementGroup(2, 1, 1, List.of(new Member(2, SERVING))));
        return new ClusterMap(
                7, List.of(server(1), server(2)), targets, List.of(new Pool(1, 1, 1, 2)), groups);
    }

    private static List<String> toldOfSingle(ClusterMap map, long free, long otherFree) {
        Health health = new Health();
        List<ServerStatus> servers =
                List.of(status(1, true, true, free), status(2, true, true, otherFree));
        new StorageHealth(map, servers, new Space(100, 50, 1), 0, Set.of(), 1_000).tell(health);
        return Objects.requireNonNull((List<?>) health.toJson().get("reasons")).stream()
                .map(reason -> (Map<?, ?>) reason)
                .map(reason -> reason.get("level") + ": " + reason.get("what"))
                .toList();
    }

    @Test
    void fullDisksAreNamedAndItIsToldWhetherOthersHaveRoom() {
        assertEquals(List.of(), toldOfSingle(single(), 50, 50));
        assertEquals(
                List.of(
                        "warning: Disk /disk1 of chunk server c1 is nearly full. What is written"
                                + " goes to other disks."),
                toldOfSingle(single(1), 4, 50));
        assertEquals(
                List.of(
                        "warning: Disk /disk1 of chunk server c1 is full. Disk /disk2 of chunk"
                                + " server c2 is nearly full. No other disks take what these"
                                + " refuse."),
                toldOfSingle(single(1, 2), 0, 4));
        assertEquals(
                List.of(
                        "critical: No disks have room for 1 copy: writers hear 'No space left on"
                                + " device'. Disk /disk1 of chunk server c1 is full. Disk /disk2 of"
                                + " chunk server c2 is full."),
                toldOfSingle(single(1, 2), 0, 0));
    }

    /** Disks with other labels take nothing of what these refuse. */
    @Test
    void fullDisksOfOneLabelAreToldAlthoughOthersHaveRoom() {
        Pool.Kind ssd = new Pool.Kind(Compression.NONE, Labels.Expression.parse("disk=ssd"));
        ClusterMap plain = single(1);
        ClusterMap map =
                new ClusterMap(
                        7,
                        List.of(server(1), server(2)),
                        List.of(new Target(1, 11, 1).filled(true), new Target(2, 12, 2)),
                        List.of(new Pool(1, 1, 1, 2), new Pool(2, 1, 3, 1, ssd)),
                        List.of(
                                Objects.requireNonNull(plain.group(1)),
                                Objects.requireNonNull(plain.group(2)),
                                new PlacementGroup(3, 2, 1, List.of(new Member(1, SERVING)))));
        assertEquals(
                List.of(
                        "critical: No disks with the labels disk=ssd have room for 1 copy: writers"
                                + " hear 'No space left on device'. Disk /disk1 of chunk server c1"
                                + " is full."),
                toldOfSingle(map, 0, 50));
    }

    /** What is told of a full disk; two copies are the standard, and one server has a label. */
    private static List<String> toldOfLabelled(
            int full, int copiesWithLabel, MemberState first, long... free) {
        Pool.Kind ssd = new Pool.Kind(Compression.NONE, Labels.Expression.parse("disk=ssd"));
        Member third = new Member(3, SERVING);
        ClusterMap map =
                new ClusterMap(
                        7,
                        List.of(server(1), server(2), server(3)),
                        List.of(
                                new Target(1, 11, 1).filled(full == 1),
                                new Target(2, 12, 2).filled(full == 2),
                                new Target(3, 13, 3)),
                        List.of(new Pool(1, 2, 1, 2), new Pool(2, copiesWithLabel, 3, 1, ssd)),
                        List.of(
                                new PlacementGroup(1, 1, 1, List.of(new Member(2, SERVING), third)),
                                new PlacementGroup(2, 1, 1, List.of(new Member(1, SERVING), third)),
                                new PlacementGroup(3, 2, 1, List.of(new Member(1, first)))));
        return told(
                        map,
                        status(1, true, true, free[0]),
                        status(2, true, true, free[1]),
                        status(3, true, true))
                .stream()
                .filter(line -> line.contains("Disk "))
                .toList();
    }

    @Test
    void aFullDiskDoesNotAccountForServersWithALabelThatAreAway() {
        assertEquals(
                List.of(
                        "warning: Disk /disk2 of chunk server c2 is nearly full. What is written"
                                + " goes to other disks."),
                toldOfLabelled(2, 2, OFFLINE, 50, 4));
    }

    @Test
    void aLabelForFewerCopiesThanTheStandardIsToldToo() {
        assertEquals(
                List.of(
                        "critical: No disks with the labels disk=ssd have room for 1 copy: writers"
                                + " hear 'No space left on device'. Disk /disk1 of chunk server c1"
                                + " is full."),
                toldOfLabelled(1, 1, SERVING, 0, 50));
    }

    /** All masters were emptied, and found a new cluster beside the files of the old one. */
    @Test
    void whoHoldsDataOfAnotherClusterIsNamed() {
        Health health = new Health();
        Map<String, Long> foreign = new TreeMap<>(Map.of("c1", 0xabL, "c2", 0xabL));
        ClusterMap empty = new ClusterMap(1, List.of(), List.of(), List.of(), List.of());
        new StorageHealth(empty, List.of(), new Space(0, 0, 1), 0, Set.of(), 1_000)
                .tellForeign(foreign, 0xcd, health);
        String told = health.toJson().toString();
        assertTrue(
                told.contains(
                        "Chunk servers c1, c2 hold data of cluster 00000000000000ab, and this is"
                                + " cluster 00000000000000cd."),
                told);
        assertTrue(told.contains("critical") && told.contains("Format nothing"), told);
        Health beside = new Health();
        new StorageHealth(
                        map(),
                        List.of(status(1, true, true)),
                        new Space(100, 50, 2),
                        0,
                        Set.of(),
                        1_000)
                .tellForeign(Map.of("c9", 0xabL), 0xcd, beside);
        assertEquals("warning", beside.toJson().get("level"));
    }

    /** A move puts a new member beside the old one: it may be the old one that is gone. */
    @Test
    void aGroupThatHasAllItsCopiesIsNotShortOfTheOneThatIsOver() {
        List<Member> members =
                List.of(new Member(1, SERVING), new Member(3, SERVING), new Member(2, OFFLINE));
        ClusterMap map = withThird(new Pool(1, 2, 1, 1), members);
        assertEquals(
                List.of("warning: Chunk server c2 does not answer."),
                told(map, status(1, true, true), status(2, false, true), status(3, true, true)));
    }

    /** The pool says how many copies there are, not how many members are there during a move. */
    @Test
    void anUnusedPoolOfFewCopiesIsNotMissedWhileItsGroupsMove() {
        List<Member> members = List.of(new Member(2, LAST), new Member(1, OFFLINE));
        ClusterMap map = withThird(new Pool(1, 1, 1, 1), members);
        assertEquals(
                List.of("warning: Chunk server c2 does not answer."),
                told(map, status(1, true, true), status(2, false, true), status(3, true, true)));
        assertTrue(
                told(map, Set.of(1), status(1, true, true), status(3, true, true))
                        .getFirst()
                        .startsWith("critical: Chunk server c2 does not answer: 1 placement"));
    }

    private static ClusterMap withThird(Pool pool, List<Member> members) {
        return new ClusterMap(
                7,
                List.of(server(1), server(2), server(3)),
                List.of(new Target(1, 11, 1), new Target(2, 12, 2), new Target(3, 13, 3)),
                List.of(pool),
                List.of(new PlacementGroup(1, 1, 1, members)));
    }

    @Test
    void theLargestClustersAreNotFull() {
        Health health = new Health();
        ClusterMap map = map(group(1, 1, SERVING, SERVING));
        ServerStatus[] servers = {status(1, true, true), status(2, true, true)};
        Space space = new Space(1L << 58, 1L << 57, 2);
        new StorageHealth(map, List.of(servers), space, 0, Set.of(), 1_000).tell(health);
        assertEquals(List.of(), health.toJson().get("reasons"));
    }
}
