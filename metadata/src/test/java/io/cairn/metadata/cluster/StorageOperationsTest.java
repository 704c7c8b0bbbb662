package io.cairn.metadata.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Labels;
import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.StorageMutation.RemoveStorage;
import io.cairn.wire.master.LeaderMutation.StorageMutation.SetLabels;
import io.cairn.wire.master.LeaderMutation.StorageMutation.SetMaintenance;
import io.cairn.wire.master.LeaderMutation.StorageMutation.SetTargetState;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class StorageOperationsTest {
    private final Bench bench = new Bench();

    /** Server 1 with target 1, which groups use; server 2 with the targets 2 and 3, idle. */
    @BeforeEach
    void enter() {
        ClusterMap used = Bench.map(1, 2);
        List<ChunkServer> servers = new ArrayList<>(List.copyOf(used.servers()));
        servers.add(new ChunkServer(2, "c2", new Endpoint("c2", 1), 1));
        List<Target> targets = new ArrayList<>(List.copyOf(used.targets()));
        targets.add(new Target(2, 6, 2));
        targets.add(new Target(3, 7, 2));
        bench.changeMap(new ClusterMap(1, servers, targets, used.pools(), used.groups()));
    }

    private ClusterMap map() {
        return bench.namespace.clusterMap();
    }

    private void done(LeaderMutation mutation) {
        assertEquals(new Reply.Done(), bench.leader(mutation));
    }

    private void refused(Errno errno, String why, LeaderMutation mutation) {
        ClusterMap before = map();
        Reply.Failure failure = assertInstanceOf(Reply.Failure.class, bench.leader(mutation));
        assertEquals(errno, failure.errno());
        assertTrue(failure.message().contains(why), failure.message());
        assertEquals(before, map());
        assertEquals(List.of(), bench.notices);
    }

    private Target target(int id) {
        Target target = map().target(id);
        assertNotNull(target);
        return target;
    }

    @Test
    void targetsDrainAndComeBackIntoUse() {
        int[] both = {2, 3};
        done(new SetTargetState(both, TargetState.DRAINING));
        assertEquals(2, map().epoch());
        assertTrue(target(2).isDraining() && target(3).isDraining());
        assertFalse(target(1).isDraining());
        Push.MapChanged news = (Push.MapChanged) bench.notices.getFirst().push();
        assertEquals(2, news.epoch());
        done(new SetTargetState(both, TargetState.DRAINING));
        assertEquals(2, map().epoch(), "nothing changed");
        bench.reopen();
        assertTrue(target(3).isDraining());
        done(new SetTargetState(new int[] {3}, TargetState.IN_USE));
        assertFalse(target(3).isDraining());
        refused(
                Errno.ENOENT,
                "no target 9",
                new SetTargetState(new int[] {2, 9}, TargetState.IN_USE));
    }

    @Test
    void maintenanceEndsAtATimeOfTheMasters() {
        done(new SetMaintenance(2, 60_000));
        ChunkServer server = map().server(2);
        assertNotNull(server);
        long untilMs = server.maintenanceUntilMs();
        assertTrue(untilMs >= 60_000);
        assertTrue(server.isMaintained(untilMs - 1) && !server.isMaintained(untilMs));
        bench.reopen();
        assertEquals(server, map().server(2));
        done(new SetMaintenance(2, 0));
        server = map().server(2);
        assertNotNull(server);
        assertEquals(0, server.maintenanceUntilMs());
        refused(Errno.ENOENT, "no chunk server 7", new SetMaintenance(7, 1000));
        refused(Errno.EINVAL, "-5", new SetMaintenance(1, -5));
        refused(Errno.EINVAL, "7 days", new SetMaintenance(1, Long.MAX_VALUE));
    }

    @Test
    void labelsOfAnAdministratorAreKept() {
        Labels labels = Labels.parse(List.of("rack=r1"));
        done(new SetLabels(2, labels));
        bench.reopen();
        ChunkServer server = map().server(2);
        assertNotNull(server);
        assertEquals(labels, server.labels());
        refused(Errno.ENOENT, "no chunk server 7", new SetLabels(7, labels));
    }

    @Test
    void onlyWhatHoldsNothingIsRemoved() {
        refused(
                Errno.ENOTEMPTY,
                "target 1 is a member of 1 group",
                new RemoveStorage(new int[0], new int[] {1, 2}));
        refused(
                Errno.ENOTEMPTY,
                "target 1 is a member of 1 group",
                new RemoveStorage(new int[] {1}, new int[0]));
        refused(Errno.ENOENT, "no target 8", new RemoveStorage(new int[0], new int[] {8}));
        done(new RemoveStorage(new int[0], new int[] {3}));
        assertNull(map().target(3));
        assertNotNull(map().target(2));
        done(new RemoveStorage(new int[] {2}, new int[0]));
        assertNull(map().server(2));
        assertNull(map().server("c2"));
        assertNull(map().target(2));
        bench.reopen();
        assertNull(map().server(2));
        assertNotNull(map().server(1));
        assertEquals(List.of(), bench.namespace.check());
    }
}
