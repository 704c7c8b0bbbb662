package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.net.Refusals.Reason;
import io.cairn.runtime.Clock;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class RefusalsTest {
    @Test
    void everyRefusalIsCounted() {
        SimpleMeterRegistry metrics = new SimpleMeterRegistry();
        Refusals refusals = new Refusals("master", Clock.system());
        refusals.measure(metrics);
        for (int i = 0; i < 3000; i++) {
            refusals.add(Reason.ROLE, "10.0.0." + i, "a mount may not send heartbeats");
        }
        refusals.add(Reason.PLAIN, "10.0.0.1", "it speaks no TLS");
        assertEquals(3000, refusals.count(Reason.ROLE));
        assertEquals(
                3000,
                metrics.get("cairn.net.refused")
                        .tag("door", "master")
                        .tag("reason", "role")
                        .functionCounter()
                        .count());
        assertEquals(1, refusals.count(Reason.PLAIN));
        assertEquals(0, refusals.count(Reason.CERTIFICATE));
    }

    /** Who has a network of addresses does not fill the log of a door. */
    @Test
    void manyAddressesAreAFewLinesAndANumber() {
        AtomicLong nowNs = new AtomicLong(-5);
        Clock clock =
                new Clock() {
                    @Override
                    public long nanoTime() {
                        return nowNs.get();
                    }

                    @Override
                    public long wallNs() {
                        return nowNs.get();
                    }
                };
        Refusals refusals = new Refusals("chunk 9872", clock);
        ListAppender<ILoggingEvent> lines = new ListAppender<>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Refusals.class);
        logger.addAppender(lines);
        try {
            for (int i = 0; i < 1000; i++) {
                refusals.add(Reason.PLAIN, "fd00::" + i, "it speaks no TLS");
                refusals.add(Reason.PLAIN, "fd00::" + i, "it speaks no TLS");
            }
            nowNs.addAndGet(TimeUnit.SECONDS.toNanos(60));
            refusals.add(Reason.PLAIN, "fd00::7", "it speaks no TLS");
        } finally {
            logger.detachAppender(lines);
        }
        // Doors that other tests have left may refuse somebody, too.
        List<String> told =
                lines.list.stream()
                        .map(ILoggingEvent::getFormattedMessage)
                        .filter(each -> each.startsWith("chunk 9872: "))
                        .toList();
        assertEquals(Refusals.MAX_LINES + 2, told.size(), told::toString);
        assertEquals("chunk 9872: refused fd00::0: it speaks no TLS", told.getFirst());
        assertEquals(
                List.of(
                        "chunk 9872: refused 984 more in the minute before",
                        "chunk 9872: refused fd00::7: it speaks no TLS"),
                told.subList(Refusals.MAX_LINES, told.size()));
        assertEquals(2001, refusals.count(Reason.PLAIN));
    }
}
