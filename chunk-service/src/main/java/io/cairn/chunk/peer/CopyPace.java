package io.cairn.chunk.peer;

import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.CopyLimits;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * Keeps the copying from a disk to other servers within the limits of the cluster, so that clients
 * have their share. A copy that is missing is made in a share of the time, so that it goes as fast
 * as disks and network allow and gives way when they are busy. Chunks that only move have a rate.
 * Thread-safe.
 */
public final class CopyPace {
    /** No pause is longer: the limits may change. */
    private static final long MAX_PAUSE_MS = 10_000;

    private final Clock clock;
    private final LongFunction<CompletableFuture<Void>> pause;
    private volatile CopyLimits limits = CopyLimits.NONE;
    private long movedUntilNs;

    /**
     * A pace without limits.
     *
     * @param pause done after so many milliseconds
     */
    public CopyPace(Clock clock, LongFunction<CompletableFuture<Void>> pause) {
        this.clock = clock;
        this.pause = pause;
        this.movedUntilNs = clock.nanoTime();
    }

    /** Other limits from now on. */
    public void limit(CopyLimits now) {
        limits = now;
    }

    /**
     * Makes a missing copy, and pauses afterwards as long as it must.
     *
     * @param copy tells how many bytes it were
     */
    public CompletableFuture<Void> repair(Supplier<CompletableFuture<Long>> copy) {
        long beganNs = clock.nanoTime();
        return copy.get()
                .thenCompose(
                        bytes -> {
                            int share = Math.clamp(limits.repairShare(), 1, 100);
                            long tookNs = clock.nanoTime() - beganNs;
                            return pause(tookNs * (100 - share) / share);
                        });
    }

    /** The same for what only moves. */
    public CompletableFuture<Void> move(Supplier<CompletableFuture<Long>> copy) {
        return copy.get().thenCompose(bytes -> pause(afterMove(bytes)));
    }

    private CompletableFuture<Void> pause(long ns) {
        long ms = Math.min(MAX_PAUSE_MS, TimeUnit.NANOSECONDS.toMillis(ns));
        return ms > 0 ? pause.apply(ms) : Futures.DONE;
    }

    private synchronized long afterMove(long bytes) {
        long perSecond = limits.moveBytes();
        if (perSecond <= 0) {
            return 0;
        }
        long nowNs = clock.nanoTime();
        double seconds = (double) bytes / perSecond;
        long from = Math.max(movedUntilNs, nowNs);
        movedUntilNs = from + (long) (seconds * TimeUnit.SECONDS.toNanos(1));
        return movedUntilNs - nowNs;
    }
}
