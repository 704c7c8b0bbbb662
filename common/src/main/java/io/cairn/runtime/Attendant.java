package io.cairn.runtime;

import org.jspecify.annotations.Nullable;

/**
 * A thread that looks after something while it works, so that no second thread has to be woken for
 * it: what comes in meanwhile is for it, too. It must hear before it waits, so that another thread
 * takes over what it looks after. A method that makes a thread wait for long (an answer from the
 * network, a lock of another process) calls {@link #aboutToWait} first; for other threads that does
 * nothing.
 */
public interface Attendant {
    /** Lets another thread take over. By the thread itself; does nothing when one has already. */
    void handOver();

    /** Lets another thread take over if something came in. By the thread itself; never waits. */
    void glance();

    /**
     * Whether it looks for the answers of {@link Polled polled} requests when its work is done. By
     * the thread itself. Another thread may take over right afterwards; what this one asks
     * nevertheless is sent when its work is done, and the other one looks for the answer.
     */
    boolean attends();

    /** The request that it works on, if whoever asked may lose his patience. */
    default @Nullable Errand errand() {
        return null;
    }

    /** Whether this thread looks for answers when its work is done. */
    static boolean isAttending() {
        return Thread.currentThread() instanceof Attendant attendant && attendant.attends();
    }

    /** To be called by a thread that is going to wait. */
    static void aboutToWait() {
        if (Thread.currentThread() instanceof Attendant attendant) {
            attendant.handOver();
            Errand errand = attendant.errand();
            if (errand != null) {
                errand.beginWait();
            }
        }
    }

    /** To be called now and then by a thread that looks for an answer without sleeping. */
    static void stillLooking() {
        if (Thread.currentThread() instanceof Attendant attendant) {
            attendant.glance();
        }
    }
}
