package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ViewTest {
    private final MemoryStore store = new MemoryStore();
    private final View view = new View(store, new InodeCache());

    @Test
    void nothingIsKeptOfGarbage() {
        byte[] key = {1};
        store.commit(List.of(new Change(Family.GC, key, new byte[] {7})), 1, 1);
        assertArrayEquals(new byte[] {7}, view.at(Moment.NOW).get(Family.GC, key));
        View past = view.at(new Moment(65_536));
        assertThrows(IllegalArgumentException.class, () -> past.get(Family.GC, key));
    }

    private static byte[] record(long version) {
        return Keys.value(9).i64(version).toBytes();
    }

    @Test
    void recordsAreThoseOfTheMoment() {
        byte[] key = {1, 9};
        List<Change> changes = new ArrayList<>();
        changes.add(new Change(Family.XATTR, key, record(50)));
        changes.add(new Change(Family.HISTORY, HistoryKeys.of(Family.XATTR, key, 20), record(10)));
        changes.add(new Change(Family.HISTORY, HistoryKeys.of(Family.XATTR, key, 50), record(30)));
        store.commit(changes, 1, 1);
        assertNull(view.at(new Moment(9)).get(Family.XATTR, key));
        assertArrayEquals(record(10), view.at(new Moment(10)).get(Family.XATTR, key));
        assertArrayEquals(record(10), view.at(new Moment(19)).get(Family.XATTR, key));
        assertNull(view.at(new Moment(20)).get(Family.XATTR, key), "removed in between");
        assertArrayEquals(record(30), view.at(new Moment(49)).get(Family.XATTR, key));
        assertArrayEquals(record(50), view.at(new Moment(50)).get(Family.XATTR, key));
        assertNull(view.at(new Moment(30)).get(Family.XATTR, new byte[] {1}));
    }

    @Test
    void scansOfThePastMeetEachRecordOnce() {
        List<Change> changes = new ArrayList<>();
        List<byte[]> expected = new ArrayList<>();
        for (int i = 1; i < 4000; i += 2) {
            byte[] key = {1, (byte) (i >> 8), (byte) i};
            byte[] old = HistoryKeys.of(Family.XATTR, key, 20);
            switch (i % 7) {
                case 0 -> changes.add(new Change(Family.HISTORY, old, record(10)));
                case 1 -> changes.add(new Change(Family.XATTR, key, record(15)));
                case 2 -> {
                    changes.add(new Change(Family.HISTORY, old, record(10)));
                    changes.add(new Change(Family.XATTR, key, record(20)));
                }
                default -> {
                    changes.add(new Change(Family.XATTR, key, record(20)));
                    continue;
                }
            }
            expected.add(key);
        }
        store.commit(changes, 1, 1);
        List<byte[]> found = new ArrayList<>();
        view.at(new Moment(15))
                .scan(Family.XATTR, new byte[] {1}, new byte[] {1}, (key, value) -> found.add(key));
        assertArrayEquals(expected.toArray(), found.toArray());
    }

    /** Commits wait while a scan holds the lock: it must not pass over a million names at once. */
    @Test
    void aScanThatFindsNothingPauses() {
        List<Change> changes = new ArrayList<>();
        for (int i = 0; i < 10_000; i++) {
            byte[] key = {1, (byte) (i >> 8), (byte) i};
            changes.add(new Change(Family.DENTRY, key, record(20)));
        }
        byte[] old = {1, (byte) 0xff};
        changes.add(new Change(Family.HISTORY, HistoryKeys.of(Family.DENTRY, old, 20), record(5)));
        store.commit(changes, 1, 1);
        int[] pauses = {0};
        List<byte[]> found = new ArrayList<>();
        view.at(new Moment(15), () -> pauses[0]++)
                .scan(Family.DENTRY, new byte[] {1}, new byte[] {1}, (key, _) -> found.add(key));
        assertArrayEquals(new Object[] {old}, found.toArray());
        assertTrue(pauses[0] >= 10, pauses[0] + " pauses");
    }

    @Test
    void allEntriesOfOneFamilyAreVisitedInOrder() {
        store.commit(
                List.of(
                        new Change(Family.GC, new byte[] {2}, new byte[] {20}),
                        new Change(Family.GC, new byte[] {1}, new byte[] {10}),
                        new Change(Family.JOB, new byte[] {3}, new byte[] {30})),
                1,
                1);
        List<Integer> values = new ArrayList<>();
        view.each(Family.GC, (key, value) -> values.add((int) value[0]));
        assertEquals(List.of(10, 20), values);
    }
}
