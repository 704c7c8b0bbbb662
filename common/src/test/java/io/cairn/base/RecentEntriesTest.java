package io.cairn.base;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Set;
import org.junit.jupiter.api.Test;

class RecentEntriesTest {
    @Test
    void theEntryNotUsedForLongestIsDropped() {
        RecentEntries<String, Integer> entries = new RecentEntries<>(2);
        entries.put("a", 1);
        entries.put("b", 2);
        assertEquals(1, entries.get("a"));
        entries.put("c", 3);
        assertEquals(Set.of("a", "c"), entries.keySet());
        entries.put("a", 4);
        entries.put("d", 5);
        assertEquals(Set.of("a", "d"), entries.keySet());
    }
}
