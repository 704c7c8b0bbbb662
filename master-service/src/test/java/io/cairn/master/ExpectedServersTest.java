package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.cluster.ServerStatus;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.MasterRequest;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Chunk servers that are expected, those that come, those that a new leader has not heard, and
 * those that could not reach a master.
 */
final class ExpectedServersTest {
    private static final int EXPECTED = 3;

    private final HandScheduler time = new HandScheduler();
    private final LoneTransport transport = new LoneTransport();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final DirectLog log = new DirectLog(namespace);
    private final LoneTransport.Peer peer = new LoneTransport.Peer();
    private MasterService master;

    @BeforeEach
    void start() {
        ClusterSettings cluster = new ClusterSettings(2, EXPECTED, 100, 3_000);
        master =
                new MasterService(
                        new MasterSettings("m1", new Endpoint("here", 1), cluster, 4096, 15_000),
                        new MasterService.Context(
                                log, () -> namespace, transport, time, time, new Random(1)));
        log.listener = master::tell;
        time.pass(500);
    }

    private void heartbeat(String name) {
        TargetReport target = new TargetReport(name.hashCode(), 1L << 40, 1L << 39, 0, true);
        Heartbeat heartbeat =
                new Heartbeat(
                        namespace.clusterId(),
                        name,
                        new Endpoint(name, 1),
                        1,
                        1,
                        List.of(target),
                        0,
                        new long[0],
                        Declaration.NONE,
                        0);
        transport.ask(peer, MasterRequest.cluster(heartbeat, 1));
    }

    @Test
    void theFirstPoolsWaitForAllOfThem() {
        for (int i = 0; i < 10; i++) {
            heartbeat("c1");
            heartbeat("c2");
            time.pass(500);
        }
        assertTrue(namespace.clusterMap().pools().isEmpty());
        heartbeat("c3");
        time.pass(500);
        assertFalse(namespace.clusterMap().pools().isEmpty());
    }

    @Test
    void oneThatTellsANewLeaderNothingIsShownAsDown() {
        heartbeat("c1");
        heartbeat("c2");
        time.pass(500);
        log.term++;
        time.pass(500);
        heartbeat("c1");
        String status = master.statusJson();
        assertTrue(status.contains("\"c1\",\"endpoint\":\"c1:1\",\"alive\":true"), status);
        assertTrue(status.contains("\"c2\",\"endpoint\":\"c2:1\",\"alive\":false"), status);
    }

    /** Its machine slept: nobody could reach it. */
    @Test
    void aMasterThatStoodStillGivesNobodyUp() {
        for (int i = 0; i < 5; i++) {
            heartbeat("c1");
            heartbeat("c2");
            heartbeat("c3");
            time.pass(500);
        }
        ClusterMap before = namespace.clusterMap();
        assertNotNull(before.youngestPool(3));
        time.standStill(40_000);
        assertTrue(master.servers().status().stream().allMatch(ServerStatus::alive));
        time.pass(2_000);
        assertEquals(before, namespace.clusterMap());
        time.pass(2_000);
        assertFalse(master.servers().status().stream().anyMatch(ServerStatus::alive));
        assertNotEquals(before.epoch(), namespace.clusterMap().epoch(), "they are silent now");
    }
}
