package io.cairn.net;

import io.cairn.runtime.Clock;
import io.netty.channel.SelectStrategy;
import io.netty.util.IntSupplier;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * When an event loop sleeps: at once when it has nothing to do, unless it expects a task soon.
 * Waking its processor would cost more than the task takes to come. While it is awake for nothing
 * else, the thread that it waits for may borrow its turn and do what the task would. Used by its
 * loop only, or who has borrowed its turn, but for {@link #borrow}.
 */
public final class SleepStrategy implements SelectStrategy {
    /** The loop is at work or asleep. */
    private static final int AT_WORK = 0;

    /** The loop is awake, and looks whether there is something to do. */
    private static final int LOOKS = 1;

    /** The loop gives way to others, and its turn to who wants it. */
    private static final int LENT = 2;

    private static final int BORROWED = 3;

    /** A look takes less than that many tries. */
    private static final int TRIES = 100;

    private final Clock clock;
    private final AtomicInteger turn = new AtomicInteger(AT_WORK);
    private int unanswered;
    private boolean awake;
    private boolean reads;
    private long awakeUntilNs;

    SleepStrategy(Clock clock) {
        this.clock = clock;
    }

    /** Stays awake until the next task comes, for {@code ns} at most, giving way to others. */
    void stayAwake(long ns) {
        stayAwake(ns, false);
    }

    /** The same, but reads what else comes in meanwhile. */
    void stayAwakeAndRead(long ns) {
        stayAwake(ns, true);
    }

    private void stayAwake(long ns, boolean reading) {
        awake = true;
        reads = reading;
        awakeUntilNs = clock.nanoTime() + ns;
    }

    /** Requests came over connections of this loop, or are over (below 0). */
    public void count(int requests) {
        unanswered += requests;
    }

    /** Requests that came and are not over. */
    public int unanswered() {
        return unanswered;
    }

    /**
     * Takes the turn of the loop, by any other thread: what only the loop may use is the caller's,
     * except for what Netty itself looks after, until {@link #giveBack}, which must come soon.
     * Refused unless the loop is awake and has nothing to do.
     */
    public boolean borrow() {
        for (int i = 0; i < TRIES; i++) {
            int seen = turn.get();
            if (seen == LENT && turn.compareAndSet(LENT, BORROWED)) {
                return true;
            }
            if (seen != LOOKS) {
                return false;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    /**
     * Gives the turn back.
     *
     * @param done the loop need not stay awake any more
     */
    public void giveBack(boolean done) {
        if (done) {
            awake = false;
        }
        turn.set(LENT);
    }

    @Override
    public int calculateStrategy(IntSupplier selectNow, boolean hasTasks) throws Exception {
        if (hasTasks) {
            awake = false;
            turn.set(AT_WORK);
            return selectNow.get();
        }
        if (!awake || clock.nanoTime() - awakeUntilNs >= 0) {
            awake = false;
            turn.set(AT_WORK);
            return SELECT;
        }
        int ready = reads ? selectNow.get() : 0;
        if (ready > 0) {
            turn.set(AT_WORK);
            return ready;
        }
        lend();
        return CONTINUE;
    }

    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    private void lend() {
        turn.set(LENT);
        do {
            Thread.yield();
        } while (!turn.compareAndSet(LENT, LOOKS));
    }
}
