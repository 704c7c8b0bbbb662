package io.cairn.verify.history;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.verify.history.BlockHistory.Write;
import org.junit.jupiter.api.Test;

class BlockHistoryTest {
    private final PowerCuts cuts = new PowerCuts();
    private final BlockHistory history = new BlockHistory("file, block 0", cuts);

    private Write write(long number, long from, long to, boolean sync) {
        Write write = history.begin(number, from, sync, "w");
        history.acknowledged(write, to);
        return write;
    }

    private String read(long number, long from, long to) {
        return history.mismatch(StampedBlocks.block(number, 0), from, to, "r");
    }

    @Test
    void theLastWriteIsRead() {
        write(1, 0, 1, false);
        write(2, 2, 3, false);
        assertNull(read(2, 4, 5));
        String told = String.valueOf(read(1, 4, 5));
        assertTrue(told.contains("replaced") && told.contains("2 by w"), told);
    }

    @Test
    void aWriteThatOverlapsTheReadMayBeReadOrNot() {
        write(1, 0, 1, false);
        write(2, 2, 10, false);
        assertNull(read(1, 5, 6));
        assertNull(read(2, 5, 6));
    }

    @Test
    void overlappingWritesMayHaveAnyOrder() {
        write(1, 0, 10, false);
        write(2, 1, 9, false);
        assertNull(read(1, 11, 12));
        assertNull(read(2, 11, 12));
    }

    @Test
    void aWriteWithoutAnswerMayComeLate() {
        write(1, 0, 1, false);
        history.begin(2, 2, false, "dead");
        assertNull(read(1, 100, 101));
        assertNull(read(2, 100, 101));
        write(3, 102, 103, false);
        assertNull(read(2, 104, 105));
        assertNotNull(read(1, 104, 105));
    }

    @Test
    void aWriteFromTheFutureIsFound() {
        write(1, 10, 11, false);
        assertNotNull(read(1, 5, 6));
    }

    @Test
    void tornForeignAndEmptyBlocksAreFound() {
        write(1, 0, 1, false);
        byte[] torn = StampedBlocks.block(1, 0);
        torn[4000] ^= 1;
        assertTrue(String.valueOf(history.mismatch(torn, 2, 3, "r")).contains("torn or foreign"));
        assertTrue(String.valueOf(read(77, 2, 3)).contains("write 77"));
        assertTrue(String.valueOf(history.mismatch(new byte[4096], 2, 3, "r")).contains("zeros"));
        assertNotNull(history.mismatch(new byte[0], 2, 3, "r"));
    }

    @Test
    void aCutOfThePowerMayUndoWhatWasNotSynced() {
        write(1, 0, 1, true);
        write(2, 2, 3, false);
        assertNotNull(read(1, 4, 5));
        cuts.begin();
        assertNull(read(1, 6, 7));
        cuts.end();
        assertNull(read(1, 8, 9));
        assertNull(read(2, 8, 9));
        write(3, 10, 11, true);
        cuts.begin();
        cuts.end();
        assertNotNull(read(1, 12, 13));
        assertNotNull(read(2, 12, 13));
    }
}
