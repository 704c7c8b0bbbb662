package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.store.AlignedWrite;
import io.cairn.cluster.MemberState;
import io.cairn.fs.Errno;
import io.cairn.net.Message;
import io.cairn.testkit.NetworkFaults;
import io.cairn.wire.ChunkReply.WriteReply;
import io.cairn.wire.ChunkRequest.ChunkAddress;
import io.cairn.wire.ChunkRequest.OperationId;
import io.cairn.wire.ChunkRequest.ReportBad;
import io.cairn.wire.Crc32c;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
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

    private static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static <T> T await(ChunkCluster cluster, CompletableFuture<T> future) {
        return cluster.simulation.await(future, 60_000);
    }

    private static Errno error(ChunkCluster cluster, CompletableFuture<?> future) {
        Throwable thrown = assertThrows(RuntimeException.class, () -> await(cluster, future));
        return Futures.failure(thrown).errno();
    }

    private static void write(ChunkCluster cluster, long index, long seed) {
        await(cluster, cluster.client.write(GROUP, OID, index, 100, random(seed, 30_000)));
    }

    private static byte[] read(ChunkCluster cluster, long index) {
        return await(cluster, cluster.client.read(GROUP, OID, index, 100, 30_000));
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
                    data, await(cluster, cluster.client.read(GROUP, OID, 0, 0, data.length)));
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
                    await(cluster, cluster.client.write(GROUP, OID, 39, 0, random(1, 10)));
            assertEquals(2, reply.sequence());
            assertEquals(30_100, cluster.state(follower, GROUP, OID, 39).lengthBytes());
            cluster.simulation.run(3_000);
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aSyncingMemberGetsWhatItLacksAndLosesWhatNobodyHas() {
        try (ChunkCluster cluster = cluster(6)) {
            int member = cluster.followersOf(GROUP).get(1);
            for (int index = 0; index < 10; index++) {
                write(cluster, index, index);
            }
            cluster.master.setState(GROUP, member, MemberState.OFFLINE);
            cluster.simulation.run(1);
            write(cluster, 3, 100);
            write(cluster, 20, 101);
            await(cluster, cluster.client.zero(GROUP, OID, 5, 0, 8192));
            await(cluster, cluster.client.cloneFrom(GROUP, OID + 1, 7, OID, 9_000));
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
            assertEquals(0, cluster.state(member, GROUP, OID + 5, 0).sequence());
            assertArrayEquals(random(100, 30_000), read(cluster, 3));
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
            await(cluster, cluster.client.write(GROUP, OID, 29, 7, random(1, 1000)));
            await(cluster, cluster.client.zero(GROUP, OID, 28, 4096, 8192));
            await(cluster, cluster.client.cloneFrom(GROUP, OID + 1, 27, OID, 5_000));
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
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, random(1, 100)));
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
            WriteReply reply = Replies.write(await(cluster, cluster.client.ask(head, first)));
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, random(2, 5000)));
            cluster.kill(head);
            cluster.until(() -> cluster.headOf(GROUP) != head, 20_000);
            cluster.simulation.run(2_000);
            ChunkAddress again = chunk.withEpoch(cluster.master.group(GROUP).epoch());
            Message second = ChunkClient.writing(again, operation, 0, data);
            assertEquals(
                    reply,
                    Replies.write(
                            await(cluster, cluster.client.ask(cluster.headOf(GROUP), second))));
            assertArrayEquals(
                    random(2, 5000), await(cluster, cluster.client.read(GROUP, OID, 0, 0, 5000)));
        }
    }

    @Test
    void anyServingMemberServesWhatAllHave() {
        try (ChunkCluster cluster = cluster(10)) {
            byte[] data = random(1, 5000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data, await(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 5000)));
            }
        }
    }

    @Test
    void aMemberDoesNotServeAWriteThatTheOthersLack() {
        try (ChunkCluster cluster = cluster(11)) {
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, random(1, 5000)));
            for (int server = 1; server <= 3; server++) {
                await(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 5000));
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
                    await(cluster, cluster.client.readFrom(cut, GROUP, OID, 0, 5000)));
            await(cluster, write);
        }
    }

    /** Flips a bit of a block of chunk 0 of the object, on the disk of a server. */
    private void damage(int server, int offset) {
        Path blobs = directory.resolve("c" + server).resolve("pg").resolve("" + GROUP);
        try (Stream<Path> files = Files.walk(blobs)) {
            Path blob =
                    files.filter(Files::isRegularFile)
                            .filter(f -> f.getFileName().toString().endsWith(OID + ".0"))
                            .findFirst()
                            .orElseThrow();
            try (RandomAccessFile file = new RandomAccessFile(blob.toFile(), "rw")) {
                file.seek(offset);
                int old = file.read();
                file.seek(offset);
                file.write(old ^ 1);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void report(ChunkCluster cluster, int server, int offset) {
        ChunkAddress chunk = ChunkClient.chunk(GROUP, cluster.master.group(GROUP).epoch(), OID, 0);
        ReportBad report = new ReportBad(chunk, offset);
        await(cluster, cluster.client.ask(server, Message.of(report.toBytes()))).release();
    }

    @Test
    void aBadBlockIsRepairedFromAnotherReplica() {
        try (ChunkCluster cluster = cluster(12)) {
            byte[] data = random(1, 20_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                int offset = 5000 * server;
                damage(server, offset);
                assertEquals(
                        Errno.EBADMSG,
                        error(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
                report(cluster, server, offset);
                cluster.simulation.run(2_000);
                assertArrayEquals(
                        data,
                        await(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void differentBadBlocksEverywhereAreRepairedFromEachOther() {
        try (ChunkCluster cluster = cluster(13)) {
            byte[] data = random(1, 20_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                damage(server, 5000 * server);
            }
            report(cluster, cluster.headOf(GROUP), 5000);
            cluster.simulation.run(2_000);
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data,
                        await(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
        }
    }

    @Test
    void aBlockThatIsBadEverywhereStaysBadAndTravelsAsBad() {
        try (ChunkCluster cluster = cluster(14)) {
            byte[] data = random(1, 20_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                damage(server, 5000);
            }
            report(cluster, 1, 5000);
            cluster.simulation.run(2_000);
            int member = cluster.followersOf(GROUP).get(0);
            cluster.master.setState(GROUP, member, MemberState.OFFLINE);
            cluster.simulation.run(1);
            await(cluster, cluster.client.write(GROUP, OID, 0, 12_288, new byte[100]));
            cluster.untilWhole(30_000);
            for (int server = 1; server <= 3; server++) {
                int from = server;
                assertEquals(
                        Errno.EBADMSG,
                        error(cluster, cluster.client.readFrom(from, GROUP, OID, 4096, 10)));
                assertArrayEquals(
                        java.util.Arrays.copyOf(data, 4096),
                        await(cluster, cluster.client.readFrom(from, GROUP, OID, 0, 4096)));
            }
            await(cluster, cluster.client.write(GROUP, OID, 0, 4096, random(2, 4096)));
            assertArrayEquals(
                    random(2, 4096),
                    await(cluster, cluster.client.readFrom(member, GROUP, OID, 4096, 4096)));
        }
    }

    @Test
    void aPartialWriteOverABadBlockTakesTheBlockFromAnotherReplica() {
        try (ChunkCluster cluster = cluster(15)) {
            byte[] data = random(1, 20_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            damage(cluster.headOf(GROUP), 5000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 4100, new byte[10]));
            java.util.Arrays.fill(data, 4100, 4110, (byte) 0);
            assertArrayEquals(data, await(cluster, cluster.client.read(GROUP, OID, 0, 0, 20_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aMemberWithoutRoomMakesTheWriteUndone() {
        try (ChunkCluster cluster = cluster(16)) {
            byte[] data = random(1, 20_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
            int full = cluster.followersOf(GROUP).get(0);
            cluster.server(full).disk.setFull(true);
            cluster.simulation.run(2_000);
            assertEquals(
                    Errno.ENOSPC,
                    error(cluster, cluster.client.write(GROUP, OID, 0, 15_000, random(2, 90_000))));
            assertEquals(
                    Errno.ENOSPC,
                    error(cluster, cluster.client.write(GROUP, OID, 1, 0, random(2, 9_000))));
            assertEquals(List.of(), cluster.master.failures());
            assertEquals(List.of(), cluster.differences());
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data,
                        await(cluster, cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
            cluster.server(full).disk.setFull(false);
            cluster.simulation.run(2_000);
            await(cluster, cluster.client.write(GROUP, OID, 0, 15_000, random(2, 90_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aFailedSyncIsHealedFromAnotherMember() {
        try (ChunkCluster cluster = cluster(17)) {
            for (int server = 1; server <= 3; server++) {
                byte[] data = random(server, 20_000);
                await(cluster, cluster.client.write(GROUP, OID, 0, 0, data));
                TestDisk disk = cluster.server(server).disk;
                disk.failNextSync();
                await(cluster, cluster.client.flush(GROUP, OID, 0));
                await(cluster, cluster.client.write(GROUP, OID, 0, 100, new byte[10]));
                await(cluster, cluster.client.flush(GROUP, OID, 0));
            }
            assertEquals(List.of(), cluster.master.failures());
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aBrokenDiskOfTheHeadHandsTheGroupOver() {
        try (ChunkCluster cluster = cluster(18)) {
            await(cluster, cluster.client.write(GROUP, OID, 0, 0, random(1, 20_000)));
            int head = cluster.headOf(GROUP);
            cluster.server(head).disk.setWriteFails(true);
            await(cluster, cluster.client.write(GROUP, OID, 0, 500, random(2, 20_000)));
            assertTrue(cluster.headOf(GROUP) != head);
            assertArrayEquals(
                    random(2, 20_000),
                    await(cluster, cluster.client.read(GROUP, OID, 0, 500, 20_000)));
        }
    }
}
