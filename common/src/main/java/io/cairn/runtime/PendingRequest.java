package io.cairn.runtime;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The work of a thread, or of none any more, for a process that may lose its patience: one request
 * of a door. It can be cancelled while it waits, and only then. The process is told so at once; the
 * work itself is undone or finished by those who do it, and has no effects after the wait: {@link
 * #endWait} throws. So what the process does next is never overtaken by what it gave up.
 *
 * <p>A door runs the work with {@link #run}. Work that is about to wait for long (an answer from
 * the network, a lock of another process) calls {@link #aboutToWait} first, which does nothing
 * elsewhere. Thread-safe.
 *
 * <p>It knows how long it has waited for what. Waits may be nested: a stretch of time counts for
 * the innermost one.
 */
public class PendingRequest {
    private static final ScopedValue<PendingRequest> CURRENT = ScopedValue.newInstance();

    private boolean waiting;
    private boolean finished;
    private volatile boolean cancelled;

    // Guarded by this. Fields, not an array: there is one of these for each request of a door.
    private long masterNs;
    private long chunksNs;
    private long buffersNs;
    private long othersNs;

    /** Does its work, on the calling thread. */
    public final void run(Runnable work) {
        ScopedValue.where(CURRENT, this).run(work);
    }

    /** Does what belongs to no errand, such as what others wait for. */
    public static void runApart(Runnable work) {
        if (current() == null) {
            work.run();
        } else {
            ScopedValue.where(CURRENT, null).run(work);
        }
    }

    /** The work that is being done here; null when no caller may lose patience with it. */
    public static @Nullable PendingRequest current() {
        return CURRENT.isBound() ? CURRENT.get() : null;
    }

    /** Whether what is being done here is cancelled. */
    public static boolean isCurrentCancelled() {
        PendingRequest errand = current();
        return errand != null && errand.isCancelled();
    }

    /**
     * Whether the process that waits for what is being done here got a signal: work that can tell
     * how far it has come ends then.
     */
    public static boolean isCurrentInterrupted() {
        PendingRequest errand = current();
        return errand != null && (errand.isCancelled() || errand.isInterrupted());
    }

    /** The work that is being done here is going to wait. */
    public static void aboutToWait() {
        PendingRequest errand = current();
        if (errand != null) {
            errand.handOver();
            errand.beginWait();
        }
    }

    /** Some work looks for an answer without sleeping; to be called now and then. */
    public static void stillLooking(@Nullable PendingRequest errand) {
        if (errand != null) {
            errand.glance();
        }
    }

    /** A wait of what is being done here is over. */
    public static void waited() {
        PendingRequest errand = current();
        if (errand != null) {
            errand.endWait();
        }
    }

    /**
     * A clock that stands still while a wait is counted, for {@link #waitedFor}; any number where
     * no request is under way.
     */
    public static long waitClockNs() {
        PendingRequest errand = current();
        return errand == null ? 0 : errand.clockNs();
    }

    /**
     * The work that is being done here has waited.
     *
     * @param sinceNs {@link #waitClockNs} when the wait began
     */
    public static void waitedFor(WaitCause cause, long sinceNs) {
        PendingRequest errand = current();
        if (errand != null) {
            errand.count(cause, sinceNs);
        }
    }

    /**
     * A later step of what is being done here, on whatever thread: all of it is a wait of the
     * request that is being done now.
     */
    public static <T extends @Nullable Object, R extends @Nullable Object>
            Function<T, CompletableFuture<R>> counted(
                    WaitCause cause, Supplier<CompletableFuture<R>> step) {
        PendingRequest errand = current();
        return _ -> counted(errand, cause, step);
    }

    /** Begins a step, all of which is a wait of a request, or of none. */
    public static <R extends @Nullable Object> CompletableFuture<R> counted(
            @Nullable PendingRequest errand, WaitCause cause, Supplier<CompletableFuture<R>> step) {
        if (errand == null) {
            return step.get();
        }
        long sinceNs = errand.clockNs();
        return step.get().whenComplete((_, _) -> errand.count(cause, sinceNs));
    }

    /** As {@link #waitClockNs}, of this one. */
    public final synchronized long clockNs() {
        return System.nanoTime() - masterNs - chunksNs - buffersNs - othersNs;
    }

    /** As {@link #waitedFor}, of this one. */
    public final synchronized void count(WaitCause cause, long sinceNs) {
        long ns = Math.max(0, clockNs() - sinceNs);
        switch (cause) {
            case MASTER -> masterNs += ns;
            case CHUNKS -> chunksNs += ns;
            case BUFFERS -> buffersNs += ns;
            case OTHERS -> othersNs += ns;
        }
    }

    /** How long it has waited for something. */
    public final synchronized long waitedNs(WaitCause cause) {
        return switch (cause) {
            case MASTER -> masterNs;
            case CHUNKS -> chunksNs;
            case BUFFERS -> buffersNs;
            case OTHERS -> othersNs;
        };
    }

    /** Whether its process got a signal that it should end for. */
    public boolean isInterrupted() {
        return false;
    }

    /** Its thread is going to wait: others take over what the thread looks after. Never waits. */
    protected void handOver() {}

    /** Others take over if anything has come in that the thread looks after. Never waits. */
    protected void glance() {}

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
