package io.cairn.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** The slowest operations of a time. */
class SlowRingTest {
    private static final long MS = 1_000_000;

    private final SlowRing ring = new SlowRing(2, 1);

    private void done(int kind, long totalMs, long nowNs) {
        if (ring.isSlow(kind, totalMs * MS, nowNs)) {
            ring.keep(kind, totalMs * MS, nowNs, totalMs, 7, totalMs * MS / 2);
        }
    }

    private List<Long> kept(long nowNs) {
        return ring.entries(nowNs).stream().map(SlowRing.Entry::subject).toList();
    }

    @Test
    void theSlowestOfEachKindStay() {
        long now = Long.MAX_VALUE - 100 * MS;
        for (int i = 1; i <= 100; i++) {
            done(0, i * 37L % 101, now + i * MS);
        }
        done(1, 3, now + 101 * MS);
        assertEquals(List.of(100L, 99L, 98L, 97L, 96L, 95L, 94L, 93L, 3L), kept(now + 102 * MS));
        SlowRing.Entry first = ring.entries(now + 102 * MS).getFirst();
        assertEquals(
                new SlowRing.Entry(0, first.endedNs(), 100 * MS, 100, 7, List.of(50 * MS)), first);
        assertFalse(ring.isSlow(0, 93 * MS, now + 102 * MS));
        assertTrue(ring.isSlow(0, 94 * MS, now + 102 * MS));
        assertFalse(ring.isSlow(1, SlowRing.LEAST_NS, now + 102 * MS));
    }

    @Test
    void oldOnesMakeRoom() {
        for (int i = 0; i < SlowRing.KEPT; i++) {
            done(0, 1000 + i, i * MS);
        }
        done(0, 5, 100 * MS);
        assertEquals(SlowRing.KEPT, kept(100 * MS).size());
        long later = SlowRing.WINDOW_NS + 3 * MS + 1;
        assertEquals(SlowRing.KEPT - 4, kept(later).size(), "too old ones are not shown");
        done(0, 5, later);
        assertTrue(kept(later).contains(5L));
        long muchLater = later + 2 * SlowRing.WINDOW_NS;
        assertEquals(List.of(), kept(muchLater));
        done(0, 4, muchLater);
        assertEquals(List.of(4L), kept(muchLater));
    }
}
