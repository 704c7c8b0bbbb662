package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.MasterGroup.Change;
import io.cairn.master.MasterGroup.Share;
import io.cairn.master.MasterGroup.Standing;
import io.cairn.master.raft.RatisSettings.CheckpointRule;
import io.cairn.master.store.MemoryDirectory;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.file.Durable;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Masters come and go while the others work; real Ratis on the loopback. */
@Timeout(120)
class MemberChangesTest {
    private static final CheckpointRule OFTEN = new CheckpointRule(40, 1 << 20);

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void oneBecomesThreeAndFiveAndOneAgain() throws Exception {
        try (TestGroup group = new TestGroup(directory, 5, OFTEN)) {
            group.founders = 1;
            group.start(0);
            TestSession session = new TestSession(group::leaderLog);
            for (int i = 0; i < 100; i++) {
                session.create("before-" + i);
            }
            AtomicBoolean over = new AtomicBoolean();
            Writer writer = new Writer(session, over);
            for (int next = 1; next < 5; next++) {
                group.start(next);
                change(group, new Change(group.newcomer(next), null));
                assertEquals(next + 1, group.leaderLog().masters().size());
            }
            TestGroup.await(
                    "five masters to be up",
                    () ->
                            group.leaderLog().masters().stream()
                                    .allMatch(each -> each.state().equals("up")));
            List<Integer> alive = new ArrayList<>(List.of(0, 1, 2, 3, 4));
            for (int left = 4; left > 0; left--) {
                int leader = group.leader();
                int goes =
                        left == 4
                                ? leader
                                : alive.stream().filter(i -> i != leader).findFirst().orElseThrow();
                alive.removeIf(i -> i == goes);
                change(group, new Change(null, "m" + (goes + 1)));
                TestGroup.await("the removed one to notice", () -> group.heard(goes).dismissed);
                group.stop(goes);
            }
            over.set(true);
            int made = writer.join();
            List<Standing> last = group.leaderLog().masters();
            assertEquals(1, last.size(), last.toString());
            for (int i = 0; i < made; i++) {
                assertTrue(TestSession.has(group.leaderLog(), "during-" + i), "during-" + i);
            }
            for (int i = 0; i < 100; i++) {
                assertTrue(TestSession.has(group.leaderLog(), "before-" + i), "before-" + i);
            }
            assertEquals(List.of(), group.leaderLog().namespace().check());
        }
    }

    @Test
    void aMasterWithAnotherStateStopsForGoodAndRejoinsEmpty() throws Exception {
        try (TestGroup group = new TestGroup(directory, 3, OFTEN)) {
            group.startAll();
            TestSession session = new TestSession(group::leaderLog);
            session.create("first");
            group.awaitAgreement();
            int wrong = group.follower();
            Namespace state = group.log(wrong).namespace();
            byte[] other = new Envelope(0, 0, 0, 1, new LeaderMutation.Recover()).toBytes();
            state.apply(
                    state.appliedTerm(),
                    state.appliedIndex() + 1,
                    new Encoder().bytes(other).toBytes());
            for (int i = 0; i < 140; i++) {
                session.create("after-" + i);
            }
            TestGroup.await(
                    "the leader to tell of it",
                    () ->
                            group.leaderLog().masters().stream()
                                    .anyMatch(each -> each.share() == Share.DIFFERING));
            TestGroup.await("the wrong one to stop", () -> group.heard(wrong).halted);
            group.stop(wrong);
            IOException refused = assertThrows(IOException.class, () -> group.start(wrong));
            assertTrue(String.valueOf(refused.getMessage()).contains("--join"), refused::toString);
            Durable.deleteTree(group.directory(wrong));
            group.start(wrong);
            group.awaitAgreement();
            session.create("last");
            group.awaitAgreement();
        }
    }

    private static void change(TestGroup group, Change change) throws Exception {
        // A new leader hears of the others by and by, and refuses as long as it has not.
        AtomicReference<@Nullable String> refusal = new AtomicReference<>();
        try {
            TestGroup.await(
                    change.toString(),
                    () -> {
                        refusal.set(group.leaderLog().refusal(change));
                        return refusal.get() == null;
                    });
        } catch (AssertionError e) {
            throw new AssertionError(e.getMessage() + ": " + refusal.get(), e);
        }
        group.leaderLog().change(change).get(60, TimeUnit.SECONDS);
    }

    /** Makes files until it is told to stop. */
    private static final class Writer {
        private final Thread thread;
        private final AtomicInteger made = new AtomicInteger();
        private volatile @Nullable Throwable failure;

        Writer(TestSession session, AtomicBoolean over) {
            thread =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        try {
                                            while (!over.get()) {
                                                session.create("during-" + made);
                                                made.incrementAndGet();
                                            }
                                        } catch (Throwable e) {
                                            failure = e;
                                        }
                                    });
        }

        int join() throws InterruptedException {
            thread.join();
            assertNull(failure, () -> String.valueOf(failure));
            return made.get();
        }
    }
}
