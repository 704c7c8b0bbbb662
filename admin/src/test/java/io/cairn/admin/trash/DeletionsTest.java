package io.cairn.admin.trash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class DeletionsTest {
    private static final int COUNTED = 1_024;

    private final TreeSet<Long> numbers = new TreeSet<>();
    private long asked;

    private List<GarbageTask> after(long number, int max) {
        List<GarbageTask> page =
                numbers.tailSet(number, false).stream()
                        .limit(max)
                        .map(each -> new GarbageTask(each, 1, each, 0, 1))
                        .toList();
        asked += page.size();
        return page;
    }

    private Deletions pieces(long lastNumber) {
        asked = 0;
        return Deletions.pieces(this::after, numbers.size(), lastNumber, COUNTED);
    }

    @Test
    void fewAreCounted() {
        assertEquals(new Deletions(0, "n0"), pieces(Long.MAX_VALUE));
        numbers.addAll(List.of(5L, 7L, 900L));
        assertEquals(new Deletions(3, "n900"), pieces(Long.MAX_VALUE));
        assertEquals(new Deletions(2, "n7"), pieces(8));
    }

    /** Who waits for a mark asks again and again: millions are not gone through each time. */
    @Test
    void ofManyTheLastIsFoundWithoutCountingThem() {
        for (long number = 10; number < 100_000; number++) {
            numbers.add(number + number / 1000 * 50);
        }
        long last = numbers.last();
        assertEquals(new Deletions(numbers.size(), "n" + last), pieces(Long.MAX_VALUE));
        assertTrue(asked < 2 * COUNTED, asked + " were looked at");
        numbers.add(last + 1);
        assertEquals("n" + last, pieces(last).mark());
        numbers.headSet(last - 10, false).clear();
        assertEquals(new Deletions(11, "n" + last), pieces(last));
        numbers.headSet(last, true).clear();
        assertEquals(0, pieces(last).awaiting());
    }
}
