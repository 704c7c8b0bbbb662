package io.cairn.master.cluster;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Spread;
import io.cairn.cluster.Target;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Decides which pools come and go. Pure functions. */
final class PoolDecision {
    private PoolDecision() {}

    /**
     * Whether one of the targets has no part in the youngest pools with a compression, or there is
     * none of them, or one that there could be was taken away.
     */
    static boolean isNews(ClusterMap map, List<Target> present, int maxReplicas, Compression kind) {
        for (int copies = 1; copies <= Math.min(maxReplicas, servers(present)); copies++) {
            if (map.youngestPool(copies, kind) == null) {
                return true;
            }
        }
        Set<Integer> used = new HashSet<>();
        Pool pool = map.youngestPool(1, kind);
        if (pool != null) {
            for (PlacementGroup group : map.groupsOf(pool)) {
                group.members().forEach(m -> used.add(m.targetId()));
            }
        }
        return present.stream().anyMatch(t -> !used.contains(t.id()));
    }

    private static int servers(List<Target> targets) {
        return (int) targets.stream().mapToInt(Target::serverId).distinct().count();
    }

    /**
     * The compressions of which there are to be pools: none, those that are wanted, and those of
     * pools that something refers to.
     *
     * @param used pools that a file or an entry of garbage refers to
     * @param wanted compressions that classes ask for
     */
    static Set<Compression> kinds(ClusterMap map, Set<Integer> used, Set<Compression> wanted) {
        Set<Compression> kinds = EnumSet.of(Compression.NONE);
        kinds.addAll(wanted);
        for (Pool pool : map.pools()) {
            if (used.contains(pool.id())) {
                kinds.add(pool.compression());
            }
        }
        return kinds;
    }

    /**
     * Fresh pools over the given targets: for every number of replicas from 1 to {@code
     * maxReplicas} that the number of distinct servers allows, one pool. The same for each
     * compression that is wanted. There are none for a compression of which there is no news.
     *
     * @param wanted as {@link #kinds} tells them; NONE is one of them in any case
     */
    static void expand(
            MapDraft draft, List<Target> members, int maxReplicas, Set<Compression> wanted) {
        ClusterMap map = draft.map();
        Set<Compression> kinds = EnumSet.of(Compression.NONE);
        kinds.addAll(wanted);
        kinds.removeIf(kind -> !isNews(map, members, maxReplicas, kind));
        Spread spread = new Spread(map);
        List<Target> order = PoolPlan.interleave(spread, members);
        int most = Math.min(maxReplicas, servers(order));
        int poolId = map.pools().lastId();
        int groupId = map.groups().lastId();
        for (Compression kind : kinds) {
            for (int replicas = 1; replicas <= most; replicas++) {
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
     * redundancy and compression takes new files, and can; or nobody wants its compression any
     * more; or there are too few servers for it besides those that drain.
     *
     * @param used pools that a file or an entry of garbage refers to
     * @param wanted as {@link #kinds} tells them; NONE is one of them in any case
     */
    static void retire(MapDraft draft, Set<Integer> used, Set<Compression> wanted) {
        ClusterMap map = draft.map();
        for (Pool pool : map.pools()) {
            Pool youngest = map.youngestPool(pool.replicas(), pool.compression());
            boolean replaced =
                    youngest != null
                            && youngest.id() > pool.id()
                            && map.groupsOf(youngest).stream().anyMatch(g -> g.head() != null);
            boolean unwanted =
                    pool.compression() != Compression.NONE && !wanted.contains(pool.compression());
            if (!used.contains(pool.id()) && (replaced || unwanted || holdsDrain(map, pool))) {
                draft.removePool(pool.id());
            }
        }
    }

    /** Whether a pool has members that drain and have nowhere to go. */
    private static boolean holdsDrain(ClusterMap map, Pool pool) {
        Set<Integer> servers = new HashSet<>();
        Set<Integer> draining = new HashSet<>();
        for (Target target : map.targets()) {
            if (target.isDraining()) {
                draining.add(target.id());
            } else if (target.serverId() != 0) {
                servers.add(target.serverId());
            }
        }
        return !draining.isEmpty()
                && !servers.isEmpty()
                && servers.size() < pool.replicas()
                && map.groupsOf(pool).stream()
                        .flatMap(group -> group.members().stream())
                        .anyMatch(member -> draining.contains(member.targetId()));
    }
}
