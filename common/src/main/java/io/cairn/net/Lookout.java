package io.cairn.net;

import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks for an answer a little before its thread sleeps: waking a sleeping processor costs more
 * than the answer takes. One thread at a time, giving way to all others. Thread-safe.
 */
public final class Lookout {
    private static final long LOOK_NS = 200_000;

    private final Clock clock;
    private final AtomicBoolean looking = new AtomicBoolean();

    public Lookout(Clock clock) {
        this.clock = clock;
    }

    /** What to look for. */
    public interface Sight<E extends Exception> {
        /** Whether it is there. */
        boolean isThere() throws E;
    }

    /** Whether it came; false: the thread is to sleep. */
    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    public <E extends Exception> boolean sees(Sight<E> sight) throws E {
        if (!looking.compareAndSet(false, true)) {
            return false;
        }
        try {
            long endNs = clock.nanoTime() + LOOK_NS;
            while (!sight.isThere()) {
                if (clock.nanoTime() - endNs >= 0) {
                    return false;
                }
                Attendant.stillLooking();
                Thread.yield();
            }
            return true;
        } finally {
            looking.set(false);
        }
    }
}
