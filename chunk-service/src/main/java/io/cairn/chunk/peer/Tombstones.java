package io.cairn.chunk.peer;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Map;

/**
 * The objects whose deletion was ordered last, so that neither a late write nor a comparison of
 * members brings one back. Bounded: the oldest are forgotten. Thread-safe.
 *
 * <p>A master hands out 147,456 deletions at most before a server that is away has confirmed them.
 * That many are remembered: the copies of that server must not come back from it. Deletions in
 * pools without that server count as well, so a few may be forgotten too early.
 */
public final class Tombstones {
    private static final int GRAVES = 147_456;

    private record Range(long fromChunk, long endChunk) {}

    @GuardedBy("this")
    private final Map<Long, Range> graves = new HashMap<>();

    @GuardedBy("this")
    private final ArrayDeque<Long> order = new ArrayDeque<>();

    /** Chunks of an object are to be deleted. */
    public synchronized void add(GarbageTask task) {
        Range range = new Range(task.fromChunk(), task.endChunk());
        Range present = graves.get(task.oid());
        if (present == null) {
            order.add(task.oid());
            if (order.size() > GRAVES) {
                graves.remove(order.remove());
            }
        } else if (present.fromChunk <= range.endChunk && range.fromChunk <= present.endChunk) {
            range =
                    new Range(
                            Math.min(present.fromChunk, range.fromChunk),
                            Math.max(present.endChunk, range.endChunk));
        }
        graves.put(task.oid(), range);
    }

    /** Whether a chunk belongs to what was ordered to be deleted. */
    public synchronized boolean holds(ChunkKey key) {
        Range range = graves.get(key.oid());
        return range != null && key.index() >= range.fromChunk && key.index() < range.endChunk;
    }

    /** ESTALE for a chunk that was ordered to be deleted. */
    public void check(ChunkKey key) {
        if (holds(key)) {
            throw new FsException(
                    Errno.ESTALE,
                    "object " + Long.toHexString(key.oid()) + " was deleted; nobody refers to it");
        }
    }
}
