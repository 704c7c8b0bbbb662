package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.testkit.simulated.SimulatedDisk;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One copy, three servers, the disk of one of which is full: chunks with bytes go on growing. */
final class FullChunksTest {
    private static final int FILES = 12;
    private static final int CHUNK = 1 << SimulatedCluster.CHUNK_SIZE_LOG2;
    private static final int HALF = CHUNK / 2;

    /** The last of so many chunks has one half. */
    private static final int CHUNKS = 3;

    private static final int BEFORE = CHUNKS * CHUNK - HALF;
    private static final int AFTER = CHUNKS * CHUNK;
    private static final long SOON_MS = 60_000;

    private final AtomicInteger stage = new AtomicInteger();
    private final AtomicInteger written = new AtomicInteger();
    private SimulatedCluster cluster = oneCopy(20);

    private static SimulatedCluster oneCopy(long firstSeed) {
        for (long seed = firstSeed; ; seed++) {
            SimulatedCluster some = new SimulatedCluster(seed);
            if (some.replicas == 1) {
                return some;
            }
        }
    }

    /** Steps that the test asks for, one after the other. */
    private record Steps(AtomicInteger stage, List<Consumer<CairnFileSystem>> steps)
            implements SimulatedClient.Work {
        @Override
        public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
            for (int i = 0; i < steps.size(); i++) {
                while (stage.get() < 2 * i) {
                    sleeper.sleep(20);
                }
                steps.get(i).accept(fs);
                stage.incrementAndGet();
            }
        }

        @Override
        public void crashed() {
            // Where a test kills it.
        }
    }

    private static byte pattern(int file, long offset, int round) {
        return (byte) (file * 31L + offset * 7 + (offset >> 12) + 1 + round * 101L);
    }

    private static byte[] bytes(int file, long from, int length, int round) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = pattern(file, from + i, round);
        }
        return bytes;
    }

    private static OpenFile open(CairnFileSystem fs, int file, int flags) {
        Name name = Name.of("f" + file);
        return fs.open(Caller.ROOT, fs.lookup(Caller.ROOT, FileSystem.ROOT_INO, name).ino(), flags);
    }

    private static void make(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            Name name = Name.of("f" + i);
            try (OpenFile file =
                    fs.create(Caller.ROOT, FileSystem.ROOT_INO, name, 0644, FileSystem.O_RDWR)
                            .file()) {
                file.write(0, ByteBuffer.wrap(bytes(i, 0, BEFORE, 0)));
            }
        }
    }

    /** The other half of the last chunk, which its disk has no room for. */
    private void grow(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            try (OpenFile file = open(fs, i, FileSystem.O_RDWR)) {
                file.write(BEFORE, ByteBuffer.wrap(bytes(i, BEFORE, HALF, 0)));
                file.sync(false);
                written.incrementAndGet();
            }
        }
    }

    private static byte[] read(OpenFile file) {
        ByteBuffer seen = ByteBuffer.allocate(AFTER + 1);
        while (file.read(seen.position(), seen) > 0) {
            // On to the end.
        }
        return Arrays.copyOf(seen.array(), seen.position());
    }

    private static void check(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
                assertEquals(-1, Arrays.mismatch(bytes(i, 0, AFTER, 0), read(file)), "file " + i);
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

    private static void fill(SimulatedServer server) throws IOException {
        SimulatedDisk disk = server.disk();
        long freeBytes = disk.usableBytes(Path.of("/target"));
        disk.setCapacityBytes(disk.totalBytes(Path.of("/target")) - freeBytes + HALF / 2);
    }

    private void begin(List<Consumer<CairnFileSystem>> steps) {
        cluster.begin();
        cluster.clients.get(0).start(new Steps(stage, steps), 1000);
        until(() -> stage.get() == 1, "made");
    }

    private void next(int number, String what) {
        stage.incrementAndGet();
        until(() -> stage.get() == 2 * number + 1, what);
    }

    @Test
    void chunksWithBytesGoElsewhereWhenTheirDiskIsFull() throws IOException {
        begin(List.of(FullChunksTest::make, this::grow, FullChunksTest::check));
        SimulatedServer full = cluster.servers.get(1);
        fill(full);
        next(1, "grown");
        assertEquals(FILES, written.get());
        next(2, "read");
        until(cluster.clients.get(0)::isDone, "closed");
    }

    /** What was there is there, and what was synced; nobody knows about the rest. */
    private void checkBegun(CairnFileSystem fs) {
        for (int i = 0; i < FILES; i++) {
            try (OpenFile file = open(fs, i, FileSystem.O_RDONLY)) {
                byte[] seen = read(file);
                assertTrue(
                        seen.length == AFTER || (seen.length == BEFORE && i >= written.get()),
                        "file " + i + " has " + seen.length + " bytes");
                assertEquals(-1, Arrays.mismatch(bytes(i, 0, seen.length, 0), seen), "file " + i);
            }
        }
        written.set(0);
    }

    /** The next one waits for the end of its session; meanwhile groups leave the full disk. */
    @ParameterizedTest
    @ValueSource(ints = {40, 120, 200, 280, 500, 1000})
    void aClientThatIsKilledInTheMidstLeavesWhatWasThere(int ms) throws IOException {
        cluster = oneCopy(20 + ms);
        begin(List.of(FullChunksTest::make, this::grow));
        fill(cluster.servers.get(1));
        stage.incrementAndGet();
        cluster.simulation.runUntil(() -> false, ms);
        cluster.clients.get(0).kill();
        stage.set(0);
        List<Consumer<CairnFileSystem>> steps =
                List.of(this::checkBegun, this::grow, FullChunksTest::check);
        cluster.clients.get(1).start(new Steps(stage, steps), 1000);
        until(() -> stage.get() == 1, "read what is left");
        next(1, "grown");
        next(2, "read");
        until(cluster.clients.get(1)::isDone, "closed");
    }
}
