package io.cairn.chunk.scrub;

import static io.cairn.chunk.ChunkCluster.random;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.ChunkCluster;
import io.cairn.chunk.MemoryDirectory;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.pack.Codec;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.verify.fault.BlobDamage;
import io.cairn.wire.chunk.ChunkAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Blobs are packed once they rest, on a clock and with times of change that the test gives. */
class PackingTest {
    private static final int PACKED_GROUP = 1;
    private static final int PLAIN_GROUP = 2;
    private static final int LENGTH = 200_000;
    private static final long AFTER_MS = 60_000;

    /** By then a blob that may be packed is. */
    private static final long SOON_MS = 2 * AFTER_MS;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private ChunkCluster cluster;
    private ServerContext world;
    private Packing packing;

    @BeforeEach
    void begin() {
        cluster = new ChunkCluster(5, directory, 1, 1, 2);
        SimulatedScheduler scheduler = new SimulatedScheduler(cluster.simulation);
        world =
                new ServerContext(
                        cluster.network.start("packing"),
                        cluster.simulation,
                        scheduler,
                        scheduler,
                        new Random(5),
                        1);
        packing = newPacking();
        packing.begin();
    }

    private Packing newPacking() {
        return new Packing(
                world,
                world.control(),
                cluster.server(1).target,
                group -> group == PACKED_GROUP ? Codec.ZSTD : null,
                AFTER_MS);
    }

    @AfterEach
    void end() {
        cluster.close();
    }

    private static byte[] text(int seed) {
        byte[] text = random(seed, LENGTH);
        for (int at = 0; at + 64 < LENGTH; at += 64) {
            Arrays.fill(text, at, at + 48, (byte) 'x');
        }
        return text;
    }

    private void write(int group, long oid, byte[] data) {
        cluster.await(cluster.client.write(group, oid, 0, 0, data));
        changed(group, oid);
    }

    private void changed(int group, long oid) {
        Path file = BlobDamage.file(directory.resolve("c1"), group, oid, 0);
        long wallMs = cluster.simulation.wallNs() / 1_000_000;
        cluster.server(1).disk.setModifiedMs(file, wallMs);
    }

    private long packed() {
        return cluster.server(1).target.verification().packedBlobs();
    }

    @Test
    void aBlobIsPackedWhenItRestsAndAgainAfterAChange() {
        byte[] data = text(1);
        write(PACKED_GROUP, 7, data);
        write(PLAIN_GROUP, 8, data);
        cluster.simulation.run(AFTER_MS - 5_000);
        assertEquals(0, packed());
        cluster.until(() -> packed() == 1, SOON_MS);
        assertTrue(cluster.server(1).target.verification().savedBytes() > LENGTH / 4);
        assertArrayEquals(data, cluster.bytes(1, PACKED_GROUP, 7, 0));

        byte[] more = random(3, 5000);
        cluster.await(cluster.client.write(PACKED_GROUP, 7, 0, 70_000, more));
        changed(PACKED_GROUP, 7);
        System.arraycopy(more, 0, data, 70_000, more.length);
        cluster.simulation.run(AFTER_MS - 5_000);
        assertEquals(1, packed());
        assertArrayEquals(data, cluster.bytes(1, PACKED_GROUP, 7, 0));
        cluster.until(() -> packed() == 2, SOON_MS);
        assertArrayEquals(data, cluster.bytes(1, PACKED_GROUP, 7, 0));
        cluster.simulation.run(5 * SOON_MS);
        assertEquals(2, packed(), "the other group is plain");
    }

    @Test
    void whatDoesNotBecomeSmallerIsTriedOnceAfterEachChange() {
        AtomicInteger reads = new AtomicInteger();
        write(PACKED_GROUP, 7, random(1, LENGTH));
        Path file = BlobDamage.file(directory.resolve("c1"), PACKED_GROUP, 7, 0);
        cluster.server(1)
                .disk
                .setReadFails(
                        path -> {
                            reads.addAndGet(path.equals(file) ? 1 : 0);
                            return false;
                        });
        cluster.simulation.run(2 * SOON_MS); // In which a scrub reads it as well.
        int tried = reads.get();
        assertTrue(tried > 0);
        cluster.simulation.run(10 * SOON_MS);
        assertEquals(tried, reads.get());
        changed(PACKED_GROUP, 7);
        cluster.until(() -> reads.get() > tried, 2 * SOON_MS);
        assertEquals(0, packed());
    }

