package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.runtime.Clock;
import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

class LookoutStrategyTest {
    private final StoppedClock clock = new StoppedClock();
    private final LookoutStrategy strategy = new LookoutStrategy(clock);

    private int look(int events, boolean hasTasks) throws Exception {
        return strategy.calculateStrategy(() -> events, hasTasks);
    }

    @Test
    void aLoopThatHadNothingToDoSleeps() throws Exception {
        assertEquals(SelectStrategy.SELECT, look(0, false));
    }

    @Test
    void aLoopLooksForAMomentAfterEvents() throws Exception {
        assertEquals(3, look(3, false));
        clock.advanceNs(LookoutStrategy.LOOK_NS - 1);
        assertEquals(0, look(0, false));
        clock.advanceNs(1);
        assertEquals(SelectStrategy.SELECT, look(0, false));
    }

    @Test
    void aLoopLooksForAMomentAfterTasks() throws Exception {
        assertEquals(0, look(0, true));
        clock.advanceNs(LookoutStrategy.LOOK_NS - 1);
        assertEquals(0, look(0, false));
        clock.advanceNs(LookoutStrategy.LOOK_NS);
        assertEquals(SelectStrategy.SELECT, look(0, false));
    }

    @Test
    void lookingAloneKeepsNoLoopAwake() throws Exception {
        look(1, false);
        for (int i = 0; i < 10; i++) {
            clock.advanceNs(LookoutStrategy.LOOK_NS / 10);
            look(0, false);
        }
        assertEquals(SelectStrategy.SELECT, look(0, false));
    }

    private static final class StoppedClock implements Clock {
        private long nowNs = 1_000_000_000;

        void advanceNs(long ns) {
            nowNs += ns;
        }

        @Override
        public long nanoTime() {
            return nowNs;
        }

        @Override
        public long wallNs() {
            return nowNs;
        }
    }
}
