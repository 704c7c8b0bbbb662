package io.cairn.chunk.group;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.ChunkClient;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.peer.Futures;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of a chunk from which another one is made, while clients still write to it. */
class CloneTest {
    private static final int GROUP = 1;
    private static final long SOURCE = 40;
    private static final long CLONE = 41;
    private static final int BLOCK = 4096;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /** A chunk that is there, and one that is not. */
    private void cloned(ChunkCluster cluster) {
        cluster.await(cluster.client.write(GROUP, SOURCE, 0, 0, ChunkCluster.random(1, 3 * BLOCK)));
        cluster.await(cluster.client.cloneFrom(GROUP, CLONE, 0, SOURCE, 2 * BLOCK + 5));
        cluster.await(cluster.client.cloneFrom(GROUP, CLONE, 7, SOURCE, 2 * BLOCK));
    }

    private void assertTakesNoWrites(ChunkCluster cluster) {
        ChunkClient late = cluster.client;
        byte[] bytes = ChunkCluster.random(2, BLOCK);
        for (long index : new long[] {0, 7}) {
            assertEquals(Errno.ESTALE, cluster.error(late.write(GROUP, SOURCE, index, 100, bytes)));
            assertEquals(Errno.ESTALE, cluster.error(late.zero(GROUP, SOURCE, index, 0, BLOCK)));
            cluster.await(late.flush(GROUP, SOURCE, index));
            cluster.await(late.cloneFrom(GROUP, CLONE, index, SOURCE, BLOCK));
        }
        byte[] source = ChunkCluster.random(1, 3 * BLOCK);
        assertArrayEquals(source, cluster.await(late.read(GROUP, SOURCE, 0, 0, source.length)));
        byte[] clone = Arrays.copyOf(Arrays.copyOf(source, 2 * BLOCK + 5), 3 * BLOCK);
        assertArrayEquals(clone, cluster.await(late.read(GROUP, CLONE, 0, 0, clone.length)));
    }

    /** Whoever is the head, and whatever the servers have gone through. */
    @Test
    @Timeout(60)
    void itTakesNoMoreWrites() {
        try (ChunkCluster cluster = new ChunkCluster(5, directory, new int[] {3, 3, 1}, true)) {
            cloned(cluster);
            assertTakesNoWrites(cluster);
            int head = cluster.headOf(GROUP);
            cluster.kill(head);
            cluster.until(() -> cluster.headOf(GROUP) != head, 60_000);
            assertTakesNoWrites(cluster);
            cluster.start(head);
            cluster.untilWhole(60_000);
            assertEquals(List.of(), cluster.differences());
            for (boolean power : new boolean[] {false, true}) {
                for (int number = 1; number <= 3; number++) {
                    if (power) {
                        cluster.losePower(number);
                    } else {
                        cluster.kill(number);
                    }
                }
                List.of(1, 2, 3).forEach(cluster::start);
                cluster.untilWhole(60_000);
                assertTakesNoWrites(cluster);
                assertEquals(List.of(), cluster.differences());
            }
        }
    }

    /** A clone that another one wants to be made of the clone can still be written. */
    @Test
    void theCloneTakesWrites() {
        try (ChunkCluster cluster = new ChunkCluster(5, directory, 2, 2, 1)) {
            cloned(cluster);
            byte[] bytes = ChunkCluster.random(3, 2 * BLOCK);
            cluster.await(cluster.client.write(GROUP, CLONE, 0, 10, bytes));
            cluster.await(cluster.client.cloneFrom(GROUP, CLONE + 1, 0, CLONE, BLOCK));
            assertEquals(
                    Errno.ESTALE, cluster.error(cluster.client.write(GROUP, CLONE, 0, 0, bytes)));
            cluster.await(cluster.client.write(GROUP, CLONE + 1, 0, 0, bytes));
        }
    }

    /**
     * One client writes while another one makes the clone and servers come and go: what was
     * acknowledged is in the clone.
     */
    @Test
    @Timeout(120)
    void whatWasAcknowledgedIsInTheClone() {
        int acknowledgedWrites = 0;
        int refusedWrites = 0;
        for (long seed = 1; seed <= 30; seed++) {
            Path own = directory.resolve("race" + seed);
            try (ChunkCluster cluster = new ChunkCluster(seed, own, new int[] {3, 3, 1}, true)) {
                List<CompletableFuture<WriteReply>> writes = new ArrayList<>();
                ChunkClient writer = cluster.newClient("writer", 7);
                for (int i = 0; i < 12; i++) {
                    byte[] block = new byte[BLOCK];
                    Arrays.fill(block, (byte) (i + 1));
                    int number = i;
                    CompletableFuture<WriteReply> write = new CompletableFuture<>();
                    writes.add(write);
                    writer.later(
                            cluster.simulation.random().nextInt(40),
                            () ->
                                    Futures.finish(
                                            writer.write(GROUP, SOURCE, 0, number * BLOCK, block),
                                            (reply, thrown) -> {
                                                if (thrown == null) {
                                                    write.complete(reply);
                                                } else {
                                                    write.completeExceptionally(thrown);
                                                }
                                            }));
                }
                cluster.simulation.run(cluster.simulation.random().nextInt(30));
                if (seed % 3 == 0) {
                    int server = (int) (1 + seed % 9 / 3);
                    cluster.kill(server);
                    cluster.start(server);
                }
                cluster.await(cluster.client.cloneFrom(GROUP, CLONE, 0, SOURCE, 12 * BLOCK));
                byte[] clone = cluster.await(cluster.client.read(GROUP, CLONE, 0, 0, 12 * BLOCK));
                for (int i = 0; i < 12; i++) {
                    try {
                        cluster.await(writes.get(i));
                        acknowledgedWrites++;
                        assertEquals(i + 1, clone[i * BLOCK], "seed " + seed + ", write " + i);
                    } catch (FsException | IllegalStateException e) {
                        throw e;
                    } catch (RuntimeException e) {
                        assertEquals(Errno.ESTALE, Futures.failure(e).errno(), "seed " + seed);
                        refusedWrites++;
                    }
                }
            }
        }
        assertTrue(acknowledgedWrites > 50, acknowledgedWrites + " acknowledged");
        assertTrue(refusedWrites > 50, refusedWrites + " refused");
    }
}
