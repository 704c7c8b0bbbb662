package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.net.Message;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.Write;
import io.cairn.wire.chunk.HeadRequest.Relay;
import io.cairn.wire.chunk.OperationId;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The members of a group while their head is dead, or out of reach of a client. */
class HeadAwayTest {
    private static final int GROUP = 1;
    private static final int LENGTH = 9_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final byte[] data = ChunkCluster.random(1, LENGTH);

    private ChunkCluster cluster() {
        return new ChunkCluster(27, directory, 3, 2, 1);
    }

    private static Message relayed(ChunkCluster cluster, OperationId operation, byte[] bytes) {
        long epoch = cluster.master.group(GROUP).epoch();
        Write write =
                new Write(
                        ChunkClient.chunk(GROUP, epoch, 7, 0),
                        operation,
                        0,
                        Crc32c.ofPieces(ByteBuffer.wrap(bytes), 0));
        return new Message(new Relay(write)::toBytes, Unpooled.copiedBuffer(bytes));
    }

    @Test
    void aMemberServesWhatAllHaveWhileTheHeadIsDead() {
        try (ChunkCluster cluster = cluster()) {
            cluster.await(cluster.client.write(GROUP, 7, 0, 0, data));
            cluster.simulation.run(200);
            int member = cluster.followersOf(GROUP).getFirst();
            cluster.kill(cluster.headOf(GROUP));
            assertArrayEquals(
                    data, cluster.await(cluster.client.readFrom(member, GROUP, 7, 0, LENGTH)));
        }
    }

    @Test
    void aMemberHandsAWriteOnToTheHeadOnce() {
        try (ChunkCluster cluster = cluster()) {
            int member = cluster.followersOf(GROUP).getFirst();
            OperationId operation = new OperationId(9, 1);
            for (int i = 0; i < 2; i++) {
                Message reply =
                        cluster.await(
                                cluster.client.ask(member, relayed(cluster, operation, data)));
                ChunkReply decoded = ChunkReply.decode(new Decoder(reply.header()));
                reply.release();
                assertEquals(1, ((WriteReply) decoded).sequence());
            }
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, 7, 0, 0, LENGTH)));
        }
    }

    @Test
    void theMastersHearFromAMemberThatTheHeadIsSilent() {
        try (ChunkCluster cluster = cluster()) {
            int head = cluster.headOf(GROUP);
            int member = cluster.followersOf(GROUP).getFirst();
            cluster.network.partition(
                    Set.of("c" + head), Set.of("master", "client", "c1", "c2", "c3"));
            long beganMs = cluster.simulation.millis();
            assertEquals(
                    Errno.NOT_READY,
                    cluster.error(
                            cluster.client.ask(
                                    member, relayed(cluster, new OperationId(9, 1), data))));
            assertTrue(cluster.simulation.millis() - beganMs < 1_000);
            cluster.until(() -> !cluster.master.failures().isEmpty(), 1_000);
            cluster.network.heal();
        }
    }

    /** The last answered heartbeat is too old: what is here may not be the newest any more. */
    @Test
    void aServerThatNoMasterAnswersTellsNothing() {
        try (ChunkCluster cluster = cluster()) {
            cluster.await(cluster.client.write(GROUP, 7, 0, 0, data));
            cluster.simulation.run(200);
            int head = cluster.headOf(GROUP);
            cluster.network.partition(Set.of("c" + head), Set.of("master"));
            cluster.simulation.run(700);
            assertTrue(cluster.server(head).service.isReady());
            var read = cluster.client.readFrom(head, GROUP, 7, 0, LENGTH);
            cluster.simulation.run(500);
            assertTrue(!read.isDone());
            cluster.network.heal();
            assertArrayEquals(data, cluster.await(read));
        }
    }
}
