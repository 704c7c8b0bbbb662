package io.cairn.chunk.store.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ChangedBlocksTest {
    private final ChangedBlocks changed = new ChangedBlocks();
    private long synced = 1;

    /** Changes blocks; the record that it needs. */
    private @Nullable Claim change(int first, int count) {
        Claim missing = changed.missing(new Claim(synced, first, count));
        if (missing != null) {
            changed.add(missing);
        }
        return missing;
    }

    /** Changes blocks and syncs; how many records that needed. */
    private int changeAndSync(int first, int count) {
        int records = change(first, count) == null ? 0 : 1;
        synced++;
        List<Claim> ended = changed.ended(false);
        ended.forEach(changed::add);
        return records + ended.size();
    }

    private boolean mayBeChanged(int block) {
        return (changed.synced() == synced && changed.contains(block)) || changed.isStanding(block);
    }

    @Test
    void whatIsChangedAndSyncedAgainAndAgainIsNamedOnce() {
        assertEquals(1, changeAndSync(7, 1));
        assertEquals(1, changeAndSync(7, 1));
        for (int i = 0; i < 100; i++) {
            assertEquals(0, changeAndSync(7, 1));
            assertTrue(mayBeChanged(7));
        }
        assertFalse(mayBeChanged(6));
        assertFalse(mayBeChanged(8));
    }

    @Test
    void severalPlacesStandSideBySide() {
        int records = 0;
        for (int i = 0; i < 100; i++) {
            records += change(0, 1) == null ? 0 : 1;
            records += change(40, 2) == null ? 0 : 1;
            records += changeAndSync(900 + i / 40, 1);
            assertTrue(mayBeChanged(0) == i > 0 && mayBeChanged(41) == i > 0);
        }
        assertTrue(records < 20, records + " records");
    }

    @Test
    void placesThatAreSyncedInTurnStand() {
        int records = 0;
        for (int i = 0; i < 400; i++) {
            records += changeAndSync(i % 2 == 0 ? 0 : 500 + i / 80, 1);
        }
        assertTrue(records < 40, records + " records");
    }

    @Test
    void aClaimThatNobodyUsesEnds() {
        changeAndSync(7, 1);
        changeAndSync(7, 1);
        int records = 0;
        for (int i = 0; i < 200; i++) {
            records += changeAndSync(100 + i, 1);
        }
        assertFalse(mayBeChanged(7));
        assertEquals(201, records);
    }

    @Test
    void placesThatChangeOnceDoNotStand() {
        for (int i = 0; i < 100; i++) {
            assertEquals(1, changeAndSync(i * 3, 1));
            assertFalse(mayBeChanged(i * 3));
        }
    }

    @Test
    void allThatIsUnusedEndsAtOnce() {
        changeAndSync(7, 1);
        changeAndSync(7, 1);
        List<Claim> ended = changed.ended(true);
        assertEquals(1, ended.size());
        ended.forEach(changed::add);
        assertFalse(mayBeChanged(7));
        assertEquals(List.of(), changed.ended(true));
    }

    @Test
    void theFirstPlacesSinceASyncAreNamedExactly() {
        for (int i = 0; i < 8; i++) {
            assertEquals(new Claim(1, 1 + i * 100, 1), change(1 + i * 100, 1));
        }
        Claim ninth = change(901, 1);
        assertNotNull(ninth);
        assertEquals(4, ninth.count());
        assertNull(change(902, 1));
    }

    @Test
    void aCopySaysTheSame() {
        changeAndSync(7, 1);
        changeAndSync(7, 1);
        change(30, 2);
        ChangedBlocks copy = changed.copy();
        assertEquals(changed, copy);
        assertTrue(copy.isStanding(7));
        assertTrue(copy.contains(31));
    }
}
