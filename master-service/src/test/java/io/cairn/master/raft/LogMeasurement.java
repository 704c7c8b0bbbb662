package io.cairn.master.raft;

import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.Durable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Measures how long a create takes inside the masters, from submit to reply, with so many
 * outstanding. Arguments: a directory, 1 or 3 masters (all in this process).
 *
 * <p>One master, tmpfs, 2 shared cores, {@code -Xmx1g -XX:+UseParallelGC}: outstanding 1: median 35
 * us, 15,000/s; 16: 100 us, 70,000/s; 256: 0.7 ms, 220,000/s.
 */
public final class LogMeasurement {
    private static final int OPERATIONS = 60_000;
    private static final int[] OUTSTANDING = {1, 1, 1, 16, 256, 256};

    private LogMeasurement() {}

    /** See the class. */
    public static void main(String[] args) throws Exception {
        Path directory = Files.createTempDirectory(Path.of(args[0]), "measurement");
        try (TestGroup group =
                new TestGroup(directory, Integer.parseInt(args[1]), CheckpointRule.standard())) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            for (int round = 0; round < OUTSTANDING.length; round++) {
                measure(group.leaderLog(), session, OUTSTANDING[round], "r" + round + "-");
            }
        } finally {
            clean(directory);
        }
    }

    private static void measure(RatisLog log, TestSession session, int outstanding, String prefix)
            throws InterruptedException {
        long[] tookNs = new long[OPERATIONS];
        Semaphore room = new Semaphore(outstanding);
        long beganNs = System.nanoTime();
        for (int i = 0; i < OPERATIONS; i++) {
            room.acquire();
            int number = i;
            long askedNs = System.nanoTime();
            CompletableFuture<?> _ =
                    session.begin(log, prefix + i)
                            .whenComplete(
                                    (reply, error) -> {
                                        if (error != null || !TestSession.isEntry(reply)) {
                                            throw new AssertionError("failed", error);
                                        }
                                        tookNs[number] = System.nanoTime() - askedNs;
                                        room.release();
                                    });
        }
        room.acquire(outstanding);
        double seconds = (System.nanoTime() - beganNs) / 1e9;
        Arrays.sort(tookNs);
        PrintStream out = System.out;
        out.printf(
                "outstanding %3d: %,7.0f/s, median %,5d us, 99 %% %,6d us, max %,7d us%n",
                outstanding,
                OPERATIONS / seconds,
                TimeUnit.NANOSECONDS.toMicros(tookNs[OPERATIONS / 2]),
                TimeUnit.NANOSECONDS.toMicros(tookNs[OPERATIONS * 99 / 100]),
                TimeUnit.NANOSECONDS.toMicros(tookNs[OPERATIONS - 1]));
    }

    private static void clean(Path directory) throws IOException {
        Durable.deleteTree(directory);
    }
}
