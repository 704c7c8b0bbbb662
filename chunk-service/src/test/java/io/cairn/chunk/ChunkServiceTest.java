package io.cairn.chunk;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Replies;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.IndicesReply;
import io.cairn.wire.chunk.ChunkReply.OffsetReply;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.FindChunks;
import io.cairn.wire.chunk.ChunkRequest.Replicate;
import io.cairn.wire.chunk.ChunkRequest.SeekChunk;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.netty.buffer.Unpooled;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** One server alone. */
class ChunkServiceTest {
    private static final int GROUP = 1;
    private static final long OID = 7;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster() {
        return new ChunkCluster(1, directory, 1, 1, 4);
    }

    private static ChunkAddress chunk(ChunkCluster cluster, long oid) {
        return ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), oid, 0);
    }

    @Test
    void writesAtAnyOffsetReadBack() {
        try (ChunkCluster cluster = cluster()) {
            byte[] model = new byte[1 << ChunkCluster.CHUNK_LOG2];
            Random random = new Random(3);
            for (int i = 0; i < 60; i++) {
                int offset = random.nextInt(model.length - 1);
                byte[] data =
                        random(i, 1 + random.nextInt(Math.min(20_000, model.length - offset)));
                cluster.await(cluster.client.write(GROUP, OID, 0, offset, data));
                System.arraycopy(data, 0, model, offset, data.length);
            }
            assertArrayEquals(
                    model, cluster.await(cluster.client.read(GROUP, OID, 0, 0, model.length)));
        }
    }

    @Test
    void whatIsAbsentReadsAsNothing() {
        try (ChunkCluster cluster = cluster()) {
            assertArrayEquals(
                    new byte[100], cluster.await(cluster.client.read(GROUP, OID, 3, 50, 100)));
            assertEquals(0, cluster.await(cluster.client.stat(GROUP, OID, 3)).state().sequence());
            assertEquals(
                    new WriteReply(0, 0, 0, 0),
                    cluster.await(cluster.client.zero(GROUP, OID, 3, 0, 4096)));
            assertEquals(0, cluster.await(cluster.client.flush(GROUP, OID, 3)).sequence());
        }
    }

    @Test
    void zeroedRangesAreHoles() {
        try (ChunkCluster cluster = cluster()) {
            byte[] data = random(1, 5 * 4096);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            WriteReply reply =
                    cluster.await(cluster.client.zero(GROUP, OID, 0, 4096, 2 * 4096 + 10));
            assertEquals(2, reply.sequence());
            assertEquals(-2 * 4096, reply.allocatedDeltaBytes());
            assertEquals(data.length, reply.lengthBytes());
            Arrays.fill(data, 4096, 3 * 4096 + 10, (byte) 0);
            assertArrayEquals(
                    data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, data.length)));
            assertEquals(4096, seek(cluster, 0, false));
            assertEquals(3 * 4096, seek(cluster, 4096, true));
        }
    }

    private static int seek(ChunkCluster cluster, int offset, boolean data) {
        SeekChunk seek = new SeekChunk(chunk(cluster, OID), offset, data);
        Message reply = cluster.await(cluster.client.ask(1, Message.of(seek::toBytes)));
        ChunkReply decoded = ChunkReply.decode(new Decoder(reply.header()));
        return decoded instanceof OffsetReply offsetReply ? offsetReply.offsetBytes() : -2;
    }

    @Test
    void chunksThatAreThereAreFound() {
        try (ChunkCluster cluster = cluster()) {
            for (long index : new long[] {0, 3, 70, 1L << 46}) {
                cluster.await(cluster.client.write(GROUP, OID, index, 0, random(1, 10)));
            }
            cluster.await(cluster.client.write(GROUP, OID + 1, 80, 0, random(1, 10)));
            ChunkRange first = new ChunkRange(OID, 0, 75);
            ChunkRange second = new ChunkRange(OID + 1, 75, 100);
            ChunkRange rest = new ChunkRange(OID, 100, Long.MAX_VALUE);
            List<ChunkRange> all = List.of(first, second, rest);
            assertEquals(List.of(0L, 3L, 70L, 80L, 1L << 46, -1L), find(cluster, all, 10));
            assertEquals(List.of(0L, 3L, 70L, 80L, 1L << 46, -1L), find(cluster, all, 5));
            assertEquals(List.of(0L, 3L), find(cluster, all, 2));
            ChunkRange middle = new ChunkRange(OID, 1, 70);
            assertEquals(List.of(3L, -1L), find(cluster, List.of(middle), 10));
            assertEquals(List.of(-1L), find(cluster, List.of(new ChunkRange(9, 0, 5)), 10));
        }
    }

    /** What is found, and -1 when that is all. */
    private static List<Long> find(ChunkCluster cluster, List<ChunkRange> ranges, int max) {
        FindChunks find = new FindChunks(chunk(cluster, OID), ranges, max);
        Message reply = cluster.await(cluster.client.ask(1, Message.of(find::toBytes)));
        IndicesReply found = (IndicesReply) ChunkReply.decode(new Decoder(reply.header()));
        List<Long> list = new ArrayList<>();
        for (long index : found.indices()) {
            list.add(index);
        }
        if (found.end()) {
            list.add(-1L);
        }
        return list;
    }

    @Test
    void clonesKeepWhatTheSourceHad() {
        try (ChunkCluster cluster = cluster()) {
            byte[] data = random(1, 30_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            WriteReply reply =
                    cluster.await(cluster.client.cloneFrom(GROUP, OID + 1, 0, OID, 10_001));
            assertEquals(10_001, reply.lengthBytes());
            byte[] expected = Arrays.copyOf(Arrays.copyOf(data, 10_001), 30_000);
            assertArrayEquals(
                    expected, cluster.await(cluster.client.read(GROUP, OID + 1, 0, 0, 30_000)));
            cluster.await(cluster.client.cloneFrom(GROUP, OID + 1, 0, OID, 30_000));
            assertArrayEquals(
                    expected, cluster.await(cluster.client.read(GROUP, OID + 1, 0, 0, 30_000)));
        }
    }

    @Test
    void aResentOperationIsAppliedOnce() {
        try (ChunkCluster cluster = cluster()) {
            OperationId operation = new OperationId(9, 9);
            byte[] data = random(1, 5000);
            WriteReply first = write(cluster, chunk(cluster, OID), operation, data);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(2, 5000)));
            WriteReply second = write(cluster, chunk(cluster, OID), operation, data);
            assertEquals(first, second);
            assertArrayEquals(
                    random(2, 5000), cluster.await(cluster.client.read(GROUP, OID, 0, 0, 5000)));
        }
    }

    private static WriteReply write(
            ChunkCluster cluster, ChunkAddress chunk, OperationId operation, byte[] data) {
        Message write = ChunkClient.writing(chunk, operation, 0, data);
        return Replies.write(cluster.await(cluster.client.ask(1, write)));
    }

    @Test
    void otherEpochsAndGroupsAreRefused() {
        try (ChunkCluster cluster = cluster()) {
            ChunkAddress chunk = chunk(cluster, OID);
            for (ChunkAddress wrong :
                    List.of(
                            ChunkClient.inEpoch(chunk, chunk.epoch() - 1),
                            ChunkClient.inEpoch(chunk, chunk.epoch() + 5),
                            new ChunkAddress(99, 1, OID, 0, ChunkCluster.CHUNK_LOG2))) {
                Message write =
                        ChunkClient.writing(wrong, new OperationId(1, 1), 0, new byte[] {1});
                assertEquals(Errno.WRONG_EPOCH, cluster.error(cluster.client.ask(1, write)));
                assertEquals(
                        Errno.WRONG_EPOCH,
                        cluster.error(
                                cluster.client.ask(
                                        1,
                                        ChunkClient.reading(
                                                wrong.group(), wrong.epoch(), OID, 0, 0, 1))));
            }
            assertEquals(0, cluster.await(cluster.client.stat(GROUP, OID, 0)).state().sequence());
        }
    }

    @Test
    void anInventedEpochStopsAGroupForOneRoundTrip() {
        try (ChunkCluster cluster = cluster()) {
            Message read = ChunkClient.reading(GROUP, 1000, OID, 0, 0, 1);
            assertEquals(Errno.WRONG_EPOCH, cluster.error(cluster.client.ask(1, read)));
            cluster.simulation.run(100);
            long epoch = cluster.master.group(GROUP).epoch();
            Message right = ChunkClient.reading(GROUP, epoch, OID, 0, 0, 1);
            cluster.await(cluster.client.ask(1, right)).release();
        }
    }

    @Test
    void aYoungerEpochIsFetchedAtOnce() {
        try (ChunkCluster cluster = cluster()) {
            cluster.simulation.run(1_001);
            cluster.master.renewEpoch(GROUP);
            long before = cluster.simulation.millis();
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
            assertTrue(cluster.simulation.millis() - before < 200, "took until the next heartbeat");
        }
    }

    @Test
    void whatTheMasterTellsIsInForceWithoutAHeartbeat() {
        try (ChunkCluster cluster = cluster()) {
            ClusterMap first = cluster.master.map();
            cluster.master.setSilent(true);
            cluster.master.renewEpoch(GROUP);
            cluster.master.tellChange(first);
            cluster.until(() -> hasMap(cluster), 200);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
            // One that it was not told is missing: it asks.
            cluster.master.setSilent(false);
            cluster.master.renewEpoch(GROUP);
            ClusterMap unheard = cluster.master.map();
            cluster.master.renewEpoch(2);
            cluster.master.tellChange(unheard);
            cluster.until(() -> hasMap(cluster), 4_000);
        }
    }

    private static boolean hasMap(ChunkCluster cluster) {
        ClusterMap map = cluster.server(1).service.clusterMap();
        return map.epoch() == cluster.master.map().epoch() && map.equals(cluster.master.map());
    }

    /** And nothing is served before. */
    @Test
    void aMapTooLargeForAHeartbeatIsFetchedInParts() {
        int groups = 2 * MapDelta.PART_RECORDS;
        try (ChunkCluster cluster = new ChunkCluster(1, directory, 1, 1, groups)) {
            assertTrue(cluster.master.partsAsked() > 2, cluster.master.partsAsked() + " parts");
            assertTrue(hasMap(cluster));
            cluster.await(cluster.client.write(groups, OID, 0, 0, new byte[10]));
        }
    }

    @Test
    void nothingIsServedWithoutALease() {
        try (ChunkCluster cluster = cluster()) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
            cluster.master.setSilent(true);
            cluster.simulation.run(FakeMapMaster.LEASE_MS + 1);
            long epoch = cluster.master.group(GROUP).epoch();
            assertEquals(
                    Errno.NOT_READY,
                    cluster.error(
                            cluster.client.ask(
                                    1, ChunkClient.reading(GROUP, epoch, OID, 0, 0, 1))));
            assertFalse(cluster.server(1).service.isReady());
            cluster.master.setSilent(false);
            cluster.await(cluster.client.write(GROUP, OID, 0, 5, new byte[10]));
            assertTrue(cluster.server(1).service.isReady());
        }
    }

    @Test
    void impossibleRangesAreRefused() {
        try (ChunkCluster cluster = cluster()) {
            int size = 1 << ChunkCluster.CHUNK_LOG2;
            for (int[] range :
                    new int[][] {
                        {-1, 10}, {0, 0}, {0, -5}, {size - 1, 2}, {size, 1}, {0, size + 1}
                    }) {
                Message read =
                        ChunkClient.reading(
                                GROUP, chunk(cluster, OID).epoch(), OID, 0, range[0], range[1]);
                assertEquals(Errno.EINVAL, cluster.error(cluster.client.ask(1, read)));
            }
            for (ChunkAddress wrong :
                    List.of(
                            new ChunkAddress(GROUP, 1, 0, 0, 20),
                            new ChunkAddress(GROUP, 1, OID, -1, 20),
                            new ChunkAddress(GROUP, 1, OID, 0, 15),
                            new ChunkAddress(GROUP, 1, OID, 0, 27),
                            new ChunkAddress(GROUP, 1, OID, 0, 20, -1, Ticket.NONE))) {
                Message write = ChunkClient.writing(wrong, new OperationId(1, 1), 0, new byte[1]);
                assertEquals(Errno.EINVAL, cluster.error(cluster.client.ask(1, write)));
            }
        }
    }

    @Test
    void damagedPayloadIsRefused() {
        try (ChunkCluster cluster = cluster()) {
            byte[] data = random(1, 9000);
            Message write =
                    ChunkClient.writing(chunk(cluster, OID), new OperationId(1, 1), 100, data);
            data[5000] ^= 1;
            write.release();
            Message damaged = new Message(write.encoded(1).header(), Unpooled.copiedBuffer(data));
            assertEquals(Errno.EBADMSG, cluster.error(cluster.client.ask(1, damaged)));
            assertEquals(0, cluster.await(cluster.client.stat(GROUP, OID, 0)).state().sequence());
        }
    }

    @Test
    void membersRequestsAreRefusedByTheHead() {
        try (ChunkCluster cluster = cluster()) {
            Replicate replicate =
                    new Replicate(
                            chunk(cluster, OID), new OperationId(1, 1), 0, 1, 0, 1, new int[1]);
            Message message =
                    new Message(replicate::toBytes, Unpooled.copiedBuffer(new byte[] {1}));
            assertEquals(Errno.WRONG_EPOCH, cluster.error(cluster.client.ask(1, message)));
        }
    }

    @Test
    void nonsenseClosesTheConnectionAndNothingElse() {
        try (ChunkCluster cluster = cluster()) {
            Random random = new Random(5);
            for (int i = 0; i < 200; i++) {
                byte[] header = new byte[random.nextInt(80)];
                random.nextBytes(header);
                Message nonsense =
                        new Message(header, Unpooled.copiedBuffer(new byte[random.nextInt(100)]));
                Errno errno = cluster.error(cluster.client.ask(1, nonsense));
                assertTrue(
                        List.of(Errno.DISCONNECTED, Errno.EPROTO, Errno.EINVAL, Errno.WRONG_EPOCH)
                                .contains(errno),
                        errno.toString());
            }
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
        }
    }

    @Test
    void dataIsThereAfterAKillAndAfterAStop() {
        try (ChunkCluster cluster = cluster()) {
            byte[] data = random(1, 50_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 1, data));
            cluster.kill(1);
            cluster.start(1);
            assertArrayEquals(
                    data, cluster.await(cluster.client.read(GROUP, OID, 0, 1, data.length)));
            cluster.stop(1);
            cluster.start(1);
            assertArrayEquals(
                    data, cluster.await(cluster.client.read(GROUP, OID, 0, 1, data.length)));
        }
    }

    @Test
    void aStoppingServerTakesNoNewRequests() {
        try (ChunkCluster cluster = cluster()) {
            cluster.await(cluster.server(1).service.drain());
            Message read = ChunkClient.reading(GROUP, chunk(cluster, OID).epoch(), OID, 0, 0, 1);
            assertEquals(Errno.NOT_READY, cluster.error(cluster.client.ask(1, read)));
        }
    }

    @Test
    void garbageIsDeletedConfirmedAndStaysDeleted() {
        try (ChunkCluster cluster = cluster()) {
            for (int index = 0; index < 4; index++) {
                cluster.await(cluster.client.write(GROUP, OID, index, 0, new byte[5000]));
            }
            cluster.master.addGarbage(new GarbageTask(77, 1, OID, 1, Long.MAX_VALUE));
            cluster.until(() -> cluster.master.confirmations(77) == 1, 10_000);
            assertNotEquals(0, cluster.state(1, GROUP, OID, 0).sequence());
            for (int index = 1; index < 4; index++) {
                assertEquals(0, cluster.state(1, GROUP, OID, index).sequence());
            }
            assertEquals(
                    Errno.ESTALE,
                    cluster.error(cluster.client.write(GROUP, OID, 2, 0, new byte[10])));
            cluster.until(() -> cluster.master.heartbeat("c1").collected().length == 0, 10_000);
        }
    }

    @Test
    void manyDeletionsAreConfirmedAtOnce() {
        try (ChunkCluster cluster = cluster()) {
            cluster.master.addGarbage(new GarbageTask(1, 1, OID, 0, Long.MAX_VALUE));
            cluster.until(() -> cluster.master.confirmations(1) == 1, 10_000);
            // A heartbeat was just now: the next one tells of these.
            long last = 1 + Garbage.MANY;
            for (long entry = 2; entry <= last; entry++) {
                cluster.master.addGarbage(
                        new GarbageTask(entry, 1, OID + entry, 0, Long.MAX_VALUE));
            }
            cluster.until(
                    () -> cluster.master.confirmations(last) == 1, FakeMapMaster.LEASE_MS / 2);
        }
    }

    @Test
    void aFreshServerJoinsAndNeverChangesTheCluster() {
        try (ChunkCluster cluster = cluster()) {
            assertEquals(FakeMapMaster.CLUSTER, cluster.server(1).target.clusterId());
            cluster.stop(1);
            cluster.master.setClusterId(FakeMapMaster.CLUSTER + 1);
            cluster.start(1);
            cluster.simulation.run(10_000);
            assertFalse(cluster.server(1).service.isReady());
            assertEquals(FakeMapMaster.CLUSTER, cluster.server(1).target.clusterId());
        }
    }

    @Test
    void theLeaderIsFoundThroughHintsAndByTrying() {
        try (ChunkCluster cluster = cluster()) {
            FakeMapMaster other =
                    new FakeMapMaster(
                            cluster.network.start("other"),
                            cluster.simulation,
                            new io.cairn.testkit.simulated.SimulatedScheduler(cluster.simulation),
                            new Endpoint("other", 9000),
                            new int[] {1, 1, 1});
            other.abdicate(cluster.master.endpoint().toString());
            cluster.stop(1);
            cluster.start(1, List.of(new Endpoint("nobody", 1), other.endpoint()));
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[10]));
        }
    }

    @Test
    void aFullDiskIsToldAndLeavesTheChunkAsItWas() {
        try (ChunkCluster cluster = cluster()) {
            byte[] data = random(1, 50_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            cluster.server(1).disk.setFull(true);
            cluster.simulation.run(2_000);
            assertEquals(
                    Errno.ENOSPC,
                    cluster.error(cluster.client.write(GROUP, OID, 0, 100_000, data)));
            assertArrayEquals(
                    data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, data.length)));
            cluster.server(1).disk.setFull(false);
            cluster.simulation.run(2_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 100_000, data));
        }
    }

    @Test
    void aFailedSyncIsNeverForgotten() {
        try (ChunkCluster cluster = cluster()) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, new byte[5000]));
            cluster.server(1).disk.setSyncFails(true);
            assertEquals(Errno.EIO, cluster.error(cluster.client.flush(GROUP, OID, 0)));
            cluster.server(1).disk.setSyncFails(false);
            assertEquals(Errno.EIO, cluster.error(cluster.client.flush(GROUP, OID, 0)));
        }
    }

    @Test
    void settingsNameWhatIsMissing() {
        Endpoint listen = new Endpoint("c1", 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> ChunkSettings.of("", listen, List.of(listen)));
        assertThrows(
                IllegalArgumentException.class, () -> ChunkSettings.of("c1", listen, List.of()));
        assertThrows(
                IllegalArgumentException.class,
                () -> new ChunkSettings("c1", listen, List.of(listen), 0));
        ChunkSettings standard = ChunkSettings.of("c1", listen, List.of(listen));
        assertEquals(ChunkSettings.STANDARD_CLIENT_BYTES, standard.clientBytes());
    }

    @Test
    void failuresOfCallsKeepTheirErrno() {
        FsException known = new FsException(Errno.ENOSPC);
        assertEquals(
                Errno.ENOSPC,
                Futures.failure(new java.util.concurrent.CompletionException(known)).errno());
        assertEquals(Errno.EIO, Futures.failure(new IllegalStateException("x")).errno());
    }
}
