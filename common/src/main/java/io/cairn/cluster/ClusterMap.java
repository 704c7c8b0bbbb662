package io.cairn.cluster;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The places of all data: servers, targets, pools and placement groups, with an epoch that grows
 * with every change. Part of the replicated state; servers and clients keep copies. A change costs
 * what it changes: a map shares with the one before whatever is the same. Immutable and
 * thread-safe.
 */
public final class ClusterMap {
    /** The map of a new cluster: epoch 0 and nothing in it. */
    public static final ClusterMap EMPTY =
            new ClusterMap(0, List.of(), List.of(), List.of(), List.of());

    private final long epoch;
    private final Table<ChunkServer> servers;
    private final Table<Target> targets;
    private final Table<Pool> pools;
    private final Table<PlacementGroup> groups;
    private final int headless;
    private final boolean roomy;
    private final MapIndex index;

    /** A map of the given parts. */
    public ClusterMap(
            long epoch,
            Collection<ChunkServer> servers,
            Collection<Target> targets,
            Collection<Pool> pools,
            Collection<PlacementGroup> groups) {
        this.epoch = epoch;
        this.servers = Table.<ChunkServer>empty().with(servers);
        this.targets = Table.<Target>empty().with(targets);
        this.pools = Table.<Pool>empty().with(pools);
        this.groups = Table.<PlacementGroup>empty().with(groups);
        this.headless = (int) groups.stream().filter(g -> g.head() == null).count();
        this.roomy = targets.stream().noneMatch(Target::full);
        this.index = MapIndex.of(this.servers, this.targets, this.groups);
    }

    private ClusterMap(ClusterMap base, MapDelta delta) {
        epoch = delta.to();
        servers = change(base.servers, delta.servers(), delta.gone().servers());
        targets = change(base.targets, delta.targets(), delta.gone().targets());
        pools = change(base.pools, delta.pools(), delta.gone().pools());
        Table<PlacementGroup> left = base.groups;
        int lost = base.headless;
        for (int id : delta.gone().pools()) {
            Pool pool = base.pool(id);
            if (pool != null) {
                lost -= base.headless(pool);
                left = left.without(pool.firstGroup(), pool.groupCount());
            }
        }
        for (PlacementGroup group : delta.groups()) {
            PlacementGroup before = left.get(group.id());
            lost -= before != null && before.head() == null ? 1 : 0;
            lost += group.head() == null ? 1 : 0;
        }
        groups = left.with(delta.groups());
        headless = lost;
        boolean same = delta.targets().isEmpty() && delta.gone().targets().isEmpty();
        roomy = same ? base.roomy : isRoomy(targets);
        index =
                base.index.follow(
                        delta, base.servers, base.groups, MapIndex.of(servers, targets, groups));
    }

    private static boolean isRoomy(Table<Target> targets) {
        for (Target target : targets) {
            if (target.full()) {
                return false;
            }
        }
        return true;
    }

    private static <T extends Table.Numbered> Table<T> change(
            Table<T> base, List<T> put, List<Integer> gone) {
        Table<T> left = put.isEmpty() ? base : base.with(put);
        for (int id : gone) {
            left = left.without(id, 1);
        }
        return left;
    }

    private int headless(Pool pool) {
        return (int) groupsOf(pool).stream().filter(g -> g.head() == null).count();
    }

    /** Whether a delta begins at this map, or is a whole map. */
    public boolean takes(MapDelta delta) {
        return delta.from() == 0 || delta.from() == epoch;
    }

    /**
     * The younger map.
     *
     * @throws IllegalArgumentException when this map does not take it
     */
    public ClusterMap with(MapDelta delta) {
        if (!takes(delta)) {
            throw new IllegalArgumentException(
                    "epoch " + epoch + " and a change from epoch " + delta.from());
        }
        return new ClusterMap(delta.from() == 0 ? EMPTY : this, delta);
    }

    /** The difference of this map from an older one. */
    public MapDelta since(ClusterMap older) {
        List<ChunkServer> newServers = new ArrayList<>();
        List<Target> newTargets = new ArrayList<>();
        List<Pool> newPools = new ArrayList<>();
        List<PlacementGroup> newGroups = new ArrayList<>();
        List<Integer> goneServers = new ArrayList<>();
        List<Integer> goneTargets = new ArrayList<>();
        List<Integer> gonePools = new ArrayList<>();
        servers.since(older.servers, newServers::add, goneServers::add);
        targets.since(older.targets, newTargets::add, goneTargets::add);
        pools.since(older.pools, newPools::add, gonePools::add);
        groups.since(older.groups, newGroups::add, _ -> {});
        return new MapDelta(
                older.epoch,
                epoch,
                newServers,
                newTargets,
                newPools,
                newGroups,
                new MapDelta.Gone(goneServers, goneTargets, gonePools));
    }

    /** Grows with every change; 0 only for the empty map. */
    public long epoch() {
        return epoch;
    }

    /** All servers, by id. */
    public Table<ChunkServer> servers() {
        return servers;
    }

    /** All targets, by id. */
    public Table<Target> targets() {
        return targets;
    }

    /** All pools, oldest first. */
    public Table<Pool> pools() {
        return pools;
    }

    /** All placement groups, by id. */
    public Table<PlacementGroup> groups() {
        return groups;
    }

