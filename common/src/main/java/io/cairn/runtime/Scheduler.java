package io.cairn.runtime;

import java.util.concurrent.Executor;

/**
 * Delayed work. Tasks are short and never block: long work goes on to an executor. Thread-safe.
 * {@link #execute} runs a task as soon as possible.
 */
public interface Scheduler extends Executor {
    /** A task that may still be taken back. */
    interface Timer {
        /** Prevents the task if it has not begun. Idempotent. */
        void cancel();
    }

    /**
     * Runs a task once after a delay. Exceptions of the task are logged.
     *
     * @param delayMs 0 or more
     */
    Timer schedule(Runnable task, long delayMs);
}
