package io.cairn.admin.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.fs.Name;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class CadenceTest {
    private static final Instant SATURDAY = Instant.parse("2026-11-28T18:07:09Z");

    private static void isNamed(String name, Cadence cadence) {
        Instant moment = cadence.momentAt(SATURDAY);
        assertEquals(Name.of(name), cadence.nameOf(moment));
        assertEquals(moment, cadence.momentOf(Name.of(name)));
        assertEquals(moment, cadence.momentAt(cadence.after(SATURDAY).minusNanos(1)));
    }

    @Test
    void namesTellMoments() {
        isNamed("hourly-2026-11-28T18:00Z", Cadence.HOURLY);
        isNamed("daily-2026-11-28T00:00Z", Cadence.DAILY);
        isNamed("weekly-2026-11-23T00:00Z", Cadence.WEEKLY);
        isNamed("monthly-2026-11-01T00:00Z", Cadence.MONTHLY);
    }

    @Test
    void theNextPeriodBeginsWhereTheLastOneEnds() {
        assertEquals(Instant.parse("2026-11-28T19:00:00Z"), Cadence.HOURLY.after(SATURDAY));
        assertEquals(Instant.parse("2026-11-29T00:00:00Z"), Cadence.DAILY.after(SATURDAY));
        assertEquals(Instant.parse("2026-11-30T00:00:00Z"), Cadence.WEEKLY.after(SATURDAY));
        assertEquals(Instant.parse("2026-12-01T00:00:00Z"), Cadence.MONTHLY.after(SATURDAY));
    }

    @Test
    void otherNamesAreNobodysMoments() {
        for (String name :
                new String[] {
                    "monday",
                    "hourly-",
                    "hourly-2026-11-28T18:30Z",
                    "hourly-2026-02-30T18:00Z",
                    "hourly-2026-11-28T18:00Z.old",
                    "daily-2026-11-28T00:00Z"
                }) {
            assertNull(Cadence.HOURLY.momentOf(Name.of(name)), name);
        }
        assertNull(Cadence.WEEKLY.momentOf(Name.of("weekly-2026-11-24T00:00Z")));
    }
}
