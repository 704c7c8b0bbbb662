package io.cairn.chunk;

import io.cairn.wire.ChunkRequest.ChunkKey;
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

    private final Map<ChunkKey, Long> sequences = new LinkedHashMap<>(16, 0.75f, true);
    private boolean complete;
    private int drops;

    /**
     * @param complete whether chunks that were not changed since now are settled
     */
    Unsettled(boolean complete) {
        this.complete = complete;
    }

    /** A write was applied, or is about to be. */
    synchronized void mark(ChunkKey key, long sequence) {
        put(key, sequence);
    }

    /** All members have the write; no effect when a later one was marked meanwhile. */
    synchronized void settle(ChunkKey key, long sequence) {
        Long marked = sequences.get(key);
        if (marked != null ? marked == sequence : !complete) {
            put(key, SETTLED);
        }
    }

    /** Whether all members are known to have what this server has of the chunk. */
    synchronized boolean isSettled(ChunkKey key) {
        Long marked = sequences.get(key);
        return marked == null ? complete : marked == SETTLED;
    }

    /** Whether a write is known here of which it is open whether all members have it. */
    synchronized boolean isMarked(ChunkKey key) {
        @Nullable Long marked = sequences.get(key);
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
            sequences.values().removeIf(sequence -> sequence == SETTLED);
            complete = true;
        }
    }

    private void put(ChunkKey key, long sequence) {
        if (sequence == SETTLED && complete) {
            sequences.remove(key);
            return;
        }
        sequences.put(key, sequence);
        if (sequences.size() > CHUNKS) {
            Iterator<Map.Entry<ChunkKey, Long>> eldest = sequences.entrySet().iterator();
            if (eldest.next().getValue() != SETTLED) {
                complete = false;
                drops++;
            }
            eldest.remove();
        }
    }
}
