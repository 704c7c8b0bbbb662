package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.testkit.simulated.Simulation;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * I1, I2: what was flushed survives the loss of all power; what was acknowledged survives that of
 * some servers and the death of all processes; a flush promises what was acknowledged, or fails.
 */
class PowerLossTest {
    private static final int SEEDS = 40;
    private static final int ROUNDS = 4;
    private static final int CHUNKS = 4;
    private static final int BLOCK = 4096;
    private static final int BLOCKS = 6;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /** Overwrites parts of one chunk again and again with the next number. */
    private static final class Writer {
        private final ChunkCluster cluster;
        private final ChunkClient client;
        private final int group;
        private final long oid;
        private final List<String> errors = new ArrayList<>();
        private final int[] acknowledged = new int[BLOCKS];
        private int[] flushed = new int[BLOCKS];
        private int attempted;
        private boolean paused = true;
        private boolean busy;

        /** Whether the power of all went since the last flush. */
        private boolean mayBeLost;

        private int losses;

        Writer(ChunkCluster cluster, int number) {
            this.cluster = cluster;
            this.client = cluster.newClient("writer" + number, 50L + number);
            this.client.setRetryLimitMs(600_000);
            this.group = 1 + number % 2;
            this.oid = 30L + number;
        }

        void resume() {
            paused = false;
            next();
        }

        private void next() {
            busy = !paused;
            if (paused) {
                return;
            }
            int number = ++attempted;
            int first = cluster.simulation.random().nextInt(BLOCKS);
            int count = 1 + cluster.simulation.random().nextInt(BLOCKS - first);
            ByteBuffer data = ByteBuffer.allocate(count * BLOCK);
            while (data.hasRemaining()) {
                data.putInt(number);
            }
            boolean flushes = cluster.simulation.happens(0.3);
            Futures.finish(
                    client.write(group, oid, 0, first * BLOCK, data.array())
                            .thenCompose(
                                    reply -> {
                                        Arrays.fill(acknowledged, first, first + count, number);
                                        return flushes ? flush() : Futures.DONE;
                                    }),
                    (done, thrown) -> {
                        if (thrown != null) {
                            errors.add("write " + number + ": " + thrown);
                        }
                        client.later(1 + cluster.simulation.random().nextInt(60), this::next);
                    });
        }

        private CompletableFuture<Void> flush() {
            int before = losses;
            return client.flush(group, oid, 0)
                    .handle(
                            (done, thrown) -> {
                                if (thrown == null) {
                                    flushed = acknowledged.clone();
                                } else {
                                    lost(Futures.failure(thrown));
                                }
                                mayBeLost &= losses > before;
                                return null;
                            });
        }

        /** A flush may fail only if the power of all was lost since the write. */
        private void lost(FsException error) {
            if (error.errno() != Errno.EIO || !mayBeLost) {
                errors.add("flush: " + error);
            }
            System.arraycopy(flushed, 0, acknowledged, 0, BLOCKS);
        }

        void pause() {
            paused = true;
            cluster.until(() -> !busy, 60_000);
        }

        /** What must be there at this moment. */
        int[] promised() {
            return mayBeLost ? flushed.clone() : acknowledged.clone();
        }

        /** Every word is of some write, not older than the one it must at least be of. */
        void check(int[] atLeast) {
            String seed = "seed " + cluster.simulation.seed();
            assertEquals(List.of(), errors, seed);
            byte[] bytes = cluster.await(client.read(group, oid, 0, 0, BLOCKS * BLOCK));
            ByteBuffer words = ByteBuffer.wrap(bytes);
            int most = attempted;
            while (words.hasRemaining()) {
                int at = words.position();
                int least = atLeast[at / BLOCK];
                int seen = words.getInt();
                assertTrue(
                        seen >= least && seen <= most,
                        () ->
                                "%s: byte %d of %d is of write %d, not of %d to %d"
                                        .formatted(seed, at, oid, seen, least, most));
            }
        }
    }

    private static void run(long seed, Path directory) {
        int servers = seed % 4 == 0 ? 1 : 3;
        int[] shape = {servers, servers, 2};
        try (ChunkCluster cluster = new ChunkCluster(seed, directory, shape, true)) {
            Simulation simulation = cluster.simulation;
            List<Writer> writers = new ArrayList<>();
            for (int i = 0; i < CHUNKS; i++) {
                writers.add(new Writer(cluster, i));
            }
            for (int round = 0; round < ROUNDS; round++) {
                writers.forEach(Writer::resume);
                simulation.run(100 + simulation.random().nextInt(1_500));
                boolean restarted = simulation.happens(0.3);
                fail(cluster, writers, servers, restarted);
                cluster.untilWhole(60_000);
                writers.forEach(Writer::pause);
                writers.forEach(writer -> writer.check(writer.promised()));
                assertEquals(List.of(), cluster.differences(), "seed " + seed);
            }
        }
    }

