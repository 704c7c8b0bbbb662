package io.cairn.master.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.master.check.TreeScrub.State;
import io.cairn.master.check.TreeScrub.Status;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import java.util.List;
import org.junit.jupiter.api.Test;

class TreeScrubTest {
    private static final CopiesReply BAD = new CopiesReply(0, 1, 2, 20, 1, 1);
    private static final CopiesReply NOTHING = new CopiesReply(0, 0, 0, 0, 0, 0);

    @Test
    void filesThatAreNotVerifiedAreCountedAlsoWhenTheyAreNotTold() {
        Status status = Status.begun(State.RUNNING, "/", 1);
        for (int i = 0; i < TreeScrub.MAX_FINDINGS; i++) {
            status = status.plus(BAD, "f" + i, null);
        }
        assertEquals(0, status.uncheckedFiles());
        status = status.plus(NOTHING, null, "g: no answer").ended(State.DONE, 2, null);
        assertEquals(List.of(), status.unchecked());
        assertEquals(1, status.uncheckedFiles());
        assertEquals(1, status.omitted());
        assertEquals(TreeScrub.MAX_FINDINGS, status.found().mended());
    }
}
