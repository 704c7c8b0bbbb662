package io.cairn.runtime;

import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action once when a condition holds. It looks again and again until then, or until it is
 * closed: nothing is looked at or run after that. Thread-safe.
 */
public final class ConditionWatch implements AutoCloseable {
    private final Scheduler scheduler;
    private final BooleanSupplier condition;
    private final Runnable action;
    private final long pauseMs;

    // Guarded by this.
    private boolean over;
    private Scheduler.@Nullable Timer next;

    /**
     * Looks at once, on this thread, and then on threads of the scheduler.
     *
     * @param condition does not block
     * @param action does not block
     * @param pauseMs between two looks
     */
    public ConditionWatch(
            Scheduler scheduler, BooleanSupplier condition, Runnable action, long pauseMs) {
        this.scheduler = scheduler;
        this.condition = condition;
        this.action = action;
        this.pauseMs = pauseMs;
        look();
    }

    private synchronized void look() {
        if (over) {
            return;
        }
        if (condition.getAsBoolean()) {
            over = true;
            action.run();
        } else {
            next = scheduler.schedule(this::look, pauseMs);
        }
    }

    /** Looks no more. Idempotent. */
    @Override
    public synchronized void close() {
        over = true;
        Scheduler.Timer pending = next;
        if (pending != null) {
            pending.cancel();
        }
    }
}
