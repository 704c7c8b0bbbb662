package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.metadata.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three masters with real Ratis and real RocksDB in one process. */
class RatisGroupTest {
    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void theyReplicateAndFailOver() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, CheckpointRule.standard())) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            for (int i = 0; i < 20; i++) {
                session.create("before" + i);
            }
            group.awaitAgreement();
            int first = group.leader();
            int other = group.follower();
            assertFalse(group.log(other).mayRead());
            assertEquals(-1, group.log(other).leaderTerm());
            assertEquals(group.client(first), group.log(other).leader());
            FsException refused = refused(session.begin(group.log(other), "astray"));
            assertEquals(Errno.NOT_LEADER, refused.errno());
            assertEquals(group.client(first).toString(), refused.getMessage());
            long term = group.leaderLog().leaderTerm();

            group.stop(first);
            session.create("after");
            int second = group.leader();
            assertNotEquals(first, second);
            assertTrue(group.leaderLog().leaderTerm() > term);
            assertTrue(TestSession.has(group.leaderLog(), "before19"));
            assertFalse(TestSession.has(group.leaderLog(), "astray"));

            group.start(first);
            session.create("together");
            group.awaitAgreement();
            TestGroup.await(
                    "the first to know where the leader is",
                    () -> group.client(group.leader()).equals(group.log(first).leader()));
            for (int i = 0; i < 3; i++) {
                assertFalse(group.heard(i).halted);
            }
        }
    }

    @Test
    void aLeaderWithoutMajorityNeitherReadsNorWrites() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, CheckpointRule.standard())) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            session.create("one");
            group.awaitAgreement();
            int leader = group.leader();
            RatisLog log = group.leaderLog();
            group.stop((leader + 1) % 3);
            group.stop((leader + 2) % 3);
            TestGroup.await("the lease to end", () -> !log.mayRead());
            CompletableFuture<Outcome> lost = session.begin(log, "two");
            Errno errno = refused(lost).errno();
            assertTrue(errno == Errno.NOT_READY || errno == Errno.NOT_LEADER, errno.toString());
            TestGroup.await("the leader to step down", () -> log.leaderTerm() == -1);
            assertFalse(log.mayRead());

            group.start((leader + 1) % 3);
            session.create("three");
            assertTrue(TestSession.has(group.leaderLog(), "one"));
            group.awaitAgreement();
        }
    }

    @Test
    void whoWasAwayTooLongReceivesACheckpoint() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, new CheckpointRule(200, 64 << 10))) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            session.create("first");
            group.awaitAgreement();
            int away = group.follower();
            long index = group.log(away).namespace().appliedIndex();
            group.stop(away);
            int made = 0;
            while (firstInLog(group, group.leader()) <= index + 1) {
                assertTrue(made < 20_000, "the log is not purged");
                session.create("f" + made++);
            }
            group.start(away);
            session.create("last");
            group.awaitAgreement();
            assertTrue(group.log(away).namespace().appliedIndex() > index + 1);
            assertTrue(TestSession.has(group.log(away), "first"));
            assertTrue(TestSession.has(group.log(away), "last"));

            // What it received is as good as what it would have made itself.
            group.stop(away);
            RatisLog again = group.start(away);
            assertTrue(TestSession.has(again, "f" + (made - 1)));
            session.create("encore");
            group.awaitAgreement();
            assertFalse(group.heard(away).halted);
        }
    }

    @Test
    void theLeadIsHandedBackAndForthWhileOneIsGone() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, CheckpointRule.standard())) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            session.create("first");
            group.awaitAgreement();
            group.stop(group.leader());
            for (int i = 0; i < 20; i++) {
                session.create("f" + i);
                int next = group.follower();
                group.leaderLog().lead("m" + (next + 1)).get(20, TimeUnit.SECONDS);
                assertEquals(next, group.leader());
            }
            group.awaitAgreement();
            assertTrue(TestSession.has(group.leaderLog(), "first"));
            assertTrue(TestSession.has(group.leaderLog(), "f19"));
        }
    }

    private static long firstInLog(TestGroup group, int master) throws IOException {
        return TestFiles.firstInLog(group.directory(master));
    }

    private static FsException refused(CompletableFuture<Outcome> reply) {
        ExecutionException error =
                assertThrows(ExecutionException.class, () -> reply.get(20, TimeUnit.SECONDS));
        return assertInstanceOf(FsException.class, error.getCause());
    }
}
