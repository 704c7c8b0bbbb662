package io.cairn.client.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.ManualClock;
import org.junit.jupiter.api.Test;

/** The time of the master, known from answers that take a while. */
class MasterClockTest {
    private static final long MS = 1_000_000;
    private static final long MASTER_NS = 1_700_000_000_000_000_000L;

    private final ManualClock clock = new ManualClock(50_000);
    private final MasterClock master = new MasterClock(clock);

    /** What the master's clock shows when this one has shown the time since the beginning. */
    private long trueNs(long shownMs) {
        return MASTER_NS + shownMs * MS;
    }

    private void ask(long thereMs, long backMs) {
        long sentMs = clock.millis();
        clock.advance(thereMs);
        long masterNs = trueNs(clock.millis() - 50_000);
        clock.advance(backMs);
        master.told(masterNs, sentMs);
    }

    private long aheadMs() {
        return (master.nowNs() - trueNs(clock.millis() - 50_000)) / MS;
    }

    @Test
    void itIsTheTimeOfTheMasterWhateverTheClockOfTheMachineSays() {
        ask(4, 4);
        assertEquals(-4, aheadMs());
        clock.advance(10_000);
        assertEquals(-4, aheadMs());
    }

    @Test
    void aBetterAnswerCorrectsAWorseOneAndNotTheOtherWayRound() {
        ask(0, 100);
        assertEquals(-100, aheadMs());
        ask(1, 1);
        assertEquals(-1, aheadMs());
        ask(0, 300);
        assertEquals(-1, aheadMs());
        ask(300, 0);
        assertEquals(0, aheadMs());
    }

    @Test
    void itNeverGoesBack() {
        ask(100, 0);
        assertEquals(0, aheadMs());
        long shown = master.nowNs();
        // The clock of the master was set back.
        master.told(shown - 500 * MS, clock.millis());
        assertEquals(shown, master.nowNs());
    }

    @Test
    void aMasterThatDoesNotTellLeavesTheClockOfTheMachine() {
        master.told(0, clock.millis());
        assertEquals(clock.wallNs(), master.nowNs());
    }
}
