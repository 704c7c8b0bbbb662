package io.cairn.client.chunk;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Callers that wait until all extents up to a number are at the servers. Guarded by the lock of the
 * inode.
 */
public final class Drains {
    private record Drain(long upTo, CompletableFuture<Void> promise) {}

    private final List<Drain> waiting = new ArrayList<>();

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    /** Kept when no extent up to a number is left. */
    CompletableFuture<Void> add(long upTo) {
        CompletableFuture<Void> promise = new CompletableFuture<>();
        waiting.add(new Drain(upTo, promise));
        return promise;
    }

    /**
     * Takes the promises that are to be kept, without the lock.
     *
     * @param oldest the number of the oldest extent that is left
     */
    List<CompletableFuture<Void>> take(long oldest) {
        List<CompletableFuture<Void>> done = new ArrayList<>();
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).upTo < oldest) {
                done.add(waiting.remove(i).promise);
            }
        }
        return done;
    }
}
