package io.cairn.metadata.inode;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableSet;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class OrphanIndexTest {
    private static final int MOST = 16;
    private static final byte[] PRESENT = {1};

    private final MemoryStore store = new MemoryStore();
    private final NavigableSet<Long> all = new TreeSet<>();
    private OrphanIndex index = OrphanIndex.load(store, MOST);
    private long entry;

    private void commit(List<Change> changes) {
        entry++;
        store.commit(changes, 1, entry);
        index.follow(changes);
    }

    private Change change(long ino, boolean isOrphan) {
        if (isOrphan) {
            all.add(ino);
        } else {
            all.remove(ino);
        }
        return new Change(Family.ORPHAN, Keys.of(ino), isOrphan ? PRESENT : null);
    }

    private void check() {
        assertEquals(all.size(), index.count());
        for (int max : new int[] {1, 5, 1_000}) {
            List<Long> paged = new ArrayList<>();
            List<Long> page = index.after(0, max);
            while (!page.isEmpty()) {
                paged.addAll(page);
                page = index.after(page.getLast(), max);
            }
            assertEquals(List.copyOf(all), paged);
        }
        assertEquals(List.of(), index.after(Long.MAX_VALUE, 3));
    }

    @Test
    void manyMoreThanMemoryHoldsAreAllFound() {
        for (long ino = 1_000; ino > 0; ino--) {
            commit(List.of(change(ino, true)));
        }
        check();
        index = OrphanIndex.load(store, MOST);
        check();
        while (!all.isEmpty()) {
            List<Change> gone = new ArrayList<>();
            index.after(0, 7).forEach(ino -> gone.add(change(ino, false)));
            commit(gone);
            check();
        }
    }

    @Test
    void theyComeAndGoInAnyOrder() {
        Random random = new Random(5);
        for (int turn = 0; turn < 3_000; turn++) {
            long ino = 1L + random.nextInt(200);
            boolean grows = turn / 500 % 2 == 0;
            boolean isOrphan = all.contains(ino);
            if (isOrphan != grows) {
                commit(List.of(change(ino, grows)));
            }
            if (turn % 50 == 0) {
                check();
            }
        }
        check();
    }
}
