package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.runtime.Release;
import io.cairn.wire.ProtocolRange;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A master that follows tells a real leader, over the network, that it is there. */
class PresenceTest {
    /** Of a master that follows. */
    private record Following(@Nullable Endpoint leader) implements ReplicatedLog {
        @Override
        public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER));
        }

        @Override
        public boolean mayRead() {
            return false;
        }

        @Override
        public long leaderTerm() {
            return -1;
        }

        @Override
        public List<Standing> masters() {
            return List.of();
        }

        @Override
        public long term() {
            return 0;
        }

        @Override
        public CompletableFuture<Void> lead(String id) {
            return CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER));
        }

        @Override
        public void close() {}
    }

    @Test
    void theLeaderLearnsWhatAFollowerUnderstands() throws Exception {
        HandScheduler time = new HandScheduler();
        Namespace state = new Namespace(new MemoryStore(), new ProtocolRange(1, 5));
        try (LoneMaster leader = new LoneMaster();
                Presence follower =
                        new Presence(
                                "m2",
                                new Following(leader.service.endpoint()),
                                () -> state,
                                leader.transport,
                                time)) {
            assertEquals(1, leader.service.releases().size(), "itself");
            follower.tick();
            long end = System.nanoTime() + 60_000_000_000L;
            while (leader.service.releases().size() < 2) {
                assertTrue(System.nanoTime() < end, "the leader has heard nothing");
                Thread.sleep(5);
            }
            assertEquals(
                    List.of(
                            new MasterRelease("m1", Release.text(), 1),
                            new MasterRelease("m2", Release.text(), 5)),
                    leader.service.releases());
        }
    }

    @Test
    void withoutALeaderNobodyIsTold() {
        HandScheduler time = new HandScheduler();
        Namespace state = new Namespace(new MemoryStore());
        try (LoneTransport nobody = new LoneTransport();
                Presence follower =
                        new Presence("m2", new Following(null), () -> state, nobody, time)) {
            follower.tick();
            assertEquals(List.of(new MasterRelease("m2", Release.text(), 1)), follower.masters());
        }
    }
}
