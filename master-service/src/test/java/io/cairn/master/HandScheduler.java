package io.cairn.master;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes only when the test says so. */
final class HandScheduler implements Scheduler, Clock {
    private record Task(long atMs, long order, Runnable work) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(
                    Comparator.comparingLong(Task::atMs).thenComparingLong(Task::order));
    private long nowMs = 1000;
    private long order;

    @Override
    public void execute(Runnable task) {
        schedule(task, 0);
    }

    @Override
    public Timer schedule(Runnable task, long delayMs) {
        Task entry = new Task(nowMs + delayMs, order++, task);
        tasks.add(entry);
        return () -> tasks.remove(entry);
    }

    /** Lets time pass and runs what is due on the way. */
    void pass(long ms) {
        long end = nowMs + ms;
        while (!tasks.isEmpty() && tasks.peek().atMs() <= end) {
            Task task = tasks.remove();
            nowMs = Math.max(nowMs, task.atMs());
            task.work().run();
        }
        nowMs = end;
    }

    /** Time passes, and nothing runs meanwhile. */
    void standStill(long ms) {
        nowMs += ms;
    }

    @Override
    public long nanoTime() {
        return nowMs * 1_000_000;
    }

    @Override
    public long wallNs() {
        return nanoTime();
    }
}
