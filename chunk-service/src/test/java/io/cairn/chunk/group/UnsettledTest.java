package io.cairn.chunk.group;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import org.junit.jupiter.api.Test;

class UnsettledTest {
    private static final ChunkKey KEY = new ChunkKey(1, 0);

    private static void overflow(Unsettled unsettled) {
        for (int i = 0; i < 5000; i++) {
            unsettled.mark(new ChunkKey(2, i));
        }
    }

    @Test
    void aChangeIsUnsettledUntilTheHeadWasAskedAfterIt() {
        Unsettled unsettled = new Unsettled(true);
        assertTrue(unsettled.isSettled(KEY));
        unsettled.mark(KEY);
        long first = unsettled.moment(KEY);
        unsettled.mark(KEY);
        long second = unsettled.moment(KEY);
        assertTrue(unsettled.isMarked(KEY));
        unsettled.settle(KEY, first);
        assertFalse(unsettled.isSettled(KEY));
        unsettled.settle(KEY, second);
        assertTrue(unsettled.isSettled(KEY));
        assertFalse(unsettled.isMarked(KEY));
    }

    @Test
    void aWriteThatBeganAfterTheQuestionStaysUnsettled() {
        Unsettled unsettled = new Unsettled(false);
        long before = unsettled.moment(KEY);
        unsettled.mark(KEY);
        unsettled.settle(KEY, before);
        assertFalse(unsettled.isSettled(KEY));
    }

    @Test
    void whoHoldsTheTurnSettlesWhateverWasMarked() {
        Unsettled unsettled = new Unsettled(true);
        unsettled.mark(KEY);
        unsettled.settle(KEY);
        assertTrue(unsettled.isSettled(KEY));
    }

    @Test
    void withoutMemoryOfTheBeginningEveryChunkIsAskedFor() {
        Unsettled unsettled = new Unsettled(false);
        assertFalse(unsettled.isSettled(KEY));
        assertFalse(unsettled.isMarked(KEY));
        unsettled.settle(KEY, unsettled.moment(KEY));
        assertTrue(unsettled.isSettled(KEY));
        assertFalse(unsettled.isSettled(new ChunkKey(1, 1)));
    }

    @Test
    void droppedEntriesMakeEverythingElseUnsettled() {
        Unsettled unsettled = new Unsettled(true);
        unsettled.mark(KEY);
        overflow(unsettled);
        assertFalse(unsettled.isSettled(KEY));
        assertFalse(unsettled.isSettled(new ChunkKey(3, 0)));
    }

    @Test
    void aComparisonOfAllChunksSettlesTheRest() {
        Unsettled unsettled = new Unsettled(false);
        int drops = unsettled.drops();
        unsettled.mark(KEY);
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
