package io.cairn.cluster;

import java.util.List;

/** Which groups of its pools a layout uses. Pure functions. */
public final class Stripe {
    /** Groups from the start of a stripe on that a detour can name. */
    private static final int WINDOW = Long.SIZE;

    private Stripe() {}

    /** The place in the pool of the group of a chunk. */
    static int slot(Layout layout, Pool pool, long chunkIndex) {
        long detour = layout.runOf(chunkIndex).detour();
        int width = width(layout, pool);
        long start = start(layout, pool);
        if (detour == 0) {
            return (int) ((start + chunkIndex % width) % pool.groupCount());
        }
        int used = Long.bitCount(detour);
        // Begins anywhere among them: else one would get the files of its lost neighbour as well.
        long first = Long.remainderUnsigned((layout.seed() * 0xBF58476D1CE4E5B9L) >>> 16, used);
        long turn = (first + chunkIndex % Math.min(width, used)) % used;
        return (int) ((start + bit(detour, (int) turn)) % pool.groupCount());
    }

    /**
     * The detour of a run of a layout that begins now, so that all its chunks can be written; 0
     * when it needs none, or when none helps.
     */
    public static long detour(ClusterMap map, Layout layout) {
        Pool pool = map.pool(layout.lastRun().poolId());
        if (pool == null || map.isAvailable() || isClear(map, layout, pool, 0)) {
            return 0;
        }
        long used = 0;
        for (int i = 0; i < Math.min(WINDOW, pool.groupCount()); i++) {
            used |= isAvailable(map, layout, pool, i) ? 1L << i : 0;
        }
        return used;
    }

    /** Whether a group that the last run of a layout uses cannot be written now. */
    public static boolean isBlocked(ClusterMap map, Layout layout) {
        Pool pool = map.pool(layout.lastRun().poolId());
        return pool != null
                && !map.isAvailable()
                && !isClear(map, layout, pool, layout.lastRun().detour());
    }

    /** Whether a chunk of a range cannot be written where the layout says. */
    public static boolean isBlocked(ClusterMap map, Layout layout, long first, long last) {
        if (map.isAvailable()) {
            return false;
        }
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() - 1 : last;
            long from = Math.max(first, runs.get(i).firstChunk());
            if (isBlockedRun(map, layout, from, Math.min(last, end))) {
                return true;
            }
        }
        return false;
    }

    /** Of chunks of one run. */
    private static boolean isBlockedRun(ClusterMap map, Layout layout, long first, long last) {
        Pool pool = map.pool(layout.runOf(first).poolId());
        if (pool == null) {
            return false;
        }
        // From there on they are the same groups again.
        long end = Math.min(last, first + pool.groupCount() - 1);
        for (long chunk = first; chunk <= end; chunk++) {
            if (!map.isAvailable(pool.firstGroup() + slot(layout, pool, chunk))) {
                return true;
            }
        }
        return false;
    }

    private static boolean isClear(ClusterMap map, Layout layout, Pool pool, long detour) {
        for (int i = 0; i < (detour == 0 ? width(layout, pool) : WINDOW); i++) {
            boolean used = detour == 0 || (detour >>> i & 1) != 0;
            if (used && !isAvailable(map, layout, pool, i)) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAvailable(ClusterMap map, Layout layout, Pool pool, int place) {
        long slot = (start(layout, pool) + place) % pool.groupCount();
        return map.isAvailable(pool.firstGroup() + (int) slot);
    }

    /** How many groups of a pool its chunks take in turn, without a detour. */
    public static int width(Layout layout, Pool pool) {
        return layout.stripeWidth() == 0
                ? pool.groupCount()
                : Math.min(layout.stripeWidth(), pool.groupCount());
    }

    private static long start(Layout layout, Pool pool) {
        return Long.remainderUnsigned(
                (layout.seed() * 0x9E3779B97F4A7C15L) >>> 8, pool.groupCount());
    }

    /** The place of the n-th bit that is set, from the lowest on. */
    private static int bit(long bits, int n) {
        long left = bits;
        for (int i = 0; i < n; i++) {
            left &= left - 1;
        }
        return Long.numberOfTrailingZeros(left);
    }
}
