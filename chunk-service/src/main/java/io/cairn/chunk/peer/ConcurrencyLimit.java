package io.cairn.chunk.peer;

import java.util.ArrayDeque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Lets a fixed number of works run at a time; others wait in order. Thread-safe. */
public final class ConcurrencyLimit {
    private final ArrayDeque<CompletableFuture<Void>> waiting = new ArrayDeque<>();
    private int free;

    public ConcurrencyLimit(int count) {
        free = count;
    }

    /** Begins the work when there is a slot and keeps the slot until the work is done. */
    public <T> CompletableFuture<T> run(Supplier<CompletableFuture<T>> work) {
        return take().thenCompose(slot -> Futures.guarded(work).whenComplete((r, t) -> give()));
    }

    private synchronized CompletableFuture<Void> take() {
        if (free > 0) {
            free--;
            return Futures.DONE;
        }
        CompletableFuture<Void> turn = new CompletableFuture<>();
        waiting.add(turn);
        return turn;
    }

    private void give() {
        CompletableFuture<Void> next;
        synchronized (this) {
            next = waiting.poll();
            if (next == null) {
                free++;
                return;
            }
        }
        next.complete(null);
    }
}
