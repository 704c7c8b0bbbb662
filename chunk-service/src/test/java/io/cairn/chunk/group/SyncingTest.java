package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.ChunkClient;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.cluster.MemberState;
import io.cairn.net.Message;
import io.cairn.testkit.simulated.NetworkFaults;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.OperationId;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Members that fail, come back, differ, or are damaged. */
class SyncingTest {
    private static final int GROUP = 1;
    private static final long OID = 7;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster(long seed) {
        return new ChunkCluster(seed, directory, 3, 3, 2);
    }

    private static void write(ChunkCluster cluster, long index, long seed) {
        cluster.await(cluster.client.write(GROUP, OID, index, 100, random(seed, 30_000)));
    }

    private static byte[] read(ChunkCluster cluster, long index) {
        return cluster.await(cluster.client.read(GROUP, OID, index, 100, 30_000));
    }

    /** Writes to many chunks, one after the other, until told to stop. */
    private static final class Writer {
        private final ChunkCluster cluster;
        private final List<Throwable> errors = new ArrayList<>();
        private boolean stops;
        private boolean stopped;
        private int done;

        Writer(ChunkCluster cluster) {
            this.cluster = cluster;
            next();
        }

        private void next() {
            if (stops) {
                stopped = true;
                return;
            }
            int index = done % 5;
            Futures.finish(
                    cluster.client.write(GROUP, OID, index, 100, random(done, 30_000)),
                    (reply, thrown) -> {
                        if (thrown != null) {
                            errors.add(thrown);
                        }
                        done++;
                        cluster.client.later(1, this::next);
                    });
        }

        void stop() {
            stops = true;
            cluster.until(() -> stopped, 60_000);
            assertEquals(List.of(), errors);
            for (int index = 0; index < 5; index++) {
                int last = (done - 1 - index) / 5 * 5 + index;
                assertArrayEquals(random(last, 30_000), read(cluster, index), "chunk " + index);
            }
        }
    }

