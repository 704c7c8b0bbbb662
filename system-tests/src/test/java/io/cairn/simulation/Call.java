package io.cairn.simulation;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Calls of one client thread: noted in the history, watched for how long they take, and with their
 * errors told apart: those that the operation itself deserves, and those of faults.
 */
final class Call {
    /** Nothing may take longer once faults are over. */
    static final long CALM_LIMIT_MS = 30_000;

    private static final Set<Errno> FAULTS = EnumSet.of(Errno.EIO, Errno.ETIMEDOUT, Errno.EAGAIN);

    private final String client;
    private final Oracle oracle;
    private String current = "";
    private long startedMs;

    Call(String client, Oracle oracle) {
        this.client = client;
        this.oracle = oracle;
    }

    /** The call under way, or an empty text. */
    String current() {
        return current;
    }

    /** What came of a call. */
    record Outcome<T>(@Nullable T value, @Nullable Errno errno) {
        boolean isDone() {
            return errno == null;
        }

        /** Whether faults had to do with it, so that it may have happened or not. */
        boolean isUncertain() {
            return errno != null && FAULTS.contains(errno);
        }

        /** The result of a call that is done. */
        T get() {
            if (value == null) {
                throw new IllegalStateException("failed with " + errno);
            }
            return value;
        }
    }

    /** Makes a call that returns nothing. */
    Outcome<Boolean> run(String title, Runnable call) {
        return ask(
                title,
                () -> {
                    call.run();
                    return true;
                });
    }

    /** Whether an error speaks of bytes that went with the power of all who had them. */
    private static boolean saysLost(FsException error) {
        String message = String.valueOf(error.getMessage());
        return message.contains("were lost when all servers")
                || message.contains("was lost in part")
                || message.contains("no good one serves");
    }

    /** Makes a call. */
    <T> Outcome<T> ask(String title, Supplier<T> call) {
        current = title;
        startedMs = oracle.simulation.millis();
        Outcome<T> outcome;
        try {
            outcome = new Outcome<>(call.get(), null);
            oracle.succeeded();
            oracle.history.note(client + " " + title + " ok");
        } catch (FsException e) {
            outcome = new Outcome<>(null, e.errno());
            if (outcome.isUncertain()) {
                oracle.failed();
            }
            oracle.history.note(client + " " + title + " " + e.errno() + ": " + e.getMessage());
            if (e.errno() == Errno.EIO && !oracle.isExposed() && saysLost(e)) {
                oracle.history.violate(
                        client + " was told of a loss that cannot be by " + title + ": " + e);
            }
            if (!e.errno().isPosix()) {
                oracle.history.violate(client + " was told " + e.errno() + " by " + title);
            }
        }
        long nowMs = oracle.simulation.millis();
        long tookMs = nowMs - Math.max(startedMs, oracle.calmSinceMs());
        if (tookMs > CALM_LIMIT_MS) {
            oracle.history.violate(
                    "L1 " + client + " " + title + " took " + tookMs + " ms without faults");
        }
        if (outcome.isUncertain() && startedMs - oracle.calmSinceMs() > CALM_LIMIT_MS) {
            oracle.history.violate("L1 " + client + " " + title + " failed without faults");
        }
        current = "";
        return outcome;
    }
}
