package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.node.MountNode;
import io.cairn.node.ProcessContext;
import io.cairn.node.Source;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long those who work at a mount wait when a process of the cluster dies or stands still: the
 * longest time from the begin of a call to its success. {@code bench/stalls} runs more rounds of
 * it, and prints median and 99th percentile.
 */
@Tag("long")
final class StallsTest {
    private static final int ROUNDS = Integer.getInteger("cairn.stalls.rounds", 1);
    private static final long WATCH_NS = TimeUnit.SECONDS.toNanos(6);
    private static final int CHUNK_SERVERS = 3;
    private static final int COPIES = 2;
    private static final int FILE_BYTES = 32 << 20;
    private static final int BLOCK_BYTES = 4096;

    /** A machine that does other things, too. What was measured is in bench/NOTES.md. */
    private static final long LIMIT_MS = 6_000;

    @TempDir private Path directory;
    private final List<Probe> probes = new ArrayList<>();
    private final Map<String, List<Long>> stallsMs = new TreeMap<>();

    /** What happens to a process. */
    private enum Fault {
        KILL,
        STOP,
        TERM
    }

    /** Something that is done again and again. */
    private interface Step {
        void run() throws IOException;
    }

    /** One who works, and how long he waited at most. Each field has one writer. */
    private static final class Probe {
        private final String name;
        private final Step step;
        private volatile long begunNs = System.nanoTime();
        private volatile long longestNs;
        private final AtomicInteger done = new AtomicInteger();

        Probe(String name, Step step) {
            this.name = name;
            this.step = step;
        }

        private void run() throws IOException {
            step.run();
            long nowNs = System.nanoTime();
            longestNs = Math.max(longestNs, nowNs - begunNs);
            begunNs = nowNs;
            done.incrementAndGet();
        }
    }

    @Test
    @Timeout(value = 3_600)
    void nobodyWaitsLongWhenAProcessDiesOrStandsStill() throws Exception {
        try (ProcessContext world = new ProcessContext();
                ProcessCluster cluster = new ProcessCluster(directory, COPIES)) {
            cluster.startMasters(3, CHUNK_SERVERS);
            cluster.startChunkServers(CHUNK_SERVERS);
            Path mount = cluster.mount("mnt");
            Source masters =
                    new Source(
                            Arrays.stream(cluster.masters().split(","))
                                    .map(Endpoint::parse)
                                    .toList(),
                            "/");
            try (CairnFileSystem status = MountNode.connect(world, masters, "stalls");
                    LoadThreads load = new LoadThreads(true)) {
                begin(load, mount, status);
                for (int round = 0; round < ROUNDS; round++) {
                    for (Fault fault : Fault.values()) {
                        strike(cluster, status, leader(status), "leader", fault);
                        strike(cluster, status, "c" + (1 + round % 3), "chunk server", fault);
                    }
                }
                assertEquals(List.of(), load.failures(), cluster.logs());
                load.stop();
            }
            assertTrue(print() <= LIMIT_MS, stallsMs.toString());
        }
    }

    private void begin(LoadThreads load, Path mount, CairnFileSystem files) throws Exception {
        byte[] contents = new byte[FILE_BYTES];
        new Random(27).nextBytes(contents);
        Files.write(mount.resolve("read"), contents);
        Files.write(mount.resolve("written"), contents);
        Path names = Files.createDirectory(mount.resolve("names"));
        Random random = new Random(1);
        int[] last = new int[1];
        probes.add(new Probe("names", () -> Files.createFile(names.resolve("n" + last[0]++))));
        FileChannel written =
                FileChannel.open(
                        mount.resolve("written"),
                        StandardOpenOption.WRITE,
                        StandardOpenOption.READ);
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        probes.add(
                new Probe(
                        "writes",
                        () -> {
                            block.clear();
                            written.write(block, offset(random));
                            written.force(false);
                        }));
        probes.add(new Probe("reads", reader(files, "read", contents)));
        probes.add(new Probe("reads of what is written", reader(files, "written", null)));
        for (Probe probe : probes) {
            load.start(probe.name, probe::run);
        }
        Poll.until("work", 60, () -> probes.stream().allMatch(each -> each.done.get() > 100));
    }

    private static long offset(Random random) {
        return (long) random.nextInt(FILE_BYTES / BLOCK_BYTES) * BLOCK_BYTES;
    }

    /** Reads past the cache of the kernel. */
    private static Step reader(CairnFileSystem files, String name, byte @Nullable [] contents) {
        long ino = files.lookup(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name)).ino();
        OpenFile file = files.open(Caller.ROOT, ino, FileSystem.O_RDONLY);
        ByteBuffer block = ByteBuffer.allocateDirect(BLOCK_BYTES);
        Random random = new Random(2);
        return () -> {
            long offset = offset(random);
            block.clear();
            file.read(offset, block);
            assertFalse(block.hasRemaining());
            if (contents != null) {
                assertEquals(ByteBuffer.wrap(contents, (int) offset, BLOCK_BYTES), block.flip());
            }
        };
    }

    private static String leader(CairnFileSystem status) {
        String text = status.statusJson();
        int at = text.indexOf("\"master\":\"") + 10;
        return text.substring(at, text.indexOf('"', at));
    }

    private void strike(
            ProcessCluster cluster, CairnFileSystem status, String name, String what, Fault fault)
            throws Exception {
        probes.forEach(each -> each.longestNs = 0);
        long startNs = System.nanoTime();
        switch (fault) {
            case KILL -> cluster.kill(name);
            case STOP -> cluster.process(name).signal("STOP");
            case TERM -> cluster.process(name).terminate();
        }
        int[] before = probes.stream().mapToInt(each -> each.done.get()).toArray();
        Poll.until(
                "work after " + fault + " of " + name,
                60,
                () -> System.nanoTime() - startNs > WATCH_NS && haveMovedOn(before));
        for (Probe probe : probes) {
            stallsMs.computeIfAbsent(
                            fault + " of a " + what + ", " + probe.name, _ -> new ArrayList<>())
                    .add(TimeUnit.NANOSECONDS.toMillis(probe.longestNs));
        }
        if (fault == Fault.STOP) {
            cluster.process(name).signal("CONT");
        } else {
            Poll.until("the end of " + name, 60, () -> !cluster.process(name).isAlive());
            cluster.start(name);
            cluster.process(name).await(CairnProcess.READY, 60);
        }
        Poll.until("health", 120, () -> status.statusJson().contains("\"level\":\"ok\""));
    }

    private boolean haveMovedOn(int[] before) {
        for (int i = 0; i < before.length; i++) {
            if (probes.get(i).done.get() < before[i] + 10) {
                return false;
            }
        }
        return true;
    }

    /** Prints a line for each fault and kind of work; the longest stall of all. */
    private long print() {
        System.out.printf("%-55s %8s %8s %8s%n", "milliseconds", "median", "p99", "longest");
        long longest = 0;
        for (Map.Entry<String, List<Long>> each : stallsMs.entrySet()) {
            List<Long> sorted = each.getValue().stream().sorted().toList();
            long last = sorted.getLast();
            longest = Math.max(longest, last);
            System.out.printf(
                    "%-55s %8d %8d %8d%n",
                    each.getKey(),
                    sorted.get((sorted.size() - 1) / 2),
                    sorted.get((int) Math.ceil(sorted.size() * 0.99) - 1),
                    last);
        }
        return longest;
    }
}
