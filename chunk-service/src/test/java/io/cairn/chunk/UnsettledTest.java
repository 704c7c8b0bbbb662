package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.ChunkRequest.ChunkKey;
import org.junit.jupiter.api.Test;

class UnsettledTest {
    private static final ChunkKey KEY = new ChunkKey(1, 0);

    private static void overflow(Unsettled unsettled) {
        for (int i = 0; i < 5000; i++) {
            unsettled.mark(new ChunkKey(2, i), 1);
        }
    }

    @Test
    void aChangeIsUnsettledUntilTheHeadConfirmsThatVeryWrite() {
        Unsettled unsettled = new Unsettled(true);
        assertTrue(unsettled.isSettled(KEY));
        unsettled.mark(KEY, 5);
        unsettled.mark(KEY, 6);
        assertTrue(unsettled.isMarked(KEY));
        unsettled.settle(KEY, 5);
        assertFalse(unsettled.isSettled(KEY));
        unsettled.settle(KEY, 6);
        assertTrue(unsettled.isSettled(KEY));
        assertFalse(unsettled.isMarked(KEY));
    }

    @Test
    void withoutMemoryOfTheBeginningEveryChunkIsAskedFor() {
        Unsettled unsettled = new Unsettled(false);
        assertFalse(unsettled.isSettled(KEY));
        assertFalse(unsettled.isMarked(KEY));
        unsettled.settle(KEY, 3);
        assertTrue(unsettled.isSettled(KEY));
        assertFalse(unsettled.isSettled(new ChunkKey(1, 1)));
    }

    @Test
    void droppedEntriesMakeEverythingElseUnsettled() {
        Unsettled unsettled = new Unsettled(true);
        unsettled.mark(KEY, 5);
        overflow(unsettled);
        assertFalse(unsettled.isSettled(KEY));
        assertFalse(unsettled.isSettled(new ChunkKey(3, 0)));
    }

    @Test
    void aComparisonOfAllChunksSettlesTheRest() {
        Unsettled unsettled = new Unsettled(false);
        int drops = unsettled.drops();
        unsettled.mark(KEY, 5);
        unsettled.settleOthers(drops);
        assertTrue(unsettled.isSettled(new ChunkKey(1, 1)));
        assertFalse(unsettled.isSettled(KEY));
    }

    @Test
    void aComparisonDuringWhichEntriesWereDroppedSettlesNothing() {
        Unsettled unsettled = new Unsettled(false);
        int drops = unsettled.drops();
        overflow(unsettled);
        unsettled.settleOthers(drops);
        assertFalse(unsettled.isSettled(new ChunkKey(1, 1)));
    }
}
