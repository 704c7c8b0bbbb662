package io.cairn.bench;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.LongAdder;

/**
 * One kind of work of {@code bench/scale} on a mount. Prints lines of a name and the microseconds
 * that one operation took, all threads together.
 *
 * <pre>
 *   names DIR FILES DIRECTORIES THREADS    create, stat, list and rename
 *   remove DIR DIRECTORIES THREADS         what these left
 *   clients DIR OPERATIONS THREADS...      create and stat by so many threads
 *   open DIR FILES                         open so many at once, read them, close them
 *   sparse FILE                            1 TiB with two pieces in it
 *   chunks DIR FILES THREADS               files of one chunk each
 * </pre>
 */
public final class ScaleLoad {
    private static final int MOST_SAMPLES = 20_000;
    private static final long TERABYTE = 1L << 40;
    private static final int PIECE = 1 << 20;

    /** More than an inode holds itself. */
    private static final int SMALL_CHUNK = 8 << 10;

    private ScaleLoad() {}

    /** Does what the arguments say. */
    public static void main(String[] arguments) throws Exception {
        Path at = Path.of(arguments[1]);
        int[] numbers = new int[arguments.length - 2];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(arguments[i + 2]);
        }
        switch (arguments[0]) {
            case "names" -> names(at, numbers[0], numbers[1], numbers[2]);
            case "remove" -> remove(at, numbers[0], numbers[1]);
            case "clients" -> clients(at, numbers);
            case "open" -> open(at, numbers[0]);
            case "sparse" -> sparse(at);
            case "chunks" -> chunks(at, numbers[0], numbers[1]);
            default -> throw new IllegalArgumentException(arguments[0]);
        }
    }

    private interface Work {
        void run(int index) throws Exception;
    }

    /** Does something so many times, by several threads, each with a range of its own. */
    private static void each(String name, int count, int threads, Work work) throws Exception {
        long beganNs = System.nanoTime();
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            for (int t = 0; t < threads; t++) {
                int from = (int) ((long) count * t / threads);
                int to = (int) ((long) count * (t + 1) / threads);
                running.add(
                        pool.submit(
                                () -> {
                                    for (int i = from; i < to; i++) {
                                        work.run(i);
                                    }
                                    return null;
                                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        print(name, beganNs, count);
    }

    private static void print(String name, long beganNs, long count) {
        double micros = (System.nanoTime() - beganNs) / 1e3 / Math.max(1, count);
        System.out.println(String.format(Locale.ROOT, "%s %.1f", name, micros));
    }

    private static Path file(Path at, int index, int directories) {
        return directories <= 1
                ? at.resolve("f" + index)
                : at.resolve("d" + index % directories).resolve("f" + index);
    }

    private static void names(Path at, int files, int directories, int threads) throws Exception {
        Files.createDirectories(at);
        for (int i = 0; i < directories && directories > 1; i++) {
            Files.createDirectory(at.resolve("d" + i));
        }
        each("create", files, threads, i -> Files.createFile(file(at, i, directories)));
        int samples = Math.min(files, MOST_SAMPLES);
        each(
                "stat",
                samples,
                threads,
                i -> Files.readAttributes(file(at, any(i, files), directories), "unix:ino"));
        LongAdder listed = new LongAdder();
        long beganNs = System.nanoTime();
        list(at, listed);
        print("list", beganNs, files);
        if (listed.sum() != files) {
            throw new IOException(listed.sum() + " of " + files + " files were listed");
        }
        int moved = Math.max(1, samples / 2);
        each(
                "rename",
                moved,
                threads,
                i -> {
                    Path from = file(at, (int) ((long) files * i / moved), directories);
                    Files.move(from, from.resolveSibling("r" + i));
                });
    }

    /** A number below a bound, the same for the same index. */
    private static int any(int index, int bound) {
        return new SplittableRandom(index).nextInt(bound);
    }

    private static void list(Path directory, LongAdder files) throws IOException {
        try (var entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                if (entry.getFileName().toString().startsWith("d")) {
                    list(entry, files);
                } else {
                    files.increment();
                }
            }
        }
    }

    private static void remove(Path at, int directories, int threads) throws Exception {
        LongAdder removed = new LongAdder();
        long beganNs = System.nanoTime();
        try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
            List<Future<?>> running = new ArrayList<>();
            for (int i = 0; i < Math.max(1, directories); i++) {
                Path directory = directories <= 1 ? at : at.resolve("d" + i);
                running.add(
                        pool.submit(
                                () -> {
                                    empty(directory, removed);
                                    return null;
                                }));
            }
            for (Future<?> one : running) {
                one.get();
            }
        }
        Files.deleteIfExists(at);
        print("remove", beganNs, removed.sum());
    }

    private static void empty(Path directory, LongAdder removed) throws IOException {
        try (var entries = Files.newDirectoryStream(directory)) {
            for (Path entry : entries) {
                Files.delete(entry);
                removed.increment();
            }
        }
        Files.delete(directory);
    }

    private static void clients(Path at, int[] numbers) throws Exception {
        int operations = numbers[0];
        for (int n = 1; n < numbers.length; n++) {
            int threads = numbers[n];
            Path own = Files.createDirectories(at.resolve("t" + threads));
            for (int i = 0; i < threads; i++) {
                Files.createDirectory(own.resolve("d" + i));
            }
            String by = "-" + threads;
            each(
                    "create" + by,
                    operations,
                    threads,
                    i ->
                            Files.createFile(
                                    own.resolve("d" + (int) ((long) i * threads / operations))
                                            .resolve("f" + i)));
            each(
                    "stat" + by,
                    operations,
                    threads,
                    i ->
                            Files.readAttributes(
                                    own.resolve("d" + (int) ((long) i * threads / operations))
                                            .resolve("f" + i),
                                    "unix:ino"));
        }
    }

    private static void open(Path at, int files) throws IOException {
        Files.createDirectories(at);
        List<FileChannel> channels = new ArrayList<>();
        try {
            long beganNs = System.nanoTime();
            for (int i = 0; i < files; i++) {
                channels.add(
                        FileChannel.open(
                                at.resolve("f" + i),
                                StandardOpenOption.CREATE,
                                StandardOpenOption.READ,
                                StandardOpenOption.WRITE));
                int _ = channels.getLast().write(ByteBuffer.wrap(new byte[] {(byte) i}));
            }
            print("open", beganNs, files);
            beganNs = System.nanoTime();
            ByteBuffer one = ByteBuffer.allocate(1);
            for (int i = 0; i < files; i++) {
                one.clear();
                if (channels.get(i).read(one, 0) != 1 || one.get(0) != (byte) i) {
                    throw new IOException("file " + i + " has other contents");
                }
            }
            print("read", beganNs, files);
        } finally {
            long beganNs = System.nanoTime();
            for (FileChannel channel : channels) {
                channel.close();
            }
            print("close", beganNs, files);
        }
    }

    private static void sparse(Path file) throws IOException {
        ByteBuffer piece = ByteBuffer.allocate(PIECE);
        try (FileChannel channel =
                FileChannel.open(
                        file,
                        StandardOpenOption.CREATE,
                        StandardOpenOption.READ,
                        StandardOpenOption.WRITE)) {
            long beganNs = System.nanoTime();
            int _ = channel.write(piece, 0);
            int _ = channel.write(piece.flip().clear(), TERABYTE - PIECE);
            channel.force(true);
            print("write", beganNs, 2);
            beganNs = System.nanoTime();
            SplittableRandom random = new SplittableRandom(1);
            for (int i = 0; i < 100; i++) {
                if (channel.read(piece.clear(), random.nextLong(TERABYTE - PIECE)) != PIECE) {
                    throw new IOException("a short read of a hole");
                }
            }
            print("hole", beganNs, 100);
            if (channel.size() != TERABYTE) {
                throw new IOException(channel.size() + " bytes are no terabyte");
            }
        }
        long beganNs = System.nanoTime();
        Files.delete(file);
        print("remove", beganNs, 1);
    }

    private static void chunks(Path at, int files, int threads) throws Exception {
        Files.createDirectories(at);
        for (int i = 0; i < 100; i++) {
            Files.createDirectory(at.resolve("d" + i));
        }
        byte[] contents = new byte[SMALL_CHUNK];
        each("write", files, threads, i -> Files.write(file(at, i, 100), contents));
    }
}
