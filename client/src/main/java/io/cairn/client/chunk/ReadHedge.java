package io.cairn.client.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.client.session.Promises;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Notices reads that take much longer than reads do, so that another replica is asked beside: the
 * server may have died, or stand still. Which time that is follows from the times that reads took,
 * as a retransmission timeout does (RFC 6298). A server that was overtaken is asked last for a
 * second. Looks only while reads are under way. Thread-safe.
 */
final class ReadHedge {
    private static final long LOOK_MS = 25;
    private static final long LEAST_DELAY_NS = 50_000_000;
    private static final long LONGEST_DELAY_NS = 1_000_000_000;
    private static final long FIRST_DELAY_NS = 100_000_000;
    private static final long AVOIDED_NS = 1_000_000_000;

    /** Reads that may ask two replicas at a time: all servers may be slow. */
    private static final int MAX_HEDGED = 64;

    private final Clock clock;
    private final Scheduler scheduler;

    /**
     * A read.
     *
     * @param beside makes the same read once more
     */
    private record Begun(long atNs, Supplier<ChunkCall> beside) {}

    // Guarded by this.
    @GuardedBy("this")
    private final Map<ChunkCall, Begun> underWay = new LinkedHashMap<>();

    @GuardedBy("this")
    private final Map<Integer, Long> avoided = new HashMap<>();

    @GuardedBy("this")
    private long meanNs;

    @GuardedBy("this")
    private long deviationNs;

    @GuardedBy("this")
    private int hedged;

    @GuardedBy("this")
    private boolean looking;

    ReadHedge(Clock clock, Scheduler scheduler) {
        this.clock = clock;
        this.scheduler = scheduler;
    }

    /**
     * A read begins.
     *
     * @param beside makes the same read once more
     */
    void begin(ChunkCall call, Supplier<ChunkCall> beside) {
        boolean look;
        Begun begun = new Begun(clock.nanoTime(), beside);
        synchronized (this) {
            underWay.put(call, begun);
            look = !looking;
            looking = true;
        }
        Promises.whenDone(call, (_, failure) -> end(call, begun.atNs, failure == null));
        if (look) {
            scheduler.schedule(this::look, LOOK_MS);
        }
    }

    private synchronized void end(ChunkCall call, long begunNs, boolean measured) {
        boolean alone = underWay.remove(call) != null;
        if (!alone || !measured) {
            return;
        }
        long tookNs = Math.min(clock.nanoTime() - begunNs, LONGEST_DELAY_NS);
        if (meanNs == 0) {
            meanNs = tookNs;
            deviationNs = tookNs / 2;
        } else {
            deviationNs += (Math.abs(tookNs - meanNs) - deviationNs) / 4;
            meanNs += (tookNs - meanNs) / 8;
        }
    }

    private void look() {
        Map<ChunkCall, Begun> late = new LinkedHashMap<>();
        synchronized (this) {
            long nowNs = clock.nanoTime();
            long delayNs =
                    meanNs == 0
                            ? FIRST_DELAY_NS
                            : Math.clamp(
                                    meanNs + 4 * deviationNs, LEAST_DELAY_NS, LONGEST_DELAY_NS);
            var each = underWay.entrySet().iterator();
            while (each.hasNext() && hedged < MAX_HEDGED) {
                Map.Entry<ChunkCall, Begun> next = each.next();
                if (nowNs - next.getValue().atNs < delayNs) {
                    break;
                }
                each.remove();
                hedged++;
                late.put(next.getKey(), next.getValue());
            }
        }
        late.forEach(this::askBeside);
        synchronized (this) {
            looking = !underWay.isEmpty();
            if (!looking) {
                return;
            }
        }
        scheduler.schedule(this::look, LOOK_MS);
    }

    private void askBeside(ChunkCall first, Begun begun) {
        int slow = first.asking();
        ChunkCall second = begun.beside.get();
        second.avoid(slow);
        Promises.whenDone(
                second,
                (received, failure) -> {
                    boolean won = received != null && first.complete(received);
                    if (received != null && !won) {
                        received.release();
                    }
                    over(won ? slow : 0);
                });
        Promises.whenDone(first, (_, _) -> second.cancel(false));
        second.attempt();
    }

    /** A second replica has been asked; {@code slow} was overtaken by it, or 0. */
    private synchronized void over(int slow) {
        hedged--;
        if (slow != 0) {
            avoided.put(slow, clock.nanoTime() + AVOIDED_NS);
        }
    }

    /** Whether a target was overtaken a moment ago. */
    synchronized boolean avoids(int target) {
        Long untilNs = avoided.isEmpty() ? null : avoided.get(target);
        if (untilNs != null && clock.nanoTime() - untilNs >= 0) {
            avoided.remove(target);
            return false;
        }
        return untilNs != null;
    }
}
