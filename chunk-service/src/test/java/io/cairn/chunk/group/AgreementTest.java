package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.chunk.ChunkClient;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that differ when a head begins, and afterwards. */
class AgreementTest {
    private static final int GROUP = 1;
    private static final long OID = 7;
    private static final int BYTES = 20_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster(long seed) {
        return new ChunkCluster(seed, directory.resolve("" + seed), 3, 3, 1);
    }

    private static CompletableFuture<WriteReply> write(ChunkCluster cluster, int index, long seed) {
        return cluster.client.write(GROUP, OID, index, 0, random(seed, BYTES));
    }

    private static byte[] read(ChunkCluster cluster, int index) {
        return cluster.await(cluster.client.read(GROUP, OID, index, 0, BYTES));
    }

    /** A write of which the head that made it has told one member only. */
    private static void writeAt(ChunkCluster cluster, int server, int index, long seed) {
        ChunkAddress chunk =
                ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), OID, index);
        StorageTarget target = cluster.server(server).target;
        ByteBuffer bytes = ByteBuffer.allocateDirect(BYTES).put(random(seed, BYTES)).flip();
        AlignedWrite write = target.align(chunk, 0, bytes, Crc32c.ofPieces(bytes, 0));
        long last = target.stat(GROUP, OID, index).sequence();
        target.write(chunk, last + 1, write);
    }

    @Test
    void theLastWriteWinsWhoeverHasIt() {
        for (int holder = 0; holder < 2; holder++) {
            try (ChunkCluster cluster = cluster(10 + holder)) {
                cluster.await(write(cluster, 0, 1));
                int head = cluster.headOf(GROUP);
                writeAt(cluster, cluster.followersOf(GROUP).get(holder), 0, 2);
                cluster.kill(head);
                cluster.until(() -> cluster.headOf(GROUP) != head, 60_000);
                assertArrayEquals(random(2, BYTES), read(cluster, 0));
                cluster.start(head);
                cluster.untilWhole(60_000);
                assertEquals(List.of(), cluster.differences());
                assertArrayEquals(random(2, BYTES), read(cluster, 0));
            }
        }
    }

    @Test
    void whatIsAskedForBeforeAllIsComparedStaysAsItWasTold() {
        int chunks = 60;
        try (ChunkCluster cluster = cluster(20)) {
            for (int i = 0; i < chunks; i++) {
                cluster.await(write(cluster, i, i));
            }
            int head = cluster.headOf(GROUP);
            for (int i = 0; i < chunks; i += 3) {
                writeAt(cluster, cluster.followersOf(GROUP).get(i % 2), i, 1000 + i);
            }
            cluster.kill(head);
            byte[][] told = new byte[chunks][];
            for (int i = chunks - 1; i >= 0; i--) {
                told[i] = read(cluster, i);
                assertArrayEquals(random(i % 3 == 0 ? 1000 + i : i, BYTES), told[i], "chunk " + i);
            }
            cluster.start(head);
            cluster.untilWhole(60_000);
            assertEquals(List.of(), cluster.differences());
            for (int i = 0; i < chunks; i++) {
                assertArrayEquals(told[i], read(cluster, i), "chunk " + i);
            }
        }
    }

    @Test
    void aWriteThatWasCutOffIsSettledAlthoughNobodyAsksForTheChunk() {
        for (int seed = 30; seed < 34; seed++) {
            try (ChunkCluster cluster = cluster(seed)) {
                cluster.await(write(cluster, 0, 1));
                String head = "c" + cluster.headOf(GROUP);
                String follower = "c" + cluster.followersOf(GROUP).get(seed % 2);
                cluster.network.partition(Set.of(head), Set.of(follower));
                CompletableFuture<WriteReply> second = write(cluster, 0, 2);
                cluster.simulation.run(400L * (seed - 29));
                cluster.network.heal();
                cluster.await(second);
                cluster.untilWhole(60_000);
                cluster.until(() -> cluster.differences().isEmpty(), 30_000);
                assertArrayEquals(random(2, BYTES), read(cluster, 0));
            }
        }
    }
}
