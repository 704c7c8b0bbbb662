package io.cairn.master.backup;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.master.access.KeyNumbers;
import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a state fit to go on with when others may have acknowledged more, and lost it: no number is
 * given again that they may have given. Once in each term of a leader that was told to recover.
 * Thread-safe; never blocks.
 */
public final class Recovery {
    private static final Logger LOG = LoggerFactory.getLogger(Recovery.class);

    /** After a failure, which an administrator may have to see to. */
    private static final long PAUSE_MS = 10_000;

    private final Supplier<Namespace> state;
    private final LogWriter log;
    private final Runnable done;
    private final Clock clock;

    @GuardedBy("this")
    private long recoveredTerm = -1;

    @GuardedBy("this")
    private boolean isUnderWay;

    @GuardedBy("this")
    private boolean hasFailed;

    @GuardedBy("this")
    private long failedMs;

    /**
     * One that has not begun.
     *
     * @param done runs each time that it has succeeded
     */
    public Recovery(Supplier<Namespace> state, LogWriter log, Runnable done, Clock clock) {
        this.state = state;
        this.log = log;
        this.done = done;
        this.clock = clock;
    }

    /** Whether it has succeeded in a term. */
    public synchronized boolean isOver(long term) {
        return recoveredTerm == term;
    }

    /** Begins it, unless it runs or has failed a moment ago. */
    public void tick(long term) {
        synchronized (this) {
            if (isUnderWay || (hasFailed && clock.millis() - failedMs < PAUSE_MS)) {
                return;
            }
            isUnderWay = true;
        }
        String cluster = String.format("%016x", state.get().clusterId());
        LOG.warn(
                "this master was told to recover cluster {} from what it holds: what only others"
                        + " had acknowledged is lost; all sessions end",
                cluster);
        var _ = begin().whenComplete((_, error) -> ended(term, cluster, error));
    }

    private CompletableFuture<Void> begin() {
        LeaderMutation numbers;
        try {
            // Before all sessions end: a newer release may have written what this one cannot read.
            numbers = KeyNumbers.passOver(state.get());
        } catch (IllegalArgumentException e) {
            return CompletableFuture.failedFuture(e);
        }
        return log.submit(new LeaderMutation.Recover())
                .thenAccept(Recovery::expectDone)
                .thenCompose(_ -> log.submit(numbers))
                .thenAccept(Recovery::expectDone);
    }

    private static void expectDone(Reply reply) {
        if (reply instanceof Reply.Failure failure) {
            throw failure.toException();
        }
    }

    private void ended(long term, String cluster, @Nullable Throwable error) {
        synchronized (this) {
            isUnderWay = false;
            hasFailed = error != null;
            failedMs = clock.millis();
            recoveredTerm = error == null ? term : recoveredTerm;
        }
        if (error == null) {
            done.run();
        } else {
            LOG.error(
                    "cluster {} is not recovered and serves nobody; it is tried again every {} s",
                    cluster,
                    PAUSE_MS / 1000,
                    error);
        }
    }
}
