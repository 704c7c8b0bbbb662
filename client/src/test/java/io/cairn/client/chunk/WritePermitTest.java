package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.chunk.WritePermit.Answer;
import io.cairn.client.session.SessionState;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.Reply.SessionReply;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WritePermitTest {
    private static final SessionReply REPLY = new SessionReply(7, 1, 3000, 4096, 1);

    private final Simulation time = new Simulation(1);
    private final SessionState state = new SessionState(time, new Random(1));

    private void open() {
        state.opened(REPLY);
        state.renewed(REPLY, time.millis());
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
        state.renewed(REPLY, time.millis());
        assertEquals(Answer.YES, permit.ask());
        state.lost(7);
        assertEquals(Answer.NEVER, permit.ask());
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
