package io.cairn.testkit.simulated;

import io.cairn.runtime.Clock;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Simulated time: a clock that stands still while a task runs and jumps to the next task when it
 * has ended. One thread steps and everything happens on it, so that a seed decides the whole run.
 * Tasks of the same moment run in the order given; other threads may read the clock and add tasks,
 * but then the seed alone no longer decides.
 */
public final class Simulation implements Clock {
    /** Wall clock at the beginning: 2026-01-01T00:00:00Z. */
    public static final long BEGIN_NS = 1_767_225_600_000_000_000L;

    private final long seed;
    private final Random random;
    private final PriorityQueue<Event> events =
            new PriorityQueue<>(
                    Comparator.comparingLong((Event event) -> event.timeNs)
                            .thenComparingLong(event -> event.number));
    private long lastNumber;
    private long stepCount;
    private volatile long nowNs;

    /** A task at a time; may be taken back. */
    static final class Event {
        private final long timeNs;
        private final long number;
        private @Nullable Runnable task;

        private Event(long timeNs, long number, Runnable task) {
            this.timeNs = timeNs;
            this.number = number;
            this.task = task;
        }

        /** The task will not run, and is forgotten. */
        void cancel() {
            task = null;
        }
    }

    /** A simulation that the seed decides. */
    public Simulation(long seed) {
        this.seed = seed;
        this.random = new Random(seed);
    }

    /** The text to print when a run fails. */
    public long seed() {
        return seed;
    }

    /** The only source of chance. */
    public Random random() {
        return random;
    }

    /** Whether something of the probability (0..1) happens now. */
    public boolean happens(double probability) {
        return probability > 0 && random.nextDouble() < probability;
    }

    @Override
    public long nanoTime() {
        return nowNs;
    }

    @Override
    public long wallNs() {
        return BEGIN_NS + nowNs;
    }

    /** Tasks run so far. */
    public long stepCount() {
        return stepCount;
    }

    /** Runs a task after a delay, 0 or more. */
    synchronized Event after(long delayNs, Runnable task) {
        Event event = new Event(nowNs + Math.max(0, delayNs), ++lastNumber, task);
        events.add(event);
        return event;
    }

    private synchronized @Nullable Runnable next(long limitNs) {
        while (true) {
            Event event = events.peek();
            if (event == null || event.timeNs > limitNs) {
                return null;
            }
            events.remove();
            Runnable task = event.task;
            if (task != null) {
                nowNs = event.timeNs;
                return task;
            }
        }
    }

    /** Runs the next task, whenever it is due; false when there is none. */
    public boolean step() {
        return step(Long.MAX_VALUE);
    }

    private boolean step(long limitNs) {
        Runnable task = next(limitNs);
        if (task == null) {
            return false;
        }
        stepCount++;
        task.run();
        return true;
    }

    /** Runs everything that is due within a time, and lets that time pass. */
    public void run(long durationMs) {
        long endNs = nowNs + durationMs * 1_000_000;
        while (step(endNs)) {}
        nowNs = endNs;
    }

    /** Runs until something holds; false when it did not within the time. */
    public boolean runUntil(BooleanSupplier condition, long limitMs) {
        long endNs = nowNs + limitMs * 1_000_000;
        while (!condition.getAsBoolean()) {
            if (!step(endNs)) {
                nowNs = endNs;
                return condition.getAsBoolean();
            }
        }
        return true;
    }

    /**
     * Runs until a future completes.
     *
     * @throws CompletionException with what it failed with, or a TimeoutException
     */
    public <T> T await(CompletableFuture<T> future, long limitMs) {
        if (!runUntil(future::isDone, limitMs)) {
            throw new CompletionException(
                    new TimeoutException("not done after " + limitMs + " simulated ms"));
        }
        return future.join();
    }
}
