package io.cairn.master.admin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How long a master takes to answer, out of the timers of its requests. */
final class RequestTimesTest {
    private final AtomicLong nowNs = new AtomicLong(5_000_000_000L);
    private final MeterRegistry registry = new SimpleMeterRegistry();
    private final RequestTimes times = new RequestTimes(clock());

    private Clock clock() {
        return new Clock() {
            @Override
            public long nanoTime() {
                return nowNs.get();
            }

            @Override
            public long wallNs() {
                return nowNs.get();
            }
        };
    }

    private void answer(String operation, long ms) {
        Timer.builder(RequestTimes.TIMER)
                .tag("operation", operation)
                .register(registry)
                .record(ms, TimeUnit.MILLISECONDS);
    }

    private void sampleAfter(long ms) {
        nowNs.addAndGet(ms * 1_000_000);
        times.sample();
    }

    @Test
    void nothingIsToldBeforeItIsMeasured() {
        sampleAfter(2000);
        assertNull(times.meanMs());
    }

    @Test
    void onlyTheLastSecondCounts() {
        answer("lookup", 9);
        times.measure(registry);
        answer("lookup", 2);
        answer("create", 4);
        sampleAfter(500);
        assertNull(times.meanMs());
        sampleAfter(1500);
        assertEquals(3.0, times.meanMs());
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
