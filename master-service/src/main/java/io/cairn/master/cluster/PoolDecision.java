package io.cairn.master.cluster;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Labels;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/** Decides which pools come and go. Pure functions. */
final class PoolDecision {
    private PoolDecision() {}

    /** Whether there should be another pool of a kind, with any number of copies. */
    static boolean isNews(ClusterMap map, List<Target> present, int maxReplicas, Pool.Kind kind) {
        int most = most(map, present, maxReplicas, kind);
        return IntStream.rangeClosed(1, most).anyMatch(c -> isNews(map, present, kind, c));
    }

    /**
     * Whether there is no pool of a kind, or the youngest one was made for fewer targets than there
     * are now. A target that was away, drained, or without the labels, and comes back is none more:
     * others have its places meanwhile, and it gets some again as they fill ({@link MemberMoves}).
     *
     * @param present targets that are here; those that may have no copy of the kind do not count
     */
    private static boolean isNews(
            ClusterMap map, List<Target> present, Pool.Kind kind, int copies) {
        Pool pool = map.youngestPool(copies, kind);
        if (pool == null) {
            return true;
        }
        BitSet targets = new BitSet();
        admitted(map, present, kind, copies).forEach(target -> targets.set(target.id()));
        for (PlacementGroup group : map.groupsOf(pool)) {
            for (Member member : group.members()) {
                // One that is adopted has chunks, and no place that another one could get.
                if (member.state() != MemberState.ADOPTED) {
                    targets.set(member.targetId());
                }
            }
        }
        return PoolPlan.groupCount(targets.cardinality()) > pool.groupCount();
    }

    /** The targets that may have a copy of chunks with so many. */
    private static List<Target> admitted(
            ClusterMap map, List<Target> targets, Pool.Kind kind, int copies) {
        Labels.Expression labels = kind.labels().ofCopies(copies);
        return targets.stream().filter(t -> labels.admits(map, t.id())).toList();
    }

    /** With how many copies there can be pools of a kind on some targets. */
    private static int most(ClusterMap map, List<Target> targets, int maxReplicas, Pool.Kind kind) {
        int most = 0;
        while (most < maxReplicas
                && Spread.places(map, kind.labels().ofCopies(most + 1), targets) > most) {
            most++;
        }
        return most;
    }

    /** Whether there is no pool of a kind with a number of copies that the targets allow. */
    private static boolean isLacking(ClusterMap map, int most, Pool.Kind kind) {
        for (int copies = 1; copies <= most; copies++) {
            if (map.youngestPool(copies, kind) == null) {
                return true;
            }
        }
        return false;
    }

    private static int servers(List<Target> targets) {
        return (int) targets.stream().mapToInt(Target::serverId).distinct().count();
    }

    /**
     * The kinds of which there are to be pools: the plain one, those that classes ask for, and
     * those of pools that something refers to. Each of them also without its compression: a file
     * may keep the labels of one class and take the compression of another one.
     *
     * <p>A class that says labels or a key, or that there is none, leaves files the other one that
     * they have. There is a kind for each such pair, without a compression: in pools with other
     * labels, or another key, their chunks may not be.
     *
     * @param used pools that a file or an entry of garbage refers to
     * @param classes what classes say
     */
    static Set<Pool.Kind> kinds(ClusterMap map, Set<Integer> used, Set<Policy> classes) {
        Set<Pool.Kind> kinds = new LinkedHashSet<>(Set.of(Pool.Kind.PLAIN));
        classes.forEach(each -> kinds.add(each.kind()));
        for (Pool pool : map.pools()) {
            if (used.contains(pool.id())) {
                kinds.add(pool.kind());
            }
        }
        List<Pool.Kind> some = List.copyOf(kinds);
        some.forEach(kind -> kinds.add(kind.unpacked()));
        for (Policy each : classes) {
            some.forEach(kind -> kinds.add(each.orElse(asking(kind)).kind().unpacked()));
        }
        return kinds;
    }

