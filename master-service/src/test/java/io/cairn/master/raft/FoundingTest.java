package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.runtime.file.Durable;
import io.cairn.testkit.StallMeter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Who may found a cluster, and what a master does whose directory was emptied: on real Ratis. */
class FoundingTest {
    private static final CheckpointRule OFTEN = new CheckpointRule(200, 64 << 10);

    /** Less than what makes masters elect, as the leader's word comes late, too. */
    private static final long STALL_MS = RatisOptions.ELECTION_MIN_MS / 4;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void aClusterIsFoundedByAllItsMastersTogether() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.start(0);
            awaitWaiting(group, 0, "none answers");
            group.start(1);
            awaitWaiting(group, 0, "m3 does not answer");
            awaitWaiting(group, 1, "m3 does not answer");
            assertNull(group.log(0).leader());
            group.found = false;
            group.start(2);
            awaitWaiting(group, 0, "m3 was started without --found");
            awaitWaiting(group, 2, "with --found");
            assertEquals(-1, group.log(0).leaderTerm());
            group.stop(2);
            group.found = true;
            group.start(2);
            new TestSession(group::leaderLog).create("f");
            group.awaitAgreement();
            for (int i = 0; i < 3; i++) {
                awaitVote(group, i);
            }
        }
    }

    @Test
    void nobodyFoundsUntold() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.found = false;
            group.startAll();
            for (int i = 0; i < 3; i++) {
                awaitWaiting(group, i, "with --found");
                assertNull(group.log(i).leader());
            }
        }
        try (TestGroup alone = new TestGroup(directory.resolve("1"), 1, OFTEN)) {
            alone.found = false;
            IOException error = assertThrows(IOException.class, () -> alone.start(0));
            assertTrue(String.valueOf(error.getMessage()).contains("--found"), error.getMessage());
            alone.found = true;
            alone.start(0);
            new TestSession(alone::leaderLog).create("f");
            alone.stop(0);
            alone.found = false;
            alone.start(0);
            assertTrue(TestSession.has(alone.leaderLog(), "f"));
        }
    }

    @Test
    void twoEmptiedMastersElectNobodyOverTheThird() throws Exception {
        sideBySide(List.of(false, true), this::twoEmptiedMasters);
    }

    private void twoEmptiedMasters(boolean left) throws Exception {
        Path here = directory.resolve(String.valueOf(left));
        try (TestGroup group = standard(here)) {
            group.startAll();
            new TestSession(group::leaderLog).create("kept");
            group.awaitAgreement();
            stopAll(group);
            Path saved = here.resolve("saved");
            Files.move(group.directory(0), saved);
            Durable.deleteTree(group.directory(1));
            group.found = left;
            group.start(0);
            group.start(1);
            awaitWaiting(group, 0, left ? "m3 does not answer" : "with --found");
            group.start(2);
            awaitWaiting(group, 0, "the cluster that m3 knows");
            awaitWaiting(group, 1, "the cluster that m3 knows");
            TestGroup.await(
                    "the third to tell them apart",
                    () -> shareOf(group, 2, "m1") == Share.CATCHING_UP);
            for (int i = 0; i < 3; i++) {
                assertFalse(group.log(i).mayRead());
            }
            assertTrue(TestSession.has(group.log(2), "kept"));

            // The disk is mounted again: two of three know everything.
            group.stop(0);
            Durable.deleteTree(group.directory(0));
            Files.move(saved, group.directory(0));
            group.start(0);
            assertTrue(TestSession.has(group.leaderLog(), "kept"));
            awaitVote(group, 1);
            group.awaitAgreement();
            assertTrue(TestSession.has(group.log(1), "kept"));
        }
    }

    @Test
    void anEmptiedMasterOfAnIdleClusterCatchesUpWithoutAnElection() throws Exception {
        sideBySide(List.of(CheckpointRule.standard(), OFTEN), this::anEmptiedMaster);
    }

    private void anEmptiedMaster(CheckpointRule rule) throws Exception {
        Path here = directory.resolve(String.valueOf(rule.entries()));
        try (StallMeter stalls = new StallMeter();
                TestGroup group = new TestGroup(here, 3, rule)) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            for (int i = 0; i < (rule.equals(OFTEN) ? 900 : 30); i++) {
                session.create("f" + i);
            }
            group.awaitAgreement();
            // On a machine that stands still or is overloaded, masters elect for other reasons.
            int calm = 0;
            int disturbed = 0;
            int stalled = 0;
            while (calm < 2) {
                assertTrue(disturbed <= calm + 1, "most of the time there is an election");
                assertTrue(stalled < 8, "this machine stands still or is overloaded");
                boolean _ = stalls.takeDisturbed(STALL_MS);
                int emptied = group.follower();
                long term = group.leaderLog().leaderTerm();
                group.stop(emptied);
                Durable.deleteTree(group.directory(emptied));
                group.start(emptied);
                assertFalse(isVoter(group, emptied), "at once");
                awaitVote(group, emptied);
                assertTrue(TestSession.has(group.log(emptied), "f29"));
                group.awaitAgreement();
                if (term == group.leaderLog().leaderTerm()) {
                    calm++;
                } else if (stalls.takeDisturbed(STALL_MS)) {
                    stalled++;
                } else {
                    disturbed++;
                }
            }
            // And it keeps its vote.
            int again = group.follower();
            group.stop(again);
            group.start(again);
            assertTrue(isVoter(group, again));
        }
    }

    @Test
    void allMastersAreReplacedOneByOne() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            session.create("first");
            group.awaitAgreement();
            for (int i = 0; i < 3; i++) {
                group.stop(i);
                Durable.deleteTree(group.directory(i));
                group.found = i == 1;
                group.start(i);
                awaitVote(group, i);
                String id = "m" + (i + 1);
                TestGroup.await(
                        id + " to be up in the eyes of the leader",
                        () -> stateOf(group, group.leader(), id).equals("up"));
                assertTrue(TestSession.has(group.log(i), "first"));
            }
            session.create("last");
            group.awaitAgreement();
        }
    }

    @Test
    void aVoteDoesNotOutliveTheLog() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.startAll();
            new TestSession(group::leaderLog).create("f");
            group.awaitAgreement();
            int hurt = group.follower();
            group.stop(hurt);
            for (String part : List.of("raft", "db", "checkpoints")) {
                Durable.deleteTree(group.directory(hurt).resolve(part));
            }
            group.start(hurt);
            assertFalse(isVoter(group, hurt));
            awaitVote(group, hurt);
            group.awaitAgreement();
            assertTrue(TestSession.has(group.log(hurt), "f"));
        }
    }

    /** Two of three directories are lost; later one of them is found in a cupboard. */
    @Test
    void anOperatorLetsTheLastDirectoryGoOn() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.startAll();
            new TestSession(group::leaderLog).create("kept");
            group.awaitAgreement();
            stopAll(group);
            Path lost = directory.resolve("lost");
            Files.move(group.directory(1), lost);
            Durable.deleteTree(group.directory(0));
            IOException empty =
                    assertThrows(IOException.class, () -> Recovery.of(group.directory(0)));
            assertTrue(String.valueOf(empty.getMessage()).contains("m1"), empty.getMessage());
            try (Recovery recovery = Recovery.of(group.directory(2))) {
                assertEquals("m3", recovery.masterId());
                assertTrue(recovery.lastEntry() > 0);
                recovery.begin(new Random(3));
            }
            group.start(0);
            group.start(2);
            assertEquals(2, group.leader());
            assertTrue(TestSession.has(group.log(2), "kept"));
            assertTrue(group.log(2).isRecovering());
            assertFalse(isVoter(group, 0), "it could be elected, and hold nothing");
            group.log(2).stateRecovered();
            awaitVote(group, 0);
            assertFalse(group.log(2).isRecovering());
            new TestSession(group::leaderLog).create("new");
            group.awaitAgreement();

            Files.move(lost, group.directory(1));
            group.start(1);
            TestGroup.await(
                    "the old directory to be told apart",
                    () -> shareOf(group, group.leader(), "m2") == Share.FOREIGN);
            new TestSession(group::leaderLog).create("newer");
            assertFalse(TestSession.has(group.log(1), "newer"));
            group.stop(1);
            Durable.deleteTree(group.directory(1));
            group.start(1);
            awaitVote(group, 1);
            group.awaitAgreement();
            assertTrue(TestSession.has(group.log(1), "newer"));
        }
    }

    @Test
    void mastersOfTwoClustersTakeNothingFromEachOther() throws Exception {
        try (TestGroup group = standard(directory)) {
            group.startAll();
            TestSession old = new TestSession(group::leaderLog, 0x77);
            for (int i = 0; i < 40; i++) {
                old.create("old" + i);
            }
            group.awaitAgreement();
            stopAll(group);
            Path saved = directory.resolve("saved");
            Files.move(group.directory(2), saved);
            Durable.deleteTree(group.directory(0));
            Durable.deleteTree(group.directory(1));
            group.startAll();
            TestSession fresh = new TestSession(group::leaderLog, 0x88);
            fresh.create("new");
            group.awaitAgreement();
            group.stop(2);
            Durable.deleteTree(group.directory(2));
            Files.move(saved, group.directory(2));
            group.start(2);
            TestGroup.await(
                    "the leader to see the foreign master",
                    () -> shareOf(group, group.leader(), "m3") == Share.FOREIGN);
            assertEquals("other cluster", stateOf(group, group.leader(), "m3"));
            fresh.create("newer");
            assertEquals(0x77, group.log(2).namespace().clusterId());
            assertTrue(TestSession.has(group.log(2), "old39"));
            assertFalse(TestSession.has(group.log(2), "newer"));
            assertFalse(group.heard(2).halted);
        }
    }

    private static TestGroup standard(Path directory) throws IOException {
        return new TestGroup(directory, 3, CheckpointRule.standard());
    }

    /** What is tried with a case. */
    private interface Trial<T> {
        void run(T each) throws Exception;
    }

    /** Most of the time the masters of a case wait for each other, so that all fit together. */
    private static <T> void sideBySide(List<T> cases, Trial<T> trial) throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            List<Future<?>> running = new ArrayList<>();
            for (T each : cases) {
                running.add(
                        threads.submit(
                                () -> {
                                    trial.run(each);
                                    return true;
                                }));
            }
            for (Future<?> each : running) {
                each.get();
            }
        }
    }

    private static void stopAll(TestGroup group) {
        group.close();
    }

    private static boolean isVoter(TestGroup group, int master) {
        return group.log(master).waiting() == null;
    }

    private static void awaitVote(TestGroup group, int master) {
        TestGroup.await("a vote", () -> isVoter(group, master));
    }

    private static void awaitWaiting(TestGroup group, int master, String... reasons) {
        TestGroup.await(
                "master " + master + " to wait because " + List.of(reasons),
                () -> {
                    String why = group.log(master).waiting();
                    return why != null && List.of(reasons).stream().anyMatch(why::contains);
                });
    }

    private static Standing standing(TestGroup group, int asked, String id) {
        return group.log(asked).masters().stream()
                .filter(each -> each.id().equals(id))
                .findFirst()
                .orElseThrow();
    }

    private static Share shareOf(TestGroup group, int asked, String id) {
        return standing(group, asked, id).share();
    }

    private static String stateOf(TestGroup group, int asked, String id) {
        return standing(group, asked, id).state();
    }
}
