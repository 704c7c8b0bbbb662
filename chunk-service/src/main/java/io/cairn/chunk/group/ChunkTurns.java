package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.chunk.peer.Futures;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Turns of work on the chunks of a group: an exclusive turn excludes every other turn of the chunk,
 * shared turns run side by side, and all begin in the order asked for. Different chunks know
 * nothing of each other. A turn begins on a disk thread, for what its asker works for, and lasts
 * until the future that its work returned is done, so nobody waits with a thread. Thread-safe.
 */
public final class ChunkTurns {
    private static final int MAX_WAITING = 512;

    private record Waiting(boolean exclusive, Runnable begin) {}

    private static final class ChunkQueue {
        int shared;
        boolean exclusive;
        final ArrayDeque<Waiting> waiting = new ArrayDeque<>();

        boolean admits(boolean asksExclusive) {
            return !exclusive && (!asksExclusive || shared == 0);
        }

        void enter(boolean asExclusive) {
            if (asExclusive) {
                exclusive = true;
            } else {
                shared++;
            }
        }
    }

    private final Executor disks;
    private final ConcurrentHashMap<ChunkKey, ChunkQueue> queues = new ConcurrentHashMap<>();

    ChunkTurns(Executor disks) {
        this.disks = disks;
    }

    /** Works alone on a chunk. Fails with NOT_READY when too many wait for the chunk already. */
    public <T> CompletableFuture<T> exclusive(ChunkKey key, Supplier<CompletableFuture<T>> work) {
        return turn(key, true, work);
    }

    /** Works on a chunk beside other shared turns; else like {@link #exclusive}. */
    <T> CompletableFuture<T> shared(ChunkKey key, Supplier<CompletableFuture<T>> work) {
        return turn(key, false, work);
    }

    /** Done when every turn asked for before this call has ended. */
    CompletableFuture<Void> quiet() {
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (ChunkKey key : queues.keySet()) {
            CompletableFuture<Void> end = new CompletableFuture<>();
            queues.computeIfPresent(
                    key,
                    (k, queue) -> {
                        ends.add(end);
                        queue.waiting.add(
                                new Waiting(
                                        true,
                                        () -> {
                                            leave(key, true);
                                            end.complete(null);
                                        }));
                        return queue;
                    });
        }
        return Futures.all(ends);
    }

    /** Chunks that somebody works on or waits for. */
    public List<ChunkKey> active() {
        return List.copyOf(queues.keySet());
    }

    private <T> CompletableFuture<T> turn(
            ChunkKey key, boolean exclusive, Supplier<CompletableFuture<T>> work) {
        CompletableFuture<T> result = new CompletableFuture<>();
        Span span = Scope.current();
        Runnable begin = () -> begin(key, exclusive, work, result, span);
        boolean[] now = new boolean[1];
        boolean[] full = new boolean[1];
        queues.compute(
                key,
                (k, present) -> {
                    ChunkQueue queue = present == null ? new ChunkQueue() : present;
                    if (queue.waiting.isEmpty() && queue.admits(exclusive)) {
                        queue.enter(exclusive);
                        now[0] = true;
                    } else if (queue.waiting.size() >= MAX_WAITING) {
                        full[0] = true;
                    } else {
                        queue.waiting.add(new Waiting(exclusive, begin));
                    }
                    return queue;
                });
        if (now[0]) {
            begin.run();
        } else if (full[0]) {
            return Futures.failed(
                    Errno.NOT_READY, MAX_WAITING + " requests wait for chunk " + key + " already");
        }
        return result;
    }

    private <T> void begin(
            ChunkKey key,
            boolean exclusive,
            Supplier<CompletableFuture<T>> work,
            CompletableFuture<T> result,
            Span span) {
        Runnable task =
                () ->
                        Futures.finish(
                                Futures.guarded(() -> Scope.get(span, work)),
                                (value, thrown) -> {
                                    leave(key, exclusive);
                                    end(result, value, thrown);
                                });
        try {
            disks.execute(task);
        } catch (RejectedExecutionException stopping) {
            leave(key, exclusive);
            result.completeExceptionally(stopping);
        }
    }

    private static <T> void end(
            CompletableFuture<T> result, @Nullable T value, @Nullable Throwable thrown) {
        if (thrown == null) {
            result.complete(value);
        } else {
            result.completeExceptionally(thrown);
        }
    }

    private void leave(ChunkKey key, boolean exclusive) {
        List<Runnable> next = new ArrayList<>(1);
        queues.compute(
                key,
                (k, queue) -> {
                    if (queue == null) {
                        throw new IllegalStateException("nobody works on chunk " + key);
                    }
                    if (exclusive) {
                        queue.exclusive = false;
                    } else {
                        queue.shared--;
                    }
                    while (true) {
                        Waiting first = queue.waiting.peek();
                        if (first == null || !queue.admits(first.exclusive)) {
                            break;
                        }
                        queue.waiting.remove();
                        queue.enter(first.exclusive);
                        next.add(first.begin);
                    }
                    return queue.shared == 0 && !queue.exclusive ? null : queue;
                });
        next.forEach(Runnable::run);
    }
}
