package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class UncommittedTest {
    private static final long CHUNK = 1L << 22;
    private static final Layout BEFORE = layout(Run.of(0, 1, 5));

    /** The second chunk lies elsewhere. */
    private static final Layout MOVED = layout(Run.of(0, 1, 5), Run.of(1, 2, 9), Run.of(2, 1, 5));

    private final Uncommitted uncommitted = new Uncommitted();

    private static Layout layout(Run... runs) {
        return new Layout(22, 0, 7, List.of(runs));
    }

    private void store(long chunk) {
        uncommitted.touch(1, 1);
        uncommitted.stored((chunk + 1) * CHUNK, 0);
        uncommitted.storedIn(chunk);
    }

    @Test
    void whatWasStoredInAChunkThatAnotherClientHasMovedIsLost() {
        store(1);
        FsException loss = Objects.requireNonNull(uncommitted.lossOf(BEFORE, MOVED, 0));
        assertEquals(Errno.EIO, loss.errno());
    }

    @Test
    void aMoveOfThisMountTakesItAlong() {
        store(1);
        uncommitted.moveTo(9);
        assertNull(uncommitted.lossOf(BEFORE, MOVED, 0));
    }

    @Test
    void chunksBesideAMoveKeepTheirs() {
        store(0);
        store(2);
        assertNull(uncommitted.lossOf(BEFORE, MOVED, 0));
        // In the same groups: it is cloned there from the old one.
        Run renewed = Run.of(1, 1, 9).cloning(5, CHUNK);
        store(1);
        assertNull(
                uncommitted.lossOf(BEFORE, layout(Run.of(0, 1, 5), renewed, Run.of(2, 1, 5)), 0));
    }

    @Test
    void withTooManyChunksToRememberAnyMoveCounts() {
        for (long chunk = 0; chunk <= 5000; chunk++) {
            store(chunk);
        }
        assertNotNull(uncommitted.lossOf(BEFORE, MOVED, 0));
        uncommitted.moveTo(9);
        assertNull(uncommitted.lossOf(BEFORE, MOVED, 0));
    }
}
