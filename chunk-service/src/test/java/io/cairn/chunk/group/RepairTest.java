package io.cairn.chunk.group;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.ChunkClient;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.DamagedBlobs;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.TestDisk;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Message;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRequest.ReportBad;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.master.ClusterRequest.Damage;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Bad blocks, full and failing disks. */
class RepairTest {
    private static final int GROUP = 1;
    private static final long OID = 7;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster(long seed) {
        return new ChunkCluster(seed, directory, 3, 3, 2);
    }

    /** Flips a bit of a block of chunk 0 of the object, on the disk of a server. */
    private void damage(int server, int offset) {
        damage(directory.resolve("c" + server), OID, offset);
    }

    static void damage(Path target, long oid, int offset) {
        Path blobs = target.resolve("pg").resolve("" + GROUP);
        String name = Long.toHexString(oid) + ".0";
        try (Stream<Path> files = Files.walk(blobs)) {
            Path blob =
                    files.filter(Files::isRegularFile)
                            .filter(f -> f.getFileName().toString().endsWith(name))
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
        cluster.await(cluster.client.ask(server, Message.of(report::toBytes))).release();
    }

    @Test
    void aBadBlockIsRepairedFromAnotherReplica() {
        try (ChunkCluster cluster = cluster(12)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                int offset = 5000 * server;
                damage(server, offset);
                assertEquals(
                        Errno.EBADMSG,
                        cluster.error(cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
                report(cluster, server, offset);
                cluster.simulation.run(2_000);
                assertArrayEquals(
                        data,
                        cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void differentBadBlocksEverywhereAreRepairedFromEachOther() {
        try (ChunkCluster cluster = cluster(13)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                damage(server, 5000 * server);
            }
            report(cluster, cluster.headOf(GROUP), 5000);
            cluster.simulation.run(2_000);
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data,
                        cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
        }
    }

    @Test
    void aBlockThatIsBadEverywhereStaysBadAndTravelsAsBad() {
        try (ChunkCluster cluster = cluster(14)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                damage(server, 5000);
            }
            report(cluster, 1, 5000);
            cluster.simulation.run(2_000);
            int member = cluster.followersOf(GROUP).get(0);
            cluster.master.setState(GROUP, member, MemberState.OFFLINE);
            cluster.simulation.run(1);
            cluster.await(cluster.client.write(GROUP, OID, 0, 12_288, new byte[100]));
            cluster.untilWhole(30_000);
            for (int server = 1; server <= 3; server++) {
                int from = server;
                assertEquals(
                        Errno.EBADMSG,
                        cluster.error(cluster.client.readFrom(from, GROUP, OID, 4096, 10)));
                assertArrayEquals(
                        Arrays.copyOf(data, 4096),
                        cluster.await(cluster.client.readFrom(from, GROUP, OID, 0, 4096)));
            }
            cluster.await(cluster.client.write(GROUP, OID, 0, 4096, random(2, 4096)));
            assertArrayEquals(
                    random(2, 4096),
                    cluster.await(cluster.client.readFrom(member, GROUP, OID, 4096, 4096)));
        }
    }

    @Test
    void aPartialWriteOverABadBlockTakesTheBlockFromAnotherReplica() {
        try (ChunkCluster cluster = cluster(15)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            damage(cluster.headOf(GROUP), 5000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 4100, new byte[10]));
            Arrays.fill(data, 4100, 4110, (byte) 0);
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, 20_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aMemberWithoutRoomMakesTheWriteUndone() {
        try (ChunkCluster cluster = cluster(16)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            int full = cluster.followersOf(GROUP).get(0);
            cluster.server(full).disk.setFull(true);
            cluster.simulation.run(2_000);
            assertEquals(
                    Errno.ENOSPC,
                    cluster.error(cluster.client.write(GROUP, OID, 0, 15_000, random(2, 90_000))));
            assertEquals(
                    Errno.ENOSPC,
                    cluster.error(cluster.client.write(GROUP, OID, 1, 0, random(2, 9_000))));
            assertEquals(List.of(), cluster.master.failures());
            assertEquals(List.of(), cluster.differences());
            for (int server = 1; server <= 3; server++) {
                assertArrayEquals(
                        data,
                        cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, 20_000)));
            }
            cluster.server(full).disk.setFull(false);
            cluster.simulation.run(2_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 15_000, random(2, 90_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aFailedSyncIsHealedFromAnotherMember() {
        try (ChunkCluster cluster = cluster(17)) {
            for (int server = 1; server <= 3; server++) {
                byte[] data = random(server, 20_000);
                cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
                TestDisk disk = cluster.server(server).disk;
                disk.failNextSync();
                cluster.await(cluster.client.flush(GROUP, OID, 0));
                cluster.await(cluster.client.write(GROUP, OID, 0, 100, new byte[10]));
                cluster.await(cluster.client.flush(GROUP, OID, 0));
            }
            assertEquals(List.of(), cluster.master.failures());
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aBrokenDiskOfTheHeadHandsTheGroupOver() {
        try (ChunkCluster cluster = cluster(18)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 20_000)));
            int head = cluster.headOf(GROUP);
            cluster.server(head).disk.setWriteFails(true);
            cluster.await(cluster.client.write(GROUP, OID, 0, 500, random(2, 20_000)));
            assertTrue(cluster.headOf(GROUP) != head);
            assertArrayEquals(
                    random(2, 20_000),
                    cluster.await(cluster.client.read(GROUP, OID, 0, 500, 20_000)));
        }
    }

    /** A write reaches the head alone, nobody hears of it, and who wrote never comes back. */
    private static int halfWritten(ChunkCluster cluster) {
        cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 20_000)));
        int head = cluster.headOf(GROUP);
        int deaf = cluster.followersOf(GROUP).get(0);
        cluster.master.setLosesReports(true);
        cluster.network.block("c" + head, "c" + deaf);
        cluster.client.setRetryLimitMs(1);
        var _ = cluster.client.write(GROUP, OID, 0, 0, random(2, 20_000));
        cluster.until(() -> !cluster.differences().isEmpty(), 1_000);
        cluster.simulation.run(9_000);
        return deaf;
    }

    @Test
    void aWriteThatFailedHalfWayIsSettledWhenTheMemberIsWellAgain() {
        try (ChunkCluster cluster = cluster(19)) {
            halfWritten(cluster);
            long epoch = cluster.master.group(GROUP).epoch();
            cluster.network.heal();
            cluster.simulation.run(8_000);
            assertEquals(List.of(), cluster.differences());
            assertEquals(epoch, cluster.master.group(GROUP).epoch());
            assertEquals(List.of(), cluster.master.failures());
        }
    }

    @Test
    void aMemberThatStaysDeafLeavesWhenTheNextMasterHearsOfIt() {
        try (ChunkCluster cluster = cluster(20)) {
            int deaf = halfWritten(cluster);
            cluster.master.setLosesReports(false);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(deaf) == MemberState.OFFLINE, 20_000);
        }
    }

    @Test
    void aDamagedHeadWithoutRoomForTheGoodCopyHandsTheGroupOver() {
        try (ChunkCluster cluster = cluster(21)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            int head = cluster.headOf(GROUP);
            cluster.server(head)
                    .target
                    .expect(new BlobKey(GROUP, OID, 0), new WriteMark(Long.MAX_VALUE, 1));
            cluster.server(head).disk.setFull(true);
            cluster.client.setRetryLimitMs(1);
            assertEquals(
                    Errno.ENOSPC,
                    cluster.error(cluster.client.readFrom(head, GROUP, OID, 0, 20_000)));
            cluster.until(() -> cluster.headOf(GROUP) != head, 20_000);
            cluster.client.setRetryLimitMs(30_000);
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, 20_000)));
        }
    }

    /** Two servers: the second is away, the first has lost the file of a chunk. */
    private ChunkCluster damagedAlone(long seed, BlobDamage damage, boolean between)
            throws IOException {
        ChunkCluster cluster = new ChunkCluster(seed, directory, 2, 2, 1);
        long oid = DamagedBlobs.oid(damage);
        cluster.await(
                cluster.client.write(GROUP, oid, DamagedBlobs.index(damage), 0, random(1, 20_000)));
        cluster.kill(2);
        cluster.until(() -> cluster.master.group(GROUP).stateOf(2) == MemberState.OFFLINE, 20_000);
        if (between) {
            cluster.await(
                    cluster.client.write(
                            GROUP, oid, DamagedBlobs.index(damage), 0, random(2, 20_000)));
        }
        cluster.kill(1);
        DamagedBlobs.strike(damage, directory.resolve("c1"), directory, GROUP, 0);
        cluster.start(1);
        cluster.until(() -> cluster.master.group(GROUP).stateOf(1) == MemberState.SERVING, 20_000);
        cluster.simulation.run(5_000);
        cluster.client.setRetryLimitMs(500);
        return cluster;
    }

    @Test
    void whoAsksForWhatIsDamagedAtTheHeadWaitsForTheMemberThatIsAway() throws IOException {
        try (ChunkCluster cluster = damagedAlone(22, BlobDamage.FILE_DELETED, false)) {
            long oid = DamagedBlobs.oid(BlobDamage.FILE_DELETED);
            assertEquals(
                    Errno.NOT_READY, cluster.error(cluster.client.read(GROUP, oid, 0, 0, 20_000)));
            assertEquals(
                    Errno.NOT_READY,
                    cluster.error(cluster.client.write(GROUP, oid, 0, 100, new byte[10])));
            assertEquals(Errno.NOT_READY, cluster.error(cluster.client.flush(GROUP, oid, 0)));
            assertEquals(
                    Errno.NOT_READY,
                    cluster.error(cluster.client.cloneFrom(GROUP, oid + 50, 0, oid, 9_000)));
            assertEquals(
                    List.of(new Damage(GROUP, 1)),
                    cluster.master.heartbeat("c1").targets().get(0).damages());
            cluster.client.setRetryLimitMs(60_000);
            var write = cluster.client.write(GROUP, oid, 0, 100, new byte[10]);
            cluster.simulation.run(3_000);
            cluster.start(2);
            cluster.await(write);
            byte[] data = random(1, 20_000);
            Arrays.fill(data, 100, 110, (byte) 0);
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, oid, 0, 0, 20_000)));
            cluster.untilWhole(30_000);
            assertEquals(List.of(), cluster.differences());
            cluster.simulation.run(3_000);
            assertEquals(List.of(), cluster.master.heartbeat("c1").targets().get(0).damages());
        }
    }

    @Test
    void aBadBlockDoesNotTakeThePlaceOfAGoodOneOfAnEarlierReplica() {
        try (ChunkCluster cluster = new ChunkCluster(24, directory, 2, 2, 1)) {
            byte[] data = random(1, 20_000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            int away = cluster.followersOf(GROUP).get(0);
            cluster.kill(away);
            cluster.until(
                    () -> cluster.master.group(GROUP).stateOf(away) == MemberState.OFFLINE, 20_000);
            damage(cluster.headOf(GROUP), 5000);
            cluster.await(cluster.client.write(GROUP, OID, 0, 12_288, new byte[100]));
            Arrays.fill(data, 12_288, 12_388, (byte) 0);
            cluster.start(away);
            cluster.untilWhole(30_000);
            assertArrayEquals(
                    data, cluster.await(cluster.client.readFrom(away, GROUP, OID, 0, 20_000)));
            report(cluster, cluster.headOf(GROUP), 5000);
            cluster.simulation.run(2_000);
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, 20_000)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void whatTheMemberThatWasAwayNeverHadIsLostWhenItIsBack() throws IOException {
        try (ChunkCluster cluster = damagedAlone(23, BlobDamage.CUT_IN_HALF, true)) {
            long oid = DamagedBlobs.oid(BlobDamage.CUT_IN_HALF);
            assertEquals(
                    Errno.NOT_READY, cluster.error(cluster.client.read(GROUP, oid, 0, 0, 20_000)));
            cluster.start(2);
            cluster.untilWhole(30_000);
            cluster.simulation.run(2_000);
            assertEquals(Errno.EIO, cluster.error(cluster.client.read(GROUP, oid, 0, 0, 20_000)));
            assertEquals(
                    Errno.EIO,
                    cluster.error(cluster.client.write(GROUP, oid, 0, 100, new byte[10])));
        }
    }

    @Test
    void aMemberKnowsWhatTheHeadSaysWhenNoCopyIsLeft() {
        try (ChunkCluster cluster = cluster(25)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, 20_000)));
            for (int server = 1; server <= 3; server++) {
                cluster.server(server)
                        .target
                        .expect(new BlobKey(GROUP, OID, 0), new WriteMark(Long.MAX_VALUE, 1));
            }
            assertLost(cluster, OID);
        }
    }

    private static void assertLost(ChunkCluster cluster, long oid) {
        cluster.client.setRetryLimitMs(500);
        for (PlacementGroup.Member member : cluster.master.group(GROUP).members()) {
            int server = member.targetId();
            assertEquals(
                    Errno.EIO,
                    cluster.error(cluster.client.readFrom(server, GROUP, oid, 0, 20_000)),
                    "c" + server + ", the head is c" + cluster.headOf(GROUP));
        }
    }

    @Test
    void aMemberInDoubtWaitsForNoCopyThatTheHeadHasNot() throws IOException {
        try (ChunkCluster cluster = new ChunkCluster(26, directory, 2, 2, 1)) {
            int head = cluster.headOf(GROUP);
            long oid = DamagedBlobs.oid(BlobDamage.FILE_DELETED);
            cluster.await(cluster.client.write(GROUP, oid, 0, 0, random(1, 20_000)));
            cluster.await(cluster.client.flush(GROUP, oid, 0));
            cluster.await(cluster.client.write(GROUP, oid, 0, 100, new byte[10]));
            int other = 3 - head;
            cluster.killMachine(head);
            cluster.killMachine(other);
            cluster.start(other);
            cluster.simulation.run(17_000);
            cluster.killMachine(other);
            DamagedBlobs.strike(
                    BlobDamage.FILE_DELETED, directory.resolve("c" + head), directory, GROUP, 0);
            damage(directory.resolve("c" + other), oid, 5000);
            cluster.start(other);
            cluster.simulation.run(2_000);
            cluster.start(head);
            cluster.untilWhole(30_000);
            cluster.simulation.run(2_000);
            assertEquals(head, cluster.headOf(GROUP));
            assertLost(cluster, oid);
        }
    }
}
