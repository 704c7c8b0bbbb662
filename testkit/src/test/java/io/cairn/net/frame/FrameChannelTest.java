package io.cairn.net.frame;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.NetworkRig;
import io.cairn.net.ReceiveBudget;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.Limits;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Two channels, and between them nothing but bytes. */
class FrameChannelTest {
    private static final long TIMEOUT_MS = 60_000;

    private final UnpooledByteBufAllocator allocator = new UnpooledByteBufAllocator(true, true);
    private final ManualClock clock = new ManualClock(0);
    private final ReceiveBudget budget = new ReceiveBudget(64 << 20);
    private final ChannelSettings settings =
            new ChannelSettings(clock, budget, ProtocolRange.OURS, false, 1000);
    private final List<Answer> owed = new ArrayList<>();
    private final List<Message> asked = new ArrayList<>();
    private final Random random = new Random(7);
    private int closed;

    private final MemoryWire caller =
            new MemoryWire(settings, clock, allocator, (_, request, _) -> request.release());
    private final MemoryWire service =
            new MemoryWire(
                    settings,
                    clock,
                    allocator,
                    new Handler() {
                        @Override
                        public void handle(Connection from, Message request, Answer answer) {
                            asked.add(request);
                            owed.add(answer);
                        }

                        @Override
                        public void closed(Connection connection) {
                            closed++;
                        }
                    });

    @BeforeEach
    void join() {
        MemoryWire.join(caller, service);
        settle();
    }

    @AfterEach
    void everythingIsReleased() {
        caller.channel().close();
        asked.forEach(Message::release);
        settle();
        assertEquals(0, budget.usedBytes());
        assertEquals(0, allocator.metric().usedDirectMemory());
        assertEquals(0, allocator.metric().usedHeapMemory());
        assertEquals(1, closed, "the handler hears of the end once");
    }

    /** Delivers in pieces of any size, until nothing moves any more. */
    private void settle() {
        boolean moved = true;
        while (moved) {
            moved = caller.runTasks();
            moved |= service.runTasks();
            moved |= caller.deliver(1 + random.nextInt(5000)) > 0;
            moved |= service.deliver(1 + random.nextInt(5000)) > 0;
        }
    }

    private void pass(int seconds) {
        for (int i = 0; i < seconds; i++) {
            clock.advance(1000);
            settle();
        }
    }

    private Message message(String text, int payloadBytes) {
        ByteBuf payload = payloadBytes == 0 ? null : allocator.buffer(payloadBytes);
        if (payload != null) {
            payload.writeZero(payloadBytes);
        }
        return new Message(text.getBytes(StandardCharsets.UTF_8), payload);
    }

    private CompletableFuture<Message> call(String text, int payloadBytes) {
        return caller.channel().call(message(text, payloadBytes), TIMEOUT_MS);
    }

    @Test
    void answersComeToWhoAskedInWhateverOrderTheyAreGiven() {
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            answers.add(call("q" + i, random.nextInt(20_000)));
        }
        settle();
        assertEquals(50, asked.size());
        assertEquals(50, caller.channel().callsInFlight());
        for (int i = 49; i >= 0; i--) {
            owed.get(i).send(message("a" + i, random.nextInt(20_000)));
        }
        settle();
        for (int i = 0; i < 50; i++) {
            Message answer = answers.get(i).join();
            assertEquals("a" + i, NetworkRig.text(answer));
            answer.release();
        }
        assertEquals(0, caller.channel().callsInFlight());
    }

    @Test
    void aCallThatIsNotAnsweredEndsAndItsLateAnswerIsDropped() {
        CompletableFuture<Message> answer = caller.channel().call(message("q", 0), 5_000);
        settle();
        pass(4);
        assertFalse(answer.isDone());
        pass(2);
        FsException error = NetworkRig.failureOf(answer);
        assertEquals(Errno.ETIMEDOUT, error.errno());
        owed.get(0).send(message("late", 9_000));
        settle();
        assertTrue(caller.channel().isOpen());
    }

    @Test
    void whoIsOwedTooMuchIsNotReadUntilItIsLess() {
        List<CompletableFuture<Message>> answers = new ArrayList<>();
        for (int i = 0; i < Limits.MAX_IN_FLIGHT; i++) {
            answers.add(call("q", 0));
        }
        settle();
        assertFalse(service.isReading());
        assertEquals(Errno.EAGAIN, NetworkRig.failureOf(call("more", 0)).errno());
        owed.forEach(answer -> answer.send(message("a", 0)));
        settle();
        assertTrue(service.isReading());
        answers.forEach(each -> each.join().release());
    }

    @Test
    void aPeerThatIsGoneIsNoticedAndOneThatOnlyBeatsIsNot() {
        pass(60);
        assertTrue(caller.channel().isOpen(), "both beat");
        CompletableFuture<Message> answer = call("q", 0);
        // From now on nothing is delivered.
        for (int i = 0; i < 30; i++) {
            clock.advance(1000);
            caller.runTasks();
        }
        assertFalse(caller.channel().isOpen());
        assertEquals(Errno.DISCONNECTED, NetworkRig.failureOf(answer).errno());
    }

    @Test
    void whatTheWireDoesNotTakeWaitsAndIsForgottenWhenItIsTooLate() {
        caller.setWritable(false);
        CompletableFuture<Message> late = caller.channel().call(message("late", 100_000), 2_000);
        CompletableFuture<Message> early = call("early", 100_000);
        settle();
        assertEquals(0, asked.size());
        pass(3);
        assertEquals(Errno.ETIMEDOUT, NetworkRig.failureOf(late).errno());
        caller.setWritable(true);
        settle();
        assertEquals(1, asked.size());
        assertEquals("early", NetworkRig.text(asked.get(0)));
        owed.get(0).fail(new FsException(Errno.ENOENT, "no"));
        settle();
        assertEquals(Errno.ENOENT, NetworkRig.failureOf(early).errno());
    }
}
