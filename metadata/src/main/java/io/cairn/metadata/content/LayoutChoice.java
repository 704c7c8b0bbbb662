package io.cairn.metadata.content;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Stripe;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Counters;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Decides where new contents go. Belongs to the apply thread.
 *
 * <p>The pool is the youngest one with as many replicas as the policy (or else the cluster's
 * standard) asks for. When there is none: the youngest of those with the next higher number; when
 * nobody has that many: the youngest of those with most. Among pools with the same number it is one
 * with the compression of the policy, or else one without. It is always one for the labels of the
 * policy, and with its key, and none when there is none for them: their servers may be the only
 * ones that are allowed. The policy stays in the inode as it is, so that a file with fewer copies
 * than asked can be found and moved once a better pool exists.
 *
 * <p>Groups without a serving member are left out: what is made now can be written now. A pool of
 * which no group serves is passed over when an older one, or one with more copies, has some; never
 * for one with fewer copies. In the same way groups with a target that is nearly full are left out
 * while others have room.
 */
public final class LayoutChoice {
    private final Cluster cluster;
    private final Counters counters;

    public LayoutChoice(Cluster cluster, Counters counters) {
        this.cluster = cluster;
        this.counters = counters;
    }

    /** The layout of new contents of a file, with a new object. Pool 0 while there is no pool. */
    public Layout fresh(long ino, Policy policy) {
        return choose(ino, policy, counters.takeOid());
    }

    /**
     * Gives a file that has no contents in chunks a pool, if it has none and one exists now. True
     * when it did.
     */
    public boolean settle(InodeDraft file) {
        Layout layout = file.layout;
        if (layout == null || layout.hasPool() || file.inline == null) {
            return false;
        }
        Layout chosen = choose(file.ino, file.policy, layout.lastOid());
        if (!chosen.hasPool()) {
            return false;
        }
        file.layout = chosen;
        return true;
    }

    /** Whether a layout is as good as the one that the policy would get now. */
    public boolean satisfies(Layout layout, Policy policy) {
        return satisfies(cluster.map(), cluster.standardReplicas(), layout, policy);
    }

    /** The same with a cluster map and a standard number of replicas. */
    public static boolean satisfies(
            ClusterMap map, int standardReplicas, Layout layout, Policy policy) {
        int wanted = policy.replicas() > 0 ? policy.replicas() : standardReplicas;
        Pool best = pool(map, wanted, policy.kind());
        return best != null
                && layout.hasPool()
                && layout.chunkSizeLog2() == chunkSizeLog2(policy)
                && layout.stripeWidth() == stripeWidth(policy)
                && layout.pools().stream()
                        .map(map::pool)
                        .allMatch(pool -> pool != null && isLike(pool, best));
    }

    private static boolean isLike(Pool pool, Pool best) {
        return pool.replicas() == best.replicas() && pool.kind().equals(best.kind());
    }

    /** The layout that the policy asks for, with a given object. */
    public Layout choose(long ino, Policy policy, long oid) {
        ClusterMap map = cluster.map();
        Pool pool = servingPool(map, wanted(policy), policy.kind());
        Layout layout =
                new Layout(
                        chunkSizeLog2(policy),
                        stripeWidth(policy),
                        seed(ino),
                        List.of(Layout.Run.of(0, pool == null ? 0 : pool.id(), oid)));
        long detour = Stripe.detour(map, layout);
        return detour == 0 ? layout : layout.withRuns(List.of(layout.lastRun().withDetour(detour)));
    }

    /**
     * The layout that the policy asks for, for contents in the inode: the present one if that is
     * so, else one with a new object. Where a client moves them into chunks and some of these were
     * renewed because of a snapshot, it is the one they have. So it is where the policy has no pool
     * yet: a client may just be moving them to the present one. But it is never one with another
     * key, or with none: they would be on disks as they are.
     */
    Layout chooseAgain(long ino, Policy policy, Layout present) {
        boolean isSameKey = hasKey(present, policy.kind().key());
        if (isSameKey && present.runs().size() > 1) {
            return present;
        }
        Layout chosen = choose(ino, policy, present.lastOid());
        if (chosen.equals(present) || (isSameKey && present.hasPool() && !chosen.hasPool())) {
            return present;
        }
        return chosen.withRuns(List.of(chosen.lastRun().beside(0, counters.takeOid())));
    }

    private boolean hasKey(Layout layout, int key) {
        ClusterMap map = cluster.map();
        for (int id : layout.pools()) {
            Pool pool = map.pool(id);
            if ((pool == null ? 0 : pool.key()) != key) {
                return false;
            }
        }
        return true;
    }

    /**
     * Whether contents that begin in chunks now could not be written to all of a layout, or would
     * fill targets that are nearly full while others are not.
     */
    boolean isUnfit(Layout layout) {
        return Stripe.isBlocked(cluster.map(), layout) || Stripe.isCrowded(cluster.map(), layout);
    }

    /** Whether another layout is better for what begins now than one that is unfit. */
    boolean helps(Layout unfit, Layout other) {
        ClusterMap map = cluster.map();
        return other.hasPool()
                && (Stripe.isBlocked(map, unfit)
                        ? !Stripe.isBlocked(map, other)
                        : Stripe.takesNew(map, other));
    }

