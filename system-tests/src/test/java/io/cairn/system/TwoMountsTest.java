package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What two mounts of one cluster promise each other (I12). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TwoMountsTest {
    @TempDir private static Path directory;
    private ProcessCluster cluster;
    private Path a = Path.of("/");
    private Path b = Path.of("/");

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(1, 2);
        cluster.startChunkServers(2);
        a = cluster.mount("a");
        b = cluster.mount("b");
    }

    @AfterAll
    void stopCluster() {
        cluster.close();
    }

    @Test
    void anOpenAfterACloseSeesEverything() throws IOException {
        Random random = new Random(7);
        Files.createDirectory(a.resolve("cto"));
        for (int round = 0; round < 60; round++) {
            Path writer = round % 2 == 0 ? a : b;
            Path reader = round % 2 == 0 ? b : a;
            String name = "cto/f" + round % 3;
            byte[] bytes = new byte[random.nextInt(round % 4 == 0 ? 2_000_000 : 9000)];
            random.nextBytes(bytes);
            Files.write(writer.resolve(name), bytes);
            assertArrayEquals(bytes, Files.readAllBytes(reader.resolve(name)), "round " + round);
        }
    }

    @Test
    void aNewNameIsSeenAtOnceByWhoeverMadeOrListedTheDirectory() throws IOException {
        Files.createDirectory(a.resolve("names"));
        for (int i = 0; i < 30; i++) {
            Path maker = i % 2 == 0 ? b : a;
            Path reader = i % 2 == 0 ? a : b;
            String name = "names/f" + i;
            assertFalse(Files.exists(reader.resolve("names/none" + i)));
            Files.createFile(maker.resolve(name));
            assertTrue(Files.exists(reader.resolve(name)), name + " was made elsewhere");
            try (java.util.stream.Stream<Path> listed = Files.list(reader.resolve("names"))) {
                assertEquals(i + 1, listed.count());
            }
        }
    }

    @Test
    void aGrowingFileIsSeenAtEveryOpen() throws IOException {
        Path written = a.resolve("growing");
        Path read = b.resolve("growing");
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            String line = "line " + i + " " + "x".repeat(i * 40) + "\n";
            Files.writeString(written, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            all.append(line);
            assertEquals(all.toString(), Files.readString(read), "after line " + i);
        }
    }

    @Test
    void appendsFromBothAreNeitherLostNorTorn() throws Exception {
        int records = 150;
        CompletableFuture<Void> other = CompletableFuture.runAsync(() -> append(b, "B", records));
        append(a, "A", records);
        other.get(100, TimeUnit.SECONDS);
        for (Path mount : List.of(a, b)) {
            List<String> lines = Files.readAllLines(mount.resolve("appended"));
            assertEquals(2 * records, lines.size());
            Set<String> seen = new HashSet<>();
            for (String line : lines) {
                String[] parts = line.split(" ", -1);
                assertEquals(3, parts.length, line);
                int number = Integer.parseInt(parts[1]);
                assertEquals(filler(number), parts[2], "a torn record: " + parts[0] + parts[1]);
                assertTrue(seen.add(parts[0] + number), "twice: " + parts[0] + number);
            }
        }
    }

    private static String filler(int number) {
        return "z".repeat(1 + number * 131 % 9000);
    }

    private static void append(Path mount, String who, int records) {
        try (FileChannel channel =
                FileChannel.open(
                        mount.resolve("appended"),
                        StandardOpenOption.CREATE,
                        StandardOpenOption.APPEND)) {
            for (int i = 0; i < records; i++) {
                String line = who + " " + i + " " + filler(i) + "\n";
                ByteBuffer record = ByteBuffer.wrap(line.getBytes(StandardCharsets.US_ASCII));
                int length = record.remaining();
                assertEquals(length, channel.write(record), "an append must not be split");
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void byteRangeLocksConflictAcrossMounts() throws Exception {
        Files.write(a.resolve("locked"), new byte[100]);
        try (FileChannel one = open(a, "locked");
                FileChannel two = open(b, "locked")) {
            FileLock first = one.lock(0, 50, false);
            assertNull(two.tryLock(40, 20, false));
            FileLock beside = two.tryLock(50, 10, false);
            assertNotNull(beside);
            CompletableFuture<Boolean> waiter =
                    CompletableFuture.supplyAsync(() -> lock(two, 10, 10));
            assertFalse(waiter.isDone());
            first.release();
            assertTrue(waiter.get(20, TimeUnit.SECONDS));
            assertNull(one.tryLock(15, 1, true));
        }
        try (FileChannel one = open(a, "locked")) {
            Poll.until("locks of a closed file are released", 60, () -> one.tryLock() != null);
        }
    }

    private static FileChannel open(Path mount, String name) throws IOException {
        return FileChannel.open(
                mount.resolve(name), StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static boolean lock(FileChannel channel, long start, long length) {
        try {
            return channel.lock(start, length, false).isValid();
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void locksOfAKilledMountAreReleased() throws Exception {
        Files.write(a.resolve("orphaned-lock"), new byte[10]);
        Path third = cluster.mount("third");
        try (FileChannel two = open(a, "orphaned-lock")) {
            try (CairnProcessLock holder = new CairnProcessLock(third.resolve("orphaned-lock"))) {
                assertNull(two.tryLock());
                cluster.kill("third");
                assertTrue(holder.isStarted());
                Poll.until("the session of the killed mount ends", 40, () -> two.tryLock() != null);
            }
        }
    }

    @Test
    void renameIsAtomicForTheOtherMount() throws Exception {
        Files.writeString(a.resolve("swapped"), "old");
        AtomicBoolean stop = new AtomicBoolean();
        CompletableFuture<List<String>> observer =
                CompletableFuture.supplyAsync(
                        () -> {
                            List<String> wrong = new ArrayList<>();
                            while (!stop.get()) {
                                try {
                                    String text = Files.readString(b.resolve("swapped"));
                                    if (!text.equals("old") && !text.equals("new")) {
                                        wrong.add(text);
                                    }
                                } catch (IOException e) {
                                    wrong.add(e.toString());
                                }
                            }
                            return wrong;
                        });
        for (int i = 0; i < 60; i++) {
            Files.writeString(a.resolve("swapped.new"), i % 2 == 0 ? "new" : "old");
            Files.move(
                    a.resolve("swapped.new"), a.resolve("swapped"), StandardCopyOption.ATOMIC_MOVE);
        }
        stop.set(true);
        assertEquals(List.of(), observer.get(30, TimeUnit.SECONDS));
    }

    @Test
    void aDirectoryOfTheClusterCanBeMountedAlone() throws Exception {
        Files.createDirectories(a.resolve("home/user"));
        Files.writeString(a.resolve("home/user/letter"), "dear");
        Path home = cluster.mount("home-alone", ":/home");
        assertEquals("dear", Files.readString(home.resolve("user/letter")));
        Files.writeString(home.resolve("top"), "made below");
        Files.move(home.resolve("user/letter"), home.resolve("letter"));
        assertEquals("made below", Files.readString(a.resolve("home/top")));
        assertEquals("dear", Files.readString(a.resolve("home/letter")));
        Shell.run(home, "cd user/.. && ls letter top && test ! -e swapped");
    }

    @Test
    void namesRemovedHereAreGoneThere() throws IOException {
        Files.writeString(a.resolve("gone"), "x");
        assertTrue(Files.exists(b.resolve("gone")));
        Files.delete(a.resolve("gone"));
        Poll.until("the other mount forgets the name", 30, () -> !Files.exists(b.resolve("gone")));
    }

    @Test
    void anOpenFileOutlivesItsRemovalElsewhere() throws IOException {
        byte[] bytes = new byte[500_000];
        new Random(3).nextBytes(bytes);
        Files.write(a.resolve("held"), bytes);
        try (FileChannel channel = open(b, "held")) {
            Files.delete(a.resolve("held"));
            ByteBuffer found = ByteBuffer.allocate(bytes.length);
            while (found.hasRemaining() && channel.read(found) > 0) {
                assertTrue(channel.isOpen());
            }
            assertArrayEquals(bytes, found.array());
        }
    }
}
