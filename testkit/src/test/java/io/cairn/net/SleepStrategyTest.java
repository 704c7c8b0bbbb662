package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.ManualClock;
import io.netty.channel.SelectStrategy;
import org.junit.jupiter.api.Test;

class SleepStrategyTest {
    private static final int READY = 3;

    private final ManualClock clock = new ManualClock(0);
    private final SleepStrategy strategy = new SleepStrategy(clock);

    private int next(boolean hasTasks) throws Exception {
        return strategy.calculateStrategy(() -> hasTasks ? READY : 0, hasTasks);
    }

    @Test
    void sleepsAtOnceWhenNothingIsExpected() throws Exception {
        assertEquals(SelectStrategy.SELECT, next(false));
        strategy.stayAwake(0);
        assertEquals(SelectStrategy.SELECT, next(false));
    }

    @Test
    void staysAwakeForAsLongAsItWasTold() throws Exception {
        strategy.stayAwake(2_000_000);
        assertEquals(SelectStrategy.CONTINUE, next(false));
        clock.advance(1);
        assertEquals(SelectStrategy.CONTINUE, next(false));
        clock.advance(1);
        assertEquals(SelectStrategy.SELECT, next(false));
    }

    @Test
    void sleepsAfterTheTaskThatItWaitedFor() throws Exception {
        strategy.stayAwake(2_000_000);
        assertEquals(READY, next(true));
        assertEquals(SelectStrategy.SELECT, next(false));
    }

    @Test
    void readsMeanwhile() throws Exception {
        strategy.stayAwake(2_000_000);
        assertEquals(READY, strategy.calculateStrategy(() -> READY, false));
        assertEquals(SelectStrategy.CONTINUE, next(false));
    }
}
