package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Operations of the asynchronous core on futures. */
public final class Promises {
    private static final Logger LOG = LoggerFactory.getLogger(Promises.class);

    /** Nothing is left to do. */
    public static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private Promises() {}

    /**
     * Calls a handler with the result or the failure, on the thread that completes the future or,
     * when it is complete, on this one. It works for what this thread works for now. An exception
     * of the handler is a defect and is logged.
     */
    public static <T> void whenDone(
            CompletableFuture<T> future,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> handler) {
        Span span = Scope.current();
        var _ =
                future.whenComplete(
                        (result, failure) -> {
                            try {
                                Scope.run(span, () -> handler.accept(result, failure));
                            } catch (RuntimeException | Error e) {
                                LOG.error("defect in the handler of an answer", e);
                                throw e;
                            }
                        });
    }

    /** Goes on after a future with work for what this thread works for now. */
    public static <T, R> CompletableFuture<R> then(
            CompletableFuture<T> future, Function<? super T, CompletableFuture<R>> next) {
        return future.thenCompose(Scope.carried(next));
    }

    /** Lets one future become what another one becomes. */
    public static <T extends @Nullable Object> void forward(
            CompletableFuture<T> from, CompletableFuture<T> to) {
        whenDone(
                from,
                (result, failure) -> {
                    if (failure == null) {
                        to.complete(result);
                    } else {
                        to.completeExceptionally(failure);
                    }
                });
    }

    /** What a future becomes, or ETIMEDOUT when that takes longer than a limit. */
    public static CompletableFuture<Void> within(
            CompletableFuture<Void> work, Scheduler scheduler, long limitMs) {
        CompletableFuture<Void> limited = new CompletableFuture<>();
        forward(work, limited);
        FsException late = new FsException(Errno.ETIMEDOUT, "no answer within " + limitMs + " ms");
        Scheduler.Timer end =
                scheduler.schedule(() -> limited.completeExceptionally(late), limitMs);
        return limited.whenComplete((_, _) -> end.cancel());
    }

    /** The failure as such: a future that fails tells why. */
    public static Throwable cause(@Nullable Throwable failure) {
        return failure == null ? new IllegalStateException("neither result nor failure") : failure;
    }
}
