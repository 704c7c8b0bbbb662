package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.testkit.simulated.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.IntUnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One copy, three servers, one of which is lost: what is new goes to the others. */
final class DetourTest {
    private static final int FILES = 24;
    private static final int CHUNK = 1 << SimulatedCluster.CHUNK_SIZE_LOG2;
    private static final int HALF = CHUNK / 2;
    private static final int[] SIZES = {0, 100, CHUNK, 3 * CHUNK};
    private static final int GROWTH = 3 * CHUNK + 1234;
    private static final int EXTENDED = 8 * CHUNK;
    private static final long SOON_MS = 30_000;

    private final List<OpenFile> kept = new ArrayList<>();
    private final AtomicInteger stage = new AtomicInteger();
    private SimulatedCluster cluster = oneCopy(1);

    private static SimulatedCluster oneCopy(long firstSeed) {
        for (long seed = firstSeed; ; seed++) {
            SimulatedCluster some = new SimulatedCluster(seed);
            if (some.replicas == 1 && some.inlineLimitBytes > 100) {
                return some;
            }
        }
    }

    /** Work that the test steers by stages. */
    private record Steps(AtomicInteger stage, List<Runner> steps, int first)
            implements SimulatedClient.Work {
        interface Runner {
            void run(CairnFileSystem fs);
        }

        @Override
        public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
            for (int i = 0; i < steps.size(); i++) {
                while (stage.get() < first + 2 * i) {
                    sleeper.sleep(20);
                }
                steps.get(i).run(fs);
                stage.incrementAndGet();
            }
        }

