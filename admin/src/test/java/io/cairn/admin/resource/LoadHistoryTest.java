package io.cairn.admin.resource;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.admin.AdminBench;
import io.cairn.testkit.ManualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The samples of the last ten minutes. */
class LoadHistoryTest {
    private final ManualClock clock = new ManualClock(1_700_000_000_000L);
    private int looked;
    private final LoadHistory history = new LoadHistory(clock, () -> Map.of("looked", ++looked));

    private List<Object> looks(int limit) {
        List<Object> looks = new ArrayList<>();
        if (history.last(limit).get("items") instanceof List<?> items) {
            items.forEach(item -> looks.add(item instanceof Map<?, ?> m ? m.get("looked") : item));
        }
        return looks;
    }

    @Test
    void aSampleIsTakenEveryFiveSeconds() {
        for (int quarter = 0; quarter < 44; quarter++) {
            history.tick(3);
            clock.advance(250);
        }
        assertEquals(List.of(1, 2), looks(100));
        assertEquals(List.of(2), looks(1));
        assertEquals(
                "2023-11-14T22:13:25Z", AdminBench.itemsOf(history.last(2)).getFirst().get("at"));
    }

    @Test
    void onlyTheLastTenMinutesAreKept() {
        history.tick(3);
        for (int sample = 1; sample <= LoadHistory.MAX_SAMPLES + 30; sample++) {
            clock.advance(LoadHistory.PERIOD_MS);
            history.tick(3);
        }
        assertEquals(LoadHistory.MAX_SAMPLES, looks(1000).size());
        assertEquals(31, looks(1000).getFirst());
    }

    @Test
    void anotherTermBeginsAnew() {
        history.tick(3);
        clock.advance(LoadHistory.PERIOD_MS);
        history.tick(3);
        assertEquals(List.of(1), looks(100));
        history.tick(4);
        assertEquals(List.of(), looks(100));
    }
}
