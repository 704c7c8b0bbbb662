package io.cairn.cluster;

import static io.cairn.cluster.MapDelta.Gone.NOTHING;
import static io.cairn.cluster.MapDelta.PART_RECORDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.wire.Codecs;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.Test;

@NullUnmarked
class ClusterMapTest {
    private static final ChunkServer SERVER = new ChunkServer(1, "c1", new Endpoint("h", 1), 77);
    private static final Target TARGET = new Target(5, 99, 1);
    private static final Pool OLD = new Pool(1, 2, 1, 1);
    private static final Pool YOUNG = new Pool(2, 2, 2, 1);
    private static final PlacementGroup GROUP =
            new PlacementGroup(
                    1,
                    1,
                    3,
                    List.of(
                            new Member(4, MemberState.OFFLINE),
                            new Member(5, MemberState.SERVING),
                            new Member(6, MemberState.SYNCING),
                            new Member(7, MemberState.WAITING)));

    private static ClusterMap map(long epoch) {
        return new ClusterMap(
                epoch, List.of(SERVER), List.of(TARGET), List.of(OLD, YOUNG), List.of(GROUP));
    }

    @Test
    void partsAreFoundById() {
        ClusterMap map = map(1);
        assertEquals(SERVER, map.server(1));
        assertEquals(TARGET, map.target(5));
        assertEquals(SERVER, map.serverOfTarget(5));
        assertEquals(OLD, map.pool(1));
        assertEquals(GROUP, map.group(1));
        assertNull(map.server(2));
        assertNull(map.target(1));
        assertNull(map.serverOfTarget(1));
        assertNull(map.pool(3));
        assertNull(map.group(2));
    }

    @Test
    void currentMembersOnOneServerAreBesideEachOther() {
        ChunkServer other = new ChunkServer(2, "c2", new Endpoint("i", 1), 78);
        List<Target> targets =
                List.of(new Target(4, 98, 2), TARGET, new Target(6, 100, 1), new Target(7, 101, 2));
        ClusterMap map =
                new ClusterMap(
                        1, List.of(SERVER, other), targets, List.of(OLD, YOUNG), List.of(GROUP));
        assertTrue(map.isBesideMember(GROUP, 5));
        assertTrue(map.isBesideMember(GROUP, 6));
        assertFalse(map.isBesideMember(GROUP, 4), "the other one gets nothing");
        assertFalse(map.isBesideMember(GROUP, 7));
        assertFalse(map(1).isBesideMember(GROUP, 5), "nobody knows where the others are");
    }

    /** During a move between two disks of one server, while the other copy is away. */
    @Test
    void twoMembersOnOneServerAreOneCopy() {
        ChunkServer other = new ChunkServer(2, "c2", new Endpoint("i", 1), 78);
        List<Target> targets = List.of(new Target(4, 98, 2), TARGET, new Target(6, 100, 1));
        List<Member> members =
                List.of(
                        new Member(5, MemberState.SERVING),
                        new Member(6, MemberState.SERVING),
                        new Member(4, MemberState.OFFLINE));
        PlacementGroup moving = new PlacementGroup(1, 1, 3, members);
        ClusterMap map =
                new ClusterMap(
                        1, List.of(SERVER, other), targets, List.of(OLD, YOUNG), List.of(moving));
        assertEquals(1, map.servingServers(moving));
        assertTrue(map.isShort(moving), "what one server has is lost with it");
    }

    @Test
    void theTargetsOfALayoutAreThoseOfItsGroups() {
        for (int pool = 0; pool <= 3; pool++) {
            Layout layout = new Layout(22, 0, 4711, List.of(Layout.Run.of(0, pool, 1)));
            Set<Long> known = pool == OLD.id() ? Set.of(TARGET.identity()) : Set.of();
            assertEquals(known, Stripe.targets(map(1), layout));
        }
        List<Layout.Run> runs = List.of(Layout.Run.of(0, 2, 1), Layout.Run.of(5, 1, 2));
        assertEquals(Set.of(99L), Stripe.targets(map(1), new Layout(22, 1, 4711, runs)));
    }

