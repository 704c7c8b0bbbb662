package io.cairn.admin.watch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class RateTest {
    private final Rate rate = new Rate();

    @Test
    void itLooksBackAFewSecondsOnly() {
        assertEquals(0, rate.perSecond());
        rate.sample(0, 0);
        assertEquals(0, rate.perSecond());
        rate.sample(1000, 500);
        assertEquals(500, rate.perSecond());
        for (int i = 2; i <= 20; i++) {
            rate.sample(i * 1000L, 500);
        }
        assertEquals(0, rate.perSecond());
    }
}
