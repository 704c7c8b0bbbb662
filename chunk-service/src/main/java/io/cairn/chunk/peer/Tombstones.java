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

    /** By object the ranges of its chunks: begins and ends in turn, ascending and apart. */
    @GuardedBy("this")
    private final Map<Long, long[]> graves = new HashMap<>();

    @GuardedBy("this")
    private final ArrayDeque<Long> order = new ArrayDeque<>();

    @GuardedBy("this")
    private int rangeCount;

    /** Chunks of an object are to be deleted. */
    public synchronized void add(GarbageTask task) {
        long[] present = graves.get(task.oid());
        if (present == null) {
            order.add(task.oid());
            present = new long[0];
        }
        long[] next = with(present, task.fromChunk(), task.endChunk());
        graves.put(task.oid(), next);
        rangeCount += (next.length - present.length) / 2;
        while (rangeCount > GRAVES) {
            long[] oldest = graves.remove(order.remove());
            rangeCount -= oldest == null ? 0 : oldest.length / 2;
        }
    }

    /** The same ranges with another one, joined with those that it touches. */
    private static long[] with(long[] ranges, long fromChunk, long endChunk) {
        long from = fromChunk;
        long end = endChunk;
        int before = 0;
        while (before < ranges.length && ranges[before + 1] < from) {
            before += 2;
        }
        int behind = before;
        while (behind < ranges.length && ranges[behind] <= end) {
            from = Math.min(from, ranges[behind]);
            end = Math.max(end, ranges[behind + 1]);
            behind += 2;
        }
        long[] next = new long[before + 2 + ranges.length - behind];
        System.arraycopy(ranges, 0, next, 0, before);
        next[before] = from;
        next[before + 1] = end;
        System.arraycopy(ranges, behind, next, before + 2, ranges.length - behind);
        return next;
    }

    /** Whether a chunk belongs to what was ordered to be deleted. */
    public synchronized boolean holds(ChunkKey key) {
        long[] ranges = graves.getOrDefault(key.oid(), new long[0]);
        for (int i = 0; i < ranges.length && ranges[i] <= key.index(); i += 2) {
            if (key.index() < ranges[i + 1]) {
                return true;
            }
        }
        return false;
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
