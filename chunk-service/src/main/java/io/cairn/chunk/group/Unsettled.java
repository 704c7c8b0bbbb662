package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Which chunks of a group were changed here by a write of which this server does not know whether
 * all members have it. Such a write may still be taken back, so a member that is not the head asks
 * the head before it serves a read of the chunk. Bounded: once an entry had to be dropped (and
 * after a start in a group that others serve too) every chunk that is not remembered counts as
 * unsettled, until the head was asked. Thread-safe.
 */
final class Unsettled {
    private static final int CHUNKS = 4096;
    private static final long SETTLED = 0;

    private final Map<ChunkKey, Long> marks = new LinkedHashMap<>(16, 0.75f, true);
    private boolean complete;

    @GuardedBy("this")
    private long lastMark;

    private int drops;

    /**
     * @param complete whether chunks that were not changed since now are settled
     */
    Unsettled(boolean complete) {
        this.complete = complete;
    }

    /** A write was applied, or is about to be. */
    synchronized void mark(ChunkKey key) {
        put(key, ++lastMark);
    }

    /** All members have the same, and nothing can change it before the caller's turn ends. */
    synchronized void settle(ChunkKey key) {
        put(key, SETTLED);
    }

    /** Stands for what is known of a chunk now. */
    synchronized long moment(ChunkKey key) {
        return marks.getOrDefault(key, SETTLED);
    }

    /**
     * All members had the same some time after {@link #moment} was asked; no effect when a write
     * was marked since. That one was marked before does not matter: it reached all or nobody.
     */
    synchronized void settle(ChunkKey key, long moment) {
        if (marks.getOrDefault(key, SETTLED) == moment) {
            put(key, SETTLED);
        }
    }

    /** Whether all members are known to have what this server has of the chunk. */
    synchronized boolean isSettled(ChunkKey key) {
        Long marked = marks.get(key);
        return marked == null ? complete : marked == SETTLED;
    }

    /** Whether a write is known here of which it is open whether all members have it. */
    synchronized boolean isMarked(ChunkKey key) {
        @Nullable Long marked = marks.get(key);
        return marked != null && marked != SETTLED;
    }

    /** How often an entry had to be dropped. */
    synchronized int drops() {
        return drops;
    }

    /**
     * All members were compared, and agree on every chunk that is not marked: unless entries were
     * dropped meanwhile.
     *
     * @param dropsBefore {@link #drops} when the comparison began
     */
    synchronized void settleOthers(int dropsBefore) {
        if (drops == dropsBefore) {
            marks.values().removeIf(mark -> mark == SETTLED);
            complete = true;
        }
    }

    private void put(ChunkKey key, long mark) {
        if (mark == SETTLED && complete) {
            marks.remove(key);
            return;
        }
        marks.put(key, mark);
        if (marks.size() > CHUNKS) {
            Iterator<Map.Entry<ChunkKey, Long>> eldest = marks.entrySet().iterator();
            if (eldest.next().getValue() != SETTLED) {
                complete = false;
                drops++;
            }
            eldest.remove();
        }
    }
}
