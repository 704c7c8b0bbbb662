package io.cairn.fuse;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Lock;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Two mounts of one filesystem, as on two machines. */
class TwoMountsTest extends MountTest {
    private final List<FuseMount> mounts = new ArrayList<>();

    private Path mounted(String name, DriverKind driver) throws IOException {
        FuseMount mount = mount(directory(name), driver);
        mounts.add(mount);
        return mount.path();
    }

    @AfterEach
    void closeMounts() {
        mounts.forEach(FuseMount::close);
    }

    /** Size by fstat right after open, and contents, of a file that the other mount changes. */
    @ParameterizedTest
    @EnumSource
    void everyOpenSeesWhatWasClosedBefore(DriverKind driver) throws IOException {
        Path a = mounted("a", driver).resolve("file");
        Path b = mounted("b", driver).resolve("file");
        for (int i = 0; i < 200; i++) {
            String text = "round " + i + " " + "x".repeat(i * 37 % 9000);
            write(i % 2 == 0 ? a : b, text);
            Path reader = i % 2 == 0 ? b : a;
            try (FileChannel channel = FileChannel.open(reader)) {
                assertEquals(text.length(), channel.size(), "size in round " + i);
            }
            assertEquals(text, read(reader), "contents in round " + i);
        }
    }

    /** Overwriting in place keeps the size: only the version tells. */
    @ParameterizedTest
    @EnumSource
    void sameSizeIsNoExcuse(DriverKind driver) throws IOException {
        Path a = mounted("a", driver).resolve("file");
        Path b = mounted("b", driver).resolve("file");
        write(a, "0000000000");
        for (int i = 0; i < 100; i++) {
            String text = "%010d".formatted(i);
            try (FileChannel channel = FileChannel.open(a, StandardOpenOption.WRITE)) {
                channel.write(java.nio.ByteBuffer.wrap(text.getBytes(UTF_8)), 0);
            }
            assertEquals(text, read(b));
        }
    }

    @ParameterizedTest
    @EnumSource
    void appendedRecordsAreNeitherLostNorTorn(DriverKind driver) throws Exception {
        List<Path> roots = List.of(mounted("a", driver), mounted("b", driver));
        Files.createFile(roots.getFirst().resolve("log"));
        int writers = 4;
        int records = 200;
        try (ExecutorService threads = Executors.newFixedThreadPool(writers)) {
            List<Future<?>> results = new ArrayList<>();
            for (int w = 0; w < writers; w++) {
                Path file = roots.get(w % 2).resolve("log");
                String start = "writer " + w + " record ";
                results.add(
                        threads.submit(
                                () -> {
                                    for (int r = 0; r < records; r++) {
                                        byte[] line = (start + r + "\n").getBytes(UTF_8);
                                        Files.write(file, line, StandardOpenOption.APPEND);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        for (Path root : roots) {
            List<String> lines = Files.readAllLines(root.resolve("log"), UTF_8);
            assertEquals(writers * records, lines.size());
            assertEquals(writers * records, Set.copyOf(lines).size());
            assertTrue(lines.stream().allMatch(l -> l.matches("writer \\d record \\d+")));
        }
    }

    @ParameterizedTest
    @EnumSource
    void locksHoldBetweenMounts(DriverKind driver) throws Exception {
        Path first = mounted("a", driver);
        Path second = mounted("b", driver);
        try (Posix a = new NativePosix(first, Set.of(), 0);
                Posix b = new NativePosix(second, Set.of(), 0);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            int fa = a.open("file", Posix.O_CREAT | Posix.O_RDWR, 0644);
            int fb = b.open("file", Posix.O_RDWR, 0);
            a.setlk(fa, Lock.Mode.EXCLUSIVE, 10, 20, false);
            Lock inTheWay = b.getlk(fb, Lock.Mode.SHARED, 0, 0);
            assertNotNull(inTheWay);
            assertEquals(10, inTheWay.startByte());
            assertEquals(29, inTheWay.endByte());
            Future<?> waiting = thread.submit(() -> b.setlk(fb, Lock.Mode.EXCLUSIVE, 15, 1, true));
            a.close(fa);
            waiting.get();
            int again = a.open("file", Posix.O_RDWR, 0);
            assertNotNull(a.getlk(again, Lock.Mode.SHARED, 15, 1));
            b.close(fb);
            assertNull(a.getlk(again, Lock.Mode.SHARED, 15, 1));
        }
    }

    /** Driver jnr only has to show the end: it can answer ESTALE, see JnrContractTest. */
    @ParameterizedTest
    @EnumSource
    void aReplacedFileIsAlwaysOneOfBoth(DriverKind driver) throws Exception {
        Path a = mounted("a", driver);
        Path b = mounted("b", driver).resolve("file");
        write(a.resolve("file"), "whole 0");
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            Future<?> writer =
                    thread.submit(
                            () -> {
                                for (int i = 1; i <= 300; i++) {
                                    Path temporary = a.resolve("temporary");
                                    write(temporary, "whole " + i);
                                    Files.move(
                                            temporary,
                                            a.resolve("file"),
                                            StandardCopyOption.ATOMIC_MOVE);
                                }
                                return null;
                            });
            int seen = 0;
            while (!writer.isDone()) {
                if (driver == DriverKind.KERNEL) {
                    String text = read(b);
                    assertTrue(text.startsWith("whole "), text);
                    int number = Integer.parseInt(text.substring(6));
                    assertTrue(number >= seen, "went back from " + seen + " to " + number);
                    seen = number;
                }
            }
            writer.get();
        }
        await("the last version is seen", () -> seesLast(b));
    }

    private static boolean seesLast(Path file) {
        try {
            return read(file).equals("whole 300");
        } catch (IOException e) {
            return false;
        }
    }
}
