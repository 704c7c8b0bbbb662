package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.ManualClock;
import java.util.List;
import org.junit.jupiter.api.Test;

class SessionTableTest {
    private static final long LEASE_MS = 15_000;
    private static final long TICK_MS = 100;

    private final ManualClock clock = new ManualClock(0);
    private final SessionTable sessions = new SessionTable(clock, LEASE_MS);

    /** Lets time go by with looks, until one finds something or the time is over. */
    private List<Long> expiredWithin(long timeMs) {
        for (long at = 0; at < timeMs; at += TICK_MS) {
            clock.advance(TICK_MS);
            List<Long> expired = sessions.expire();
            if (!expired.isEmpty()) {
                return expired;
            }
        }
        return List.of();
    }

    @Test
    void aSessionThatIsSilentEndsAQuarterAfterItsLease() {
        sessions.reset(1, List.of(7L));
        assertEquals(List.of(), expiredWithin(LEASE_MS * 5 / 4 - TICK_MS));
        assertEquals(List.of(7L), expiredWithin(1000));
    }

    @Test
    void timeInWhichTheMasterStoodStillCountsForNobody() {
        sessions.reset(1, List.of(7L));
        assertEquals(List.of(), expiredWithin(10_000));
        clock.advance(60_000);
        assertEquals(List.of(), sessions.expire());
        assertEquals(List.of(), expiredWithin(8_000));
        assertEquals(List.of(7L), expiredWithin(2_000));
    }

    @Test
    void aTermBeginsWithAFullLease() {
        sessions.reset(1, List.of(7L));
        clock.advance(100_000);
        sessions.reset(2, List.of(7L));
        assertEquals(List.of(), expiredWithin(LEASE_MS));
        sessions.touch(7);
        assertEquals(List.of(), expiredWithin(LEASE_MS));
    }
}
