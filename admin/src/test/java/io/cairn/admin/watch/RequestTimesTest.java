package io.cairn.admin.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.testkit.ManualClock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How long a master takes to answer, out of the timers of its requests. */
final class RequestTimesTest {
    private final ManualClock clock = new ManualClock(5_000);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RequestTimes times = new RequestTimes(clock);

    private void answer(String operation, long ms) {
        Timer.builder(RequestTimes.TIMER)
                .tag("operation", operation)
                .register(registry)
                .record(ms, TimeUnit.MILLISECONDS);
    }

    private void sampleAfter(long ms) {
        clock.advance(ms);
        times.sample();
    }

    @Test
    void nothingIsToldBeforeItIsMeasured() {
        sampleAfter(2000);
        assertNull(times.meanMs());
    }

    @Test
    void onlyTheLastSecondsCount() {
        answer("lookup", 9);
        times.measure(registry);
        answer("lookup", 2);
        answer("create", 4);
        sampleAfter(500);
        assertNull(times.meanMs());
        sampleAfter(500);
        assertEquals(3.0, times.meanMs());
        answer("create", 6);
        sampleAfter(1000);
        assertEquals(4.0, times.meanMs());
        sampleAfter(RequestTimes.WINDOW_MS - 1000);
        assertEquals(6.0, times.meanMs(), "the first second is over");
        sampleAfter(1000);
        assertNull(times.meanMs());
    }

    @Test
    void signsOfLifeDoNotCount() {
        times.measure(registry);
        answer("heartbeat", 2);
        answer("keep_alive", 2);
        sampleAfter(1000);
        assertNull(times.meanMs());
    }
}
