package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.chunk.WritePermit.Answer;
import io.cairn.client.session.SessionState;
import io.cairn.runtime.Clock;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.Reply.SessionReply;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class WritePermitTest {
    private static final SessionReply REPLY = new SessionReply(7, 1, 3000, 4096, 1);

    private final Simulation time = new Simulation(1);
    private final SessionState state = new SessionState(time, new Random(1));

    private void open() {
        state.opened(REPLY);
        renew();
    }

    private void renew() {
        state.renewed(REPLY, time.millis(), time.wallNs() / 1_000_000);
    }

    @Test
    void whatWasWrittenUnderLocksIsSentWhileTheLeaseRuns() {
        open();
        WritePermit permit = new WritePermit(state, 7);
        assertEquals(Answer.YES, permit.ask());
        time.runUntil(() -> false, 2999);
        assertEquals(Answer.YES, permit.ask());
        time.runUntil(() -> false, 2);
        assertEquals(Answer.NOT_NOW, permit.ask());
        renew();
        assertEquals(Answer.YES, permit.ask());
        state.lost(7);
        assertEquals(Answer.NEVER, permit.ask());
    }

    @Test
    void whatNeedsSeveralPermitsIsSentWhileAllLast() {
        open();
        WritePermit free = new WritePermit(state, 0);
        WritePermit locked = new WritePermit(state, 7);
        WritePermit both = WritePermit.ofAll(List.of(free, locked));
        assertEquals(Answer.YES, both.ask());
        time.runUntil(() -> false, 3001);
        assertEquals(Answer.NOT_NOW, both.ask());
        free.withdraw();
        assertEquals(Answer.NEVER, both.ask());
        assertEquals(Answer.NOT_NOW, locked.ask());
    }

    /** The monotonic clock stands still then, and others get the locks. */
    @Test
    void aLeaseEndsWhileTheMachineSleeps() {
        AtomicLong wallMs = new AtomicLong(1_000_000);
        Clock clock =
                new Clock() {
                    @Override
                    public long nanoTime() {
                        return time.nanoTime();
                    }

                    @Override
                    public long wallNs() {
                        return wallMs.get() * 1_000_000;
                    }
                };
        SessionState sleeping = new SessionState(clock, new Random(1));
        sleeping.opened(REPLY);
        sleeping.renewed(REPLY, clock.millis(), 1_000_000);
        sleeping.connected(true);
        WritePermit permit = new WritePermit(sleeping, 7);
        wallMs.addAndGet(1499);
        assertTrue(sleeping.hearsOfChanges());
        wallMs.addAndGet(1);
        assertFalse(sleeping.hearsOfChanges());
        wallMs.addAndGet(1499);
        assertEquals(Answer.YES, permit.ask());
        wallMs.addAndGet(1);
        assertEquals(Answer.NOT_NOW, permit.ask());
        sleeping.renewed(REPLY, clock.millis(), wallMs.get());
        assertEquals(Answer.YES, permit.ask());
    }

    @Test
    void withoutLocksEverySessionWillDo() {
        open();
        WritePermit permit = new WritePermit(state, 0);
        time.runUntil(() -> false, 4000);
        assertEquals(Answer.YES, permit.ask());
        state.lost(7);
        assertEquals(Answer.YES, permit.ask());
        permit.withdraw();
        assertEquals(Answer.NEVER, permit.ask());
    }

    @Test
    void locksThatAreLostAlreadyNeverPermit() {
        open();
        assertEquals(Answer.NEVER, new WritePermit(state, -1).ask());
    }
}
