package io.cairn.chunk.scrub;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.TestDisk;
import io.cairn.cluster.MemberState;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Disks that cannot read, do not take changes any more, or are not there. */
class DiskTroubleTest {
    private static final int GROUP = 1;
    private static final long OID = 7;
    private static final int LENGTH = 20_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster(long seed) {
        return new ChunkCluster(seed, directory, 3, 3, 1);
    }

    private static TargetReport report(ChunkCluster cluster, int server) {
        return cluster.master.heartbeat("c" + server).targets().getFirst();
    }

    @Test
    void whatCannotBeReadIsServedByOthersAndWrittenAnew() {
        try (ChunkCluster cluster = cluster(31)) {
            byte[] data = random(1, LENGTH);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            for (int server = 1; server <= 3; server++) {
                TestDisk disk = cluster.server(server).disk;
                disk.setReadFails(path -> path.toString().contains("/pg/"));
                assertEquals(
                        Errno.EIO,
                        cluster.error(cluster.client.readFrom(server, GROUP, OID, 0, LENGTH)));
                int other = 1 + server % 3;
                assertArrayEquals(
                        data, cluster.await(cluster.client.readFrom(other, GROUP, OID, 0, LENGTH)));
                disk.setReadFails(path -> path.toString().contains("/quarantine/"));
                int hurt = server;
                cluster.until(() -> report(cluster, hurt).scrub().mended() == 1, 10_000);
                assertTrue(
                        report(cluster, server)
                                .scrub()
                                .findings()
                                .getFirst()
                                .reason()
                                .contains("cannot be read"));
                assertEquals(List.of(), cluster.server(server).target.doubtful());
                assertArrayEquals(
                        data,
                        cluster.await(cluster.client.readFrom(server, GROUP, OID, 0, LENGTH)));
                assertTrue(report(cluster, server).healthy());
            }
            assertEquals(List.of(), cluster.master.failures());
        }
    }

    @Test
    void aPartialWriteOverWhatCannotBeReadTakesItFromAnotherCopy() {
        try (ChunkCluster cluster = cluster(32)) {
            byte[] data = random(1, LENGTH);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            int head = cluster.headOf(GROUP);
            Path aside = directory.resolve("c" + head).resolve("quarantine");
            cluster.server(head)
                    .disk
                    .setReadFails(
                            path -> path.toString().endsWith(OID + ".0") && in(aside).size() == 1);
            cluster.await(cluster.client.write(GROUP, OID, 0, 4100, new byte[10]));
            Arrays.fill(data, 4100, 4110, (byte) 0);
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, LENGTH)));
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void aDiskThatTakesNoChangesFailsWithItsReason() {
        try (ChunkCluster cluster = cluster(33)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, LENGTH)));
            int server = cluster.followersOf(GROUP).getFirst();
            cluster.server(server).disk.setReadOnly(true);
            byte[] data = random(2, LENGTH);
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, data));
            cluster.until(() -> !report(cluster, server).healthy(), 10_000);
            assertTrue(report(cluster, server).fault().contains("read-only"));
            assertArrayEquals(data, cluster.await(cluster.client.read(GROUP, OID, 0, 0, LENGTH)));
            // What it knew before may not be what is on the disk: only a start looks.
            cluster.server(server).disk.setReadOnly(false);
            cluster.simulation.run(5_000);
            assertFalse(report(cluster, server).healthy());
            cluster.kill(server);
            cluster.start(server);
            cluster.untilWhole(60_000);
            assertTrue(report(cluster, server).healthy());
            assertEquals(List.of(), cluster.differences());
        }
    }

    @Test
    void nothingIsWrittenWhereTheDiskIsNotMountedAnyMore() throws Exception {
        try (ChunkCluster cluster = cluster(34)) {
            cluster.await(cluster.client.write(GROUP, OID, 0, 0, random(1, LENGTH)));
            int server = cluster.followersOf(GROUP).getFirst();
            Path place = directory.resolve("c" + server);
            Path away = directory.resolve("away");
            Files.move(place, away);
            Files.createDirectory(place);
            for (int oid = 20; oid < 24; oid++) {
                cluster.await(cluster.client.write(GROUP, oid, 3, 0, random(oid, LENGTH)));
            }
            cluster.until(() -> !report(cluster, server).healthy(), 10_000);
            assertTrue(report(cluster, server).fault().contains("not mounted"));
            assertFalse(Files.exists(place.resolve("pg")), () -> "in " + place + ": " + in(place));
            assertEquals(MemberState.OFFLINE, cluster.master.group(GROUP).stateOf(server));
            cluster.kill(server);
            remove(place);
            Files.move(away, place);
            cluster.start(server);
            cluster.untilWhole(60_000);
            assertEquals(List.of(), cluster.differences());
        }
    }

    private static List<Path> in(Path place) {
        try (Stream<Path> files = Files.walk(place)) {
            return files.toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void remove(Path place) throws IOException {
        for (Path each : in(place).reversed()) {
            Files.delete(each);
        }
    }
}
