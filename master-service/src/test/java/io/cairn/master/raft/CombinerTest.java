package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.master.load.SlowMutation;
import io.cairn.metadata.Outcome;
import io.cairn.runtime.Clock;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CombinerTest {
    private static final int OFFSET = 1;

    private final ManualClock clock = new ManualClock();
    private final List<Group> proposed = new ArrayList<>();
    private final Combiner combiner = new Combiner(clock, 2, 1, Runnable::run, proposed::add);

    @Test
    void aLoneOperationGoesAtOnce() {
        CompletableFuture<Outcome> reply = submit(1);
        assertEquals(1, proposed.size());
        assertFalse(reply.isDone());
        combiner.applied(proposed.getFirst(), List.of(outcome(42)));
        assertArrayEquals(new byte[] {42}, reply.join().bytes());
    }

    @Test
    void whatWaitsSharesAnEntryAndKeepsItsOrder() {
        List<CompletableFuture<Outcome>> replies = submit(1, 2, 3, 4, 5);
        assertEquals(2, proposed.size());
        combiner.applied(proposed.getFirst(), List.of(outcome(1)));
        assertEquals(3, proposed.size());
        assertEquals(List.of(3L, 4L, 5L), sessions(proposed.getLast()));
        combiner.applied(proposed.getLast(), List.of(outcome(3), outcome(4), outcome(5)));
        combiner.applied(proposed.get(1), List.of(outcome(2)));
        for (int i = 0; i < 5; i++) {
            assertArrayEquals(new byte[] {(byte) (i + 1)}, replies.get(i).join().bytes());
        }
    }

    @Test
    void whatComesInOneTurnSharesAnEntry() {
        List<Runnable> endOfTurn = new ArrayList<>();
        Combiner turning = new Combiner(clock, 1, 1, endOfTurn::add, proposed::add);
        for (int i = 1; i <= 3; i++) {
            put(i, turning);
        }
        assertEquals(List.of(), proposed);
        endOfTurn.forEach(Runnable::run);
        assertEquals(1, proposed.size());
        assertEquals(List.of(1L, 2L, 3L), sessions(proposed.getFirst()));
    }

    @Test
    void callersOfTheWriterHearBeforeTheNextEntry() {
        Combiner sparing = new Combiner(clock, 1, 1, Runnable::run, proposed::add);
        CompletableFuture<?> first = sparing.submit(frame(1, 40), OFFSET);
        CompletableFuture<?> _ = sparing.submit(frame(2, 40), OFFSET);
        CompletableFuture<?> next = first.thenRun(() -> put(3, sparing));
        sparing.appliedByWriter(proposed.getFirst(), List.of(outcome(0)));
        assertTrue(next.isDone());
        assertEquals(2, proposed.size());
        assertEquals(List.of(2L, 3L), sessions(proposed.getLast()));
    }

    @Test
    void fewOperationsWaitForTheEntryInFlight() {
        Combiner sparing = new Combiner(clock, 2, 3, Runnable::run, proposed::add);
        for (int i = 1; i <= 3; i++) {
            put(i, sparing);
        }
        assertEquals(1, proposed.size());
        sparing.applied(proposed.getFirst(), List.of(outcome(0)));
        assertEquals(List.of(2L, 3L), sessions(proposed.getLast()));
        for (int i = 4; i <= 6; i++) {
            put(i, sparing);
        }
        assertEquals(3, proposed.size(), "three are worth an entry beside another");
        assertEquals(List.of(4L, 5L, 6L), sessions(proposed.getLast()));
    }

    private static void put(int session, Combiner to) {
        CompletableFuture<?> _ = to.submit(frame(session, 40), OFFSET);
    }

    @Test
    void anEntryHasAtMost256Operations() {
        submit(IntStream.range(0, 600).toArray());
        combiner.applied(proposed.getFirst(), List.of(outcome(0)));
        assertEquals(256, proposed.getLast().size());
    }

    @Test
    void anEntryHasAtMostOneMebibyteUnlessOneOperationHas() {
        int big = 400 << 10;
        for (int i = 0; i < 6; i++) {
            CompletableFuture<?> _ = combiner.submit(frame(i, big), OFFSET);
        }
        CompletableFuture<?> _ = combiner.submit(frame(9, Limits.MAX_HEADER_BYTES), OFFSET);
        combiner.applied(proposed.getFirst(), List.of(outcome(0)));
        assertEquals(List.of(2L, 3L), sessions(proposed.getLast()));
        combiner.applied(proposed.getLast(), List.of(outcome(0), outcome(0)));
        assertEquals(List.of(4L, 5L), sessions(proposed.getLast()));
        combiner.applied(proposed.getLast(), List.of(outcome(0), outcome(0)));
        assertEquals(List.of(9L), sessions(proposed.getLast()));
    }

    @Test
    void stampsGrowEvenWhenTheClockDoesNot() {
        clock.wallNs = 1_000_000;
        submit(1, 2, 3, 4);
        clock.wallNs = 5;
        combiner.applied(proposed.getFirst(), List.of(outcome(0)));
        List<Long> times = proposed.stream().flatMap(group -> times(group).stream()).toList();
        assertEquals(List.of(1_000_000L, 1_000_001L, 1_000_002L, 1_000_003L), times);
        assertEquals(1_000_003L, Combiner.timeOf(proposed.getLast().entry()));
    }

    @Test
    void stampsAreAfterThoseOfEarlierLeaders() {
        clock.wallNs = 10;
        combiner.observe(77);
        CompletableFuture<?> _ = submit(1);
        assertEquals(List.of(78L), times(proposed.getFirst()));
    }

    @Test
    void aFailedGroupMakesRoom() {
        List<CompletableFuture<Outcome>> replies = submit(1, 2, 3);
        combiner.failed(proposed.getFirst(), new FsException(Errno.NOT_LEADER, "h:1"));
        assertEquals(Errno.NOT_LEADER, errno(replies.getFirst()));
        assertEquals(3, proposed.size());
    }

    @Test
    void aProposerMayAnswerDuringTheCall() {
        List<Combiner> self = new ArrayList<>();
        Combiner refusing =
                new Combiner(
                        clock,
                        1,
                        1,
                        Runnable::run,
                        group ->
                                self.getFirst()
                                        .failed(group, new FsException(Errno.NOT_LEADER, "")));
        self.add(refusing);
        for (int i = 0; i < 10_000; i++) {
            assertEquals(Errno.NOT_LEADER, errno(refusing.submit(frame(i, 40), OFFSET)));
        }
    }

    @Test
    void theQueueIsBounded() {
        List<CompletableFuture<Outcome>> replies =
                submit(IntStream.range(0, 2 + (16 << 10)).toArray());
        assertFalse(replies.getLast().isDone());
        assertEquals(Errno.NOT_READY, errno(submit(0)));
    }

    @Test
    void theQueueIsBoundedInBytes() {
        List<CompletableFuture<Outcome>> replies = new ArrayList<>();
        for (int i = 0; i < 2 + 65; i++) {
            replies.add(combiner.submit(frame(i, Limits.MAX_HEADER_BYTES), OFFSET));
        }
        assertFalse(replies.get(65).isDone());
        assertEquals(Errno.NOT_READY, errno(replies.get(66)));
    }

    @Test
    void whoWaitsTooLongIsTold() {
        List<CompletableFuture<Outcome>> replies = submit(1, 2, 3);
        clock.nanoTime += TimeUnit.SECONDS.toNanos(9);
        CompletableFuture<Outcome> late = submit(4);
        combiner.expire();
        assertFalse(replies.getFirst().isDone());
        clock.nanoTime += TimeUnit.SECONDS.toNanos(2);
        combiner.expire();
        for (CompletableFuture<Outcome> reply : replies) {
            assertEquals(Errno.NOT_READY, errno(reply));
        }
        assertFalse(late.isDone());
        combiner.applied(proposed.getFirst(), List.of(outcome(0)));
        assertEquals(List.of(4L), sessions(proposed.getLast()));
    }

    @Test
    void bytesThatAreNoEnvelopeAreRefused() {
        assertEquals(Errno.EPROTO, errno(combiner.submit(new byte[OFFSET + 32], OFFSET)));
        assertEquals(
                Errno.EPROTO,
                errno(combiner.submit(new byte[OFFSET + 1 + Limits.MAX_HEADER_BYTES], OFFSET)));
        assertTrue(proposed.isEmpty());
    }

    @Test
    void closingFailsEverybody() {
        List<CompletableFuture<Outcome>> replies = submit(1, 2, 3);
        combiner.close();
        for (CompletableFuture<Outcome> reply : replies) {
            assertEquals(Errno.NOT_READY, errno(reply));
        }
        assertEquals(Errno.NOT_READY, errno(submit(4)));
    }

    @Test
    void answeredEntriesAreForgottenOneProposalLater() {
        submit(1, 2);
        combiner.applied(proposed.getFirst(), List.of(outcome(0)));
        assertEquals(List.of(), combiner.answered());
        assertEquals(List.of(proposed.getFirst().number()), combiner.answered());
        assertEquals(List.of(), combiner.answered());
    }

    @Test
    void slowOperationsAreRememberedWithTheirParts() {
        submit(1, 2, 3);
        clock.nanoTime = 3_000_000;
        combiner.applied(proposed.getFirst(), List.of(outcome(1)));
        clock.nanoTime = 10_000_000;
        combiner.applying(proposed.getLast());
        clock.nanoTime = 12_000_000;
        combiner.applied(proposed.getLast(), List.of(outcome(3)));
        List<SlowMutation> slow = combiner.slow();
        assertEquals(List.of(3L, 1L), slow.stream().map(SlowMutation::session).toList());
        SlowMutation last = slow.getFirst();
        assertEquals(12_000_000, last.totalNs());
        assertEquals(3_000_000, last.queueNs());
        assertEquals(7_000_000, last.logNs());
        assertEquals(2_000_000, last.applyNs());
        assertEquals(0, last.agoNs());
    }

    private List<CompletableFuture<Outcome>> submit(int... sessions) {
        return IntStream.of(sessions)
                .mapToObj(session -> combiner.submit(frame(session, 40), OFFSET))
                .toList();
    }

    private CompletableFuture<Outcome> submit(int session) {
        return combiner.submit(frame(session, 40), OFFSET);
    }

    private static Outcome outcome(int content) {
        return new Outcome(null, new Reply.Done(), new byte[] {(byte) content});
    }

    private static byte[] frame(long session, int lengthBytes) {
        Encoder out = new Encoder();
        out.u8(1).i64(session).raw(new byte[lengthBytes - 8], 0, lengthBytes - 8);
        return out.toBytes();
    }

    private static List<Long> sessions(Group group) {
        List<Long> sessions = new ArrayList<>();
        Decoder in = new Decoder(group.entry());
        while (in.remaining() > 0) {
            sessions.add(Envelope.sessionOf(in.bytes(), 0));
        }
        return sessions;
    }

    private static List<Long> times(Group group) {
        List<Long> times = new ArrayList<>();
        Decoder in = new Decoder(group.entry());
        while (in.remaining() > 0) {
            times.add(Envelope.timeOf(in.bytes(), 0));
        }
        return times;
    }

    private static Errno errno(CompletableFuture<Outcome> reply) {
        assertTrue(reply.isDone());
        CompletionException error = assertThrows(CompletionException.class, reply::join);
        return assertInstanceOf(FsException.class, error.getCause()).errno();
    }

    /** A clock that stands still until it is moved. */
    private static final class ManualClock implements Clock {
        private long nanoTime;
        private long wallNs;

        @Override
        public long nanoTime() {
            return nanoTime;
        }

        @Override
        public long wallNs() {
            return wallNs;
        }
    }
}
