package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayDeque;
import java.util.Deque;
import org.junit.jupiter.api.Test;

final class ConditionWatchTest {
    private static final long PAUSE_MS = 50;

    private final HandScheduler scheduler = new HandScheduler();
    private boolean holds;
    private int looks;
    private int runs;

    /** Runs what waits when the test says so. */
    private static final class HandScheduler implements Scheduler {
        private final Deque<Runnable> tasks = new ArrayDeque<>();

        @Override
        public Timer schedule(Runnable task, long delayMs) {
            assertEquals(PAUSE_MS, delayMs);
            tasks.add(task);
            return () -> tasks.remove(task);
        }

        @Override
        public void execute(Runnable task) {
            task.run();
        }

        void turn() {
            tasks.remove().run();
        }
    }

    private ConditionWatch watch() {
        return new ConditionWatch(scheduler, this::look, () -> runs++, PAUSE_MS);
    }

    private boolean look() {
        looks++;
        return holds;
    }

    @Test
    void itLooksUntilTheConditionHolds() {
        try (ConditionWatch _ = watch()) {
            scheduler.turn();
            assertEquals(0, runs);
            holds = true;
            scheduler.turn();
            assertEquals(1, runs);
            assertEquals(3, looks);
            assertEquals(0, scheduler.tasks.size());
        }
    }

    @Test
    void whatHoldsAtOnceIsNotAwaited() {
        holds = true;
        try (ConditionWatch _ = watch()) {
            assertEquals(1, runs);
            assertEquals(0, scheduler.tasks.size());
        }
    }

    @Test
    void itLooksNoMoreOnceItIsClosed() {
        ConditionWatch watch = watch();
        Runnable begun = scheduler.tasks.element();
        watch.close();
        assertEquals(0, scheduler.tasks.size());
        holds = true;
        begun.run();
        assertEquals(1, looks);
        assertEquals(0, runs);
    }
}
