package io.cairn.cluster;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places of all data: servers, targets, pools and placement groups, with an epoch that grows
 * with every change. Part of the replicated state; servers and clients keep copies. Immutable and
 * thread-safe.
 */
public final class ClusterMap {
    /** The map of a new cluster: epoch 0 and nothing in it. */
    public static final ClusterMap EMPTY =
            new ClusterMap(0, List.of(), List.of(), List.of(), List.of());

    private final long epoch;
    private final List<ChunkServer> servers;
    private final List<Target> targets;
    private final List<Pool> pools;
    private final List<PlacementGroup> groups;
    private final Map<Integer, ChunkServer> serverById = new HashMap<>();
    private final Map<Integer, Target> targetById = new HashMap<>();
    private final Map<Integer, Pool> poolById = new HashMap<>();
    private final Map<Integer, PlacementGroup> groupById = new HashMap<>();
    private final Set<Integer> headless = new HashSet<>();

    /** A map of the given parts, which are copied. */
    public ClusterMap(
            long epoch,
            List<ChunkServer> servers,
            List<Target> targets,
            List<Pool> pools,
            List<PlacementGroup> groups) {
        this.epoch = epoch;
        this.servers = List.copyOf(servers);
        this.targets = List.copyOf(targets);
        this.pools = List.copyOf(pools);
        this.groups = List.copyOf(groups);
        this.servers.forEach(s -> serverById.put(s.id(), s));
        this.targets.forEach(t -> targetById.put(t.id(), t));
        this.pools.forEach(p -> poolById.put(p.id(), p));
        this.groups.forEach(g -> groupById.put(g.id(), g));
        this.groups.stream().filter(g -> g.head() == null).forEach(g -> headless.add(g.id()));
    }

    /** Grows with every change; 0 only for the empty map. */
    public long epoch() {
        return epoch;
    }

    /** All servers, by id. */
    public List<ChunkServer> servers() {
        return servers;
    }

    /** All targets, by id. */
    public List<Target> targets() {
        return targets;
    }

    /** All pools, oldest first. */
    public List<Pool> pools() {
        return pools;
    }

    /** All placement groups, by id. */
    public List<PlacementGroup> groups() {
        return groups;
    }

    /** The server of an id, or null. */
    public @Nullable ChunkServer server(int id) {
        return serverById.get(id);
    }

    /** The target of an id, or null. */
    public @Nullable Target target(int id) {
        return targetById.get(id);
    }

    /** The pool of an id, or null. */
    public @Nullable Pool pool(int id) {
        return poolById.get(id);
    }

    /** The group of an id, or null. */
    public @Nullable PlacementGroup group(int id) {
        return groupById.get(id);
    }

    /** The server that holds a target, or null when the target is unknown. */
    public @Nullable ChunkServer serverOfTarget(int targetId) {
        Target target = targetById.get(targetId);
        return target == null ? null : serverById.get(target.serverId());
    }

    /** The youngest pool with a number of replicas, or null. */
    public @Nullable Pool youngestPool(int replicas) {
        for (int i = pools.size() - 1; i >= 0; i--) {
            if (pools.get(i).replicas() == replicas) {
                return pools.get(i);
            }
        }
        return null;
    }

    /**
     * The placement group of a chunk of a file: {@code layout.stripeWidth()} groups in turn (0 =
     * all of the pool), starting at a place that the seed decides, and without those that a detour
     * leaves out. Null when the map does not know the pool yet.
     */
    public @Nullable PlacementGroup groupOf(Layout layout, long chunkIndex) {
        Pool pool = poolById.get(layout.runOf(chunkIndex).poolId());
        return pool == null
                ? null
                : groupById.get(pool.firstGroup() + Stripe.slot(layout, pool, chunkIndex));
    }

    /** How many copies there are of every chunk of a layout at least; 0 when that is not known. */
    public int copies(Layout layout) {
        int fewest = Integer.MAX_VALUE;
        for (int id : layout.pools()) {
            Pool pool = pool(id);
            fewest = Math.min(fewest, pool == null ? 0 : pool.replicas());
        }
        return fewest == Integer.MAX_VALUE ? 0 : fewest;
    }

    /** Whether every group has a head: everything that is stored can be read and written. */
    public boolean isAvailable() {
        return headless.isEmpty();
    }

    /** Whether a group of this number has a head. */
    public boolean isAvailable(int group) {
        return !headless.contains(group) && groupById.containsKey(group);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterMap m
                && epoch == m.epoch
                && servers.equals(m.servers)
                && targets.equals(m.targets)
                && pools.equals(m.pools)
                && groups.equals(m.groups);
    }

    @Override
    public int hashCode() {
        return Long.hashCode(epoch);
    }

    @Override
    public String toString() {
        return "ClusterMap{epoch="
                + epoch
                + ", servers="
                + servers.size()
                + ", targets="
                + targets.size()
                + ", pools="
                + pools.size()
                + ", groups="
                + groups.size()
                + "}";
    }
}
