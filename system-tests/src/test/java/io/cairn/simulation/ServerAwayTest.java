package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How long a client waits, in simulated time, when it cannot reach a chunk server any more. */
final class ServerAwayTest {
    private static final int CHUNK = 1 << SimulatedCluster.CHUNK_SIZE_LOG2;
    private static final int CHUNKS = 24;
    private static final int BLOCK = 4096;
    private static final long AWAY_MS = 6_000;
    private static final long LIMIT_MS = 60_000;

    private final SimulatedCluster cluster = copies();
    private volatile boolean ready;
    private volatile boolean over;
    private int operations;
    private long longestMs;

    /** What happens to the server. */
    enum Fault {
        KILLED,
        SILENT,
        CUT_OFF_FROM_THE_CLIENT
    }

    private static SimulatedCluster copies() {
        for (long seed = 100; ; seed++) {
            SimulatedCluster some = new SimulatedCluster(seed, 3);
            if (some.replicas > 1) {
                return some;
            }
        }
    }

    /** Writes, syncs and reads blocks here and there. */
    private final class Blocks implements SimulatedClient.Work {
        private final Random random = new Random(1);
        private final int[] written = new int[CHUNKS * CHUNK / BLOCK];

        @Override
        public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
            OpenFile file =
                    fs.create(
                                    Caller.ROOT,
                                    FileSystem.ROOT_INO,
                                    Name.of("f"),
                                    0644,
                                    FileSystem.O_RDWR)
                            .file();
            for (int block = 0; block < written.length; block++) {
                write(file, block, 1);
            }
            file.sync(true);
            sleeper.sleep(500);
            ready = true;
            while (!over) {
                long beganMs = cluster.simulation.millis();
                int block = random.nextInt(written.length);
                if (random.nextBoolean()) {
                    write(file, block, 2 + random.nextInt(100));
                    file.sync(true);
                } else {
                    check(file, block);
                }
                longestMs = Math.max(longestMs, cluster.simulation.millis() - beganMs);
                operations++;
                sleeper.sleep(1);
            }
            file.close();
        }

        private void write(OpenFile file, int block, int value) {
            byte[] bytes = new byte[BLOCK];
            java.util.Arrays.fill(bytes, (byte) value);
            file.write((long) block * BLOCK, ByteBuffer.wrap(bytes));
            written[block] = value;
        }

        private void check(OpenFile file, int block) {
            ByteBuffer seen = ByteBuffer.allocate(BLOCK);
            assertEquals(BLOCK, file.read((long) block * BLOCK, seen));
            assertEquals((byte) written[block], seen.get(0));
            assertEquals((byte) written[block], seen.get(BLOCK - 1));
        }

        @Override
        public void crashed() {
            throw new IllegalStateException("nobody kills this client");
        }
    }

    @ParameterizedTest
    @EnumSource
    void nobodyWaitsForTheLease(Fault fault) {
        cluster.begin();
        SimulatedClient client = cluster.clients.get(0);
        client.start(new Blocks(), 1000);
        until(() -> ready, "written");
        SimulatedServer server = cluster.servers.get(1);
        switch (fault) {
            case KILLED -> server.kill();
            case SILENT -> {
                Set<String> others = new HashSet<>(cluster.masters.names());
                cluster.servers.forEach(each -> others.add(each.node()));
                others.add(client.node());
                others.remove(server.node());
                cluster.network.partition(Set.of(server.node()), others);
            }
            case CUT_OFF_FROM_THE_CLIENT ->
                    cluster.network.partition(Set.of(server.node()), Set.of(client.node()));
        }
        cluster.simulation.run(AWAY_MS);
        assertTrue(operations > 20, operations + " operations");
        assertTrue(longestMs < 1_500, longestMs + " ms");
        over = true;
        cluster.network.heal();
        until(client::isDone, "closed");
    }

    private void until(java.util.function.BooleanSupplier condition, String what) {
        boolean done =
                cluster.simulation.runUntil(
                        () -> condition.getAsBoolean() || cluster.history.violation() != null,
                        LIMIT_MS);
        assertNull(cluster.history.violation());
        assertTrue(done, what + ": " + cluster.state());
    }
}
