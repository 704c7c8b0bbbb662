package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.runtime.Clock;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.segmented.SegmentedRaftLog;
import org.apache.ratis.util.AutoCloseableLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A stop of Ratis ends in time, whoever has the lock of its log. */
final class RatisStopTest {
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(60);

    @TempDir(factory = MemoryDirectory.class)
    private Path directory;

    private static SegmentedRaftLog raftLog(RatisLog log) {
        return (SegmentedRaftLog) log.division().getRaftLog();
    }

    /** How many threads drop old entries from the caches of logs. */
    private static long evictions() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().contains("cacheEviction"))
                .count();
    }

    private static boolean within(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + PATIENCE_NS;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() >= end) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        return true;
    }

    /** Ratis waits for it with the lock held, for ever if it waits for the lock. */
    @Test
    void whoDropsOldEntriesHasEndedWhenTheLogIsClosed() throws Exception {
        long others = evictions();
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            RatisLog log = group.start(0);
            group.leader();
            assertEquals(others + 1, evictions());
            Thread stopping = new Thread(log::close, "stop");
            try (AutoCloseableLock _ = raftLog(log).writeLock()) {
                stopping.start();
                assertTrue(within(() -> evictions() == others));
            }
            stopping.join();
        }
    }

    /** As a master does whose disk was full: it tries again in the same process. */
    @Test
    void oneWhoseLogDidNotOpenFreesItsDirectory() throws Exception {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            group.start(0);
            new TestSession(group::leaderLog).create("kept");
            group.stop(0);
            Path segment = TestFiles.segments(group.directory(0)).getLast();
            RatisLog log =
                    new RatisLog(
                            group.settings(0),
                            Clock.system(),
                            group.heard(0),
                            Runnable::run,
                            _ -> {},
                            null);
            TestFiles.damage(segment, 100);
            IOException refused = assertThrows(IOException.class, log::start);
            assertEquals(List.of(), List.of(refused.getSuppressed()));
            TestFiles.damage(segment, 100); // as it was
            RatisLog next = group.start(0);
            group.leader();
            assertTrue(TestSession.has(next, "kept"));
        }
    }

    @Test
    void oneThatHangsSaysWhere() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        RaftServer hanging =
                (RaftServer)
                        Proxy.newProxyInstance(
                                RaftServer.class.getClassLoader(),
                                new Class<?>[] {RaftServer.class},
                                (_, _, _) -> hang(over));
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            RatisLog log = group.start(0);
            group.leader();
            RatisSettings settings = group.settings(0);
            Path other = directory.resolve("other");
            try (MasterDirectory used =
                    new MasterDirectory(other, settings.id(), "group", settings.store())) {
                RatisStop stop = new RatisStop(hanging, log.division(), used);
                // On a busy machine it is not that far at once.
                assertTrue(within(() -> saysWhere(stop)));
                assertThrows(
                        IOException.class,
                        () -> new MasterDirectory(other, settings.id(), "group", settings.store()),
                        "threads of Ratis may still use it");
            } finally {
                over.countDown();
            }
        }
    }

    private static boolean saysWhere(RatisStop stop) {
        IllegalStateException error =
                assertThrows(IllegalStateException.class, () -> stop.within(200));
        return Stream.of(error.getStackTrace())
                .anyMatch(frame -> frame.getMethodName().equals("hang"));
    }

    private static Object hang(CountDownLatch over) throws IOException, InterruptedException {
        over.await();
        throw new IOException("closed too late");
    }
}
