package io.cairn.client;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Reads here and there in a file, which one thread makes over lines to the chunk servers. */
class ReaderLinesTest {
    private static final int SIZE = 2_000_000;
    private static final int PIECE = 5000;
    private static final int ENOUGH = 100;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs = cluster.connect(cluster.settings().withBuffers(64 << 20, 0));
    private final byte[] contents = bytes(SIZE, 5);
    private final Random random = new Random(11);
    private long ino;

    @BeforeEach
    void write() {
        try (OpenFile file =
                fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file()) {
            file.write(0, ByteBuffer.wrap(contents));
            ino = file.ino();
        }
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void readHereAndThere(OpenFile file, int times) {
        for (int i = 0; i < times; i++) {
            int at = random.nextInt(SIZE - PIECE);
            ByteBuffer found = ByteBuffer.allocate(PIECE);
            assertEquals(PIECE, file.read(at, found));
            assertArrayEquals(Arrays.copyOfRange(contents, at, at + PIECE), found.array());
        }
    }

    private int lines() {
        return cluster.network.linesOpened();
    }

    @Test
    void whoReadsOftenGetsOneLineToEachServer() {
        int before = lines();
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            readHereAndThere(file, ENOUGH);
        }
        assertEquals(FakeCluster.CHUNKS.size(), lines() - before);
    }

    @Test
    void lostRequestsAndAnswersAreMadeUpFor() {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            readHereAndThere(file, ENOUGH);
            int before = lines();
            AtomicInteger calls = new AtomicInteger();
            cluster.network.setFaults(
                    (to, header) ->
                            switch (calls.incrementAndGet() % 7) {
                                case 3 -> FakeNetwork.Fate.LOSE_REQUEST;
                                case 6 -> FakeNetwork.Fate.LOSE_ANSWER;
                                default -> FakeNetwork.Fate.DELIVER;
                            });
            readHereAndThere(file, ENOUGH);
            assertTrue(lines() > before, "lines break and are made anew");
        }
    }

    @Test
    void aServerThatDoesNotAnswerOverItsLineIsAskedAgain() {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            readHereAndThere(file, ENOUGH);
            AtomicInteger calls = new AtomicInteger();
            cluster.network.setFaults(
                    (to, header) ->
                            calls.incrementAndGet() == 1
                                    ? FakeNetwork.Fate.HOLD_ANSWER
                                    : FakeNetwork.Fate.DELIVER);
            readHereAndThere(file, 1);
            assertTrue(calls.get() > 1);
        }
    }

    @Test
    void aNewEpochIsFollowed() {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            readHereAndThere(file, ENOUGH);
            cluster.changeEpochs();
            readHereAndThere(file, ENOUGH);
        }
    }

    @Test
    void wrongBytesAreAnErrorAndReported() {
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            readHereAndThere(file, ENOUGH);
            cluster.servers.forEach(server -> server.corrupt = true);
            FsException error =
                    assertThrows(FsException.class, () -> file.read(0, ByteBuffer.allocate(1000)));
            assertEquals(Errno.EIO, error.errno());
        }
        cluster.awaitTrue(
                () -> cluster.servers.stream().anyMatch(server -> server.reportedBad.get() > 0),
                "the bad block is reported");
    }
}
