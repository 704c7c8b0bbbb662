package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
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
import org.slf4j.LoggerFactory;

/** A master that follows tells a real leader, over the network, that it is there. */
class PresenceTest {
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

    /**
     * Of one of two masters whose lease as a leader is over, or that never had one.
     *
     * @param leads which of the two leads, as far as this one knows
     * @param led the answer to the wish that the other one leads
     */
    private record Leaseless(@Nullable Endpoint leader, String leads, CompletableFuture<Void> led)
            implements ReplicatedLog {
        Leaseless(@Nullable Endpoint leader) {
            this(leader, "m1", CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER)));
        }

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
            return List.of(standing("m1"), standing("m2"));
        }

        private Standing standing(String id) {
            Endpoint anywhere = new Endpoint("127.0.0.1", 1);
            return new Standing(id, anywhere, null, id.equals(leads), 7, 0, Share.FULL);
        }

        @Override
        public long term() {
            return 0;
        }

        @Override
        public CompletableFuture<Void> lead(String id) {
            assertEquals("m1", id);
            return led;
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
                                new Leaseless(leader.service.endpoint()),
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
                        new Presence("m2", new Leaseless(null), () -> state, nobody, time)) {
            follower.tick();
            assertEquals(List.of(new MasterRelease("m2", Release.text(), 1)), follower.masters());
        }
    }

    /** A machine that was busy for a moment has lost the lease and perhaps the lead. */
    @Test
    void aLeaderWithoutALeaseSaysWhatBecameOfItsLead() {
        CompletableFuture<Void> refused =
                CompletableFuture.failedFuture(new FsException(Errno.NOT_LEADER));
        assertEquals(
                List.of("this master stops, and leads no more"),
                told(new Leaseless(null, "m2", refused)));
    }

    @Test
    void aLeaderTellsWhoLeadsAfterIt() {
        CompletableFuture<Void> led = CompletableFuture.completedFuture(null);
        assertEquals(List.of("this master stops, m1 leads"), told(new Leaseless(null, "m2", led)));
    }

    @Test
    void anotherFailureIsTold() {
        CompletableFuture<Void> late =
                CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, "too slow"));
        List<String> told = told(new Leaseless(null, "m2", late));
        assertEquals(1, told.size());
        assertTrue(
                told.getFirst().startsWith("this master stops, and m1 does not lead yet: "),
                told::toString);
    }

    @Test
    void aFollowerHasNoLeadToHandOver() {
        CompletableFuture<Void> led = CompletableFuture.completedFuture(null);
        assertEquals(List.of(), told(new Leaseless(null, "m1", led)));
    }

    /** What master m2 logs when it stops. */
    private List<String> told(ReplicatedLog log) {
        Namespace state = new Namespace(new MemoryStore());
        Logger logger = (Logger) LoggerFactory.getLogger(Presence.class);
        lines.start();
        logger.addAppender(lines);
        try (LoneTransport nobody = new LoneTransport();
                Presence stopping =
                        new Presence("m2", log, () -> state, nobody, new HandScheduler())) {
            stopping.handOver();
        } finally {
            logger.detachAppender(lines);
        }
        return lines.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }
}
