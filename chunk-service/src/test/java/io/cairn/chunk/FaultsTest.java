package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.peer.Futures;
import io.cairn.testkit.simulated.NetworkFaults;
import io.cairn.testkit.simulated.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Random work under random faults, by seeds; afterwards nothing is lost and replicas agree. */
class FaultsTest {
    private static final int SEEDS = 25;
    private static final int SERVERS = 3;
    private static final long FAULTS_MS = 30_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /** One run. */
    private static final class Run {
        private final ChunkCluster cluster;
        private final Simulation simulation;
        private final List<ChunkHistory> chunks = new ArrayList<>();
        private final List<Throwable> wrong = new ArrayList<>();
        private boolean over;
        private int reads;

        Run(ChunkCluster cluster) {
            this.cluster = cluster;
            this.simulation = cluster.simulation;
            for (int i = 0; i < 6; i++) {
                ChunkClient client = cluster.newClient("client" + i, 100 + i);
                client.setRetryLimitMs(600_000);
                ChunkHistory chunk = new ChunkHistory(simulation, client, 1 + i % 3, 50 + i);
                chunks.add(chunk);
                write(chunk);
                read(chunk);
            }
        }

        private void write(ChunkHistory chunk) {
            if (!over) {
                Futures.finish(
                        chunk.step(),
                        (done, thrown) -> {
                            if (thrown != null) {
                                wrong.add(thrown);
                            } else {
                                later(150, () -> write(chunk));
                            }
                        });
            }
        }

        private void read(ChunkHistory chunk) {
            if (!over) {
                int server = simulation.random().nextInt(SERVERS + 1);
                Futures.finish(
                        chunk.read(server),
                        (done, thrown) -> {
                            if (thrown == null) {
                                reads++;
                            } else if (Futures.failure(thrown).getCause() instanceof Error e) {
                                wrong.add(e);
                            }
                            later(200, () -> read(chunk));
                        });
            }
        }

        private void later(int spreadMs, Runnable task) {
            cluster.client.later(1 + simulation.random().nextInt(spreadMs), task);
        }

        void disturb() {
            switch (simulation.random().nextInt(6)) {
                case 0, 1 -> {
                    int victim = 1 + simulation.random().nextInt(SERVERS);
                    if (cluster.isRunning(victim)) {
                        cluster.kill(victim);
                    } else {
                        cluster.start(victim);
                    }
                }
                case 2 -> {
                    String one = "c" + (1 + simulation.random().nextInt(SERVERS));
                    String other =
                            simulation.happens(0.3)
                                    ? "master"
                                    : "c" + (1 + simulation.random().nextInt(SERVERS));
                    if (!one.equals(other)) {
                        cluster.network.partition(Set.of(one), Set.of(other));
                    }
                }
                case 3 -> cluster.network.heal();
                case 4 ->
                        cluster.network.setFaults(
                                simulation.happens(0.5) ? NetworkFaults.ROUGH : NetworkFaults.NONE);
                default -> cluster.master.setSilent(simulation.happens(0.2));
            }
        }

        void calm() {
            cluster.network.heal();
            cluster.network.setFaults(NetworkFaults.NONE);
            cluster.master.setSilent(false);
            for (int i = 1; i <= SERVERS; i++) {
                if (!cluster.isRunning(i)) {
                    cluster.start(i);
                }
            }
        }

        void finish() {
            over = true;
            cluster.until(() -> chunks.stream().allMatch(ChunkHistory::isIdle), 60_000);
            cluster.untilWhole(60_000);
            simulation.run(2_000);
            for (ChunkHistory chunk : chunks) {
                for (int server = 0; server <= SERVERS; server++) {
                    if (server == 0 || cluster.followersOf(chunk.group).contains(server)) {
                        simulation.await(chunk.read(server), 30_000);
                    }
                }
            }
            assertEquals(List.of(), wrong, "seed " + simulation.seed());
            assertEquals(List.of(), cluster.differences(), "seed " + simulation.seed());
        }
    }

    private void run(long seed, int replicas) {
        Path own = directory.resolve("seed" + seed + "-" + replicas);
        try (ChunkCluster cluster = new ChunkCluster(seed, own, SERVERS, replicas, 3)) {
            Run run = new Run(cluster);
            long end = cluster.simulation.millis() + FAULTS_MS;
            while (cluster.simulation.millis() < end) {
                cluster.simulation.run(200 + cluster.simulation.random().nextInt(3_000));
                run.disturb();
            }
            run.calm();
            cluster.simulation.run(5_000);
            run.finish();
            int written = run.chunks.stream().mapToInt(ChunkHistory::acknowledged).sum();
            assertTrue(written > 20, "seed " + seed + ": only " + written + " writes");
            assertTrue(run.reads > 20, "seed " + seed + ": only " + run.reads + " reads");
        }
    }

    @Test
    @Timeout(300)
    void threeReplicasSurviveFaults() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, 3);
        }
    }

    @Test
    @Timeout(300)
    void twoReplicasSurviveFaults() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, 2);
        }
    }
}
