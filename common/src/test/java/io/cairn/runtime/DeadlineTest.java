package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class DeadlineTest {
    @Test
    void endsWhenItsTimeIsOver() {
        assertTrue(Deadline.afterMs(0).isOver());
        assertTrue(Deadline.afterMs(-1).leftMs() <= 0);
        Deadline late = Deadline.afterS(3600);
        assertFalse(late.isOver());
        assertTrue(late.leftMs() > TimeUnit.MINUTES.toMillis(59), late.toString());
        assertTrue(late.leftNs() <= TimeUnit.HOURS.toNanos(1), late.toString());
    }
}
