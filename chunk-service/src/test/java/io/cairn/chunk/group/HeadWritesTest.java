package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.ChunkClient;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.peer.Replies;
import io.cairn.cluster.MemberState;
import io.cairn.net.Message;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.cairn.wire.chunk.OperationId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Changes that clients ask of the head. */
class HeadWritesTest {
    private static final int GROUP = 1;
    private static final long OID = 7;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster(int servers) {
        return new ChunkCluster(3, directory, servers, servers, 1);
    }

    private static ChunkAddress chunk(ChunkCluster cluster) {
        return ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), OID, 0);
    }

    private static WriteReply writeAs(ChunkCluster cluster, OperationId operation, byte[] bytes) {
        Message request = ChunkClient.writing(chunk(cluster), operation, 0, bytes);
        Message reply = cluster.await(cluster.client.ask(cluster.headOf(GROUP), request));
        try {
            return Replies.write(reply);
        } finally {
            reply.release();
        }
    }

    @Test
    void anOperationThatIsSentAgainIsNotDoneAgain() {
        try (ChunkCluster cluster = cluster(2)) {
            OperationId operation = new OperationId(9, 1);
            WriteReply first = writeAs(cluster, operation, random(1, 5000));
            assertEquals(first, writeAs(cluster, operation, random(1, 5000)));
            assertEquals(1, cluster.state(1, GROUP, OID, 0).sequence());
            WriteReply next = writeAs(cluster, new OperationId(9, 2), random(1, 5000));
            assertEquals(first.sequence() + 1, next.sequence());
            assertEquals(List.of(), cluster.differences());
        }
    }

    /** So many pieces of 3,000 bytes, 5,000 bytes apart, with operations of their own. */
    private static Message pieces(ChunkCluster cluster, int count, boolean isLastBad) {
        return pieces(cluster, 0, count, isLastBad);
    }

    private static Message pieces(
            ChunkCluster cluster, int firstOperation, int count, boolean isLastBad) {
        List<WritePieces.Piece> pieces = new ArrayList<>();
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            int at = 5000 * i;
            byte[] bytes = random(i, 3000);
            int[] crcs = Crc32c.ofPieces(ByteBuffer.wrap(bytes), at);
            if (isLastBad && i == count - 1) {
                crcs[0]++;
            }
            OperationId operation = new OperationId(9, firstOperation + i);
            pieces.add(new WritePieces.Piece(operation, at, 3000, crcs));
            payload.writeBytes(bytes);
        }
        return new Message(new WritePieces(chunk(cluster), pieces)::toBytes, payload);
    }

    private static WriteReply writePieces(ChunkCluster cluster, int count) {
        Message request = pieces(cluster, count, false);
        Message reply = cluster.await(cluster.client.ask(cluster.headOf(GROUP), request));
        try {
            return Replies.write(reply);
        } finally {
            reply.release();
        }
    }

    private static byte[] ofPieces(int count) {
        byte[] all = new byte[5000 * (count - 1) + 3000];
        for (int i = 0; i < count; i++) {
            System.arraycopy(random(i, 3000), 0, all, 5000 * i, 3000);
        }
        return all;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void severalWritesOfOneRequestAreDoneOnce(int servers) {
        try (ChunkCluster cluster = cluster(servers)) {
            WriteReply reply = writePieces(cluster, 7);
            assertEquals(7, reply.sequence());
            assertEquals(33_000, reply.lengthBytes());
            assertEquals(9 * 4096, reply.allocatedDeltaBytes());
            assertArrayEquals(
                    ofPieces(7), cluster.await(cluster.client.read(GROUP, OID, 0, 0, 33_000)));
            assertEquals(reply, writePieces(cluster, 7));
            WriteReply third = writeAs(cluster, new OperationId(9, 2), random(99, 3000));
            assertEquals(3, third.sequence(), "it was done with the others");
            assertEquals(7, cluster.state(1, GROUP, OID, 0).sequence());
            assertEquals(List.of(), cluster.differences());
        }
    }

    /** A mount has 16 requests on their way, and sends all of them again. */
    @Test
    void theWritesOfAllRequestsOnTheirWayAreDoneOnce() {
        int requests = 16;
        int all = requests * WritePieces.MAX_PIECES;
        try (ChunkCluster cluster = cluster(1)) {
            for (int first = 0; first < 2 * all; first += WritePieces.MAX_PIECES) {
                int operation = first % all;
                Message request = pieces(cluster, operation, WritePieces.MAX_PIECES, false);
                cluster.await(cluster.client.ask(cluster.headOf(GROUP), request)).release();
            }
            assertEquals(all, cluster.state(1, GROUP, OID, 0).sequence());
        }
    }

    @Test
    void whatWasDoneBeforeOneOfARequestFailedIsNotDoneAgain() {
        try (ChunkCluster cluster = cluster(2)) {
            CompletableFuture<Message> failing =
                    cluster.client.ask(cluster.headOf(GROUP), pieces(cluster, 4, true));
            assertEquals(Errno.EBADMSG, cluster.error(failing));
            assertEquals(3, cluster.state(1, GROUP, OID, 0).sequence());
            assertEquals(4, writePieces(cluster, 4).sequence());
            assertArrayEquals(
                    ofPieces(4), cluster.await(cluster.client.read(GROUP, OID, 0, 0, 18_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void piecesThatAreNotWhatTheirRequestSaysAreRefused() {
        try (ChunkCluster cluster = cluster(1)) {
            Message none = new Message(new WritePieces(chunk(cluster), List.of())::toBytes, null);
            assertEquals(Errno.EINVAL, cluster.error(cluster.client.ask(1, none)));
            Message tooMany = pieces(cluster, WritePieces.MAX_PIECES + 1, false);
            assertEquals(Errno.EINVAL, cluster.error(cluster.client.ask(1, tooMany)));
            WritePieces.Piece piece =
                    new WritePieces.Piece(new OperationId(9, 1), 0, 3000, new int[1]);
            Message cut =
                    new Message(
                            new WritePieces(chunk(cluster), List.of(piece))::toBytes,
                            Unpooled.buffer().writeZero(2999));
            assertEquals(Errno.EINVAL, cluster.error(cluster.client.ask(1, cut)));
            assertEquals(0, cluster.state(1, GROUP, OID, 0).sequence());
        }
    }

    @Test
    void zerosChangeNothingWhereThereIsNothing() {
        try (ChunkCluster cluster = cluster(2)) {
            WriteReply reply = cluster.await(cluster.client.zero(GROUP, OID, 0, 0, 10_000));
            assertEquals(0, reply.sequence());
            for (int server = 1; server <= 2; server++) {
                assertEquals(0, cluster.state(server, GROUP, OID, 0).sequence());
            }
        }
    }

    @Test
    void zerosThatAreSentAgainToTheNextHeadAreNotMadeAgain() {
        try (ChunkCluster cluster = cluster(2)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 10_000)));
            OperationId operation = new OperationId(9, 1);
            WriteReply zeros =
                    cluster.await(cluster.client.zero(GROUP, OID, 0, 0, 10_000, operation));
            byte[] later = random(2, 10_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, later));
            int head = cluster.headOf(GROUP);
            cluster.kill(head);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(head) == MemberState.OFFLINE, 20_000);
            assertEquals(
                    zeros, cluster.await(cluster.client.zero(GROUP, OID, 0, 0, 10_000, operation)));
            assertArrayEquals(later, cluster.await(cluster.client.read(GROUP, OID, 0, 0, 10_000)));
        }
    }

    /** What is not here may have been written elsewhere since a master has answered. */
    @Test
    void aHeadThatNoMasterAnswersMakesNoZerosAlone() {
        try (ChunkCluster cluster = cluster(2)) {
            int head = cluster.headOf(GROUP);
            int other = cluster.followersOf(GROUP).getFirst();
            Zero zero = new Zero(chunk(cluster), new OperationId(9, 1), 0, 0, 10_000);
            assertEquals(0, cluster.await(cluster.client.zero(GROUP, OID, 0, 0, 10)).sequence());
            cluster.network.partition(Set.of("c" + head), Set.of("master", "c" + other));
            cluster.simulation.run(700);
            assertTrue(cluster.mayServe(head), "its lease runs");
            CompletableFuture<Message> zeros = cluster.client.ask(head, Message.of(zero::toBytes));
            assertTrue(cluster.error(zeros).isTransient());
        }
    }

    /** The head lost the chunk with its power, and the member that is away has it still. */
    @Test
    void zerosWhereThereIsNothingLastWhenAMemberComesBackThatHasMore() {
        try (ChunkCluster cluster = cluster(2)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 10_000)));
            int away = cluster.followersOf(GROUP).get(0);
            cluster.kill(away);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(away) == MemberState.OFFLINE, 20_000);
            cluster.server(cluster.headOf(GROUP)).target.delete(GROUP, OID, 0);
            WriteReply reply = cluster.await(cluster.client.zero(GROUP, OID, 0, 0, 10_000));
            assertEquals(1, reply.sequence());
            cluster.start(away);
            cluster.untilWhole(30_000);
            assertEquals(0, cluster.state(away, GROUP, OID, 0).lengthBytes());
            assertArrayEquals(
                    new byte[10_000], cluster.await(cluster.client.read(GROUP, OID, 0, 0, 10_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void manyAtATimeAreDoneInTheOrderOfTheirNumbers() {
        try (ChunkCluster cluster = cluster(3)) {
            List<CompletableFuture<WriteReply>> replies = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                byte[] bytes = new byte[3000];
                Arrays.fill(bytes, (byte) (i + 1));
                replies.add(cluster.client.write(GROUP, OID, 0, 500 * (i % 4), bytes));
            }
            byte[] expected = new byte[4500];
            List<Integer> order = new ArrayList<>();
            replies.forEach(cluster::await);
            for (int i = 0; i < replies.size(); i++) {
                order.add(i);
            }
            order.sort((a, b) -> Long.compare(number(replies, a), number(replies, b)));
            for (int i : order) {
                Arrays.fill(expected, 500 * (i % 4), 500 * (i % 4) + 3000, (byte) (i + 1));
            }
            assertArrayEquals(expected, cluster.await(cluster.client.read(GROUP, OID, 0, 0, 4500)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    private static long number(List<CompletableFuture<WriteReply>> replies, int i) {
        return replies.get(i).join().sequence();
    }

    @Test
    void anOldBlockThatIsBadHereIsMendedFromAnotherMember() {
        try (ChunkCluster cluster = cluster(2)) {
            byte[] bytes = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, bytes));
            damage(cluster.headOf(GROUP));
            cluster.await(cluster.client.write(GROUP, OID, 0, 5000, new byte[100]));
            Arrays.fill(bytes, 5000, 5100, (byte) 0);
            assertArrayEquals(
                    bytes, cluster.await(cluster.client.read(GROUP, OID, 0, 0, bytes.length)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void anOldBlockThatIsBadEverywhereIsToldAndMayBeReplacedAsAWhole() {
        try (ChunkCluster cluster = cluster(1)) {
            cluster.client.setRetryLimitMs(5_000);
            byte[] bytes = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, bytes));
            damage(1);
            Errno errno = cluster.error(cluster.client.write(GROUP, OID, 0, 5000, new byte[100]));
            assertEquals(Errno.EIO, errno);
            byte[] whole = random(2, 4096);
            cluster.await(cluster.client.write(GROUP, OID, 0, 4096, whole));
            System.arraycopy(whole, 0, bytes, 4096, whole.length);
            assertArrayEquals(
                    bytes, cluster.await(cluster.client.read(GROUP, OID, 0, 0, bytes.length)));
        }
    }

    /** Flips a byte of block 1. */
    private void damage(int server) {
        RepairTest.damage(directory.resolve("c" + server), OID, 4096 + 17);
    }
}