    @Test
    void whatCannotBePackedNowIsTriedAgain() {
        write(PACKED_GROUP, 7, text(1));
        cluster.server(1).disk.setFull(true);
        cluster.simulation.run(3 * SOON_MS);
        assertEquals(0, packed());
        cluster.server(1).disk.setFull(false);
        cluster.until(() -> packed() == 1, SOON_MS);
    }

    /** The files that are read meanwhile. */
    private Set<Path> readBy(Runnable action) {
        Set<Path> read = new TreeSet<>();
        cluster.server(1)
                .disk
                .setReadFails(
                        path -> {
                            read.add(path);
                            return false;
                        });
        action.run();
        cluster.server(1).disk.setReadFails(path -> false);
        return read;
    }

    @Test
    void eachBlobThatIsTriedIsAStepOfItsOwn() {
        Set<Path> files = new TreeSet<>();
        for (int oid = 7; oid < 12; oid++) {
            write(PACKED_GROUP, oid, random(oid, LENGTH));
            files.add(BlobDamage.file(directory.resolve("c1"), PACKED_GROUP, oid, 0));
        }
        cluster.await(packing.end());
        cluster.simulation.run(2 * AFTER_MS);
        Packing steps = newPacking();
        assertEquals(Set.of(), readBy(steps::step), "no ledger is read for the list");
        Set<Path> tried = new TreeSet<>();
        for (int i = 1; i <= 3; i++) {
            Set<Path> read = readBy(steps::step);
            read.retainAll(files);
            assertEquals(1, read.size(), "step " + i);
            tried.addAll(read);
        }
        assertEquals(3, tried.size());
        cluster.await(steps.end());
        assertEquals(Set.of(), readBy(steps::step), "after the end nothing is tried");
        assertEquals(0, packed());
    }

    @Test
    void aChangeDoesNotWaitForAllOfTheBlob() throws Exception {
        byte[] data = text(1);
        write(PACKED_GROUP, 7, data);
        cluster.await(packing.end());
        StorageTarget target = cluster.server(1).target;
        ChunkAddress chunk = new ChunkAddress(PACKED_GROUP, 1, 7, 0, ChunkCluster.CHUNK_LOG2);
        Thread change = Thread.ofPlatform().unstarted(() -> target.flush(chunk));
        Path file = BlobDamage.file(directory.resolve("c1"), PACKED_GROUP, 7, 0);
        cluster.server(1)
                .disk
                .setReadFails(
                        path -> {
                            if (path.equals(file) && change.getState() == Thread.State.NEW) {
                                change.start();
                                awaitWaiting(change);
                            }
                            return false;
                        });
        FsException busy =
                assertThrows(
                        FsException.class,
                        () -> target.verification().pack(BlobKey.of(chunk), Codec.ZSTD));
        assertEquals(Errno.EAGAIN, busy.errno());
        assertTrue(change.join(Duration.ofSeconds(60)));
        assertArrayEquals(data, cluster.bytes(1, PACKED_GROUP, 7, 0));
        assertTrue(target.verification().pack(BlobKey.of(chunk), Codec.ZSTD));
        assertArrayEquals(data, cluster.bytes(1, PACKED_GROUP, 7, 0));
    }

    private static void awaitWaiting(Thread thread) {
        long endNs = System.nanoTime() + 60_000_000_000L;
        while (thread.getState() != Thread.State.WAITING && System.nanoTime() < endNs) {
            Thread.onSpinWait();
        }
    }

    @Test
    void nothingIsPackedAfterTheEnd() {
        write(PACKED_GROUP, 7, text(1));
        cluster.await(packing.end());
        cluster.simulation.run(3 * SOON_MS);
        assertEquals(0, packed());
    }
}
