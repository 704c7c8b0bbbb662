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
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.OperationId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
