package io.cairn.master.cluster;

import static io.cairn.cluster.MemberState.OFFLINE;
import static io.cairn.cluster.MemberState.SERVING;
import static io.cairn.cluster.MemberState.SYNCING;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.move.MoveDecision;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.master.cluster.move.TargetView;
import io.cairn.master.cluster.move.TargetView.Presence;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Disks that fail beside others of their server: target 1 failed, 2 is beside it. */
final class FailedDiskMovesTest {
    private static final int LOST = 1;
    private static final int BESIDE = 2;
    private static final int OTHER = 3;

    /** Targets 1 and 2 are on server 1; each further one has a server of its own. */
    private static int server(int target) {
        return target <= BESIDE ? 1 : target - 1;
    }

    /** One group of two copies, with its member on target 1 offline, and perhaps more members. */
    private static ClusterMap map(int targets, Member... more) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> all = new ArrayList<>();
        for (int id = 1; id <= targets; id++) {
            all.add(new Target(id, 100 + id, server(id)));
            if (id != BESIDE) {
                String name = "c" + server(id);
                servers.add(
                        new ChunkServer(
                                server(id), name, new Endpoint(name, 1), 1, 1, Labels.NONE, 0));
            }
        }
        List<Member> members = new ArrayList<>();
        members.add(new Member(OTHER, SERVING));
        members.add(new Member(LOST, OFFLINE));
        members.addAll(List.of(more));
        PlacementGroup group = new PlacementGroup(1, 1, 1, members);
        return new ClusterMap(1, servers, all, List.of(new Pool(1, 2, 1, 1)), List.of(group));
    }

    /** The members after one look, when target 2 has more room than all others. */
    private static List<Member> decide(ClusterMap map, Presence first) {
        Map<Integer, TargetView> views = new TreeMap<>();
        for (Target target : map.targets()) {
            int id = target.id();
            Presence presence = id == LOST ? first : Presence.HERE;
            long free = id == BESIDE ? 1_000 : 100;
            views.put(
                    id,
                    new TargetView(
                            id, server(id), presence, false, 1_000, free, Map.of(), Set.of()));
        }
        List<PlacementGroup> changed =
                new MoveDecision(map, views, MoveLimits.STANDARD).decide(group -> true);
        return changed.isEmpty() ? List.of() : changed.getFirst().members();
    }

    @Test
    void itsCopiesGoToAnotherDiskOfItsServerWhenNoOtherServerMayTakeThem() {
        List<Member> members = decide(map(3), Presence.LOST);
        assertEquals(
                List.of(
                        new Member(OTHER, SERVING),
                        new Member(LOST, OFFLINE),
                        new Member(BESIDE, SYNCING)),
                members);
    }

    @Test
    void theyGoToAnotherServerWhenThereIsOneThoughItHasLessRoom() {
        List<Member> members = decide(map(4), Presence.LOST);
        assertEquals(new Member(4, SYNCING), members.getLast());
        assertEquals(3, members.size());
    }

    @Test
    void theyDoNotGoToAServerThatIsNearlyFull() {
        ClusterMap map = map(4);
        MapDraft draft = new MapDraft(map);
        for (Target target : map.targets()) {
            if (target.id() == 4) {
                draft.put(target.filled(true));
            }
        }
        List<Member> members = decide(map.with(draft.delta()), Presence.LOST);
        assertEquals(new Member(BESIDE, SYNCING), members.getLast());
    }

    @Test
    void nothingMovesBesideADiskThatMayComeBack() {
        assertEquals(List.of(), decide(map(3), Presence.AWAY));
    }

    @Test
    void theFailedDiskLeavesWhenTheOtherOneServes() {
        List<Member> members = decide(map(3, new Member(BESIDE, SERVING)), Presence.LOST);
        assertEquals(List.of(new Member(OTHER, SERVING), new Member(BESIDE, SERVING)), members);
    }

    /** What one server has is lost with it, also while two of its disks have it. */
    @Test
    void twoMembersOnOneServerComeBeforeADrain() {
        List<Member> drained = List.of(new Member(OTHER, SERVING), new Member(5, SERVING));
        List<Member> beside = List.of(new Member(LOST, SERVING), new Member(BESIDE, SERVING));
        ClusterMap few = map(5);
        ClusterMap map =
                new ClusterMap(
                        1,
                        few.servers(),
                        few.targets(),
                        List.of(new Pool(1, 2, 1, 2)),
                        List.of(
                                new PlacementGroup(1, 1, 1, drained),
                                new PlacementGroup(2, 1, 1, beside)));
        Map<Integer, TargetView> views = new TreeMap<>();
        for (int id = 1; id <= 5; id++) {
            long free = id == 4 ? 100 : 0; // Only one of them has room, and for one copy at a time.
            views.put(
                    id,
                    new TargetView(
                            id, server(id), Presence.HERE, id == 5, 100, free, Map.of(), Set.of()));
        }
        List<PlacementGroup> changed =
                new MoveDecision(map, views, new MoveLimits(1_000, 1, 80, 0)).decide(_ -> true);
        assertEquals(List.of(2), changed.stream().map(PlacementGroup::id).toList());
        assertEquals(new Member(4, SYNCING), changed.getFirst().members().getLast());
    }
}
