package io.cairn.client.session;

import io.cairn.runtime.Scheduler;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Notices that requests to a server are under way and that it answers none of them: it may be dead,
 * stopped or cut off, or only slow, or the request may take its time. So silence is a reason to
 * look closer, and no more. Looks only while something is under way. Thread-safe.
 */
public final class SilenceWatch {
    /** Hears of silence, on a thread of the scheduler. */
    public interface Listener {
        /** Nothing was answered since the last look; told again at each look. */
        void silent();

        /** The server has answered after all. */
        void answers();
    }

    private final Scheduler scheduler;
    private final long lookMs;
    private final Listener listener;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean looking = new AtomicBoolean();
    private final AtomicLong answers = new AtomicLong();

    // One look at a time.
    private long seen;
    private boolean silent;

    /**
     * Watches nothing yet.
     *
     * @param lookMs silence is noticed after one to two of these
     */
    public SilenceWatch(Scheduler scheduler, long lookMs, Listener listener) {
        this.scheduler = scheduler;
        this.lookMs = lookMs;
        this.listener = listener;
    }

    /** A request is sent. */
    public void sent() {
        underWay.incrementAndGet();
        if (!looking.get() && looking.compareAndSet(false, true)) {
            seen = answers.get();
            scheduler.schedule(this::look, lookMs);
        }
    }

    /** A request is over; {@code answered} unless it ran out of time or its connection broke. */
    public void over(boolean answered) {
        underWay.decrementAndGet();
        if (answered) {
            answers.incrementAndGet();
        }
    }

    /** How many requests are under way. */
    int underWay() {
        return underWay.get();
    }

    private void look() {
        long now = answers.get();
        boolean nothing = underWay.get() > 0 && now == seen;
        seen = now;
        if (nothing) {
            silent = true;
            listener.silent();
        } else if (silent) {
            silent = false;
            listener.answers();
        }
        if (underWay.get() == 0) {
            looking.set(false);
            if (underWay.get() == 0 || !looking.compareAndSet(false, true)) {
                return;
            }
        }
        scheduler.schedule(this::look, lookMs);
    }
}
