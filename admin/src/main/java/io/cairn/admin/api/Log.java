package io.cairn.admin.api;

import io.cairn.base.FsException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for the replicated log. */
public final class Log {
    /** Longer than the log itself waits for a majority, in milliseconds. */
    private static final long LIMIT_MS = 15_000;

    private Log() {}

    /**
     * The reply of the log.
     *
     * @throws Problem 503 when it does not, or this master does not lead any more
     */
    public static <T> T await(CompletableFuture<T> answer) {
        try {
            return answer.get(LIMIT_MS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Problem.unavailable("The master stops; ask another one.");
        } catch (TimeoutException e) {
            throw Problem.unavailable(
                    "The masters did not answer; whether it was done is unknown.");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof FsException failure) {
                throw unavailable(failure);
            }
            throw new IllegalStateException("the replicated log failed", e);
        }
    }

    static Problem unavailable(FsException failure) {
        return switch (failure.errno()) {
            case NOT_LEADER ->
                    Problem.unavailable("The masters are choosing another leader; ask again.");
            default -> Problem.unavailable("The master is not ready: " + failure.getMessage());
        };
    }
}