        @Override
        public void crashed() {
            throw new IllegalStateException("nobody kills this client");
        }
    }

    private static Name name(int file) {
        return Name.of("f" + file);
    }

    private static byte pattern(int file, long offset) {
        return (byte) (file * 31L + offset * 7 + (offset >> 12) + 1);
    }

    private static ByteBuffer bytes(int file, long from, int length) {
        ByteBuffer bytes = ByteBuffer.allocate(length);
        for (int i = 0; i < length; i++) {
            bytes.put(pattern(file, from + i));
        }
        return bytes.flip();
    }

    private static int size(int file) {
        return SIZES[file % SIZES.length];
    }

    private void make(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            FileSystem.Created made =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name(i), 0644, FileSystem.O_RDWR);
            made.file().write(0, bytes(i, 0, size(i)));
            if (i % 2 == 0) {
                made.file().flush();
                kept.add(made.file());
            } else {
                made.file().close();
            }
        }
    }

    private static OpenFile open(CairnFileSystem fs, int file, int flags) {
        long ino = fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, name(file)).ino();
        return fs.open(Caller.ROOT, ino, flags);
    }

    /** Appends in one process what another one holds open, too. */
    private static void append(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            try (OpenFile file = open(fs, i, FileSystem.O_RDWR)) {
                file.write(size(i), bytes(i, size(i), GROWTH));
            }
        }
    }

    private static void check(CairnFileSystem fs, boolean all) {
        for (int i = 0; i < FILES; i++) {
            int length = size(i) + GROWTH;
            // Without the lost server only what is new can be had.
            int from = all || size(i) < CHUNK ? 0 : size(i);
            try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
                ByteBuffer seen = ByteBuffer.allocate(length - from + 1);
                while (file.read(from + seen.position(), seen) > 0) {
                    // On to the end.
                }
                assertEquals(bytes(i, from, length - from), seen.flip(), "file " + i);
            }
        }
    }

    private void until(BooleanSupplier condition, String what) {
        boolean done =
                cluster.simulation.runUntil(
                        () -> condition.getAsBoolean() || cluster.history.violation() != null,
                        SOON_MS);
        assertNull(cluster.history.violation());
        assertTrue(done, what + ": " + cluster.state());
    }

    @Test
    void filesGrowIntoGroupsThatServe() {
        cluster.begin();
        SimulatedClient one = cluster.clients.get(0);
        SimulatedClient other = cluster.clients.get(1);
        one.start(
                new Steps(
                        stage,
                        List.of(
                                this::make,
                                fs -> check(fs, false),
                                fs -> {
                                    check(fs, true);
                                    kept.forEach(OpenFile::close);
                                }),
                        0),
                1000);
        until(() -> stage.get() == 1, "made");
        SimulatedServer lost = cluster.servers.get(0);
        lost.kill();
        until(() -> !cluster.masters.namespace().clusterMap().isAvailable(), "given up");
        other.start(new Steps(stage, List.of(DetourTest::append), 1), 1000);
        until(() -> stage.get() == 2, "appended");
        until(() -> stage.get() == 3, "read elsewhere");
        lost.start();
        until(cluster::isWhole, "whole");
        stage.incrementAndGet();
        until(() -> one.isDone() && other.isDone(), "read again");
    }

    private void makeMore(CairnFileSystem fs, int length) {
        for (int i = FILES; i < 2 * FILES; i++) {
            OpenFile file =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name(i), 0644, FileSystem.O_RDWR)
                            .file();
            file.write(0, bytes(i, 0, length));
            kept.add(file);
        }
        kept.forEach(OpenFile::close);
    }

    private static void checkMore(CairnFileSystem fs, int length) {
        for (int i = FILES; i < 2 * FILES; i++) {
            check(fs, i, length);
        }
    }

    /** What is made right after a server was lost is stored without it, and can be read. */
    private void makeMoreWithoutAServer(int length) {
        cluster = oneCopy(20);
        cluster.begin();
        SimulatedClient client = cluster.clients.get(0);
        client.start(
                new Steps(
                        stage,
                        List.of(
                                this::make,
                                fs -> makeMore(fs, length),
                                fs -> checkMore(fs, length)),
                        0),
                1000);
        until(() -> stage.get() == 1, "made");
        cluster.servers.get(1).kill();
        stage.incrementAndGet();
        until(() -> stage.get() == 3, "closed");
        stage.incrementAndGet();
        until(client::isDone, "read");
    }

    /** Nobody knows yet that the server is lost, so the bytes are on their way to it. */
    @Test
    void whatWaitsForALostServerGoesElsewhere() {
        makeMoreWithoutAServer(CHUNK - 5);
    }

    /** Other chunks of each file are stored meanwhile, and stay. */
    @Test
    void whatWaitsBesideStoredChunksGoesElsewhere() {
        makeMoreWithoutAServer(6 * CHUNK);
    }

    /** A disk without room for a chunk; others have taken the rest. */
    private static void fill(SimulatedServer server) throws IOException {
        fill(server, CHUNK / 2);
    }

    private static void fill(SimulatedServer server, int leftBytes) throws IOException {
        SimulatedDisk disk = server.disk();
        long freeBytes = disk.usableBytes(Path.of("/target"));
        disk.setCapacityBytes(disk.totalBytes(Path.of("/target")) - freeBytes + leftBytes);
    }

    private void writeOneChunkMore(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            int end = size(i) < CHUNK ? 0 : size(i);
            try (OpenFile file = open(fs, i, FileSystem.O_RDWR)) {
                file.write(end, bytes(i, end, CHUNK));
            }
        }
    }

    private static void checkOneChunkMore(CairnFileSystem fs) {
        checkAll(fs, i -> (size(i) < CHUNK ? 0 : size(i)) + CHUNK);
    }

    private static void checkAll(CairnFileSystem fs, IntUnaryOperator sizeOf) {
        for (int i = 0; i < FILES; i++) {
            check(fs, i, sizeOf.applyAsInt(i));
        }
    }

    private static void check(CairnFileSystem fs, int i, int length) {
        ByteBuffer seen = ByteBuffer.allocate(length + 1);
        try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
            while (file.read(seen.position(), seen) > 0) {
                // On to the end.
            }
        }
        assertEquals(bytes(i, 0, length), seen.flip(), "file " + i);
    }

    /** Nobody knows yet that the disk is full, so the bytes are on their way to it. */
    @Test
    void whatAFullDiskRefusesGoesElsewhere() throws IOException {
        cluster = oneCopy(20);
        cluster.begin();
        SimulatedClient client = cluster.clients.get(0);
        client.start(
                new Steps(
                        stage,
                        List.of(
                                this::make,
                                this::writeOneChunkMore,
                                DetourTest::checkOneChunkMore,
                                _ -> kept.forEach(OpenFile::close)),
                        0),
                1000);
        until(() -> stage.get() == 1, "made");
        fill(cluster.servers.get(1));
        stage.incrementAndGet();
        until(() -> stage.get() == 3, "written elsewhere");
        stage.incrementAndGet();
        until(() -> stage.get() == 5, "read");
        stage.incrementAndGet();
        until(client::isDone, "closed");
    }

    private void bufferHalves(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            OpenFile file =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name(i), 0644, FileSystem.O_RDWR)
                            .file();
            file.write(0, bytes(i, 0, HALF));
            kept.add(file);
        }
    }

    /** Over chunks of all servers, by a byte at the end or by zeros. */
    private void extendAll(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            OpenFile file = kept.get(i);
            if (i % 2 == 0) {
                file.write(EXTENDED - 1, bytes(i, EXTENDED - 1, 1));
            } else {
                AttributeChange longer = AttributeChange.NONE.withSize(EXTENDED);
                fs.setAttributes(Caller.ROOT, file.ino(), longer);
            }
            file.flush();
        }
        kept.forEach(OpenFile::close);
    }

    private static void checkExtended(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            ByteBuffer expected = ByteBuffer.allocate(EXTENDED).put(bytes(i, 0, HALF));
            if (i % 2 == 0) {
                expected.put(EXTENDED - 1, pattern(i, EXTENDED - 1));
            }
            ByteBuffer seen = ByteBuffer.allocate(EXTENDED + 1);
            try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
                while (file.read(seen.position(), seen) > 0) {
                    // On to the end.
                }
            }
            assertEquals(expected.rewind(), seen.flip(), "file " + i);
        }
    }

    /** The client knows that the disk is full, but has buffered bytes for it before. */
    @Test
    void whatIsRefusedDuringADetourGoesAlong() throws IOException {
        cluster = oneCopy(20);
        cluster.begin();
        SimulatedClient client = cluster.clients.get(0);
        client.writeBackAfter(10 * SOON_MS);
        client.start(
                new Steps(
                        stage,
                        List.of(this::bufferHalves, this::extendAll, DetourTest::checkExtended),
                        0),
                1000);
        until(() -> stage.get() == 1, "buffered");
        fill(cluster.servers.get(1), HALF / 2);
        until(() -> !cluster.masters.namespace().clusterMap().isRoomy(), "told");
        // The clients hear of it meanwhile.
        cluster.simulation.runUntil(() -> false, 1000);
        stage.incrementAndGet();
        until(() -> stage.get() == 3, "extended");
        stage.incrementAndGet();
        until(client::isDone, "read");
    }

    private static void makeForTwo(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            OpenFile file =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name(i), 0644, FileSystem.O_RDWR)
                            .file();
            file.write(0, bytes(i, 0, CHUNK));
            file.flush();
            file.close();
        }
    }

    /** One half of the next chunk, while the other client writes the other one. */
    private static void writeHalf(CairnFileSystem fs, int offset) {
        List<OpenFile> files = new ArrayList<>();
        for (int i = 0; i < FILES; i++) {
            files.add(open(fs, i, FileSystem.O_RDWR));
        }
        for (int i = 0; i < FILES; i++) {
            files.get(i).write(offset, bytes(i, offset, HALF));
        }
        files.forEach(OpenFile::flush);
        files.forEach(OpenFile::close);
    }

    /** Each waits for room, or for a lost server, and none for the bytes of the other one. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatTwoClientsHoldForAServerGoesElsewhere(boolean isLost) throws IOException {
        cluster = oneCopy(20);
        cluster.begin();
        SimulatedClient one = cluster.clients.get(0);
        SimulatedClient other = cluster.clients.get(1);
        one.start(
                new Steps(
                        stage,
                        List.of(
                                DetourTest::makeForTwo,
                                fs -> writeHalf(fs, CHUNK),
                                fs -> checkAll(fs, _ -> 2 * CHUNK)),
                        0),
                1000);
        until(() -> stage.get() == 1, "made");
        SimulatedServer server = cluster.servers.get(1);
        if (isLost) {
            server.kill();
        } else {
            fill(server, HALF / 2);
        }
        AtomicInteger otherStage = new AtomicInteger();
        other.start(new Steps(otherStage, List.of(fs -> writeHalf(fs, CHUNK + HALF)), 0), 1000);
        stage.incrementAndGet();
        until(() -> stage.get() == 3 && other.isDone(), "written elsewhere");
        if (isLost) {
            server.start();
            until(cluster::isWhole, "whole");
        }
        stage.incrementAndGet();
        until(one::isDone, "read");
    }

    /** A client that is killed. */
    private record Killed(AtomicInteger connected) implements SimulatedClient.Work {
        @Override
        public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
            connected.incrementAndGet();
            sleeper.sleep(SOON_MS);
        }

        @Override
        public void crashed() {
            // As it should be.
        }
    }

    private void makeHalves(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            OpenFile file =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name(i), 0644, FileSystem.O_RDWR)
                            .file();
            file.write(0, bytes(i, 0, HALF));
            file.flush();
            kept.add(file);
        }
    }

    private void growAll(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            kept.get(i).write(HALF, bytes(i, HALF, CHUNK));
        }
        kept.forEach(OpenFile::close);
    }

    private static void checkGrown(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            ByteBuffer seen = ByteBuffer.allocate(2 * CHUNK);
            try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
                while (file.read(seen.position(), seen) > 0) {
                    // On to the end.
                }
            }
            assertEquals(bytes(i, 0, HALF + CHUNK), seen.flip(), "file " + i);
        }
    }

    /** Where a client was lost since, the last chunk could hold something of it. */
    @Test
    void whatIsStoredBehindTheEndStaysInTheFile() {
        cluster = oneCopy(40);
        cluster.begin();
        SimulatedClient client = cluster.clients.get(0);
        SimulatedClient other = cluster.clients.get(1);
        client.start(
                new Steps(
                        stage, List.of(this::makeHalves, this::growAll, DetourTest::checkGrown), 0),
                1000);
        until(() -> stage.get() == 1, "made");
        AtomicInteger connected = new AtomicInteger();
        other.start(new Killed(connected), 1000);
        until(() -> connected.get() == 1, "connected");
        other.kill();
        SimulatedServer lost = cluster.servers.get(1);
        lost.kill();
        stage.incrementAndGet();
        until(() -> !cluster.masters.namespace().clusterMap().isAvailable(), "given up");
        // Time for detours; what waits in the last chunks needs the server.
        cluster.simulation.runUntil(() -> stage.get() == 3, 5000);
        lost.start();
        until(() -> stage.get() == 3 && cluster.isWhole(), "grown");
        stage.incrementAndGet();
        until(client::isDone, "read");
    }
}
