package io.cairn.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TableTest {
    private static Target target(int id, long identity) {
        return new Target(id, identity, 1);
    }

    /** What a table holds, and what its difference to an older one tells. */
    private static void check(
            Map<Integer, Target> model, Table<Target> table, Table<Target> older) {
        assertEquals(List.copyOf(model.values()), List.copyOf(table));
        assertEquals(model.size(), table.size());
        assertEquals(model.keySet().stream().max(Integer::compare).orElse(0), table.lastId());
        List<Target> put = new ArrayList<>();
        List<Integer> gone = new ArrayList<>();
        table.since(older, put::add, gone::add);
        Table<Target> again = older.with(put);
        for (int id : gone) {
            assertNull(table.get(id));
            again = again.without(id, 1);
        }
        assertEquals(table, again);
        assertEquals(table.hashCode(), again.hashCode());
        for (Target each : put) {
            assertNotEquals(each, older.get(each.id()));
        }
    }

    @Test
    void itHoldsWhatAMapHolds() {
        for (int seed = 0; seed < 20; seed++) {
            Random random = new Random(seed);
            int most = 1 << (1 + random.nextInt(20));
            Map<Integer, Target> model = new TreeMap<>();
            Table<Target> table = Table.empty();
            for (int round = 0; round < 30; round++) {
                List<Target> records = new ArrayList<>();
                for (int i = random.nextInt(100); i > 0; i--) {
                    records.add(target(1 + random.nextInt(most), random.nextInt(3)));
                }
                int first = 1 + random.nextInt(most);
                int count = random.nextInt(200);
                Table<Target> before = table;
                List<Target> held = List.copyOf(before);
                table = table.with(records).without(first, count);
                records.forEach(each -> model.put(each.id(), each));
                model.keySet().removeIf(id -> id >= first && id - first < count);
                assertEquals(held, List.copyOf(before), "the older one stays as it is");
                check(model, table, before);
                check(model, table, Table.empty());
            }
        }
    }

    @Test
    void theEndsOfTheNumbers() {
        Table<Target> table =
                Table.<Target>empty().with(List.of(target(Integer.MAX_VALUE, 1), target(1, 2)));
        assertEquals(Integer.MAX_VALUE, table.lastId());
        assertEquals(List.of(target(1, 2), target(Integer.MAX_VALUE, 1)), List.copyOf(table));
        assertEquals(List.of(target(1, 2)), List.copyOf(table.without(2, Integer.MAX_VALUE)));
        assertNull(table.get(-1));
        assertNull(table.get(0));
        assertThrows(IllegalArgumentException.class, () -> table.with(List.of(target(0, 1))));
        assertThrows(NoSuchElementException.class, () -> Table.<Target>empty().iterator().next());
    }

    @Test
    void whatIsEqualIsNoChange() {
        List<Target> all = new ArrayList<>();
        for (int id = 1; id <= 100_000; id++) {
            all.add(target(id, id));
        }
        Table<Target> table = Table.<Target>empty().with(all);
        Table<Target> next = table.with(List.of(target(70_000, 1), target(5, 5)));
        List<Target> put = new ArrayList<>();
        next.since(table, put::add, _ -> put.clear());
        assertEquals(List.of(target(70_000, 1)), put);
    }
}
