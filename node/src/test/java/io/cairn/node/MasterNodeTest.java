package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.admin.AdminSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.member.Peer;
import io.micrometer.core.instrument.Gauge;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A master alone, opened again in the same process. */
final class MasterNodeTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final String LEADING = "cairn.raft.leading";
    private static final String INODES = "cairn.cluster.inodes";

    @TempDir private Path directory;

    private MasterNode open(ProcessContext world, Peer self) {
        MasterNode.Plan plan =
                new MasterNode.Plan(
                        self.id(),
                        directory.resolve("m1"),
                        new Endpoint(LOOPBACK, 0),
                        new RatisSettings.Members(List.of(self), true),
                        ClusterSettings.STANDARD,
                        new AdminSettings("0", directory.resolve("token"), Set.of(), _ -> {}),
                        MasterNode.SESSION_LEASE_MS);
        return new MasterNode(world, plan, Account.current(), MasterNode.Ends.ofProcess());
    }

    private static void awaitReady(MasterNode node) throws InterruptedException {
        for (int i = 0; i < 6_000 && node.service().notReadyReason() != null; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertNull(node.service().notReadyReason());
    }

    private static @Nullable Gauge gauge(ProcessContext world, String name) {
        return world.metrics().find(name).gauge();
    }

    private static void shows(ProcessContext world, String name, double value) {
        Gauge gauge = Objects.requireNonNull(gauge(world, name), name);
        assertEquals(value, gauge.value(), name);
    }

    @Test
    void oneThatOpensAgainShowsItsOwnNumbers() throws Exception {
        try (ProcessContext world = new ProcessContext()) {
            AtomicInteger ready = new AtomicInteger();
            Peer self = new Peer("m1", new Endpoint(LOOPBACK, world.ports().next()));
            for (int i = 0; i < 2; i++) {
                try (MasterNode node = open(world, self)) {
                    awaitReady(node);
                    node.whenReady(ready::incrementAndGet);
                    assertEquals(i + 1, ready.get());
                    shows(world, LEADING, 1);
                    shows(world, INODES, (double) node.service().namespace().inodeCount());
                }
                assertNull(gauge(world, LEADING), "it went with its master");
                assertNull(gauge(world, INODES), "it went with its master");
            }
        }
    }
}
