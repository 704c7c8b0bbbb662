package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Joins and failures of work that goes on elsewhere. */
public final class Futures {
    /** Work without a result that is done. */
    public static final CompletableFuture<Void> DONE = CompletableFuture.completedFuture(null);

    private Futures() {}

    /** A failed future. */
    public static <T> CompletableFuture<T> failed(Errno errno, String message) {
        return CompletableFuture.failedFuture(new FsException(errno, message));
    }

    /** Runs work and turns what it throws into a failed future. */
    public static <T> CompletableFuture<T> guarded(Supplier<CompletableFuture<T>> work) {
        try {
            return work.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * The failure as Cairn speaks of it; a defect of the program becomes EIO and keeps its cause.
     */
    public static FsException failure(Throwable thrown) {
        Throwable at = thrown;
        while ((at instanceof CompletionException || at instanceof ExecutionException)
                && at.getCause() != null) {
            at = at.getCause();
        }
        if (at instanceof FsException known) {
            return known;
        }
        if (at instanceof RejectedExecutionException) {
            return new FsException(Errno.NOT_READY, "the chunk server is stopping");
        }
        return new FsException(Errno.EIO, "defect in the chunk server: " + at, at);
    }

    /** Does something when work has ended, whether well or not. Must not throw. */
    public static <T> void finish(
            CompletableFuture<T> work,
            BiConsumer<? super @Nullable T, ? super @Nullable Throwable> then) {
        var _ = work.whenComplete(then);
    }

    /** Done when all are done, failed when one has failed. */
    public static CompletableFuture<Void> all(Collection<? extends CompletableFuture<?>> futures) {
        return CompletableFuture.allOf(futures.toArray(new CompletableFuture<?>[0]));
    }

    /**
     * Does some work for each element, for at most {@code width} elements at a time, in their
     * order. After a failure no more is begun; the result fails when what runs has ended.
     */
    public static <T> CompletableFuture<Void> forEach(
            Collection<T> elements, int width, Function<T, CompletableFuture<Void>> work) {
        Iterator<T> rest = new ArrayDeque<>(elements).iterator();
        Queue<CompletableFuture<Void>> lanes = new ArrayDeque<>();
        Object lock = new Object();
        for (int i = 0; i < Math.min(width, elements.size()); i++) {
            lanes.add(lane(rest, lock, work));
        }
        return all(lanes);
    }

    private static <T> CompletableFuture<Void> lane(
            Iterator<T> rest, Object lock, Function<T, CompletableFuture<Void>> work) {
        while (true) {
            T next;
            synchronized (lock) {
                if (!rest.hasNext()) {
                    return DONE;
                }
                next = rest.next();
            }
            CompletableFuture<Void> step = guarded(() -> work.apply(next));
            if (!step.isDone()) {
                return step.whenComplete((done, thrown) -> skip(rest, lock, thrown != null))
                        .thenCompose(done -> lane(rest, lock, work));
            }
            if (step.isCompletedExceptionally()) {
                skip(rest, lock, true);
                return step;
            }
        }
    }

    private static void skip(Iterator<?> rest, Object lock, boolean all) {
        synchronized (lock) {
            while (all && rest.hasNext()) {
                rest.next();
            }
        }
    }
}