    /**
     * Where a run that begins now can be written: on a detour in the pool of the last one, or else
     * in the pool that new contents of the policy go to. Null when nowhere.
     */
    Layout.@Nullable Run elsewhere(Layout layout, Policy policy) {
        Pool other = servingPool(cluster.map(), wanted(policy), policy.kind());
        int last = layout.lastRun().poolId();
        Layout.Run best = null;
        for (int pool : new int[] {last, other == null ? last : other.id()}) {
            Layout there = layout.withRuns(List.of(Layout.Run.of(0, pool, layout.lastOid())));
            Layout.Run run = there.lastRun().withDetour(Stripe.detour(cluster.map(), there));
            Layout detoured = there.withRuns(List.of(run));
            if (detoured.hasPool() && Stripe.takesNew(cluster.map(), detoured)) {
                return run;
            }
            best = best == null && helps(layout, detoured) ? run : best;
        }
        return best;
    }

    /**
     * Where chunks of a run go that leave disks which are full: into groups with room, in the
     * youngest pool of the same kind and with as many copies that has some. Null when nowhere.
     *
     * @param oid the object of the chunks there
     */
    Layout.@Nullable Run roomFor(Layout layout, Layout.Run run, long oid) {
        ClusterMap map = cluster.map();
        Layout.Run found = null;
        for (Pool pool : map.pools()) {
            if (isAlike(run.poolId(), pool.id()) && (found == null || pool.id() > found.poolId())) {
                Layout there = layout.withRuns(List.of(Layout.Run.of(0, pool.id(), oid)));
                Layout.Run place = there.lastRun().withDetour(Stripe.detour(map, there));
                boolean hasRoom = Stripe.takesNew(map, there.withRuns(List.of(place)));
                found = hasRoom ? place : found;
            }
        }
        return found;
    }

    /** Whether two pools are of the same kind and have as many copies. */
    boolean isAlike(int poolId, int otherId) {
        Pool pool = cluster.map().pool(poolId);
        Pool other = cluster.map().pool(otherId);
        return pool != null && other != null && isLike(pool, other);
    }

    private int wanted(Policy policy) {
        return policy.replicas() > 0 ? policy.replicas() : cluster.standardReplicas();
    }

    private static int chunkSizeLog2(Policy policy) {
        return policy.chunkSizeLog2() > 0
                ? policy.chunkSizeLog2()
                : Layout.STANDARD_CHUNK_SIZE_LOG2;
    }

    private static int stripeWidth(Policy policy) {
        return Math.max(0, policy.stripeWidth());
    }

    /**
     * The pool for new contents: one of which some group serves and has room, or else one of which
     * some group serves, if there is any.
     */
    private static @Nullable Pool servingPool(ClusterMap map, int replicas, Pool.Kind asked) {
        Pool best = pool(map, replicas, asked);
        if (best == null || Stripe.takesNew(map, best)) {
            return best;
        }
        Pool roomy = youngest(map, best, pool -> Stripe.takesNew(map, pool));
        if (roomy != null || serves(map, best)) {
            return roomy == null ? best : roomy;
        }
        Pool serving = youngest(map, best, pool -> serves(map, pool));
        return serving == null ? best : serving;
    }

    /**
     * The youngest pool of a kind with as many copies as one, or else with more; with the same
     * compression if there is one with that number, or else without any.
     */
    private static @Nullable Pool youngest(ClusterMap map, Pool best, Predicate<Pool> kind) {
        for (int n = best.replicas(); n <= Policy.MAX_REPLICAS; n++) {
            Pool alike = null;
            Pool plain = null;
            for (Pool pool : map.pools()) {
                if (pool.replicas() == n && kind.test(pool)) {
                    alike = pool.kind().equals(best.kind()) ? pool : alike;
                    plain = pool.kind().equals(best.kind().unpacked()) ? pool : plain;
                }
            }
            if (alike != null || plain != null) {
                return alike == null ? plain : alike;
            }
        }
        return null;
    }

    private static boolean serves(ClusterMap map, Pool pool) {
        for (int i = 0; i < pool.groupCount(); i++) {
            if (map.isAvailable(pool.firstGroup() + i)) {
                return true;
            }
        }
        return false;
    }

    static @Nullable Pool pool(ClusterMap map, int replicas, Pool.Kind kind) {
        for (int n = replicas; n <= Policy.MAX_REPLICAS; n++) {
            Pool pool = youngest(map, n, kind);
            if (pool != null) {
                return pool;
            }
        }
        for (int n = replicas - 1; n > 0; n--) {
            Pool pool = youngest(map, n, kind);
            if (pool != null) {
                return pool;
            }
        }
        return null;
    }

    /** Of a kind, or else without its compression; never on servers with other labels. */
    private static @Nullable Pool youngest(ClusterMap map, int replicas, Pool.Kind kind) {
        Pool pool = map.youngestPool(replicas, kind);
        return pool == null ? map.youngestPool(replicas, kind.unpacked()) : pool;
    }

    /** Neighbouring inode numbers get unrelated seeds (the finisher of splitmix64). */
    public static long seed(long ino) {
        long h = ino + 0x9E3779B97F4A7C15L;
        h = (h ^ (h >>> 30)) * 0xBF58476D1CE4E5B9L;
        h = (h ^ (h >>> 27)) * 0x94D049BB133111EBL;
        return h ^ (h >>> 31);
    }
}