    /** Stops some servers and starts them again; checks what was promised before. */
    private static void fail(
            ChunkCluster cluster, List<Writer> writers, int servers, boolean killed) {
        Simulation simulation = cluster.simulation;
        int victims = 1 + simulation.random().nextInt(servers);
        int first = simulation.random().nextInt(servers);
        for (int i = 0; i < victims; i++) {
            int victim = 1 + (first + i) % servers;
            if (killed) {
                cluster.kill(victim);
            } else {
                cluster.losePower(victim);
            }
        }
        List<int[]> promised = new ArrayList<>();
        for (Writer writer : writers) {
            writer.paused = simulation.happens(0.7);
            if (victims == servers && !killed) {
                writer.mayBeLost = true;
                writer.losses++;
            }
            promised.add(writer.promised());
        }
        simulation.run(simulation.random().nextInt(8_000));
        for (int i = 0; i < victims; i++) {
            cluster.start(1 + (first + i) % servers);
            simulation.run(simulation.random().nextInt(1_000));
        }
        for (int i = 0; i < writers.size(); i++) {
            writers.get(i).check(promised.get(i));
        }
    }

    /** A flush names a write of an epoch before the last one of the chunk: nothing was lost. */
    @Test
    @Timeout(60)
    void aLaterWriteThatIsThereShowsTheEarlierOnes() {
        for (int replicas = 1; replicas <= 2; replicas++) {
            int[] shape = {replicas, replicas, 1};
            try (ChunkCluster cluster = new ChunkCluster(7, directory, shape, true)) {
                ChunkClient other = cluster.newClient("other", 2);
                cluster.await(cluster.client.write(1, 9, 0, 0, ChunkCluster.random(1, BLOCK)));
                cluster.master.renewEpoch(1);
                cluster.untilWhole(20_000);
                cluster.await(other.write(1, 9, 0, BLOCK, ChunkCluster.random(2, BLOCK)));
                cluster.await(other.flush(1, 9, 0));
                for (int server = 1; server <= replicas; server++) {
                    cluster.losePower(server);
                }
                for (int server = 1; server <= replicas; server++) {
                    cluster.start(server);
                }
                cluster.untilWhole(20_000);
                cluster.await(other.write(1, 9, 0, 2 * BLOCK, ChunkCluster.random(3, BLOCK)));
                cluster.await(cluster.client.flush(1, 9, 0));
            }
        }
    }

    /**
     * Bytes that nobody was promised may be lost, but do not make a chunk unreadable: unless not
     * even a header is left, which looks like damage.
     */
    @Test
    @Timeout(120)
    void whatWasNeverSyncedCanBeReadAndWritten() {
        int readable = 0;
        for (long seed = 1; seed <= 80; seed++) {
            int[] shape = {1, 1, 1};
            Path own = directory.resolve("unsynced" + seed);
            try (ChunkCluster cluster = new ChunkCluster(seed, own, shape, true)) {
                byte[] bytes = ChunkCluster.random(seed, 5 * BLOCK);
                cluster.await(cluster.client.write(1, 9, 0, 0, bytes));
                cluster.losePower(1);
                cluster.start(1);
                cluster.untilWhole(20_000);
                try {
                    cluster.await(cluster.client.read(1, 9, 0, 0, bytes.length));
                } catch (RuntimeException e) {
                    String why = String.valueOf(Futures.failure(e).getMessage());
                    assertTrue(why.contains("header") || why.contains("too short"), why);
                    continue;
                }
                // Not the client that is told of its loss.
                ChunkClient other = cluster.newClient("other", 2);
                cluster.await(other.write(1, 9, 0, BLOCK, bytes));
                cluster.await(other.flush(1, 9, 0));
                readable++;
            }
        }
        assertTrue(readable > 40, "only " + readable + " are readable");
    }

    /** However often the processes end. */
    @Test
    @Timeout(60)
    void stopsOfAllProcessesLoseNothing() {
        int[] shape = {3, 3, 1};
        try (ChunkCluster cluster = new ChunkCluster(7, directory, shape, true)) {
            ChunkClient other = cluster.newClient("other", 2);
            cluster.await(cluster.client.write(1, 9, 0, 0, ChunkCluster.random(1, BLOCK)));
            for (int stops = 0; stops < 3; stops++) {
                List.of(1, 2, 3).forEach(cluster::kill);
                cluster.simulation.run(stops * 3_000L);
                List.of(1, 2, 3).forEach(cluster::start);
                cluster.untilWhole(20_000);
                cluster.await(other.write(1, 9, 0, BLOCK, ChunkCluster.random(2, BLOCK)));
            }
            cluster.await(cluster.client.flush(1, 9, 0));
        }
    }

    /** The same after two stops: what the first one may have taken, nobody knows any more. */
    @Test
    @Timeout(60)
    void whatIsNotKnownAfterTwoStopsFails() {
        int[] shape = {1, 1, 1};
        try (ChunkCluster cluster = new ChunkCluster(7, directory, shape, true)) {
            ChunkClient other = cluster.newClient("other", 2);
            cluster.await(cluster.client.write(1, 9, 0, 0, ChunkCluster.random(1, BLOCK)));
            for (int stops = 0; stops < 2; stops++) {
                cluster.losePower(1);
                cluster.start(1);
                cluster.untilWhole(20_000);
                cluster.await(other.write(1, 9, 0, BLOCK, ChunkCluster.random(2, BLOCK)));
                cluster.await(other.flush(1, 9, 0));
            }
            assertEquals(Errno.EIO, cluster.error(cluster.client.flush(1, 9, 0)));
        }
    }

    @Test
    @Timeout(120)
    void whatWasPromisedSurvives() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed, directory);
        }
    }
}