    /** What files ask for that have their chunks in pools of a kind. */
    private static Policy asking(Pool.Kind kind) {
        return Policy.STANDARD.with(kind.labels()).withKey(kind.key());
    }

    /**
     * Fresh pools over the given targets: for every number of replicas from 1 to {@code
     * maxReplicas} that the number of distinct servers allows, one pool. The same for each kind
     * that is wanted, over the targets that its labels admit. There is none where the youngest one
     * has groups enough for all targets.
     *
     * @param wanted as {@link #kinds} tells them; the plain one is one of them in any case
     * @param leastServers while fewer are here, only kinds with labels or a key get pools, and only
     *     such as they lack: other new files go to the pools that are there
     */
    static void expand(
            MapDraft draft,
            List<Target> members,
            int maxReplicas,
            Set<Pool.Kind> wanted,
            int leastServers) {
        ClusterMap map = draft.map();
        boolean few = servers(members) < leastServers;
        Set<Pool.Kind> kinds = new LinkedHashSet<>(Set.of(Pool.Kind.PLAIN));
        kinds.addAll(wanted);
        int poolId = map.pools().lastId();
        int groupId = map.groups().lastId();
        for (Pool.Kind kind : kinds) {
            int most = most(map, members, maxReplicas, kind);
            boolean needsOwn = !kind.labels().isAny() || kind.key() != 0;
            boolean isDue = !few || (needsOwn && isLacking(map, most, kind));
            for (int replicas = 1; replicas <= most; replicas++) {
                if (!isDue || !isNews(map, members, kind, replicas)) {
                    continue;
                }
                Spread spread = new Spread(map, kind.labels().ofCopies(replicas));
                List<Target> order =
                        PoolPlan.interleave(spread, admitted(map, members, kind, replicas));
                List<List<Member>> plan = PoolPlan.groups(spread, order, replicas);
                draft.put(new Pool(++poolId, replicas, groupId + 1, plan.size(), kind));
                for (List<Member> each : plan) {
                    draft.put(new PlacementGroup(++groupId, poolId, draft.epoch(), each));
                }
            }
        }
    }

    /**
     * Takes pools away that nothing refers to and nothing has to. A younger one with the same
     * redundancy and kind takes new files, and can; or nobody wants its kind any more; or there are
     * too few servers for it besides those that drain or have lost its labels.
     *
     * @param used pools that a file or an entry of garbage refers to
     * @param wanted as {@link #kinds} tells them; the plain one is one of them in any case
     */
    static void retire(MapDraft draft, Set<Integer> used, Set<Pool.Kind> wanted) {
        ClusterMap map = draft.map();
        for (Pool pool : map.pools()) {
            Pool youngest = map.youngestPool(pool.replicas(), pool.kind());
            boolean replaced =
                    youngest != null
                            && youngest.id() > pool.id()
                            && map.groupsOf(youngest).stream().anyMatch(g -> g.head() != null);
            boolean unwanted =
                    !pool.kind().equals(Pool.Kind.PLAIN) && !wanted.contains(pool.kind());
            if (!used.contains(pool.id()) && (replaced || unwanted || holdsDrain(map, pool))) {
                draft.removePool(pool.id());
            }
        }
    }

    /** Whether a pool has members that drain, or lost its labels, and have nowhere to go. */
    private static boolean holdsDrain(ClusterMap map, Pool pool) {
        List<Target> staying = new ArrayList<>();
        Set<Integer> leaving = new HashSet<>();
        for (Target target : map.targets()) {
            if (target.isDraining() || !pool.copyLabels().admits(map, target.id())) {
                leaving.add(target.id());
            } else if (target.serverId() != 0) {
                staying.add(target);
            }
        }
        return !leaving.isEmpty()
                && !staying.isEmpty()
                && Spread.places(map, pool.copyLabels(), staying) < pool.replicas()
                && map.groupsOf(pool).stream()
                        .flatMap(group -> group.members().stream())
                        .anyMatch(member -> leaving.contains(member.targetId()));
    }
}
