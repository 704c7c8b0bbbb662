package io.cairn.chunk.scrub;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.DamagedBlobs;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.scrub.ScrubReport;
import io.cairn.wire.scrub.ScrubReport.Finding;
import io.cairn.wire.scrub.ScrubReport.Order;
import io.cairn.wire.scrub.ScrubReport.Orders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Copies that nobody reads are damaged while everything runs. */
class ScrubTest {
    private static final int GROUP = 1;
    private static final int LENGTH = 20_000;
    private static final long INTACT = 0x900;
    private static final long PERIOD_MS = 20_000;
    private static final Orders OFTEN = new Orders(PERIOD_MS, 20, List.of());

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private static TargetReport report(ChunkCluster cluster, int server) {
        return cluster.master.heartbeat("c" + server).targets().getFirst();
    }

    /** Damages a chunk on each member in turn, in one way. */
    @ParameterizedTest
    @EnumSource(BlobDamage.class)
    void damageThatNobodyMeetsIsMendedWithinThePeriod(BlobDamage damage) throws Exception {
        long oid = DamagedBlobs.oid(damage);
        int index = DamagedBlobs.index(damage);
        try (ChunkCluster cluster = new ChunkCluster(3, directory, 2, 2, 1)) {
            cluster.await(cluster.client.write(GROUP, INTACT, 0, 0, random(9, LENGTH)));
            cluster.await(cluster.client.write(GROUP, oid, index, 0, random(1, LENGTH)));
            for (int server = 1; server <= 2; server++) {
                Path target = directory.resolve("c" + server);
                Path earlier = directory.resolve("earlier" + server);
                if (damage == BlobDamage.EARLIER_FILE_PUT_BACK) {
                    keep(target, earlier, oid);
                }
                byte[] data = random(10 + server, LENGTH);
                cluster.await(cluster.client.write(GROUP, oid, index, 0, data));
                DamagedBlobs.strike(damage, target, earlier, GROUP, INTACT);
                cluster.master.setScrub(OFTEN);
                long mended = report(cluster, server).scrub().mended();
                int struck = server;
                cluster.until(
                        () -> report(cluster, struck).scrub().mended() > mended, 2 * PERIOD_MS);
                for (int reader = 1; reader <= 2; reader++) {
                    assertArrayEquals(data, cluster.bytes(reader, GROUP, oid, index));
                    assertEquals(List.of(), cluster.server(reader).target.doubtful(), "c" + reader);
                }
                assertEquals(List.of(), cluster.differences());
                Finding finding = report(cluster, server).scrub().findings().getLast();
                assertEquals(oid, finding.oid());
                assertEquals(index, finding.index());
                assertTrue(finding.mended() && !finding.reason().isEmpty());
                cluster.simulation.run(PERIOD_MS);
                ScrubReport after = report(cluster, server).scrub();
                assertEquals(1, after.findings().size(), after.toString());
                assertEquals(1, after.found());
            }
            assertEquals(List.of(), cluster.master.failures());
        }
    }

    private static void keep(Path target, Path earlier, long oid) throws Exception {
        Path from = BlobDamage.file(target, GROUP, oid, 0);
        Path to = BlobDamage.file(earlier, GROUP, oid, 0);
        Files.createDirectories(Objects.requireNonNull(to.getParent()));
        Files.copy(from, to);
    }

    @Test
    void aPassTakesItsTimeAndAnOrderTakesNone() {
        try (ChunkCluster cluster = new ChunkCluster(4, directory, 2, 2, 2)) {
            for (int oid = 1; oid <= 40; oid++) {
                cluster.await(cluster.client.write(GROUP, oid, 0, 0, random(oid, LENGTH)));
            }
            // While there was nothing the first pass was over at once.
            cluster.master.setScrub(new Orders(200_000, 20, List.of()));
            cluster.until(() -> report(cluster, 1).scrub().doneBlobs() > 0, 200_000);
            cluster.simulation.run(36_000);
            ScrubReport slow = report(cluster, 1).scrub();
            assertTrue(slow.doneBlobs() > 4 && slow.doneBlobs() < 16, slow.toString());
            long identity = report(cluster, 1).identity();
            cluster.master.setScrub(new Orders(200_000, 20, List.of(new Order(identity, 77))));
            cluster.until(() -> report(cluster, 1).scrub().order() == 77, 5_000);
            cluster.until(() -> report(cluster, 1).scrub().done(), 30_000);
            ScrubReport done = report(cluster, 1).scrub();
            assertEquals(40, done.doneBlobs());
            assertTrue(done.verifiedAgoMs() >= 0 && done.verifiedAgoMs() < 30_000);
            ScrubReport other = report(cluster, 2).scrub();
            assertTrue(!other.done() && other.order() == 0, other::toString);
            // The same order is no other one, and what was done is known after a restart.
            cluster.stop(1);
            cluster.start(1);
            cluster.untilWhole(30_000);
            cluster.simulation.run(5_000);
            ScrubReport known = report(cluster, 1).scrub();
            assertTrue(known.done() && known.verifiedAgoMs() > 3_000, known.toString());
            assertEquals(0, known.verifiedBlobs());
        }
    }

    @Test
    void aRestartGoesOnWhereThePassWas() {
        try (ChunkCluster cluster = new ChunkCluster(5, directory, 2, 2, 1)) {
            for (int oid = 1; oid <= 40; oid++) {
                cluster.await(cluster.client.write(GROUP, oid, 0, 0, random(oid, LENGTH)));
            }
            cluster.master.setScrub(new Orders(400_000, 20, List.of()));
            cluster.until(() -> report(cluster, 1).scrub().doneBlobs() >= 20, 600_000);
            cluster.kill(1);
            cluster.simulation.run(50_000);
            cluster.start(1);
            cluster.untilWhole(60_000);
            cluster.until(() -> report(cluster, 1).scrub().doneBlobs() >= 20, 60_000);
            assertTrue(report(cluster, 1).scrub().verifiedBlobs() < 10);
            cluster.until(() -> report(cluster, 1).scrub().passAgoMs() < 30_000, 300_000);
            long verifiedAgoMs = report(cluster, 1).scrub().verifiedAgoMs();
            assertTrue(verifiedAgoMs >= 0 && verifiedAgoMs <= 400_000, verifiedAgoMs + " ms");
        }
    }

    @Test
    void whatHasNoGoodCopyIsToldAsSuch() throws Exception {
        long oid = DamagedBlobs.oid(BlobDamage.BIT_OF_DATA_FLIPPED);
        try (ChunkCluster cluster = new ChunkCluster(6, directory, 2, 2, 1)) {
            cluster.await(cluster.client.write(GROUP, oid, 0, 0, random(1, LENGTH)));
            for (int server = 1; server <= 2; server++) {
                Path target = directory.resolve("c" + server);
                DamagedBlobs.strike(
                        BlobDamage.BIT_OF_DATA_FLIPPED, target, directory, GROUP, INTACT);
            }
            cluster.master.setScrub(OFTEN);
            cluster.until(() -> !report(cluster, 1).scrub().findings().isEmpty(), 80_000);
            Finding told = report(cluster, 1).scrub().findings().getFirst();
            assertEquals(oid, told.oid());
            assertTrue(!told.mended(), told.toString());
        }
    }
}
