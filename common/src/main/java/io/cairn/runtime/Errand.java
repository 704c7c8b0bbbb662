package io.cairn.runtime;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import org.jspecify.annotations.Nullable;

/**
 * The work of a thread, or of none any more, for a process that may lose its patience: one request
 * of a door. It can be cancelled while it waits, and only then. The process is told so at once; the
 * work itself is undone or finished by those who do it, and has no effects after the wait: {@link
 * #endWait} throws. So what the process does next is never overtaken by what it gave up. Thread-
 * safe.
 */
public class Errand {
    private boolean waiting;
    private boolean finished;
    private volatile boolean cancelled;

    /** The work of the calling thread, if a process may lose its patience with it. */
    public static @Nullable Errand current() {
        return Thread.currentThread() instanceof Attendant attendant ? attendant.errand() : null;
    }

    /** Whether what the calling thread does is cancelled. */
    public static boolean isCurrentCancelled() {
        Errand errand = current();
        return errand != null && errand.isCancelled();
    }

    /** A wait of what the calling thread does is over. */
    public static void waited() {
        Errand errand = current();
        if (errand != null) {
            errand.endWait();
        }
    }

    /** It waits for others from now on. */
    public final synchronized void beginWait() {
        waiting = true;
    }

    /**
     * The wait is over.
     *
     * @throws FsException EINTR when it was cancelled meanwhile
     */
    public final synchronized void endWait() {
        waiting = false;
        if (cancelled) {
            throw interrupted();
        }
    }

    /** Cancels it if it waits; whether it did, and who asked is to be told by the caller. */
    public final synchronized boolean cancel() {
        if (!waiting || finished || cancelled) {
            return false;
        }
        cancelled = true;
        return true;
    }

    /** It is done; whether the result is to be told: not when it was cancelled. */
    public final synchronized boolean finish() {
        finished = true;
        return !cancelled;
    }

    /** Whether it waits for others and may be cancelled. */
    public final synchronized boolean isWaiting() {
        return waiting && !finished && !cancelled;
    }

    /** Whether it was cancelled. */
    public final boolean isCancelled() {
        return cancelled;
    }

    /** Why something cancelled fails. */
    public static FsException interrupted() {
        return new FsException(Errno.EINTR, "the process that asked was interrupted");
    }
}
