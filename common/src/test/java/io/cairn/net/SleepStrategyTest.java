package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.ManualClock;
import io.netty.channel.SelectStrategy;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class SleepStrategyTest {
    private static final int READY = 3;
    private static final long HOUR_NS = TimeUnit.HOURS.toNanos(1);

    private final ManualClock clock = new ManualClock(0);
    private final SleepStrategy strategy = new SleepStrategy(clock);

    private int next(boolean hasTasks) throws Exception {
        return strategy.calculateStrategy(() -> READY, hasTasks);
    }

    @Test
    void sleepsAtOnceWhenNothingIsExpected() throws Exception {
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
    void readsMeanwhileIfItIsTo() throws Exception {
        strategy.stayAwakeAndRead(2_000_000);
        assertEquals(READY, next(false));
        assertEquals(SelectStrategy.CONTINUE, strategy.calculateStrategy(() -> 0, false));
        clock.advance(2);
        assertEquals(SelectStrategy.SELECT, next(false));
    }

    @Test
    void theTurnIsLentWhileItIsAwakeOnly() throws Exception {
        assertFalse(strategy.borrow());
        strategy.stayAwake(HOUR_NS);
        assertFalse(strategy.borrow(), "it may be at work");
        next(false);
        assertFalse(strategy.borrow(), "it looks, and does not come to give way");
        next(true);
        assertFalse(strategy.borrow());
    }

    @Test
    void theLoopStandsStillWhileItsTurnIsBorrowed() throws Exception {
        strategy.stayAwake(HOUR_NS);
        AtomicInteger turns = new AtomicInteger();
        CompletableFuture<Void> loop =
                CompletableFuture.runAsync(
                        () -> {
                            int answer = SelectStrategy.CONTINUE;
                            while (answer == SelectStrategy.CONTINUE) {
                                turns.incrementAndGet();
                                answer = look();
                            }
                        });
        for (int i = 0; i < 1000; i++) {
            borrow();
            int seen = turns.get();
            LockSupport.parkNanos(10_000);
            assertEquals(seen, turns.get());
            assertFalse(strategy.borrow(), "it is borrowed already");
            strategy.giveBack(false);
        }
        borrow();
        strategy.giveBack(true);
        loop.get(10, TimeUnit.SECONDS); // it goes to sleep
    }

    private int look() {
        try {
            return strategy.calculateStrategy(() -> 0, false);
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private void borrow() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
        while (!strategy.borrow()) {
            assertTrue(System.nanoTime() - end < 0, "it is not lent");
        }
    }
}
