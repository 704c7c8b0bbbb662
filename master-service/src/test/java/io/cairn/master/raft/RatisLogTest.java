package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.FormatException;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.metadata.Outcome;
import io.cairn.runtime.file.Durable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lone master with real Ratis and real RocksDB. */
class RatisLogTest {
    private static final CheckpointRule OFTEN = new CheckpointRule(50, 64 << 10);

    @TempDir(factory = MemoryDirectory.class)
    static Path filled;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    /** One directory with two segments, copied by the tests that damage it. */
    @BeforeAll
    static void fill() throws IOException {
        try (TestGroup group = new TestGroup(filled, 1, CheckpointRule.standard())) {
            group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            for (int i = 0; i < 100; i++) {
                session.create("f" + i);
            }
            group.stop(0);
            group.start(0);
            session.create("again");
        }
    }

    @Test
    void aLoneMasterLeadsReadsAndRemembers() throws Exception {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            RatisLog log = group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            session.create("one");
            assertTrue(log.mayRead());
            assertEquals(group.client(0), log.leader());
            assertEquals(List.of(log.leaderTerm()), group.heard(0).leading);
            long term = log.leaderTerm();
            byte[] fingerprint = log.namespace().fingerprint();

            group.stop(0);
            assertFalse(log.mayRead());
            assertEquals(-1, log.leaderTerm());
            log.close();
            RatisLog stopped = log;
            ExecutionException error =
                    assertThrows(
                            ExecutionException.class, () -> session.begin(stopped, "late").get());
            FsException cause = assertInstanceOf(FsException.class, error.getCause());
            assertTrue(cause.errno().isTransient());

            log = group.start(0);
            group.leader();
            assertTrue(TestSession.has(log, "one"));
            assertEquals(TestGroup.hex(fingerprint), TestGroup.hex(log.namespace().fingerprint()));
            assertTrue(log.leaderTerm() > term);
            session.create("two");
            assertTrue(TestSession.has(log, "two"));
            assertFalse(group.heard(0).halted);
        }
    }

    @Test
    void manyOperationsShareEntries() throws Exception {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            RatisLog log = group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            long before = log.namespace().appliedIndex();
            List<CompletableFuture<Outcome>> replies = new ArrayList<>();
            for (int i = 0; i < 400; i++) {
                replies.add(session.begin(log, "f" + i));
            }
            for (CompletableFuture<Outcome> reply : replies) {
                reply.get();
            }
            long entries = log.namespace().appliedIndex() - before;
            assertTrue(entries < 400, entries + " entries");
            assertTrue(TestSession.has(log, "f399"));
        }
    }

    /**
     * Who attaches to an operation may be too late to see its answer. So the second of two is begun
     * and attached to while the writer stands still in the answer to the first.
     */
    @Test
    void aLoneMasterAnswersOnTheWriterOnceTheEntryIsInTheFile() throws Exception {
        try (TestGroup group = new TestGroup(directory, 1, new CheckpointRule(100_000, 1 << 20))) {
            RatisLog log = group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            int seen = 0;
            for (int i = 0; seen < 50; i++) {
                assertTrue(i < 5000, "the writer stood still for " + seen + " of " + i);
                CountDownLatch attached = new CountDownLatch(1);
                CompletableFuture<Boolean> first =
                        session.begin(log, "first-" + i)
                                .thenApply(_ -> onWriter() && await(attached));
                String name = "file-" + i + ".";
                CompletableFuture<Boolean> second =
                        session.begin(log, name).thenApply(_ -> onWriter() && isInLog(group, name));
                attached.countDown();
                boolean answeredByWriter = second.get(30, TimeUnit.SECONDS);
                if (first.get(30, TimeUnit.SECONDS)) {
                    assertTrue(answeredByWriter, name + " was answered by another thread");
                    seen++;
                }
            }
        }
    }

    private static boolean await(CountDownLatch latch) {
        try {
            return latch.await(30, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private static boolean onWriter() {
        return Thread.currentThread().getName().contains("SegmentedRaftLogWorker");
    }

    private static boolean isInLog(TestGroup group, String name) {
        try {
            Path segment = TestFiles.segments(group.directory(0)).getLast();
            String bytes = Files.readString(segment, StandardCharsets.ISO_8859_1);
            assertTrue(bytes.contains(name), name + " was answered and is not in " + segment);
            return true;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void checkpointsBoundTheLogAndReplace() throws IOException {
        try (TestGroup group = new TestGroup(directory, 1, OFTEN)) {
            group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            Path master = group.directory(0);
            int made = createUntilCheckpoints(group, session, 0, 3);
            while (TestFiles.firstInLog(master) == 0) {
                assertTrue(made < 5000, "the log is not purged");
                session.create("f" + made++);
            }
            // A new one is there for a moment before the oldest one goes.
            TestGroup.await("two checkpoints", () -> TestFiles.checkpoints(master).size() == 2);
            byte[] fingerprint = group.leaderLog().namespace().fingerprint();
            group.stop(0);

            // Without its database it goes back to the checkpoint and replays the log.
            Path database = group.directory(0).resolve("db");
            Files.move(database, directory.resolve("lost"));
            RatisLog log = group.start(0);
            group.leader();
            assertTrue(TestSession.has(log, "f0"));
            assertTrue(TestSession.has(log, "f" + (made - 1)));
            assertEquals(TestGroup.hex(fingerprint), TestGroup.hex(log.namespace().fingerprint()));
            assertEquals(List.of(), log.namespace().check());
            createUntilCheckpoints(group, session, made, 2);
            assertFalse(group.heard(0).halted);
        }
    }

    @Test
    void aLoneMasterMayMoveToAnotherPortAndGetsNoCompanyByItsCommandLine() throws IOException {
        try (TestGroup group = filled();
                TestGroup three = new TestGroup(directory, 3, CheckpointRule.standard())) {
            three.start(0);
            assertEquals(1, three.leaderLog().masters().size(), "the log tells who they are");
            assertTrue(TestSession.has(three.leaderLog(), "f99"));
            three.stop(0);
            group.start(0);
            new TestSession(group::leaderLog).create("moved");
            assertTrue(TestSession.has(group.leaderLog(), "f99"));
        }
    }

    @Test
    void aLogThatCannotGrowHalts() throws IOException {
        try (TestGroup group = new TestGroup(directory, 1, OFTEN)) {
            RatisLog log = group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            Durable.deleteTree(TestFiles.current(group.directory(0)));
            TestGroup.await(
                    "the halt",
                    () -> {
                        CompletableFuture<?> _ = session.begin(log, "f");
                        return group.heard(0).halted;
                    });
        }
    }

    @Test
    void aDamagedDatabaseIsRefusedByName() throws IOException {
        try (TestGroup group = filled()) {
            Path table = TestFiles.table(group.directory(0));
            TestFiles.damage(table, Files.size(table) / 3);
            assertRefused(group, table.getFileName().toString());
        }
    }

    @Test
    void aDamagedLogIsRefusedByName() throws IOException {
        try (TestGroup group = filled()) {
            Path segment = TestFiles.segments(group.directory(0)).getLast();
            TestFiles.damage(segment, 100);
            assertRefused(group, segment.toString());
        }
    }

    @Test
    void aDamagedClosedSegmentIsRefusedByName() throws IOException {
        try (TestGroup group = filled()) {
            Path segment = TestFiles.segments(group.directory(0)).getFirst();
            TestFiles.damage(segment, 2000);
            assertRefused(group, segment.toString());
        }
    }

    @Test
    void aLostLogIsRefused() throws IOException {
        try (TestGroup group = filled()) {
            Files.move(group.directory(0).resolve("raft"), directory.resolve("lost"));
            assertRefused(group, "the Raft log ends at entry -1");
        }
    }

    @Test
    void aForeignDirectoryIsRefused() throws IOException {
        try (TestGroup group = filled()) {
            Path mine = group.directory(0);
            Files.move(mine, directory.resolve("m1x"));
            Files.createDirectories(mine);
            Files.writeString(mine.resolve("letter"), "");
            IOException error = assertRefused(group, "letter");
            assertEquals(FormatException.Fault.FOREIGN, ((FormatException) error).fault());
        }
    }

    @Test
    void aDirectoryInUseIsRefused() throws IOException {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard());
                TestGroup second = new TestGroup(directory, 1, CheckpointRule.standard())) {
            group.start(0);
            IOException error = assertThrows(IOException.class, () -> second.start(0));
            assertTrue(String.valueOf(error.getMessage()).contains("in use"), error.getMessage());
            new TestSession(group::leaderLog).create("undisturbed");
        }
    }

    @Test
    void anOccupiedPortIsRefusedByName() throws IOException {
        try (TestGroup group = new TestGroup(directory, 1, CheckpointRule.standard())) {
            int port = group.settings(0).self().raft().port();
            try (ServerSocket _ = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                assertRefused(group, "127.0.0.1:" + port);
            }
            group.start(0);
            new TestSession(group::leaderLog).create("free again");
        }
    }

    private TestGroup filled() throws IOException {
        TestFiles.copy(filled, directory);
        return new TestGroup(directory, 1, CheckpointRule.standard());
    }

    private static IOException assertRefused(TestGroup group, String name) {
        IOException error = assertThrows(IOException.class, () -> group.start(0));
        assertTrue(String.valueOf(error.getMessage()).contains(name), error.getMessage());
        assertFalse(group.heard(0).halted);
        return error;
    }

    /** Makes files until so many new checkpoints are finished; returns the number of the next. */
    private static int createUntilCheckpoints(
            TestGroup group, TestSession session, int first, int count) {
        int[] next = {first};
        List<String> seen = new ArrayList<>(TestFiles.checkpoints(group.directory(0)));
        int target = seen.size() + count;
        TestGroup.await(
                count + " checkpoints",
                () -> {
                    session.create("f" + next[0]++);
                    for (String name : TestFiles.checkpoints(group.directory(0))) {
                        if (!seen.contains(name)) {
                            seen.add(name);
                        }
                    }
                    return seen.size() >= target;
                });
        return next[0];
    }
}
