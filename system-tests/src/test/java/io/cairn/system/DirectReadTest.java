package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Reads without the network give what reads over the network give, whatever happens. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class DirectReadTest {
    private static final int MIB = 1 << 20;

    @TempDir private static Path directory;
    private TestCluster cluster;
    private CairnFileSystem writer;
    private DirectClient reader;

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 2);
        writer = cluster.client("writer");
        reader = cluster.add(new DirectClient(cluster.world(), List.of(cluster.master())));
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    @Test
    void sameBytesAsOverTheNetwork() {
        byte[] bytes = random(1, 9 * MIB + 123);
        DirectClient.write(writer, "same", 0, bytes);
        DirectClient.write(writer, "same", 13 * MIB, random(2, 10));
        byte[] all = Arrays.copyOf(bytes, 13 * MIB + 10);
        System.arraycopy(random(2, 10), 0, all, 13 * MIB, 10);
        try (OpenFile direct = DirectClient.open(reader.files(), "same");
                OpenFile other = DirectClient.open(writer, "same")) {
            for (int chunk = 0; chunk < 4; chunk++) {
                int from = chunk * 4 * MIB;
                byte[] part = Arrays.copyOfRange(all, from, Math.min(from + MIB, all.length));
                reader.readDirectly(direct, from, part);
            }
            long before = reader.directReads();
            assertArrayEquals(all, DirectClient.read(direct, 0, all.length));
            assertTrue(reader.directReads() > before);
            Random random = new Random(3);
            for (int i = 0; i < 100; i++) {
                int from = random.nextInt(all.length + 5000);
                int length = 1 + random.nextInt(i % 2 == 0 ? 5000 : 300_000);
                assertArrayEquals(
                        DirectClient.read(other, from, length),
                        DirectClient.read(direct, from, length),
                        length + " at " + from);
            }
        }
    }

    @Test
    void smallReadsAskWhenTheyComeAgain() {
        byte[] bytes = random(4, 2 * MIB);
        DirectClient.write(writer, "small", 0, bytes);
        try (OpenFile file = DirectClient.open(reader.files(), "small")) {
            reader.readDirectly(file, 40_960, Arrays.copyOfRange(bytes, 40_960, 45_056));
        }
    }

    @Test
    void changesOfAnotherClientAreSeenAtOnce() {
        byte[] bytes = random(5, 2 * MIB);
        DirectClient.write(writer, "changed", 0, bytes);
        try (OpenFile file = DirectClient.open(reader.files(), "changed")) {
            for (int i = 0; i < 5; i++) {
                reader.readDirectly(file, 0, bytes);
                byte[] patch = random(100 + i, 70_001);
                DirectClient.write(writer, "changed", 300_000 + i, patch);
                System.arraycopy(patch, 0, bytes, 300_000 + i, patch.length);
                assertArrayEquals(bytes, DirectClient.read(file, 0, bytes.length));
            }
            reader.readDirectly(file, 0, bytes);
            long ino = file.ino();
            writer.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withSize(1000));
            assertArrayEquals(Arrays.copyOf(bytes, 1000), DirectClient.read(file, 0, 2 * MIB));
            writer.setAttributes(Caller.ROOT, ino, AttributeChange.NONE.withSize(MIB));
            byte[] shortened = Arrays.copyOf(Arrays.copyOf(bytes, 1000), MIB);
            assertArrayEquals(shortened, DirectClient.read(file, 0, 2 * MIB));
            reader.readDirectly(file, 0, shortened);
        }
    }

    /** Each write fills the file with one letter, so a mixture shows. */
    @Test
    void noReadSeesHalfOfAWrite() throws Exception {
        byte[] bytes = new byte[256 << 10];
        DirectClient.write(writer, "torn", 0, bytes);
        AtomicBoolean ends = new AtomicBoolean();
        Thread writing =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    byte[] next = new byte[bytes.length];
                                    for (int i = 1; i < 30; i++) {
                                        Arrays.fill(next, (byte) i);
                                        DirectClient.write(writer, "torn", 0, next);
                                    }
                                    ends.set(true);
                                });
        int last = 0;
        try (OpenFile file = DirectClient.open(reader.files(), "torn")) {
            while (!ends.get()) {
                byte[] found = DirectClient.read(file, 0, bytes.length);
                assertEquals(bytes.length, found.length);
                int letter = found[0] & 0xff;
                assertTrue(letter >= last, letter + " after " + last);
                last = letter;
                for (byte each : found) {
                    assertEquals(found[0], each);
                }
            }
        } finally {
            writing.join();
        }
    }

    /** Which open files of this process have been deleted below the directory of the test. */
    private static long deletedFiles() {
        try (Stream<Path> links = Files.list(Path.of("/proc/self/fd"))) {
            return links.filter(DirectReadTest::isDeletedBlob).count();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static boolean isDeletedBlob(Path link) {
        try {
            String name = Files.readSymbolicLink(link).toString();
            return name.startsWith(directory.toString()) && name.endsWith("(deleted)");
        } catch (IOException e) {
            return false; // Closed meanwhile.
        }
    }

    @Test
    void deletedFilesAreClosed() {
        byte[] bytes = random(6, MIB);
        DirectClient.write(writer, "deleted", 0, bytes);
        try (OpenFile file = DirectClient.open(reader.files(), "deleted")) {
            reader.readDirectly(file, 0, bytes);
        }
        writer.unlink(Caller.ROOT, 1, Name.of("deleted"));
        Poll.until("the file is gone and closed", 60, () -> deletedFiles() == 0);
        DirectClient.write(writer, "deleted", 0, random(7, MIB));
        try (OpenFile file = DirectClient.open(reader.files(), "deleted")) {
            assertArrayEquals(random(7, MIB), DirectClient.read(file, 0, MIB));
        }
    }

    private static void damageBlobs(byte[] first) throws IOException {
        List<Path> blobs;
        try (Stream<Path> files = Files.walk(directory.resolve("data"))) {
            blobs = files.filter(each -> each.toString().contains("/pg/")).toList();
        }
        boolean done = false;
        for (Path blob : blobs) {
            if (!done && Files.isRegularFile(blob)) {
                try (RandomAccessFile file = new RandomAccessFile(blob.toFile(), "rw")) {
                    byte[] found = new byte[first.length];
                    file.readFully(found);
                    if (Arrays.equals(first, found)) {
                        file.seek(5000);
                        file.write(first[5000] + 1);
                        done = true;
                    }
                }
            }
        }
        assertTrue(done, "a blob was damaged");
    }

    @Test
    void aDamagedBlobIsNoticedAndMended() throws Exception {
        for (int i = 0; i < 2; i++) {
            byte[] bytes = random(8 + i, MIB);
            DirectClient.write(writer, "damaged" + i, 0, bytes);
            try (OpenFile file = DirectClient.open(reader.files(), "damaged" + i)) {
                reader.readDirectly(file, 0, bytes);
                damageBlobs(bytes);
                for (int times = 0; times < 5; times++) {
                    assertArrayEquals(bytes, DirectClient.read(file, 0, MIB));
                }
            }
        }
    }

    @Test
    void withoutASocketEverythingGoesOverTheNetwork() throws Exception {
        try (DirectClient other = new DirectClient(cluster.world(), List.of(cluster.master()))) {
            byte[] bytes = random(10, MIB);
            DirectClient.write(writer, "remote", 0, bytes);
            for (String server : List.of("chunk-1", "chunk-2")) {
                Path socket = directory.resolve("data").resolve(server).resolve("direct");
                Files.move(socket, socket.resolveSibling("direct.away"));
            }
            try (OpenFile file = DirectClient.open(other.files(), "remote")) {
                for (int i = 0; i < 20; i++) {
                    assertArrayEquals(bytes, DirectClient.read(file, 0, MIB));
                }
                assertEquals(0, other.directReads());
            }
        } finally {
            for (String server : List.of("chunk-1", "chunk-2")) {
                Path socket = directory.resolve("data").resolve(server).resolve("direct");
                Files.move(socket.resolveSibling("direct.away"), socket);
            }
        }
    }
}
