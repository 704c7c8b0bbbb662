package io.cairn.cli.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.Closing;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** A process ends in time, and says what kept it. */
final class ShutdownTest {
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final ByteArrayOutputStream told = new ByteArrayOutputStream();

    private String told() {
        return told.toString(StandardCharsets.UTF_8);
    }

    @Test
    void aServiceThatStopsIsClosedInSilence() {
        CountDownLatch closed = new CountDownLatch(1);
        Closing service = new Closing();
        service.add(closed::countDown);
        PrintStream errors = new PrintStream(told, true, StandardCharsets.UTF_8);
        Shutdown.closeInTime(service, Duration.ofSeconds(60), errors);
        assertEquals(0, closed.getCount());
        assertEquals("", told());
    }

    @Test
    void oneThatHangsShowsWhereItDoes() {
        CountDownLatch over = new CountDownLatch(1);
        Closing service = new Closing();
        service.add(() -> hang(over));
        // On a busy machine it has not begun to hang when the time is over.
        OutputStream late =
                new FilterOutputStream(told) {
                    @Override
                    public void write(byte[] bytes, int from, int length) throws IOException {
                        await(hangs);
                        out.write(bytes, from, length);
                    }
                };
        try (PrintStream errors = new PrintStream(late, true, StandardCharsets.UTF_8)) {
            Shutdown.closeInTime(service, Duration.ofMillis(100), errors);
        } finally {
            over.countDown();
        }
        assertTrue(
                told().startsWith("cairn: not everything stopped within 0 s; ending anyway"),
                told());
        assertTrue(told().contains("thread close"), told());
        assertTrue(told().contains("ShutdownTest.hang("), told());
    }

    private void hang(CountDownLatch over) throws InterruptedException {
        hangs.countDown();
        over.await();
    }

    private static void await(CountDownLatch latch) {
        try {
            assertTrue(latch.await(60, TimeUnit.SECONDS));
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
