package io.cairn.admin.watch;

import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * How long this master takes to answer clients, over the last {@value #WINDOW_MS} ms: made of the
 * timers of its requests. Signs of life and what chunk servers tell do not count. Thread-safe.
 */
public final class RequestTimes {
    /** The timer of requests that a master's port received. */
    static final String TIMER = "cairn.master.request";

    /** How far back it looks. */
    static final long WINDOW_MS = 5_000;

    private static final long PERIOD_MS = 1_000;
    private static final Set<String> BACKGROUND =
            Set.of("heartbeat", "member_failed", "member_synced", "keep_alive", "other");

    private final Clock clock;
    private final Deque<Look> looks = new ArrayDeque<>();
    private @Nullable MeterRegistry registry;

    /** The readings of the timers at some time. */
    private record Look(long atMs, long count, double totalMs) {}

    public RequestTimes(Clock clock) {
        this.clock = clock;
    }

    /** Begins to measure. */
    public synchronized void measure(MeterRegistry timers) {
        registry = timers;
        looks.clear();
        looks.add(look(timers));
    }

    /** Looks again, once a second at most. */
    public synchronized void sample() {
        MeterRegistry timers = registry;
        if (timers == null || clock.millis() - looks.getLast().atMs < PERIOD_MS) {
            return;
        }
        looks.addLast(look(timers));
        while (looks.size() > 2 && looks.getLast().atMs - looks.getFirst().atMs > WINDOW_MS) {
            looks.removeFirst();
        }
    }

    private Look look(MeterRegistry timers) {
        long count = 0;
        double totalMs = 0;
        for (Timer timer : timers.find(TIMER).timers()) {
            if (!BACKGROUND.contains(String.valueOf(timer.getId().getTag("operation")))) {
                count += timer.count();
                totalMs += timer.totalTime(TimeUnit.MILLISECONDS);
            }
        }
        return new Look(clock.millis(), count, totalMs);
    }

    /** Milliseconds, to the microsecond; null when there was no request, or nothing is measured. */
    public synchronized @Nullable Double meanMs() {
        if (looks.size() < 2) {
            return null;
        }
        long answered = looks.getLast().count - looks.getFirst().count;
        double tookMs = looks.getLast().totalMs - looks.getFirst().totalMs;
        return answered == 0 ? null : Math.round(tookMs / answered * 1000) / 1000.0;
    }
}