    @Test
    void aMemberKilledInTheMiddleOfWritesLeavesAndComesBackInSync() {
        try (ChunkCluster cluster = cluster(1)) {
            Writer writer = new Writer(cluster);
            cluster.simulation.run(300);
            int victim = cluster.followersOf(GROUP).get(0);
            cluster.kill(victim);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(victim) == MemberState.OFFLINE,
                    20_000);
            int before = writer.done;
            cluster.until(() -> writer.done > before + 50, 10_000);
            cluster.start(victim);
            cluster.untilWhole(30_000);
            cluster.simulation.run(500);
            writer.stop();
            assertEquals(List.of(), cluster.differences());
            assertEquals(
                    cluster.state(cluster.headOf(GROUP), GROUP, OID, 0),
                    cluster.state(victim, GROUP, OID, 0));
        }
    }

    @Test
    void theHeadKilledInTheMiddleOfWritesIsReplaced() {
        try (ChunkCluster cluster = cluster(2)) {
            Writer writer = new Writer(cluster);
            cluster.simulation.run(300);
            int head = cluster.headOf(GROUP);
            cluster.kill(head);
            cluster.until(() -> cluster.headOf(GROUP) != head, 20_000);
            int before = writer.done;
            cluster.until(() -> writer.done > before + 50, 10_000);
            cluster.start(head);
            cluster.untilWhole(30_000);
            writer.stop();
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void everybodyKilledAtOnceLosesNothing() {
        try (ChunkCluster cluster = cluster(3)) {
            for (int round = 0; round < 4; round++) {
                Writer writer = new Writer(cluster);
                cluster.simulation.run(300 + 7 * round);
                for (int i = 1; i <= 3; i++) {
                    cluster.kill(i);
                }
                cluster.simulation.run(round * 3_000L);
                for (int i = 1; i <= 3; i++) {
                    cluster.start(i);
                }
                cluster.untilWhole(30_000);
                writer.stop();
                assertEquals(List.of(), cluster.differences());
            }
        }
    }

    @Test
    void aWriteThatReachedOneMemberOnlyIsAgreedUpon() {
        try (ChunkCluster cluster = cluster(4)) {
            write(cluster, 0, 1);
            int ahead = cluster.followersOf(GROUP).get(1);
            byte[] data = random(9, 4096);
            ChunkAddress chunk =
                    ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), OID, 0);
            int[] crcs = Crc32c.ofPieces(ByteBuffer.wrap(data), 0);
            AlignedWrite half = new AlignedWrite(0, 30_100, ByteBuffer.wrap(data), crcs);
            cluster.server(ahead).target.write(chunk, 2, half);
            cluster.master.renewEpoch(GROUP);
            cluster.simulation.run(3_000);
            assertEquals(List.of(), cluster.differences());
            assertArrayEquals(
                    data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, data.length)));
        }
    }

    @Test
    void aChunkIsSettledBeforeItIsUsedWhileTheComparisonRuns() {
        try (ChunkCluster cluster = cluster(5)) {
            for (int index = 0; index < 40; index++) {
                write(cluster, index, index);
            }
            int follower = cluster.followersOf(GROUP).get(0);
            cluster.server(follower).target.delete(GROUP, OID, 39);
            cluster.master.renewEpoch(GROUP);
            WriteReply reply =
                    cluster.await(cluster.client.write(GROUP, OID, 39, 0, random(1, 10)));
            assertEquals(2, reply.sequence());
            assertEquals(30_100, cluster.state(follower, GROUP, OID, 39).lengthBytes());
            cluster.simulation.run(3_000);
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aSyncingMemberGetsWhatItLacksAndKeepsWhatOnlyItHas() {
        try (ChunkCluster cluster = cluster(6)) {
            int member = cluster.followersOf(GROUP).get(1);
            for (int index = 0; index < 10; index++) {
                write(cluster, index, index);
            }
            cluster.master.setState(GROUP, member, MemberState.OFFLINE);
            cluster.simulation.run(1);
            write(cluster, 3, 100);
            write(cluster, 20, 101);
            cluster.await(cluster.client.zero(GROUP, OID, 5, 0, 8192));
            cluster.await(cluster.client.cloneFrom(GROUP, OID + 1, 7, OID, 9_000));
            byte[] stale = random(1, 100);
            int[] crcs = {Crc32c.ofPadded(ByteBuffer.wrap(stale), 0, 100)};
            cluster.server(member)
                    .target
                    .write(
                            ChunkClient.chunk(GROUP, 1, OID + 5, 0),
                            1,
                            new AlignedWrite(0, 100, ByteBuffer.wrap(stale), crcs));
            cluster.untilWhole(30_000);
            assertEquals(List.of(), cluster.differences());
            for (int server = 1; server <= 3; server++) {
                assertEquals(1, cluster.state(server, GROUP, OID + 5, 0).sequence());
            }
            assertArrayEquals(random(100, 30_000), read(cluster, 3));
        }
    }

    @Test
    void aChunkThatBeginsWithAHoleReachesASyncingMember() {
        try (ChunkCluster cluster = cluster(8)) {
            int member = cluster.followersOf(GROUP).get(1);
            cluster.master.setState(GROUP, member, MemberState.OFFLINE);
            cluster.simulation.run(1);
            ChunkAddress large = new ChunkAddress(GROUP, 1, OID, 0, 22);
            int offset = 5 << 19; // more than two parts of a copy
            cluster.await(cluster.client.write(large, offset, random(9, 30_000)));
            cluster.untilWhole(30_000);
            int head = cluster.headOf(GROUP);
            assertEquals(cluster.state(head, GROUP, OID, 0), cluster.state(member, GROUP, OID, 0));
            assertArrayEquals(
                    cluster.server(head).target.read(large, offset, 30_000).crcs(),
                    cluster.server(member).target.read(large, offset, 30_000).crcs());
        }
    }

    @Test
    void liveWritesZerosAndClonesReachASyncingMember() {
        try (ChunkCluster cluster = cluster(7)) {
            int member = cluster.followersOf(GROUP).get(1);
            for (int index = 0; index < 30; index++) {
                write(cluster, index, index);
            }
            cluster.kill(member);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(member) == MemberState.OFFLINE,
                    20_000);
            for (int index = 0; index < 30; index++) {
                write(cluster, index, 50 + index);
            }
            cluster.network.setFaults(NetworkFaults.SLOW);
            cluster.start(member);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(member) == MemberState.SYNCING,
                    20_000);
            cluster.await(cluster.client.write(GROUP, OID, 29, 7, random(1, 1000)));
            cluster.await(cluster.client.zero(GROUP, OID, 28, 4096, 8192));
            cluster.await(cluster.client.cloneFrom(GROUP, OID + 1, 27, OID, 5_000));
            write(cluster, 40, 1);
            assertEquals(MemberState.SYNCING, cluster.master.group(GROUP).stateOf(member));
            cluster.untilWhole(60_000);
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void anUnreachableMemberIsReportedAndTheWriteSucceedsWithoutIt() {
        try (ChunkCluster cluster = cluster(8)) {
            int head = cluster.headOf(GROUP);
            int victim = cluster.followersOf(GROUP).get(0);
            cluster.network.partition(Set.of("c" + head), Set.of("c" + victim));
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 100)));
            assertTrue(cluster.master.failures().stream().anyMatch(f -> f.targetId() == victim));
            assertTrue(cluster.master.group(GROUP).stateOf(victim) != MemberState.SERVING);
            cluster.network.heal();
            cluster.untilWhole(60_000);
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aResendAfterAChangeOfTheHeadIsAppliedOnce() {
        try (ChunkCluster cluster = cluster(9)) {
            OperationId operation = new OperationId(55, 1);
            ChunkAddress chunk =
                    ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), OID, 0);
            byte[] data = random(1, 5000);
            int head = cluster.headOf(GROUP);
            Message first = ChunkClient.writing(chunk, operation, 0, data);
            WriteReply reply = Replies.write(cluster.await(cluster.client.ask(head, first)));
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(2, 5000)));
            cluster.kill(head);
            cluster.until(() -> cluster.headOf(GROUP) != head, 20_000);
            cluster.simulation.run(2_000);
            long epoch = cluster.master.group(GROUP).epoch();
            ChunkAddress again = ChunkClient.inEpoch(chunk, epoch);
            Message second = ChunkClient.writing(again, operation, 0, data);
            assertEquals(
                    reply,
                    Replies.write(
                            cluster.await(cluster.client.ask(cluster.headOf(GROUP), second))));
            assertArrayEquals(
                    random(2, 5000), cluster.await(cluster.client.read(GROUP, OID, 0, 0, 5000)));
        }
    }

    @Test
    void anyServingMemberServesWhatAllHave() {
        try (ChunkCluster cluster = cluster(10)) {
            byte[] data = random(1, 5000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data, cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, 5000)));
            }
        }
    }

    @Test
    void aMemberDoesNotServeAWriteThatTheOthersLack() {
        try (ChunkCluster cluster = cluster(11)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 5000)));
            for (int server = 1; server <= 3; server++) {
                cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, 5000));
            }
            int head = cluster.headOf(GROUP);
            int reached = cluster.followersOf(GROUP).get(0);
            int cut = cluster.followersOf(GROUP).get(1);
            cluster.network.partition(Set.of("c" + head), Set.of("c" + cut));
            CompletableFuture<WriteReply> write =
                    cluster.client.write(GROUP, OID, 0, 0, random(2, 5000));
            cluster.until(() -> cluster.state(reached, GROUP, OID, 0).sequence() == 2, 1_000);
            CompletableFuture<byte[]> read = cluster.client.readFrom(reached, GROUP, OID, 0, 5000);
            cluster.simulation.run(500);
            assertTrue(!read.isDone() || read.isCompletedExceptionally());
            assertArrayEquals(
                    random(1, 5000),
                    cluster.await(cluster.client.readFrom(cut, GROUP, OID, 0, 5000)));
            cluster.await(write);
        }
    }
}