    @Test
    void theYoungestPoolTakesNewFiles() {
        assertEquals(YOUNG, map(1).youngestPool(2));
        assertNull(map(1).youngestPool(3));
    }

    @Test
    void mapsAreEqualByContents() {
        assertEquals(map(1), map(1));
        assertEquals(map(1).hashCode(), map(1).hashCode());
        assertNotEquals(map(1), map(2));
        assertNotEquals(map(0), ClusterMap.EMPTY);
    }

    @Test
    void partsAreCopied() {
        List<ChunkServer> servers = new ArrayList<>(List.of(SERVER));
        ClusterMap map = new ClusterMap(1, servers, List.of(), List.of(), List.of());
        servers.clear();
        assertEquals(List.of(SERVER), List.copyOf(map.servers()));
    }

    @Test
    void aMapIsTheOneBeforeAndWhatChanged() {
        ClusterMap first = map(1);
        PlacementGroup headless =
                GROUP.next(2, false, List.of(new Member(5, MemberState.LAST_SERVING)));
        ClusterMap second =
                new ClusterMap(
                        2,
                        List.of(SERVER, new ChunkServer(9, "c9", new Endpoint("h", 9), 1)),
                        List.of(new Target(5, 99, 9), new Target(6, 98, 9)),
                        List.of(OLD, YOUNG),
                        List.of(headless));
        MapDelta delta = second.since(first);
        assertEquals(4, delta.size(), "a server, two targets, a group");
        ClusterMap next = first.with(delta);
        assertEquals(second, next);
        assertFalse(next.isAvailable());
        assertFalse(next.isAvailable(1));
        assertEquals("c9", next.server("c9").name());
        assertEquals(6, next.targetOf(98).id());
        assertNull(next.targetOf(97));
        assertEquals(List.of(headless), next.groupsOf(next.target(5)));
        assertEquals(List.of(), next.groupsOf(next.target(6)));
        assertEquals(List.of(), next.targetsOf(SERVER));
        assertEquals(2, next.targetsOf(next.server(9)).size());
        assertEquals(List.of(TARGET), first.targetsOf(SERVER), "the older one stays as it is");

        // The groups of a pool go with it.
        MapDelta.Gone gone = new MapDelta.Gone(List.of(1), List.of(6), List.of(1));
        ClusterMap less =
                next.with(new MapDelta(2, 3, List.of(), List.of(), List.of(), List.of(), gone));
        assertNull(less.pool(1));
        assertNull(less.group(1));
        assertNull(less.server("c1"));
        assertNull(less.targetOf(98));
        assertTrue(less.isAvailable());
        assertEquals(gone, less.since(next).gone());
        assertFalse(less.takes(delta));
        assertThrows(IllegalArgumentException.class, () -> less.with(delta));
        assertEquals(second, less.with(second.since(ClusterMap.EMPTY)), "a whole map");
    }

    @Test
    void aFetchBeginsAnewWhenTheMasterForgot() {
        MapDelta all =
                new MapDelta(
                        0, 5, servers(3 * PART_RECORDS), List.of(), List.of(), List.of(), NOTHING);
        MapFetch fetch = new MapFetch(ClusterMap.EMPTY);
        assertFalse(fetch.take(all.part(0)));
        assertEquals(PART_RECORDS, fetch.at());
        assertEquals(5, fetch.wantedEpoch());
        MapDelta later =
                new MapDelta(
                        0, 7, servers(2 * PART_RECORDS), List.of(), List.of(), List.of(), NOTHING);
        assertFalse(fetch.take(later.part(0)));
        assertEquals(7, fetch.wantedEpoch());
        assertFalse(fetch.take(all.part(PART_RECORDS)), "a part of another map");
        assertEquals(0, fetch.at());
        assertFalse(fetch.take(later.part(0)));
        assertTrue(fetch.take(later.part(fetch.at())));
        assertEquals(2 * PART_RECORDS, fetch.map().servers().size());
        assertTrue(new MapFetch(fetch.map()).take(null));
    }

