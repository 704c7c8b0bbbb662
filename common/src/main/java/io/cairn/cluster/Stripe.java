package io.cairn.cluster;

import io.cairn.cluster.PlacementGroup.Member;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

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
     * The detour of a run of a layout that begins now, so that all its chunks can be written, and
     * lie in groups with room while there are such; 0 when it needs none, or when none helps.
     */
    public static long detour(ClusterMap map, Layout layout) {
        Pool pool = map.pool(layout.lastRun().poolId());
        if (pool == null || (map.isAvailable() && map.isRoomy())) {
            return 0;
        }
        long roomy = usable(layout, pool, map::takesNew);
        IntPredicate usable = roomy == 0 ? map::isAvailable : map::takesNew;
        if (isClear(layout, pool, 0, usable)) {
            return 0;
        }
        return roomy == 0 ? usable(layout, pool, usable) : roomy;
    }

    /** The groups of the window that can be used. */
    private static long usable(Layout layout, Pool pool, IntPredicate usable) {
        long used = 0;
        for (int i = 0; i < Math.min(WINDOW, pool.groupCount()); i++) {
            used |= usable.test(group(layout, pool, i)) ? 1L << i : 0;
        }
        return used;
    }

    /** Whether all groups that the last run of a layout uses can be written and have room. */
    public static boolean takesNew(ClusterMap map, Layout layout) {
        Pool pool = map.pool(layout.lastRun().poolId());
        return pool != null && isClear(layout, pool, layout.lastRun().detour(), map::takesNew);
    }

    /**
     * Whether the last run of a layout uses a group that is nearly full, and others with as many
     * copies have room that a detour reaches.
     */
    public static boolean isCrowded(ClusterMap map, Layout layout) {
        return !map.isRoomy() && !takesNew(map, layout) && hasRoom(map, layout);
    }

    /** Whether a chunk of a range lies in such a group. */
    public static boolean isCrowded(ClusterMap map, Layout layout, long first, long last) {
        return !map.isRoomy()
                && !isAll(layout, map, first, last, map::takesNew)
                && hasRoom(map, layout);
    }

    /** Whether a detour of the layout reaches a group with room and with as many copies. */
    private static boolean hasRoom(ClusterMap map, Layout layout) {
        Pool last = map.pool(layout.lastRun().poolId());
        for (Pool pool : map.pools()) {
            if (last != null
                    && pool.replicas() == last.replicas()
                    && pool.labels().equals(last.labels())
                    && pool.key() == last.key()
                    && usable(layout, pool, map::takesNew) != 0) {
                return true;
            }
        }
        return false;
    }

    /**
     * Whether other disks may have room when those of a group refuse bytes: as far as the map
     * knows, which hears of a full disk a moment later.
     */
    public static boolean mayHelp(ClusterMap map, Layout layout, PlacementGroup full) {
        if (!map.takesNew(full.id())) {
            return isCrowded(map, layout);
        }
        Pool last = map.pool(layout.lastRun().poolId());
        for (Pool pool : map.pools()) {
            boolean isEqual = last != null && pool.replicas() == last.replicas();
            for (int i = 0; isEqual && i < pool.groupCount(); i++) {
                PlacementGroup other = map.group(pool.firstGroup() + i);
                if (other != null && !targets(other).equals(targets(full))) {
                    return true;
                }
            }
        }
        return false;
    }

    private static Set<Integer> targets(PlacementGroup group) {
        return group.members().stream().map(Member::targetId).collect(Collectors.toSet());
    }

    /** Whether any group of a pool can be written and has room. */
    public static boolean takesNew(ClusterMap map, Pool pool) {
        for (int i = 0; i < pool.groupCount(); i++) {
            if (map.takesNew(pool.firstGroup() + i)) {
                return true;
            }
        }
        return false;
    }

    /** Whether a group that the last run of a layout uses cannot be written now. */
    public static boolean isBlocked(ClusterMap map, Layout layout) {
        Pool pool = map.pool(layout.lastRun().poolId());
        return pool != null
                && !map.isAvailable()
                && !isClear(layout, pool, layout.lastRun().detour(), map::isAvailable);
    }

    /** Whether a chunk of a range cannot be written where the layout says. */
    public static boolean isBlocked(ClusterMap map, Layout layout, long first, long last) {
        return !map.isAvailable() && !isAll(layout, map, first, last, map::isAvailable);
    }

    /** Whether the groups of all chunks of a range can be used. */
    private static boolean isAll(
            Layout layout, ClusterMap map, long first, long last, IntPredicate usable) {
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() - 1 : last;
            long from = Math.max(first, runs.get(i).firstChunk());
            Pool pool = from > Math.min(last, end) ? null : map.pool(layout.runOf(from).poolId());
            if (pool != null && !isAll(layout, pool, from, Math.min(last, end), usable)) {
                return false;
            }
        }
        return true;
    }

    /** Of chunks of one run. */
    private static boolean isAll(
            Layout layout, Pool pool, long first, long last, IntPredicate usable) {
        // From there on they are the same groups again.
        long end = Math.min(last, first + pool.groupCount() - 1);
        for (long chunk = first; chunk <= end; chunk++) {
            if (!usable.test(pool.firstGroup() + slot(layout, pool, chunk))) {
                return false;
            }
        }
        return true;
    }

    /**
     * The targets that a layout may put chunks on, by identity; none without a pool. Where it is
     * crowded these are those of a detour, too.
     */
    public static Set<Long> targets(ClusterMap map, Layout layout) {
        Set<Long> identities = new HashSet<>();
        List<Layout.Run> places = new ArrayList<>();
        for (Layout.Run run : layout.runs()) {
            Pool pool = map.pool(run.poolId());
            if (pool == null || places.stream().anyMatch(run::sharesGroups)) {
                continue;
            }
            places.add(run);
            Layout all = layout.withRuns(List.of(run.beside(0, run.oid())));
            for (long chunk = 0; chunk < pool.groupCount(); chunk++) {
                addTargets(map, map.groupOf(all, chunk), identities);
            }
        }
        if (isCrowded(map, layout)) {
            addDetour(map, layout, identities);
        }
        return identities;
    }

    private static void addTargets(
            ClusterMap map, @Nullable PlacementGroup group, Set<Long> identities) {
        for (Member member : group == null ? List.<Member>of() : group.members()) {
            Target target = map.target(member.targetId());
            if (target != null) {
                identities.add(target.identity());
            }
        }
    }

    /** Of groups with room in the last pool, and in the youngest one that is like it. */
    private static void addDetour(ClusterMap map, Layout layout, Set<Long> identities) {
        Pool last = map.pool(layout.lastRun().poolId());
        if (last == null) {
            return;
        }
        Pool youngest = map.youngestPool(last.replicas(), last.kind());
        for (Pool pool : youngest == null ? List.of(last) : List.of(last, youngest)) {
            for (int i = 0; i < Math.min(WINDOW, pool.groupCount()); i++) {
                int group = group(layout, pool, i);
                if (map.takesNew(group)) {
                    addTargets(map, map.group(group), identities);
                }
            }
        }
    }

    private static boolean isClear(Layout layout, Pool pool, long detour, IntPredicate usable) {
        for (int i = 0; i < (detour == 0 ? width(layout, pool) : WINDOW); i++) {
            boolean used = detour == 0 || (detour >>> i & 1) != 0;
            if (used && !usable.test(group(layout, pool, i))) {
                return false;
            }
        }
        return true;
    }

    private static int group(Layout layout, Pool pool, int place) {
        return pool.firstGroup() + (int) ((start(layout, pool) + place) % pool.groupCount());
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
