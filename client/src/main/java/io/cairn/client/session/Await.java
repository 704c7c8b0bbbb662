package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Deadline;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Where the blocking layer waits for the asynchronous one. Never call it on an event loop: the
 * answer could not arrive. Waiting is bounded and not ended by an interrupt, which is kept for the
 * caller: a file operation that was begun is finished. One whose {@link PendingRequest} is
 * cancelled goes no further than the end of the wait, so that nothing is done for a process that
 * was told EINTR.
 */
public final class Await {
    /** Added to a limit that the asynchronous side keeps itself, so that its own error is seen. */
    private static final long GRACE_MS = 1000;

    /** How often who waits for others of this process looks whether it still should. */
    private static final long SLICE_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private Await() {}

    /**
     * Waits for a result.
     *
     * @param timeoutMs when the asynchronous side should have given up
     * @throws FsException what it failed with; ETIMEDOUT when nothing happened at all; EINTR when
     *     the errand of this thread was cancelled: not before the result is there, as it may be
     *     about what others wait for, too
     */
    public static <T> T get(CompletableFuture<T> future, long timeoutMs) {
        T result = result(future, timeoutMs);
        PendingRequest.waited();
        return result;
    }

    /** As the other one; the wait counts as one for this. */
    public static <T> T get(CompletableFuture<T> future, long timeoutMs, WaitCause cause) {
        if (future.isDone()) {
            return get(future, timeoutMs);
        }
        long sinceNs = PendingRequest.waitClockNs();
        try {
            return get(future, timeoutMs);
        } finally {
            PendingRequest.waitedFor(cause, sinceNs);
        }
    }

    /**
     * As {@link #get}, but gives the result to who is cancelled, too: for what others need. The
     * next wait ends with EINTR.
     */
    static <T> T result(CompletableFuture<T> future, long timeoutMs) {
        if (!future.isDone()) {
            PendingRequest.aboutToWait();
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get(timeoutMs + GRACE_MS, TimeUnit.MILLISECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException e) {
                    throw new FsException(
                            Errno.ETIMEDOUT, "no answer within " + timeoutMs + " ms", e);
                } catch (ExecutionException | CancellationException e) {
                    throw failure(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Waits for what a timer decides at the latest, and is ended by an interrupt: for what may take
     * as long as others please.
     *
     * @param limitMs longest wait should the timer stand still; then false
     * @throws FsException EINTR when the thread is interrupted, or its errand cancelled
     */
    public static boolean interruptibly(CompletableFuture<Boolean> future, long limitMs) {
        PendingRequest.aboutToWait();
        try {
            boolean result = future.get(limitMs, TimeUnit.MILLISECONDS);
            PendingRequest.waited();
            return result;
        } catch (TimeoutException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted while waiting for others", e);
        } catch (ExecutionException e) {
            throw failure(e);
        }
    }

    /**
     * Waits on a monitor, which the caller holds, until a condition holds that is guarded by it.
     *
     * @param timeoutMs longest wait, however often the monitor is notified meanwhile
     * @return whether the condition holds
     * @throws FsException EINTR as soon as the errand of this thread is cancelled
     */
    public static boolean until(Object monitor, BooleanSupplier condition, long timeoutMs) {
        if (condition.getAsBoolean()) {
            return true;
        }
        PendingRequest.aboutToWait();
        PendingRequest errand = PendingRequest.current();
        boolean interrupted = false;
        Deadline end = Deadline.afterMs(timeoutMs);
        while (!condition.getAsBoolean()) {
            long leftNs = end.leftNs();
            if (leftNs <= 0 || (errand != null && errand.isCancelled())) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(
                        monitor, errand == null ? leftNs : Math.min(leftNs, SLICE_NS));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
        PendingRequest.waited();
        return condition.getAsBoolean();
    }

    /** The reply as the kind that must come; a failure is thrown. */
    public static <T extends Reply> T expect(Reply reply, Class<T> kind) {
        if (reply instanceof Reply.Failure failure) {
            throw failure.toException();
        }
        if (!kind.isInstance(reply)) {
            throw new FsException(
                    Errno.EPROTO,
                    "the master answered " + reply + ", not a " + kind.getSimpleName());
        }
        return kind.cast(reply);
    }

    /** The filesystem error in a failure's chain of causes; EIO with its text if there is none. */
    public static FsException failure(@Nullable Throwable failure) {
        Throwable cause = Promises.cause(failure);
        while (!(cause instanceof FsException)
                && cause.getCause() != null
                && (cause instanceof CompletionException
                        || cause instanceof ExecutionException
                        || cause.getCause() instanceof FsException)) {
            cause = cause.getCause();
        }
        return cause instanceof FsException e
                ? e
                : new FsException(Errno.EIO, String.valueOf(cause), cause);
    }
}
