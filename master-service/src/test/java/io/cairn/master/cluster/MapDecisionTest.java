package io.cairn.master.cluster;

import static io.cairn.cluster.MemberState.LAST_SERVING;
import static io.cairn.cluster.MemberState.OFFLINE;
import static io.cairn.cluster.MemberState.SERVING;
import static io.cairn.cluster.MemberState.SYNCING;
import static io.cairn.cluster.MemberState.WAITING;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.wire.master.ClusterRequest.Holdings;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.TargetLoad;
import io.cairn.wire.scrub.ScrubReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class MapDecisionTest {
    private static final boolean ALIVE = true;
    private static final boolean DEAD = false;

    /** On a machine that is never started anew. */
    private static ServerView server(int number, boolean alive, long incarnation) {
        return server(number, alive, incarnation, 50);
    }

    private static ServerView server(int number, boolean alive, long incarnation, long bootId) {
        TargetReport target = new TargetReport(100 + number, 1 << 30, 1 << 30, 0, true);
        return view(number, alive, incarnation, bootId, target);
    }

    private static ServerView server(int number, boolean alive, long incarnation, Endpoint at) {
        TargetReport target = new TargetReport(100 + number, 1 << 30, 1 << 30, 0, true);
        return new ServerView("c" + number, at, incarnation, 50, List.of(target), alive);
    }

    private static ServerView view(
            int number, boolean alive, long incarnation, long bootId, TargetReport... targets) {
        Endpoint endpoint = new Endpoint("h" + number, 1);
        return new ServerView("c" + number, endpoint, incarnation, bootId, List.of(targets), alive);
    }

    /** A server back on a machine that was started anew. */
    private static ServerView rebooted(int number) {
        return server(number, ALIVE, 90, 51);
    }

    /** Three servers, and one pool of three replicas over them. */
    private static ClusterMap founded() {
        ClusterMap entered =
                decide(
                        ClusterMap.EMPTY,
                        server(1, ALIVE, 1),
                        server(2, ALIVE, 1),
                        server(3, ALIVE, 1));
        assertNotNull(entered);
        MapDraft draft = new MapDraft(entered);
        PoolDecision.expand(draft, List.copyOf(entered.targets()), 3, Set.of(), 1);
        return entered.with(draft.delta());
    }

    private static @Nullable ClusterMap decide(ClusterMap map, ServerView... views) {
        return decide(map, Set.of(), views);
    }

    private static @Nullable ClusterMap decide(
            ClusterMap map, Set<Integer> impatient, ServerView... views) {
        MapDraft draft = new MapDraft(map);
        new MapDecision(draft, List.of(views), impatient).decide();
        return draft.delta().size() == 0 ? null : map.with(draft.delta());
    }

    /** All members lost their servers at once. */
    private static ClusterMap dark() {
        return changed(founded(), server(1, DEAD, 1), server(2, DEAD, 1), server(3, DEAD, 1));
    }

    private static ClusterMap changed(ClusterMap map, ServerView... views) {
        ClusterMap next = decide(map, views);
        assertNotNull(next, "a change was expected");
        assertEquals(map.epoch() + 1, next.epoch());
        return next;
    }

    private static List<MemberState> states(ClusterMap map) {
        PlacementGroup group = tripleGroup(map);
        List<MemberState> states = new ArrayList<>();
        for (int target = 1; target <= 3; target++) {
            MemberState state = group.stateOf(target);
            assertNotNull(state);
            states.add(state);
        }
        return states;
    }

    private static PlacementGroup tripleGroup(ClusterMap map) {
        return map.groups().stream().filter(g -> g.members().size() == 3).findFirst().orElseThrow();
    }

    private static ClusterMap withAll(ClusterMap map, MemberState from, MemberState to) {
        List<PlacementGroup> groups = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            List<Member> members = new ArrayList<>(group.members());
            members.replaceAll(m -> m.state() == from ? new Member(m.targetId(), to) : m);
            groups.add(new PlacementGroup(group.id(), group.poolId(), map.epoch() + 1, members));
        }
        return new ClusterMap(map.epoch() + 1, map.servers(), map.targets(), map.pools(), groups);
    }

    @Test
    void newServersAndTargetsAreEnteredOnce() {
        ClusterMap map = founded();
        assertEquals(3, map.servers().size());
        assertEquals(3, map.targets().size());
        assertNull(decide(map, server(1, ALIVE, 1), server(2, ALIVE, 1), server(3, ALIVE, 1)));
    }

    @Test
    void labelsFollowTheServerAndWhatAnAdministratorSetStays() {
        ClusterMap map = founded();
        List<ChunkServer> servers = new ArrayList<>();
        map.servers().forEach(s -> servers.add(s.maintainedUntil(777)));
        List<Target> targets = new ArrayList<>();
        map.targets().forEach(t -> targets.add(t.in(TargetState.DRAINING)));
        map = new ClusterMap(map.epoch(), servers, targets, map.pools(), map.groups());
        Labels labels = Labels.parse(List.of("rack=r1"));
        TargetReport target = new TargetReport(101, 1 << 30, 1 << 30, 0, true);
        Endpoint moved = new Endpoint("elsewhere", 1);
        ServerView view =
                new ServerView(
                        "c1",
                        moved,
                        9,
                        50,
                        List.of(target),
                        true,
                        new Declaration(false, false, labels));
        map = changed(map, view, server(2, ALIVE, 1), server(3, ALIVE, 1));
        ChunkServer server = map.server("c1");
        assertNotNull(server);
        assertEquals(labels, server.labels());
        assertEquals(moved, server.endpoint());
        assertEquals(777, server.maintenanceUntilMs());
        assertTrue(target(map, 101).isDraining());
        assertNull(
                decide(map, server(1, ALIVE, 9, moved), server(2, ALIVE, 1), server(3, ALIVE, 1)));
        // The report of another directory, then none at all.
        view =
                new ServerView(
                        "c1", moved, 9, 50, List.of(), true, new Declaration(false, true, labels));
        map = changed(map, view, server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertTrue(target(map, 101).isDraining());
        assertEquals(0, target(map, 101).serverId());
        assertNull(decide(map, view, server(2, ALIVE, 1), server(3, ALIVE, 1)));
    }

    private static ServerView replacing(int number, boolean replaces, TargetReport... targets) {
        Endpoint endpoint = new Endpoint("h" + number, 1);
        return new ServerView(
                "c" + number,
                endpoint,
                1,
                50,
                List.of(targets),
                ALIVE,
                new Declaration(false, replaces, Labels.NONE));
    }

    @Test
    void aReplacedTargetIsNobodysUntilItComesBackAndGoesWhenNothingNeedsIt() {
        TargetReport old = new TargetReport(101, 1 << 30, 1 << 30, 0, true);
        TargetReport fresh = new TargetReport(111, 1 << 30, 1 << 30, 0, true);
        TargetReport idle = new TargetReport(121, 1 << 30, 1 << 30, 0, true);
        ClusterMap map = founded();
        map =
                changed(
                        map,
                        replacing(1, false, old, idle),
                        server(2, ALIVE, 1),
                        server(3, ALIVE, 1));
        map = changed(map, replacing(1, false, idle), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(1, target(map, 101).serverId(), "missing, not replaced");
        map = changed(map, replacing(1, true, fresh), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(0, target(map, 101).serverId());
        assertEquals(1, target(map, 111).serverId());
        assertEquals(
                List.of(102L, 103L, 101L, 111L).stream().sorted().toList(),
                map.targets().stream().map(Target::identity).sorted().toList(),
                "no group needs the idle one");
        map =
                changed(
                        map,
                        replacing(1, false, fresh, old),
                        server(2, ALIVE, 1),
                        server(3, ALIVE, 1));
        assertEquals(1, target(map, 101).serverId());
        assertEquals(List.of(SYNCING, SERVING, SERVING), states(map));
    }

    @Test
    void theLastStartOfATargetIsKept() {
        ClusterMap map = founded();
        ServerView[] others = {server(2, ALIVE, 1), server(3, ALIVE, 1)};
        map = changed(map, view(1, ALIVE, 8, 50, started(7L, 8L)), others[0], others[1]);
        assertEquals(8, target(map, 101).start());
        assertNull(decide(map, view(1, ALIVE, 8, 50, started()), others[0], others[1]));
        // An older copy, taken on: what was synced since may be lost.
        map = changed(map, view(1, ALIVE, 9, 50, started(7L, 9L)), others[0], others[1]);
        assertEquals(List.of(SYNCING, SERVING, SERVING), states(map));
        assertEquals(9, target(map, 101).start());
    }

    private static TargetReport started(Long... starts) {
        return new TargetReport(
                101,
                1 << 30,
                1 << 30,
                0,
                true,
                0,
                "",
                TargetLoad.NONE,
                List.of(),
                List.of(starts),
                "",
                ScrubReport.NONE,
                Holdings.NONE,
                0);
    }

    private static Target target(ClusterMap map, long identity) {
        return map.targets().stream()
                .filter(each -> each.identity() == identity)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void poolsExistForEveryNumberOfReplicas() {
        ClusterMap map = founded();
        for (int replicas = 1; replicas <= 3; replicas++) {
            var pool = map.youngestPool(replicas);
            assertNotNull(pool);
            assertEquals(3 * PoolPlan.GROUPS_PER_TARGET, pool.groupCount());
            for (int i = 0; i < pool.groupCount(); i++) {
                PlacementGroup group = map.group(pool.firstGroup() + i);
                assertNotNull(group);
                assertEquals(pool.id(), group.poolId());
            }
        }
    }

    @Test
    void aLostMemberLeavesAndSyncsWhenItReturns() {
        ClusterMap map = founded();
        ClusterMap lost =
                changed(map, server(1, DEAD, 1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(List.of(OFFLINE, SERVING, SERVING), states(lost));
        assertTrue(tripleGroup(lost).epoch() > tripleGroup(map).epoch());
        ClusterMap back =
                changed(lost, server(1, ALIVE, 2), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(List.of(SYNCING, SERVING, SERVING), states(back));
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(back).unbrokenSince());
        assertNull(decide(back, server(1, ALIVE, 2), server(2, ALIVE, 1), server(3, ALIVE, 1)));
    }

    @Test
    void aQuickRestartOfAMachineAlsoSyncs() {
        ClusterMap next = changed(founded(), rebooted(1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(List.of(SYNCING, SERVING, SERVING), states(next));
    }

    @Test
    void aQuickRestartOfAProcessGivesANewEpochAndGoesOnServing() {
        ClusterMap next =
                changed(founded(), server(1, ALIVE, 9), server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(List.of(SERVING, SERVING, SERVING), states(next));
        assertEquals(next.epoch(), tripleGroup(next).epoch());
        ClusterMap lost = changed(next, server(1, ALIVE, 9), server(2, DEAD, 1), rebooted(3));
        assertEquals(List.of(SERVING, OFFLINE, SYNCING), states(lost));
    }

    @Test
    void aRestartOfTheOnlyReplicaGivesANewEpochAndGoesOnServing() {
        ClusterMap map = founded();
        ClusterMap next =
                changed(map, server(1, ALIVE, 9), server(2, ALIVE, 9), server(3, ALIVE, 9));
        assertEquals(List.of(SERVING, SERVING, SERVING), states(next));
        assertEquals(next.epoch(), tripleGroup(next).epoch());
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(next).unbrokenSince());
    }

    @Test
    void aRestartOfAllMachinesBreaksTheGroup() {
        ClusterMap next = changed(founded(), rebooted(1), rebooted(2), rebooted(3));
        assertEquals(List.of(SERVING, SERVING, SERVING), states(next));
        assertEquals(next.epoch(), tripleGroup(next).unbrokenSince());
        assertNull(decide(next, rebooted(1), rebooted(2), rebooted(3)));
    }

    @Test
    void whoDoesNotKnowItsBootCountsAsRebooted() {
        ClusterMap next =
                changed(
                        founded(),
                        server(1, ALIVE, 9, 0),
                        server(2, ALIVE, 9, 0),
                        server(3, ALIVE, 9, 0));
        assertEquals(next.epoch(), tripleGroup(next).unbrokenSince());
        ClusterMap again =
                changed(
                        next,
                        server(1, ALIVE, 10, 0),
                        server(2, ALIVE, 10, 0),
                        server(3, ALIVE, 10, 0));
        assertEquals(again.epoch(), tripleGroup(again).unbrokenSince());
    }

    @Test
    void whoKeptItsMemoryGoesBeforeThoseThatLostIt() {
        ClusterMap map = founded();
        ClusterMap next = changed(map, rebooted(1), server(2, ALIVE, 9), rebooted(3));
        assertEquals(List.of(SYNCING, SERVING, SYNCING), states(next));
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(next).unbrokenSince());
    }

    @Test
    void membersLostTogetherAreAllLastServingAndTheFirstToReturnServes() {
        ClusterMap map = founded();
        ClusterMap dark = changed(map, server(1, DEAD, 1), server(2, DEAD, 1), server(3, DEAD, 1));
        assertEquals(List.of(LAST_SERVING, LAST_SERVING, LAST_SERVING), states(dark));
        ClusterMap one = changed(dark, server(1, DEAD, 1), server(2, ALIVE, 2), server(3, DEAD, 1));
        assertEquals(List.of(OFFLINE, SERVING, OFFLINE), states(one));
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(one).unbrokenSince());
    }

    @Test
    void whoLostItsMemoryWaitsForThoseAway() {
        ClusterMap map = founded();
        ClusterMap one = changed(map, rebooted(1), server(2, DEAD, 1), server(3, DEAD, 1));
        assertEquals(List.of(WAITING, LAST_SERVING, LAST_SERVING), states(one));
        assertNull(decide(one, rebooted(1), server(2, DEAD, 1), server(3, DEAD, 1)));
        ClusterMap two = changed(one, rebooted(1), rebooted(2), server(3, DEAD, 1));
        assertEquals(List.of(WAITING, WAITING, LAST_SERVING), states(two));
        ClusterMap good = changed(two, rebooted(1), rebooted(2), server(3, ALIVE, 2));
        assertEquals(List.of(SYNCING, SYNCING, SERVING), states(good));
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(good).unbrokenSince());
        ClusterMap none = changed(two, rebooted(1), rebooted(2), rebooted(3));
        assertEquals(List.of(SERVING, SERVING, SERVING), states(none));
        assertEquals(none.epoch(), tripleGroup(none).unbrokenSince());
    }

    @Test
    void patienceEnds() {
        ClusterMap one = changed(dark(), rebooted(1), server(2, DEAD, 1), server(3, DEAD, 1));
        Set<Integer> impatient = Set.of(tripleGroup(one).id());
        ClusterMap next =
                decide(one, impatient, rebooted(1), server(2, DEAD, 1), server(3, DEAD, 1));
        assertNotNull(next);
        assertEquals(List.of(SERVING, OFFLINE, OFFLINE), states(next));
        assertEquals(next.epoch(), tripleGroup(next).unbrokenSince());
        ClusterMap back = changed(next, rebooted(1), server(2, ALIVE, 1), server(3, DEAD, 1));
        assertEquals(List.of(SERVING, SYNCING, OFFLINE), states(back));
    }

    @Test
    void whoWaitsAndGoesAwayIsNotWaitedFor() {
        ClusterMap one = changed(dark(), rebooted(1), server(2, DEAD, 1), server(3, DEAD, 1));
        ClusterMap next = changed(one, server(1, DEAD, 90, 51), rebooted(2), rebooted(3));
        assertEquals(List.of(OFFLINE, SERVING, SERVING), states(next));
    }

    @Test
    void whoWasOnlyAwayLostNothing() {
        ClusterMap map = founded();
        ClusterMap dark = changed(map, server(1, DEAD, 1), server(2, DEAD, 1), server(3, DEAD, 1));
        ClusterMap back =
                changed(dark, server(1, DEAD, 1), server(2, ALIVE, 1), server(3, DEAD, 1));
        assertEquals(List.of(OFFLINE, SERVING, OFFLINE), states(back));
        assertEquals(tripleGroup(map).unbrokenSince(), tripleGroup(back).unbrokenSince());
    }

    @Test
    void aLastOneWithoutItsDiskLostItsMemoryAllTheSame() {
        TargetReport sick = new TargetReport(102, 1 << 30, 0, 0, false);
        ServerView view = view(2, ALIVE, 90, 51, sick);
        ClusterMap seen = changed(dark(), server(1, DEAD, 1), view, server(3, DEAD, 1));
        assertEquals(List.of(LAST_SERVING, WAITING, LAST_SERVING), states(seen));
        ClusterMap healed = changed(seen, server(1, DEAD, 1), rebooted(2), server(3, DEAD, 1));
        assertEquals(List.of(LAST_SERVING, WAITING, LAST_SERVING), states(healed));
        ClusterMap back = changed(healed, rebooted(1), rebooted(2), rebooted(3));
        assertEquals(List.of(SERVING, SERVING, SERVING), states(back));
        assertEquals(back.epoch(), tripleGroup(back).unbrokenSince());
    }

    @Test
    void onlyTheLastServingOneReturnsAsServing() {
        ClusterMap two =
                changed(founded(), server(1, DEAD, 1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap none = changed(two, server(1, DEAD, 1), server(2, DEAD, 1), server(3, DEAD, 1));
        assertEquals(List.of(OFFLINE, LAST_SERVING, LAST_SERVING), states(none));
        ClusterMap stale =
                decide(none, server(1, ALIVE, 2), server(2, DEAD, 1), server(3, DEAD, 1));
        if (stale != null) {
            assertEquals(List.of(OFFLINE, LAST_SERVING, LAST_SERVING), states(stale));
        }
        ClusterMap good =
                changed(none, server(1, ALIVE, 2), server(2, DEAD, 1), server(3, ALIVE, 2));
        assertEquals(List.of(SYNCING, OFFLINE, SERVING), states(good));
    }

    @Test
    void aSyncingMemberIsNeverTheLastServing() {
        ClusterMap map =
                changed(founded(), server(1, DEAD, 1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap syncing =
                changed(map, server(1, ALIVE, 2), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap left =
                changed(syncing, server(1, ALIVE, 2), server(2, DEAD, 1), server(3, DEAD, 1));
        assertEquals(List.of(SYNCING, LAST_SERVING, LAST_SERVING), states(left));
        assertNull(tripleGroup(left).head());
    }

    @Test
    void aFailedDiskLeavesThoughItsServerLives() {
        TargetReport sick = new TargetReport(101, 1 << 30, 0, 0, false);
        ServerView view = view(1, ALIVE, 1, 50, sick);
        ClusterMap next = changed(founded(), view, server(2, ALIVE, 1), server(3, ALIVE, 1));
        assertEquals(List.of(OFFLINE, SERVING, SERVING), states(next));
    }

    @Test
    void aDiskMovedToAnotherServerKeepsItsIdentity() {
        TargetReport own = new TargetReport(102, 1 << 30, 1 << 30, 0, true);
        TargetReport moved = new TargetReport(101, 1 << 30, 1 << 30, 0, true);
        ServerView two = view(2, ALIVE, 1, 50, own, moved);
        ClusterMap next = changed(founded(), two, server(3, ALIVE, 1));
        assertEquals(3, next.targets().size());
        var server = next.serverOfTarget(1);
        assertNotNull(server);
        assertEquals("c2", server.name());
    }

    @Test
    void aDiskBesideAnotherMemberOfItsGroupsIsAMemberLikeAnyOther() {
        TargetReport own = new TargetReport(102, 1 << 30, 1 << 30, 0, true);
        TargetReport moved = new TargetReport(101, 1 << 30, 1 << 30, 0, true);
        ServerView two = view(2, ALIVE, 1, 50, own, moved);
        ClusterMap lost =
                changed(founded(), server(1, DEAD, 1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap beside = changed(lost, two, server(3, ALIVE, 1));
        assertEquals(List.of(SYNCING, SERVING, SERVING), states(beside));
        assertNull(decide(beside, two, server(3, ALIVE, 1)));
        assertNull(decide(withAll(beside, SYNCING, SERVING), two, server(3, ALIVE, 1)));
    }

    @Test
    void ofTwoMembersOnOneServerTheOneThatServedLastServes() {
        TargetReport own = new TargetReport(102, 1 << 30, 1 << 30, 0, true);
        TargetReport moved = new TargetReport(101, 1 << 30, 1 << 30, 0, true);
        ClusterMap two =
                changed(founded(), server(1, ALIVE, 1), server(2, DEAD, 1), server(3, DEAD, 1));
        ClusterMap none = changed(two, server(1, DEAD, 1), server(2, DEAD, 1), server(3, DEAD, 1));
        assertEquals(List.of(LAST_SERVING, OFFLINE, OFFLINE), states(none));
        ClusterMap next = changed(none, view(2, ALIVE, 2, 50, own, moved), server(3, ALIVE, 1));
        assertEquals(List.of(SERVING, SYNCING, SYNCING), states(next));
    }

    @Test
    void syncedMembersServeAgain() {
        ClusterMap map =
                changed(founded(), server(1, DEAD, 1), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap syncing =
                changed(map, server(1, ALIVE, 2), server(2, ALIVE, 1), server(3, ALIVE, 1));
        ClusterMap synced = withAll(syncing, SYNCING, SERVING);
        assertEquals(List.of(SERVING, SERVING, SERVING), states(synced));
        assertNull(decide(synced, server(1, ALIVE, 2), server(2, ALIVE, 1), server(3, ALIVE, 1)));
    }
}
