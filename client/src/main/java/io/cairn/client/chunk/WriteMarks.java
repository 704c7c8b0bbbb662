package io.cairn.client.chunk;

import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * The writes of a chunk that were acknowledged and not made durable since: the last one of each
 * time between two losses of power of all servers. Immutable.
 *
 * @param list in the order of their epochs
 */
record WriteMarks(List<WriteMark> list) {
    static final WriteMarks NONE = new WriteMarks(List.of());

    private static final Comparator<WriteMark> ORDER =
            Comparator.comparingLong(WriteMark::epoch).thenComparingLong(WriteMark::sequence);

    /**
     * More times than that tell nothing more: a chunk that changed after a loss of power cannot be
     * shown to hold what was written before, once there was another.
     */
    private static final int MAX = 4;

    /**
     * With one more write; those that can only be lost together with a later one are left out.
     *
     * @param unbrokenSince the epoch since when nothing was lost
     */
    WriteMarks with(WriteMark mark, long unbrokenSince) {
        List<WriteMark> sorted = new ArrayList<>(list);
        sorted.add(mark);
        sorted.sort(ORDER);
        List<WriteMark> kept = new ArrayList<>(sorted.size());
        for (WriteMark next : sorted) {
            WriteMark last = kept.isEmpty() ? next : kept.getLast();
            if (last.epoch() == next.epoch() || last.epoch() >= unbrokenSince) {
                kept.remove(last);
            }
            kept.add(next);
        }
        if (kept.size() > MAX) {
            kept.remove(MAX - 1);
        }
        return new WriteMarks(List.copyOf(kept));
    }

    /** Both. */
    WriteMarks and(WriteMarks others, long unbrokenSince) {
        WriteMarks both = this;
        for (WriteMark mark : others.list) {
            both = both.with(mark, unbrokenSince);
        }
        return both;
    }
}
