package io.cairn.master.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Which secret is used when, also after the clock of a leader was wrong for a while. */
class TicketSecretsTest {
    private static final int NOW = 500_000;
    private static final int YEAR = 365 * 24;

    private final byte[] first = {1};
    private final byte[] second = {2};
    private final byte[] third = {3};
    private final TicketSecrets one = TicketSecrets.NONE.with(first, NOW);

    @Test
    void theNextSecretBeginsTwoHoursLater() {
        assertFalse(one.isDue(NOW));
        assertFalse(one.isDue(NOW + TicketSecrets.LIFE_HOURS - 1));
        int hour = NOW + TicketSecrets.LIFE_HOURS;
        assertTrue(one.isDue(hour));
        TicketSecrets two = one.with(second, hour);
        assertFalse(two.isDue(hour));
        assertSame(first, two.of(hour + 1));
        assertSame(second, two.of(hour + 2));
        // Another leader, whose clock is behind, at the turn of an hour.
        assertFalse(two.isDue(hour - 1));
    }

    @Test
    void aSecretOfAClockThatWasAheadIsReplaced() {
        TicketSecrets ahead = one.with(second, NOW + YEAR);
        assertFalse(ahead.isDue(NOW + YEAR));
        assertTrue(ahead.isDue(NOW + 1));
        TicketSecrets back = ahead.with(third, NOW + 1);
        assertFalse(back.isDue(NOW + 1));
        assertSame(first, back.of(NOW + 1));
        assertSame(first, back.of(NOW + 2));
        assertSame(third, back.of(NOW + 3));
        assertSame(third, back.of(NOW + YEAR + 10), "the one of the wrong clock is forgotten");
        assertTrue(back.isDue(NOW + 3 + TicketSecrets.LIFE_HOURS));
    }

    /** There must be one to sign with until chunk servers know the next. */
    @Test
    void theOnlySecretStaysUntilTheNextBegins() {
        TicketSecrets ahead = TicketSecrets.NONE.with(first, NOW + YEAR);
        assertTrue(ahead.isDue(NOW));
        assertSame(first, ahead.of(NOW));
        TicketSecrets back = ahead.with(second, NOW);
        assertFalse(back.isDue(NOW));
        assertSame(first, back.of(NOW - 1));
        assertSame(first, back.of(NOW + 1));
        assertSame(second, back.of(NOW + 2));
        assertSame(second, back.of(NOW + YEAR + 1));
        assertEquals(back.toString(), TicketSecrets.decode(back.encode()).toString());
    }

    @Test
    void aClockThatWasBehindDoesNoHarm() {
        TicketSecrets behind = TicketSecrets.NONE.with(first, NOW - YEAR);
        assertTrue(behind.isDue(NOW));
        TicketSecrets now = behind.with(second, NOW);
        assertSame(first, now.of(NOW + 1));
        assertSame(second, now.of(NOW + 2));
        assertFalse(now.isDue(NOW));
    }
}
