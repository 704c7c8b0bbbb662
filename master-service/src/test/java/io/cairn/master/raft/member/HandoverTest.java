package io.cairn.master.raft.member;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.testkit.ManualClock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.exceptions.TransferLeadershipException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HandoverTest {
    private final ManualClock clock = new ManualClock(1_000);
    private final FakeMasters masters = new FakeMasters();

    @Test
    void whoWinsTheElectionLeads() {
        CompletableFuture<Void> done = Handover.start(masters, clock, "m1", "m2");
        assertFalse(done.isDone());
        masters.answer(null);
        done.join();
        assertEquals(List.of("m2 within 8000 ms"), masters.elections);
    }

    @Test
    void whoLosesTheElectionStandsAgain() {
        CompletableFuture<Void> done = Handover.start(masters, clock, "m1", "m2");
        clock.advance(600);
        masters.leader = null;
        masters.ready = false;
        masters.answer("DIFFERENT_LEADER");
        // Nobody leads for a while, then the one from before, which is not ready at once.
        masters.pass();
        masters.leader = "m1";
        masters.pass();
        assertEquals(1, masters.elections.size());
        masters.ready = true;
        masters.pass();
        assertEquals(List.of("m2 within 8000 ms", "m2 within 7100 ms"), masters.elections);
        masters.answer(null);
        done.join();
    }

    @Test
    void whoLeadsAfterAllIsDone() {
        CompletableFuture<Void> done = Handover.start(masters, clock, "m1", "m2");
        masters.leader = "m2";
        masters.answer("TIMED_OUT");
        masters.pass();
        done.join();
        assertEquals(1, masters.elections.size());
    }

    @Test
    void aThirdMasterIsLeftAlone() {
        CompletableFuture<Void> done = Handover.start(masters, clock, "m1", "m2");
        masters.leader = "m3";
        masters.answer("DIFFERENT_LEADER");
        masters.pass();
        assertEquals(Errno.NOT_LEADER, refused(done).errno());
        assertEquals(1, masters.elections.size());
    }

    @Test
    void itEndsWithTheLastReason() {
        CompletableFuture<Void> done = Handover.start(masters, clock, "m1", "m2");
        for (int i = 0; i < 8; i++) {
            assertFalse(done.isDone(), "ended after " + i);
            clock.advance(1_000 - Handover.PAUSE_MS);
            masters.answer("reason " + i);
            masters.pass();
        }
        FsException failure = refused(done);
        assertEquals(Errno.NOT_READY, failure.errno());
        String why = String.valueOf(failure.getMessage());
        assertTrue(why.matches("the master did not take over: .*reason 7.*"), why);
        assertEquals(8, masters.elections.size());
    }

    private static FsException refused(CompletableFuture<Void> done) {
        assertTrue(done.isDone());
        return assertInstanceOf(
                FsException.class, assertThrows(CompletionException.class, done::join).getCause());
    }

    /** A group whose elections end, and whose time passes, when the test says so. */
    private final class FakeMasters implements Handover.Masters {
        private final List<String> elections = new ArrayList<>();
        private final Deque<Runnable> paused = new ArrayDeque<>();
        private CompletableFuture<RaftClientReply> election = new CompletableFuture<>();
        private @Nullable String leader = "m1";
        private boolean ready = true;

        @Override
        public CompletableFuture<RaftClientReply> elect(String id, long limitMs) {
            elections.add(id + " within " + limitMs + " ms");
            election = new CompletableFuture<>();
            return election;
        }

        /** Ends the election, well or with a reason why not. */
        private void answer(@Nullable String failure) {
            RaftClientReply.Builder reply =
                    RaftClientReply.newBuilder()
                            .setClientId(ClientId.randomId())
                            .setServerId(
                                    RaftGroupMemberId.valueOf(
                                            RaftPeerId.valueOf("m1"), RaftGroupId.randomId()));
            election.complete(
                    failure == null
                            ? reply.setSuccess().build()
                            : reply.setException(new TransferLeadershipException(failure)).build());
        }

        private void pass() {
            clock.advance(Handover.PAUSE_MS);
            paused.remove().run();
        }

        @Override
        public @Nullable String leader() {
            return leader;
        }

        @Override
        public boolean leads() {
            return ready;
        }

        @Override
        public Executor pause() {
            return paused::add;
        }
    }
}
