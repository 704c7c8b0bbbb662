package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.SnapshotFence;
import io.cairn.wire.chunk.ObjectFence;
import org.junit.jupiter.api.Test;

class SnapshotFenceTest {
    private final SnapshotFence fence = new SnapshotFence();

    private void refuses(long oid) {
        FsException e = assertThrows(FsException.class, () -> fence.enter(oid));
        assertEquals(Errno.EROFS, e.errno());
    }

    @Test
    void objectsOfSnapshotsAreNotChanged() {
        fence.leave(fence.enter(5));
        fence.raise(new ObjectFence(1, 10));
        refuses(9);
        fence.leave(fence.enter(10));
        assertEquals(1, fence.reached());
    }

    @Test
    void olderDecisionsDoNotCount() {
        fence.raise(new ObjectFence(7, 10));
        fence.raise(new ObjectFence(6, 0));
        refuses(9);
        fence.raise(new ObjectFence(8, 0));
        fence.leave(fence.enter(9));
    }

    @Test
    void itIsReachedWhenOlderChangesHaveEnded() {
        long first = fence.enter(5);
        long second = fence.enter(5);
        fence.raise(new ObjectFence(3, 10));
        long third = fence.enter(10);
        assertEquals(0, fence.reached());
        fence.leave(first);
        assertEquals(0, fence.reached());
        fence.leave(second);
        assertEquals(3, fence.reached());
        fence.raise(new ObjectFence(4, 20));
        assertEquals(3, fence.reached());
        fence.leave(third);
        assertEquals(4, fence.reached());
    }
}
