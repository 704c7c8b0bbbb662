package io.cairn.admin.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What administrators hear of pools with labels. */
final class LabelledPoolsTest {
    private static final long GIB = 1L << 30;

    /**
     * A map with one target on each server, and one group of two copies on servers 1 and 2, in a
     * pool for {@code disk=ssd}.
     *
     * @param state of the second copy
     * @param disks the label of each server
     */
    private static ClusterMap map(MemberState state, String... disks) {
        return map("disk=ssd", state, disks);
    }

    private static ClusterMap map(String expression, MemberState state, String... disks) {
        List<ChunkServer> servers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int id = 1; id <= disks.length; id++) {
            Labels labels = Labels.parse(List.of("disk=" + disks[id - 1]));
            Endpoint at = new Endpoint("c" + id, 1);
            servers.add(new ChunkServer(id, "c" + id, at, 1, 1, labels, 0));
            targets.add(new Target(id, 100 + id, id));
        }
        Pool.Kind ssd = new Pool.Kind(Compression.NONE, Labels.Expression.parse(expression));
        List<Member> members = List.of(new Member(1, MemberState.SERVING), new Member(2, state));
        return new ClusterMap(
                1,
                servers,
                targets,
                List.of(new Pool(1, 2, 1, 1, ssd)),
                List.of(new PlacementGroup(1, 1, 1, members)));
    }

    private static List<String> health(ClusterMap map) {
        Health health = new Health();
        new PlacementHealth(map, List.of(), Set.of(1), 0).tell(health);
        return Objects.requireNonNull((List<?>) health.toJson().get("reasons")).stream()
                .map(String::valueOf)
                .toList();
    }

    @Test
    void copiesThatLackServersWithTheLabelsAreTold() {
        assertEquals(List.of(), health(map(MemberState.SERVING, "ssd", "ssd", "hdd")));
        assertEquals(
                List.of(),
                health(map(MemberState.SERVING, "ssd", "hdd", "ssd")),
                "they move to the third server");
        List<String> told = health(map(MemberState.SERVING, "ssd", "hdd", "hdd"));
        assertEquals(1, told.size(), told.toString());
        assertTrue(told.getFirst().contains("1 placement group cannot get all"), told.toString());
        assertTrue(told.getFirst().contains("labels 'disk=ssd': too few"), told.toString());
        told = health(map(MemberState.OFFLINE, "ssd", "hdd", "hdd"));
        assertTrue(told.getFirst().contains("labels 'disk=ssd': too few"), told.toString());
    }

    @Test
    void copiesWithLabelsOfTheirOwnAreTold() {
        String both = "disk=ssd; disk=hdd";
        assertEquals(List.of(), health(map(both, MemberState.SERVING, "ssd", "hdd")));
        assertEquals(List.of(), health(map(both, MemberState.SERVING, "ssd", "ssd", "hdd")));
        List<String> told = health(map(both, MemberState.SERVING, "ssd", "ssd", "ssd"));
        assertTrue(told.getFirst().contains("labels '" + both + "': too few"), told.toString());
        ClusterMap map = map(both, MemberState.SERVING, "ssd", "hdd");
        List<Target> full = map.targets().stream().map(t -> t.filled(t.id() == 2)).toList();
        String limit = health(with(map, full)).getFirst();
        assertTrue(limit.contains("labels 'disk=hdd' are nearly full"), limit);
    }

    @Test
    void aLabelWithoutRoomIsTheLimit() {
        ClusterMap map = map(MemberState.SERVING, "ssd", "ssd", "hdd");
        List<Target> full = map.targets().stream().map(t -> t.filled(t.id() < 3)).toList();
        String told = health(with(map, full)).getFirst();
        assertTrue(told.contains("labels 'disk=ssd' are nearly full"), told);
        assertTrue(told.contains("the label is the limit"), told);
        full = map.targets().stream().map(t -> t.filled(t.id() < 2)).toList();
        assertEquals(List.of(), health(with(map, full)));
        full = map.targets().stream().map(t -> t.filled(true)).toList();
        assertEquals(List.of(), health(with(map, full)), "the label does not matter");
    }

    private static ClusterMap with(ClusterMap map, List<Target> targets) {
        return new ClusterMap(
                2,
                List.copyOf(map.servers()),
                targets,
                List.copyOf(map.pools()),
                List.copyOf(map.groups()));
    }

    @Test
    void aDrainNeedsServersWithTheLabels() {
        List<TargetReport> reports = new ArrayList<>();
        for (int id = 1; id <= 3; id++) {
            reports.add(new TargetReport(100 + id, 10 * GIB, 9 * GIB, 256, true));
        }
        ClusterMap possible = map(MemberState.SERVING, "ssd", "ssd", "ssd");
        assertEquals(List.of(), new Drain(possible, reports, Set.of(1), Set.of(1)).obstacles());
        ClusterMap map = map(MemberState.SERVING, "ssd", "ssd", "hdd");
        String told = new Drain(map, reports, Set.of(1), Set.of(1)).obstacles().getFirst();
        assertTrue(told.contains("1 placement group finds no other target"), told);
        assertTrue(told.contains("labels that the storage class asks for"), told);
    }
}
