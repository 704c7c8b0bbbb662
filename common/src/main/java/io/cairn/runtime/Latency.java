package io.cairn.runtime;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;

/**
 * Timers with the buckets that all services share, so that one dashboard can compare them: from a
 * tenth of a millisecond to five seconds.
 */
public final class Latency {
    private static final Duration[] BUCKETS = {
        Duration.ofNanos(100_000),
        Duration.ofNanos(500_000),
        Duration.ofNanos(2_500_000),
        Duration.ofMillis(10),
        Duration.ofMillis(50),
        Duration.ofMillis(250),
        Duration.ofSeconds(1),
        Duration.ofSeconds(5)
    };

    private Latency() {}

    /** The timer of that name and those tags, made when there is none. */
    public static Timer timer(MeterRegistry registry, String name, String about, Tags tags) {
        return Timer.builder(name)
                .description(about)
                .tags(tags)
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