    private static List<ChunkServer> servers(int count) {
        List<ChunkServer> servers = new ArrayList<>();
        for (int id = 1; id <= count; id++) {
            servers.add(new ChunkServer(id, "c" + id, new Endpoint("h", id), 1));
        }
        return servers;
    }

    @Test
    void theHeadIsTheFirstThatServes() {
        assertEquals(new Member(5, MemberState.SERVING), GROUP.head());
        assertNull(new PlacementGroup(1, 1, 1, List.of(new Member(1, MemberState.SYNCING))).head());
        assertTrue(GROUP.isCurrent(5));
        assertTrue(GROUP.isCurrent(6));
        assertFalse(GROUP.isCurrent(4));
        assertFalse(GROUP.isCurrent(7));
        assertFalse(GROUP.isCurrent(8));
        assertEquals(MemberState.WAITING, GROUP.stateOf(7));
        assertNull(GROUP.stateOf(8));
    }

    /** What a message tells of a policy. */
    private static Policy carried(Policy policy) {
        Encoder message = new Encoder();
        Codecs.policy(message, policy);
        return Codecs.policy(new Decoder(message.toBytes()));
    }

    @Test
    void inlineLimitsArePowersOfTwo() {
        for (int bytes : new int[] {-1, 0, 512, 1024, 2048, 4096, 8192, 16_384}) {
            Policy policy = new Policy(15, 26, -1).with(Policy.Compression.ZSTD).withInline(bytes);
            assertTrue(policy.isPossible());
            assertEquals(policy, carried(policy));
            Policy labelled = policy.with(Labels.Expression.parse("disk=ssd,!rack=r1"));
            assertEquals(labelled, carried(labelled));
        }
        for (int bytes : new int[] {-2, 1, 100, 256, 3000, 32_768}) {
            assertFalse(Policy.STANDARD.withInline(bytes).isPossible());
        }
        assertFalse(carried(new Policy(16, 0, -1)).isPossible());
        assertFalse(carried(new Policy(-1, 0, -1).withInline(0)).isPossible());
        byte[] unknown = {(byte) 0x80, 0, 0, 0, 0, 0};
        assertThrows(MalformedMessageException.class, () -> Codecs.policy(new Decoder(unknown)));
    }

    @Test
    void keysAreInheritedUnlessThereIsToBeNone() {
        Labels.Expression ssd = Labels.Expression.parse("disk=ssd");
        Policy none = Policy.STANDARD.withKey(Policy.NO_KEY);
        for (int key : new int[] {Policy.NO_KEY, 0, 1, 65_535}) {
            Policy policy = new Policy(2, 16, -1).with(ssd).withKey(key);
            assertTrue(policy.isPossible());
            assertEquals(policy, carried(policy));
            assertEquals(Math.max(0, key), policy.kind().key());
            assertEquals(Math.max(0, key), Policy.STANDARD.orElse(policy).key());
            assertEquals(0, none.orElse(policy).key());
            assertEquals(7, Policy.STANDARD.withKey(7).orElse(policy).key());
        }
        assertFalse(Policy.STANDARD.withKey(-2).isPossible());
        assertEquals(4096, none.inlineLimitBytes(4096));
        byte[] impossible = {0, 0x1e, -1, -1, -1, -1, 16, -1, -1, -1, -2};
        assertThrows(MalformedMessageException.class, () -> Codecs.policy(new Decoder(impossible)));
    }

    @Test
    void policiesInherit() {
        Policy parent = new Policy(3, 20, 2);
        assertEquals(parent, Policy.STANDARD.orElse(parent));
        assertEquals(new Policy(3, 20, 0), new Policy(0, 0, 0).orElse(parent));
        assertEquals(new Policy(1, 16, 5), new Policy(1, 16, 5).orElse(parent));
        assertEquals(0, new Policy(1, 16, 5).withInline(0).orElse(parent).inlineBytes());
        assertEquals(512, Policy.STANDARD.orElse(parent.withInline(512)).inlineBytes());
        assertEquals(4096, Policy.STANDARD.inlineLimitBytes(4096));
        assertEquals(0, Policy.STANDARD.withInline(0).inlineLimitBytes(4096));
    }
}
