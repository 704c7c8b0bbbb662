package io.cairn.metadata.content;

import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The layout of a file whose chunks from one on are put elsewhere, but for some that stay. The last
 * run is a new one in any case: what the file grows by goes there. Immutable.
 */
final class LayoutDetour {
    /** Hears of chunks that move: from one on up to another one, which stays. */
    interface Gaps {
        void between(long fromChunk, long endChunk);
    }

    private final Layout layout;
    private final long first;
    private final long[] kept;

    /**
     * A detour of a layout.
     *
     * @param first the first chunk that moves unless it stays
     * @param kept the chunks that stay, in ascending order; those before the first do so anyway
     */
    LayoutDetour(Layout layout, long first, long[] kept) {
        this.layout = layout;
        this.first = first;
        this.kept = kept;
    }

    /** The first chunk behind all that stay. */
    long behind() {
        return kept.length == 0 ? first : Math.max(first, kept[kept.length - 1] + 1);
    }

    /**
     * Whether the layout has room for it. A chunk that has still to be cloned has contents, so it
     * cannot move.
     */
    boolean isPossible() {
        boolean hasRoom =
                layout.objectCount() < Layout.MAX_OBJECTS
                        && (kept.length == 0
                                || layout.runs().size() + 2 * kept.length < Layout.MAX_RUNS);
        if (!hasRoom) {
            return false;
        }
        for (Run run : layout.runs()) {
            boolean isBetween = run.firstChunk() >= first && run.firstChunk() < behind();
            if (isBetween
                    && run.sourceOid() != 0
                    && Arrays.binarySearch(kept, run.firstChunk()) < 0) {
                return false;
            }
        }
        return true;
    }

    /**
     * The runs with the detour.
     *
     * @param cut the layout with a new object from {@link #behind} on
     * @param place where the chunks go
     */
    List<Run> runs(Layout cut, Run place) {
        List<Run> runs = new ArrayList<>(cut.runs());
        Run last = runs.removeLast();
        Run there = place.beside(last.firstChunk(), last.oid());
        gaps((from, end) -> move(runs, from, end, there));
        runs.add(there);
        return kept.length == 0 ? runs : Layout.joined(runs);
    }

    /** Names the chunks that move and lie before one that stays, in ascending order. */
    void gaps(Gaps gaps) {
        long at = first;
        for (long chunk : kept) {
            if (chunk > at) {
                gaps.between(at, chunk);
            }
            at = Math.max(at, chunk + 1);
        }
    }

    /** Moves the chunks from one on up to one that stays. */
    private static void move(List<Run> runs, long from, long end, Run there) {
        int endPlace = Layout.placeOf(runs, end);
        Run old = runs.get(endPlace);
        Run rest = old.firstChunk() == end ? old : old.beside(end, old.oid());
        int place = Layout.placeOf(runs, from);
        int begin = runs.get(place).firstChunk() == from ? place : place + 1;
        runs.subList(begin, endPlace + 1).clear();
        runs.addAll(begin, List.of(there.beside(from, there.oid()), rest));
    }
}
