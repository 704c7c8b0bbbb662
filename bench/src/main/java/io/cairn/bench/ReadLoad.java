package io.cairn.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;

/**
 * Reads a file in several ways and prints how fast, and what it cost the processes that serve it.
 * The arguments are a title, the file, the seconds of each way, and the numbers of these processes.
 */
public final class ReadLoad {
    private static final int ALIGNMENT = 4096;
    private static final double TICKS_PER_SECOND = 100;

    /** O_DIRECT; the compiler warns of everybody who names this class. */
    private static final String EXTENDED_OPTIONS = "com.sun.nio.file.ExtendedOpenOption";

    private final Path file;
    private final long lengthBytes;
    private final Duration time;
    private final List<String> pids;
    private final OpenOption pastTheCache;

    private ReadLoad(Path file, Duration time, List<String> pids) throws Exception {
        this.pastTheCache =
                (OpenOption) Class.forName(EXTENDED_OPTIONS).getField("DIRECT").get(null);
        this.file = file;
        this.lengthBytes = Files.size(file);
        this.time = time;
        this.pids = pids;
    }

    /** Runs all ways of reading; the first one twice, to warm up. */
    public static void main(String[] args) throws Exception {
        List<String> pids = List.of(args).subList(3, args.length);
        Duration time = Duration.ofSeconds(Long.parseLong(args[2]));
        ReadLoad load = new ReadLoad(Path.of(args[1]), time, pids);
        load.run("warm up", 1 << 20, 1, true);
        System.out.println(args[0]);
        load.run("1 MiB in sequence", 1 << 20, 1, true);
        load.run("2 MiB at random", 2 << 20, 1, false);
        load.run("4 KiB at random", 4096, 1, false);
        load.run("4 KiB at random, 4 threads", 4096, 4, false);
    }

    private void run(String title, int bytes, int threads, boolean inSequence) throws Exception {
        LongAdder done = new LongAdder();
        double cpuBefore = cpuSeconds();
        long beganNs = System.nanoTime();
        List<Thread> all = new ArrayList<>();
        for (int i = 0; i < threads; i++) {
            SplittableRandom random = new SplittableRandom(beganNs + i);
            all.add(Thread.ofPlatform().start(() -> read(bytes, inSequence, random, done)));
        }
        for (Thread each : all) {
            each.join();
        }
        double seconds = (System.nanoTime() - beganNs) / 1e9;
        double cpu = cpuSeconds() - cpuBefore;
        double megabytes = (double) done.sum() * bytes / 1e6;
        System.out.printf(
                Locale.ROOT,
                "  %-28s %8.0f MB/s %8.0f reads/s %8.1f us of the processor a read%n",
                title,
                megabytes / seconds,
                (double) done.sum() / seconds,
                cpu * 1e6 / (double) done.sum());
    }

    private void read(int bytes, boolean inSequence, SplittableRandom random, LongAdder done) {
        ByteBuffer buffer = ByteBuffer.allocateDirect(bytes + ALIGNMENT).alignedSlice(ALIGNMENT);
        long endNs = System.nanoTime() + time.toNanos();
        long count = lengthBytes / bytes;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, pastTheCache)) {
            for (long i = 0; System.nanoTime() - endNs < 0; i++) {
                long at = inSequence ? i % count : random.nextLong(count);
                if (channel.read(buffer.clear().limit(bytes), at * bytes) != bytes) {
                    throw new IOException("a short read at " + at * bytes);
                }
                done.increment();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** User and system time of the processes so far. */
    private double cpuSeconds() throws IOException {
        double ticks = 0;
        for (String pid : pids) {
            String stat = Files.readString(Path.of("/proc", pid, "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            ticks += Double.parseDouble(fields[11]) + Double.parseDouble(fields[12]);
        }
        return ticks / TICKS_PER_SECOND;
    }
}
