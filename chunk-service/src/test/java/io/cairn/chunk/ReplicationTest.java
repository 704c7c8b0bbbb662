package io.cairn.chunk;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Message;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.Replicate;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
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

    @Test
    void aMemberDoesNotBringBackWhatItDeleted() {
        try (ChunkCluster cluster = new ChunkCluster(3, directory, 3, 3, 4)) {
            cluster.await(cluster.client.write(1, 7, 0, 0, random(1, 5_000)));
            cluster.master.addGarbage(new GarbageTask(77, 1, 7, 0, Long.MAX_VALUE));
            cluster.until(() -> cluster.master.confirmations(77) == 3, 10_000);
            byte[] late = new byte[] {1};
            Replicate write =
                    new Replicate(
                            ChunkClient.chunk(1, cluster.master.group(1).epoch(), 7, 0),
                            new OperationId(1, 1),
                            0,
                            1,
                            0,
                            1,
                            new int[] {Crc32c.ofPadded(ByteBuffer.wrap(late), 0, 1)});
            PlacementGroup.Member head = Objects.requireNonNull(cluster.master.group(1).head());
            for (int server = 1; server <= 3; server++) {
                Message message = new Message(write::toBytes, Unpooled.copiedBuffer(late));
                if (server == head.targetId()) {
                    assertEquals(
                            Errno.WRONG_EPOCH, cluster.error(cluster.client.ask(server, message)));
                } else {
                    cluster.await(cluster.client.ask(server, message)).release();
                }
                assertEquals(0, cluster.state(server, 1, 7, 0).sequence());
            }
        }
    }
}
