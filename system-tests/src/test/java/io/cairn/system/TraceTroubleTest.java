package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.cairn.node.trace.OtlpTracing;
import io.cairn.system.TraceCollector.Mood;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.trace.Tracer;
import java.net.URI;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Collectors that are not there, slow, or talk nonsense: nobody but the traces suffers. */
final class TraceTroubleTest {
    private static final int MANY = 40_000;

    private final ListAppender<ILoggingEvent> log = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("io.cairn.node.trace");
    private final int port = ProcessCluster.freePort();

    @BeforeEach
    void listen() {
        log.start();
        // A command that ran in this process may have turned down all of them.
        logger.setLevel(Level.INFO);
        logger.addAppender(log);
    }

    @AfterEach
    void forget() {
        logger.detachAppender(log);
        logger.setLevel(null);
    }

    private OtlpTracing tracing() {
        return new OtlpTracing(URI.create("http://127.0.0.1:" + port + "/v1/traces"), 1, "1.0");
    }

    /** Begins and ends spans as fast as it can; seconds that it took. */
    private static double work(Tracer tracer, int count) {
        long beganNs = System.nanoTime();
        for (int i = 0; i < count; i++) {
            Span span = tracer.begin("work", Span.Kind.INTERNAL);
            Scope.run(span, () -> tracer.begin("part", Span.Kind.CLIENT).end());
            span.end();
        }
        return (System.nanoTime() - beganNs) / 1e9;
    }

    private List<String> lines() {
        synchronized (log) {
            return log.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
        }
    }

    private static double secondsToClose(OtlpTracing tracing) {
        long beganNs = System.nanoTime();
        tracing.close();
        return (System.nanoTime() - beganNs) / 1e9;
    }

    @Test
    void anAbsentCollectorIsToldOnceAndItsReturnOnce() throws Exception {
        try (OtlpTracing tracing = tracing()) {
            Tracer tracer = tracing.tracer("cairn-test", "t");
            assertTrue(work(tracer, MANY) < 20, "nobody waits");
            Poll.until("a line", 60, () -> !lines().isEmpty());
            // Further batches fail, and say nothing.
            for (int i = 0; i < 3; i++) {
                work(tracer, 600);
                TimeUnit.SECONDS.sleep(1);
            }
            assertEquals(1, lines().size(), lines().toString());
            assertTrue(
                    lines().get(0)
                            .startsWith(
                                    "the trace collector at http://127.0.0.1:%d/v1/traces takes no"
                                                    .formatted(port)
                                            + " spans: no connection; "),
                    lines().get(0));
            try (TraceCollector collector = new TraceCollector(port)) {
                Poll.until(
                        "the second line",
                        30,
                        () -> {
                            work(tracer, 1);
                            return lines().size() == 2;
                        });
                assertTrue(lines().get(1).contains("takes spans again"), lines().get(1));
                assertTrue(collector.spans("work").size() > 0);
            }
        }
    }

    @Test
    void oneThatIsUnavailableIsTheSame() throws Exception {
        try (TraceCollector collector = new TraceCollector(port);
                OtlpTracing tracing = tracing()) {
            collector.become(Mood.UNAVAILABLE);
            Tracer tracer = tracing.tracer("cairn-test", "t");
            work(tracer, 1);
            Poll.until("a line", 60, () -> !lines().isEmpty());
            assertTrue(lines().get(0).contains("it answers with an error"), lines().get(0));
        }
    }

    @Test
    void nonsenseAsAnAnswerHarmsNothing() throws Exception {
        try (TraceCollector collector = new TraceCollector(port);
                OtlpTracing tracing = tracing()) {
            collector.become(Mood.GARBAGE);
            Tracer tracer = tracing.tracer("cairn-test", "t");
            work(tracer, 1);
            Poll.until("a batch", 60, () -> collector.requests() > 0);
            collector.become(Mood.WELL);
            work(tracer, 1);
            Poll.until("spans", 60, () -> collector.spans("work").size() == 1);
        }
    }

    @Test
    void oneThatNeverAnswersKeepsNobodyWaitingAndLittleInMemory() throws Exception {
        try (TraceCollector collector = new TraceCollector(port)) {
            collector.become(Mood.SILENT);
            OtlpTracing tracing = tracing();
            Tracer tracer = tracing.tracer("cairn-test", "t");
            assertTrue(work(tracer, MANY) < 20, "nobody waits");
            Poll.until("a batch", 60, () -> collector.requests() > 0);
            double seconds = secondsToClose(tracing);
            // Each of a dozen batches would wait for five.
            assertTrue(seconds < 20, "it gives up what waits, after " + seconds);
        }
    }

    @Test
    void whatFitsInTheQueueArrivesAndTheRestIsDropped() throws Exception {
        try (TraceCollector collector = new TraceCollector(port)) {
            OtlpTracing tracing = tracing();
            Tracer tracer = tracing.tracer("cairn-test", "t");
            work(tracer, 100);
            tracing.close();
            // On a busy machine the last batch arrives when closing no longer waits for it.
            Poll.until("closing sends what waits", 60, () -> collector.spans("work").size() >= 100);
            assertEquals(100, collector.spans("work").size());
            Poll.until("their parts", 60, () -> collector.spans("part").size() >= 100);
            assertEquals(100, collector.spans("part").size());
            work(tracer, 10);
            tracing.close();
            assertEquals(100, collector.spans("work").size(), "nothing after the end");
        }
    }
}
