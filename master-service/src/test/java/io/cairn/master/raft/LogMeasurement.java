package io.cairn.master.raft;

import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.runtime.file.Durable;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Measures how long a create takes inside the masters, from submit to reply, with so many
 * outstanding. Arguments: a directory, 1 or 3 masters (all in this process), operations per round.
 *
 * <p>On 2 cores shared with other work, tmpfs, {@code -Xmx1g -XX:+UseParallelGC}, median and rate:
 *
 * <pre>
 *   outstanding      1                 16                 256
 *   1 master         30 us, 15,000/s   100 us, 70,000/s   0.7 ms, 220,000/s
 *   3 masters       290 us,  1,900/s   1.3 ms,  8,300/s   8 ms,    30,000/s
 * </pre>
 */
public final class LogMeasurement {
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
                Round next = new Round(OUTSTANDING[round], Integer.parseInt(args[2]), "r" + round);
                next.run(group.leaderLog(), session);
            }
        } finally {
            Durable.deleteTree(directory);
        }
    }

    /** So many operations with so many outstanding; what fails, as in a failover, is counted. */
    private record Round(int outstanding, int operations, String prefix) {
        void run(RatisLog log, TestSession session) throws InterruptedException {
            long[] tookNs = new long[operations];
            AtomicInteger failed = new AtomicInteger();
            Semaphore room = new Semaphore(outstanding);
            long beganNs = System.nanoTime();
            for (int i = 0; i < operations; i++) {
                room.acquire();
                int number = i;
                long askedNs = System.nanoTime();
                CompletableFuture<?> _ =
                        session.begin(log, prefix + "-" + i)
                                .whenComplete(
                                        (reply, error) -> {
                                            tookNs[number] = System.nanoTime() - askedNs;
                                            if (error != null || !TestSession.isEntry(reply)) {
                                                failed.incrementAndGet();
                                            }
                                            room.release();
                                        });
            }
            room.acquire(outstanding);
            double seconds = (System.nanoTime() - beganNs) / 1e9;
            Arrays.sort(tookNs);
            PrintStream out = System.out;
            out.printf(
                    "outstanding %3d: %,7.0f/s, median %,5d us, 99 %% %,6d us, %d failed%n",
                    outstanding,
                    operations / seconds,
                    TimeUnit.NANOSECONDS.toMicros(tookNs[operations / 2]),
                    TimeUnit.NANOSECONDS.toMicros(tookNs[operations * 99 / 100]),
                    failed.get());
        }
    }
}
