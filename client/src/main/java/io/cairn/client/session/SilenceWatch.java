package io.cairn.client.session;

import io.cairn.runtime.Scheduler;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Notices that requests to the leader are under way and that it answers none of them: it may be
 * dead, stopped or cut off, or only slow, or the request may take its time. So silence is a reason
 * to ask the other masters, and no more. Looks only while something is under way. Thread-safe.
 */
final class SilenceWatch {
    /** Silence is noticed after one to two of these. */
    static final long LOOK_MS = 250;

    /** Hears of silence, on a thread of the scheduler. */
    interface Listener {
        /** Nothing was answered since the last look; told again at each look. */
        void silent();

        /** The leader has answered after all. */
        void answers();
    }

    private final Scheduler scheduler;
    private final Listener listener;
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicBoolean looking = new AtomicBoolean();
    private volatile long answers;

    // One look at a time.
    private long seen;
    private boolean silent;

    SilenceWatch(Scheduler scheduler, Listener listener) {
        this.scheduler = scheduler;
        this.listener = listener;
    }

    /** A request is sent. */
    void sent() {
        underWay.incrementAndGet();
        if (!looking.get() && looking.compareAndSet(false, true)) {
            seen = answers;
            scheduler.schedule(this::look, LOOK_MS);
        }
    }

    /** A request is over; {@code answered} unless it ran out of time or its connection broke. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // A lost count is one answer of many.
    void over(boolean answered) {
        underWay.decrementAndGet();
        if (answered) {
            answers++;
        }
    }

    /** How many requests are under way. */
    int underWay() {
        return underWay.get();
    }

    private void look() {
        long now = answers;
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
        scheduler.schedule(this::look, LOOK_MS);
    }
}
