package io.cairn.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A thread that does something that waits, and what it comes to. */
public final class Waiter {
    private final CompletableFuture<Boolean> result = new CompletableFuture<>();
    private final Thread thread;

    /** Starts it. */
    public Waiter(BooleanSupplier work) {
        thread = Thread.ofPlatform().daemon().start(() -> run(work));
    }

    private void run(BooleanSupplier work) {
        try {
            result.complete(work.getAsBoolean());
        } catch (RuntimeException e) {
            result.completeExceptionally(e);
        }
    }

    /** Returns when it waits, or is through. */
    public void awaitWaiting() {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (thread.getState() != Thread.State.TIMED_WAITING && thread.isAlive()) {
            if (System.nanoTime() - end > 0) {
                throw new AssertionError("it waits not within 30 s, it is " + thread.getState());
            }
            Thread.onSpinWait();
        }
    }

    public boolean isThrough() {
        return result.isDone();
    }

    public boolean result() throws Exception {
        return result.get(30, TimeUnit.SECONDS);
    }
}
