package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Writes, renames and removes files on a mount from several threads and remembers exactly what was
 * acknowledged, so that a test can kill what it likes and check afterwards that nothing
 * acknowledged is lost (I2, I3).
 */
final class AckedLoad implements AutoCloseable {
    private static final int MAX_BYTES = 300_000;

    private final Path root;
    private final LoadThreads threads;
    private final List<Worker> workers = new ArrayList<>();

    /** What a name must hold; a seed of -1: the name must not exist. */
    private record Expected(long seed, int lengthBytes) {
        static final Expected ABSENT = new Expected(-1, 0);

        boolean isAbsent() {
            return seed < 0;
        }
    }

    /** As {@link LoadThreads} says. */
    AckedLoad(Path root, int threads, long seed, boolean goesOnAfterErrors) throws IOException {
        this.root = root;
        this.threads = new LoadThreads(goesOnAfterErrors);
        for (int i = 0; i < threads; i++) {
            Path directory = root.resolve("w" + i);
            Files.createDirectories(directory);
            workers.add(new Worker(directory, new Random(seed * 31 + i)));
        }
        for (Worker worker : workers) {
            this.threads.start("load-" + worker.directory.getFileName(), worker::operate);
        }
    }

    /** One thread in its own directory. */
    private static final class Worker {
        private final Path directory;
        private final Random random;
        private final TreeMap<String, Expected> acknowledged = new TreeMap<>();
        private final TreeMap<String, List<Expected>> uncertain = new TreeMap<>();

        Worker(Path directory, Random random) {
            this.directory = directory;
            this.random = random;
        }

        private void operate() throws IOException {
            int choice = random.nextInt(10);
            String name = "f" + random.nextInt(400);
            Expected present = acknowledged.get(name);
            if (choice < 7 || present == null || present.isAbsent()) {
                write(name);
            } else if (choice == 7) {
                begin(name, Expected.ABSENT);
                // Absent it can only be where the mount is gone: nobody acknowledged that.
                Files.delete(directory.resolve(name));
                done(name, Expected.ABSENT);
            } else {
                rename(name, "f" + random.nextInt(400), present);
            }
        }

        private void write(String name) throws IOException {
            int length = random.nextInt(4) == 0 ? random.nextInt(MAX_BYTES) : random.nextInt(6000);
            Expected next = new Expected(random.nextInt(Integer.MAX_VALUE), length);
            // Written beside and renamed, as careful programs do: the old or the new contents,
            // never a mix.
            String temporary = name + ".new";
            begin(name, next);
            try (FileChannel channel =
                    FileChannel.open(
                            directory.resolve(temporary),
                            StandardOpenOption.CREATE,
                            StandardOpenOption.TRUNCATE_EXISTING,
                            StandardOpenOption.WRITE)) {
                ByteBuffer contents = ByteBuffer.wrap(contents(next));
                while (contents.hasRemaining()) {
                    int piece = Math.min(contents.remaining(), 1 + random.nextInt(70_000));
                    ByteBuffer slice = contents.slice(contents.position(), piece);
                    while (slice.hasRemaining()) {
                        channel.write(slice);
                    }
                    contents.position(contents.position() + piece);
                }
                if (random.nextInt(5) == 0) {
                    channel.force(true);
                }
            }
            Files.move(
                    directory.resolve(temporary),
                    directory.resolve(name),
                    StandardCopyOption.ATOMIC_MOVE);
            done(name, next);
        }

        private void rename(String from, String to, Expected contents) throws IOException {
            if (from.equals(to)) {
                return;
            }
            begin(from, Expected.ABSENT);
            begin(to, contents);
            Files.move(
                    directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
            done(from, Expected.ABSENT);
            done(to, contents);
        }

        private void begin(String name, Expected next) {
            uncertain.computeIfAbsent(name, n -> new ArrayList<>()).add(next);
        }

        private void done(String name, Expected next) {
            acknowledged.put(name, next);
            uncertain.remove(name);
        }
    }

    private static byte[] contents(Expected expected) {
        byte[] bytes = new byte[expected.lengthBytes()];
        new Random(expected.seed()).nextBytes(bytes);
        return bytes;
    }

    /** Operations that were acknowledged so far. */
    int operations() {
        return threads.operations();
    }

    /** How long the longest of them took, in milliseconds. */
    long longestMs() {
        return threads.longestMs();
    }

    /** What went wrong, in the words of the system. */
    List<String> failures() {
        return threads.failures();
    }

    void stop() throws InterruptedException {
        threads.stop();
    }

    /** Checks every name; {@code where} is the directory that holds the same tree now. */
    void verify(Path where) throws IOException {
        for (Worker worker : workers) {
            Path directory = where.resolve(root.relativize(worker.directory).toString());
            for (String name : worker.acknowledged.keySet()) {
                Expected expected = worker.acknowledged.get(name);
                List<Expected> also = worker.uncertain.getOrDefault(name, List.of());
                verify(
                        directory.resolve(name),
                        expected == null ? Expected.ABSENT : expected,
                        also);
            }
        }
    }

    private static void verify(Path path, Expected expected, List<Expected> also)
            throws IOException {
        byte @Nullable [] found = read(path);
        if (matches(found, expected) || also.stream().anyMatch(e -> matches(found, e))) {
            return;
        }
        assertEquals(
                describe(expected.isAbsent() ? null : contents(expected)),
                describe(found),
                () ->
                        path
                                + " does not hold what was acknowledged; uncertain: "
                                + also
                                + "; beside it: "
                                + names(path.getParent()));
    }

    private static byte @Nullable [] read(Path path) throws IOException {
        try {
            return Files.readAllBytes(path);
        } catch (NoSuchFileException e) {
            return null;
        }
    }

    private static String names(@Nullable Path directory) {
        try (Stream<Path> entries = Files.list(directory == null ? Path.of("/") : directory)) {
            return entries.map(p -> String.valueOf(p.getFileName()))
                    .sorted()
                    .limit(20)
                    .toList()
                    .toString();
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static boolean matches(byte @Nullable [] found, Expected expected) {
        if (found == null || expected.isAbsent()) {
            return found == null && expected.isAbsent();
        }
        return java.util.Arrays.equals(found, contents(expected));
    }

    private static String describe(byte @Nullable [] bytes) {
        if (bytes == null) {
            return "absent";
        }
        CRC32C crc = new CRC32C();
        crc.update(bytes);
        return bytes.length + " bytes, crc " + Long.toHexString(crc.getValue());
    }

    @Override
    public void close() {
        threads.close();
    }
}
