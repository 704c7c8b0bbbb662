package io.cairn.master.admin;

import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long this master takes to answer clients, over the last second: made of the timers of its
 * requests. Signs of life and what chunk servers tell do not count. Thread-safe.
 */
final class RequestTimes {
    /** The timer of requests that a master's port received. */
    static final String TIMER = "cairn.master.request";

    private static final long PERIOD_NS = 1_000_000_000L;
    private static final Set<String> BACKGROUND =
            Set.of("heartbeat", "member_failed", "member_synced", "keep_alive", "other");

    private final Clock clock;
    private @Nullable MeterRegistry registry;
    private long lookedNs;
    private long count;
    private double totalMs;
    private @Nullable Double meanMs;

    RequestTimes(Clock clock) {
        this.clock = clock;
    }

    /** Begins to measure. */
    synchronized void measure(MeterRegistry timers) {
        registry = timers;
        lookedNs = clock.nanoTime();
        look(timers);
    }

    /** Looks again, once a second at most. */
    synchronized void sample() {
        MeterRegistry timers = registry;
        long elapsedNs = clock.nanoTime() - lookedNs;
        if (timers == null || elapsedNs < PERIOD_NS) {
            return;
        }
        long countBefore = count;
        double totalMsBefore = totalMs;
        look(timers);
        lookedNs += elapsedNs;
        long answered = count - countBefore;
        meanMs =
                answered == 0
                        ? null
                        : Math.round((totalMs - totalMsBefore) / answered * 1000) / 1000.0;
    }

    private void look(MeterRegistry timers) {
        count = 0;
        totalMs = 0;
        for (Timer timer : timers.find(TIMER).timers()) {
            if (!BACKGROUND.contains(String.valueOf(timer.getId().getTag("operation")))) {
                count += timer.count();
                totalMs += timer.totalTime(TimeUnit.MILLISECONDS);
            }
        }
    }

    /** Milliseconds, to the microsecond; null when there was no request, or nothing is measured. */
    synchronized @Nullable Double meanMs() {
        return meanMs;
    }
}
