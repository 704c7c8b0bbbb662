package io.cairn.runtime;

import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs delayed work on daemon threads of its own. With one thread, tasks never overlap, and tasks
 * of {@link #execute} run in the order given. After {@link #close} nothing more begins: tasks still
 * waiting and tasks given later are dropped.
 */
public final class ThreadScheduler implements Scheduler, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ThreadScheduler.class);
    private static final long CLOSE_WAIT_MS = 2_000;

    private final ScheduledThreadPoolExecutor executor;

    /**
     * Starts the threads as they are needed.
     *
     * @param name beginning of the names of the threads
     * @param threads 1 or more
     */
    public ThreadScheduler(String name, int threads) {
        executor = new ScheduledThreadPoolExecutor(threads, new DaemonThreads(name));
        executor.setRemoveOnCancelPolicy(true);
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    @Override
    public void execute(Runnable task) {
        schedule(task, 0);
    }

    @Override
    public Timer schedule(Runnable task, long delayMs) {
        try {
            Future<?> future = executor.schedule(() -> run(task), delayMs, TimeUnit.MILLISECONDS);
            return () -> future.cancel(false);
        } catch (RejectedExecutionException closed) {
            return () -> {};
        }
    }

    private static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error e) {
            LOG.error("Scheduled task failed", e);
        }
    }

    /** Drops what waits and gives running tasks a moment to end. Idempotent. */
    @Override
    public void close() {
        executor.shutdownNow();
        try {
            if (!executor.awaitTermination(CLOSE_WAIT_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("A scheduled task still runs {} ms after the close", CLOSE_WAIT_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