    /** The server of an id, or null. */
    public @Nullable ChunkServer server(int id) {
        return servers.get(id);
    }

    /** The server of a name, or null. */
    public @Nullable ChunkServer server(String name) {
        return servers.get(index.server(name));
    }

    /** The target of an id, or null. */
    public @Nullable Target target(int id) {
        return targets.get(id);
    }

    /** The target that was formatted with this random number, or null. */
    public @Nullable Target targetOf(long identity) {
        return targets.get(index.target(identity));
    }

    /** The targets of a server, by id. */
    public List<Target> targetsOf(ChunkServer server) {
        return index.targetsOf(server.id());
    }

    /** The pool of an id, or null. */
    public @Nullable Pool pool(int id) {
        return pools.get(id);
    }

    /** The group of an id, or null. */
    public @Nullable PlacementGroup group(int id) {
        return groups.get(id);
    }

    /** The groups of a pool, by id. */
    public List<PlacementGroup> groupsOf(Pool pool) {
        List<PlacementGroup> found = new ArrayList<>();
        for (int i = 0; i < pool.groupCount(); i++) {
            PlacementGroup group = groups.get(pool.firstGroup() + i);
            if (group != null) {
                found.add(group);
            }
        }
        return found;
    }

    /** The groups that have a member on a target, by id. */
    public List<PlacementGroup> groupsOf(Target target) {
        List<PlacementGroup> found = new ArrayList<>();
        for (int id : index.groupsOf(target.id())) {
            PlacementGroup group = groups.get(id);
            if (group != null) {
                found.add(group);
            }
        }
        return found;
    }

    /** The server that holds a target, or null when the target is unknown. */
    public @Nullable ChunkServer serverOfTarget(int targetId) {
        Target target = targets.get(targetId);
        return target == null ? null : servers.get(target.serverId());
    }

    /**
     * Whether the server of a target has another current member of a group: for the time of a move
     * between its disks. Requests to that server then have to say which of the two is meant.
     */
    public boolean isBesideMember(PlacementGroup group, int targetId) {
        ChunkServer own = serverOfTarget(targetId);
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server =
                    member.targetId() != targetId && group.isCurrent(member.targetId())
                            ? serverOfTarget(member.targetId())
                            : null;
            if (server != null && server.equals(own)) {
                return true;
            }
        }
        return false;
    }

    /** The youngest pool with a number of replicas as they were written, anywhere; or null. */
    public @Nullable Pool youngestPool(int replicas) {
        return youngestPool(replicas, Pool.Kind.PLAIN);
    }

    /** The youngest pool with a number of replicas and of a kind, or null. */
    public @Nullable Pool youngestPool(int replicas, Pool.Kind kind) {
        Pool youngest = null;
        for (Pool pool : pools) {
            boolean fits = pool.replicas() == replicas && pool.kind().equals(kind);
            youngest = fits ? pool : youngest;
        }
        return youngest;
    }

    /**
     * The placement group of a chunk of a file: {@code layout.stripeWidth()} groups in turn (0 =
     * all of the pool), starting at a place that the seed decides, and without those that a detour
     * leaves out. Null when the map does not know the pool yet.
     */
    public @Nullable PlacementGroup groupOf(Layout layout, long chunkIndex) {
        Pool pool = pools.get(layout.runOf(chunkIndex).poolId());
        return pool == null
                ? null
                : groups.get(pool.firstGroup() + Stripe.slot(layout, pool, chunkIndex));
    }

    /** The kind of the pool of new chunks of a layout; the plain one when that is not known. */
    public Pool.Kind kind(Layout layout) {
        Pool pool = pools.get(layout.lastRun().poolId());
        return pool == null ? Pool.Kind.PLAIN : pool.kind();
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

    /** Whether members of a group serve on fewer servers than its pool has copies. */
    public boolean isShort(PlacementGroup group) {
        Pool pool = pools.get(group.poolId());
        return !group.isComplete() && (pool == null || servingServers(group) < pool.replicas());
    }

    /**
     * On how many servers members of a group serve. Two on one server count once: they are lost
     * together.
     */
    public int servingServers(PlacementGroup group) {
        Set<Integer> serving = new HashSet<>();
        for (PlacementGroup.Member member : group.members()) {
            ChunkServer server = serverOfTarget(member.targetId());
            if (server != null && member.state() == MemberState.SERVING) {
                serving.add(server.id());
            }
        }
        return serving.size();
    }

    /** Whether every group has a head: everything that is stored can be read and written. */
    public boolean isAvailable() {
        return headless == 0;
    }

    /** Whether a group of this number has a head. */
    public boolean isAvailable(int group) {
        PlacementGroup known = groups.get(group);
        return known != null && known.head() != null;
    }

    /** Whether no target is nearly full. */
    public boolean isRoomy() {
        return roomy;
    }

    /** Whether a group has a head, and no member that serves is nearly full. */
    public boolean takesNew(int group) {
        PlacementGroup known = groups.get(group);
        if (known == null || known.head() == null) {
            return false;
        }
        if (roomy) {
            return true;
        }
        for (PlacementGroup.Member member : known.members()) {
            Target target = targets.get(member.targetId());
            if (member.state() == MemberState.SERVING && target != null && target.full()) {
                return false;
            }
        }
        return true;
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
