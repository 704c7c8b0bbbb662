package io.cairn.chunk;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.ChunkReply.WriteReply;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReplicationTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void oneServerStoresAndReads() {
        try (ChunkCluster cluster = new ChunkCluster(1, directory, 1, 1, 4)) {
            byte[] data = random(1, 100_000);
            WriteReply reply = cluster.await(cluster.client.write(1, 7, 0, 5_000, data));
            assertEquals(1, reply.sequence());
            assertEquals(105_000, reply.lengthBytes());
            assertArrayEquals(data, cluster.await(cluster.client.read(1, 7, 0, 5_000, 100_000)));
        }
    }

    @Test
    void threeServersHoldTheSame() {
        try (ChunkCluster cluster = new ChunkCluster(2, directory, 3, 3, 4)) {
            for (int i = 0; i < 20; i++) {
                byte[] data = random(i, 10_000 + i);
                int group = 1 + i % 4;
                cluster.await(cluster.client.write(group, 7, i / 8, i * 777, data));
            }
            assertEquals(List.of(), cluster.differences());
        }
    }
}
