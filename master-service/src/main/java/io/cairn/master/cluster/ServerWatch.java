package io.cairn.master.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.fs.Usage;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The leader's view of the chunk servers: hears heartbeats, grants leases, and proposes the next
 * cluster map when one is needed, one proposal at a time. All of it is soft state of the leader: a
 * fresh leader treats every server of the map as alive until a full lease has passed. Methods are
 * synchronized and never block on the log.
 */
public final class ServerWatch {
    private static final Logger LOG = LoggerFactory.getLogger(ServerWatch.class);

    /**
     * How much longer than the lease the master waits before it gives a server up, in percent of
     * the lease.
     */
    private static final int GRACE_PERCENT = 25;

    /** Pools are made for every number of copies up to this, so that a policy may ask for them. */
    private static final int MIN_POOL_REPLICAS = 3;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final Clock clock;
    private final ClusterSettings settings;
    private final GarbageRounds garbage;
    private final LoadWatch load;
    private final ForeignServers foreign;
    private final Map<String, Seen> servers = new TreeMap<>();
    private final Set<Removal> removals = new HashSet<>();
    private final List<MemberSynced> synced = new ArrayList<>();
    private final Map<Integer, Long> waitingSinceMs = new HashMap<>();
    private long leaderSinceMs;
    private long lastArrivalMs;
    private boolean proposing;

    /** A server that sent heartbeats to this leader. */
    private static final class Seen {
        Heartbeat heartbeat;
        long answeredMs;
        @Nullable Connection connection;

        Seen(Heartbeat heartbeat) {
            this.heartbeat = heartbeat;
        }
    }

    /** A member that its head could not write to; it leaves when its server's lease has ended. */
    private record Removal(int group, long epoch, int targetId, String server) {}

    /** A watch that has not begun, on a clock that stands still while this process does. */
    public ServerWatch(
            Supplier<Namespace> namespace, LogWriter log, Clock clock, ClusterSettings settings) {
        this.namespace = namespace;
        this.log = log;
        this.clock = clock;
        this.settings = settings;
        this.garbage = new GarbageRounds(namespace, log);
        this.load = new LoadWatch(clock);
        this.foreign = new ForeignServers(clock);
    }

    /** This master has become the leader: forget what an earlier term saw. */
    public synchronized void lead() {
        servers.clear();
        removals.clear();
        synced.clear();
        waitingSinceMs.clear();
        garbage.clear();
        load.clear();
        foreign.clear();
        leaderSinceMs = clock.millis();
        lastArrivalMs = leaderSinceMs;
        proposing = false;
    }

    /**
     * A heartbeat.
     *
     * @throws FsException WRONG_CLUSTER when the server's directories belong to another cluster;
     *     EBUSY when another live server has the name or one of its targets. EEXIST when one of its
     *     targets is that of another server, and the operator did not say that it moved; NOT_READY
     *     before the cluster is founded
     */
    public synchronized HeartbeatReply heartbeat(Heartbeat heartbeat, Connection connection) {
        long cluster = namespace.get().clusterId();
        if (cluster == 0) {
            throw new FsException(Errno.NOT_READY, "the cluster is being founded");
        }
        foreign.check(heartbeat, connection.remote(), cluster);
        Seen seen = servers.get(heartbeat.name());
        long now = clock.millis();
        ClusterMap known = namespace.get().clusterMap();
        new TargetClaims(known, views(known)).check(heartbeat);
        if (seen == null) {
            seen = new Seen(heartbeat);
            servers.put(heartbeat.name(), seen);
            lastArrivalMs = now;
            LOG.info(
                    "chunk server {} at {} reports with {}",
                    heartbeat.name(),
                    heartbeat.endpoint(),
                    Wording.count(heartbeat.targets().size(), "target"));
        } else {
            refuseNamesake(seen, heartbeat, now);
            if (seen.heartbeat.incarnation() != heartbeat.incarnation()) {
                garbage.restarted(heartbeat.name());
            }
        }
        seen.heartbeat = heartbeat;
        seen.connection = connection;
        load.heard(heartbeat);
        garbage.confirm(heartbeat.name(), heartbeat.collected());
        boolean suspended = isSuspended(heartbeat.name());
        if (!suspended) {
            seen.answeredMs = now;
        }
        ClusterMap map = namespace.get().clusterMap();
        return new HeartbeatReply(
                cluster,
                suspended ? 0 : settings.serverLeaseMs(),
                map.epoch() > heartbeat.mapEpoch() ? map : null,
                garbage.tasks(heartbeat.name()));
    }

    private void refuseNamesake(Seen seen, Heartbeat heartbeat, long now) {
        boolean other =
                seen.heartbeat.incarnation() != heartbeat.incarnation()
                        && !seen.heartbeat.endpoint().equals(heartbeat.endpoint());
        if (other && isAlive(seen, now)) {
            throw new FsException(
                    Errno.EBUSY,
                    "a chunk server named "
                            + heartbeat.name()
                            + " already runs at "
                            + seen.heartbeat.endpoint()
                            + "; give this one another --id");
        }
    }

    /** While one of its targets waits to leave a group, a server's lease is not renewed. */
    private boolean isSuspended(String server) {
        return removals.stream().anyMatch(r -> r.server().equals(server));
    }

    private boolean isAlive(Seen seen, long now) {
        return now - seen.answeredMs < leaseWithGraceMs();
    }

    private long leaseWithGraceMs() {
        return settings.serverLeaseMs() * (100 + GRACE_PERCENT) / 100;
    }

    /** A head reports that it cannot write to a member. */
    public synchronized void memberFailed(MemberFailed report) {
        PlacementGroup group = namespace.get().clusterMap().group(report.group());
        ChunkServer server = namespace.get().clusterMap().serverOfTarget(report.targetId());
        if (group == null || server == null || group.epoch() != report.epoch()) {
            return;
        }
        Removal removal =
                new Removal(report.group(), report.epoch(), report.targetId(), server.name());
        if (group.isCurrent(report.targetId()) && removals.add(removal)) {
            LOG.warn(
                    "group {} loses target {} on chunk server {}: {}",
                    report.group(),
                    report.targetId(),
                    server.name(),
                    report.reason());
        }
    }

    /** A head reports that a syncing member has everything. */
    public synchronized void memberSynced(MemberSynced report) {
        synced.add(report);
    }

    /** Looks whether something must change; a few times a second while this master leads. */
    public synchronized void tick() {
        if (proposing || namespace.get().clusterId() == 0) {
            return;
        }
        garbage.tick();
        ClusterMap map = namespace.get().clusterMap();
        ClusterMap next = new MapDecision(map, views(map), impatient(map)).decide();
        if (next != null) {
            propose(next, describe(map, next));
            return;
        }
        next = withReportedStates(map);
        if (next != null) {
            propose(next, describe(map, next));
            return;
        }
        ClusterMap pools = poolsIfDue(map);
        if (pools != null) {
            propose(pools, "new pools over " + Wording.count(pools.targets().size(), "target"));
        }
    }

    /**
     * The map after what heads reported: members in sync serve, members out of reach leave; null
     * for no change.
     */
    private @Nullable ClusterMap withReportedStates(ClusterMap map) {
        Map<Integer, PlacementGroup> changed = new TreeMap<>();
        long epoch = map.epoch() + 1;
        for (MemberSynced report : synced) {
            PlacementGroup group = map.group(report.group());
            if (group != null
                    && group.epoch() == report.epoch()
                    && group.stateOf(report.targetId()) == MemberState.SYNCING) {
                PlacementGroup base = changed.getOrDefault(group.id(), group);
                changed.put(
                        group.id(), withState(base, report.targetId(), MemberState.SERVING, epoch));
            }
        }
        synced.clear();
        long now = clock.millis();
        removals.removeIf(
                r -> {
                    PlacementGroup group = map.group(r.group());
                    return group == null || group.epoch() != r.epoch();
                });
        for (Removal removal : removals) {
            Seen seen = servers.get(removal.server());
            PlacementGroup group = map.group(removal.group());
            if (group != null && (seen == null || !isAlive(seen, now))) {
                PlacementGroup base = changed.getOrDefault(group.id(), group);
                changed.put(
                        group.id(),
                        withState(base, removal.targetId(), MemberState.OFFLINE, epoch));
            }
        }
        if (changed.isEmpty()) {
            return null;
        }
        List<PlacementGroup> groups = new ArrayList<>(map.groups());
        groups.replaceAll(g -> changed.getOrDefault(g.id(), g));
        return new ClusterMap(epoch, map.servers(), map.targets(), map.pools(), groups);
    }

    private static PlacementGroup withState(
            PlacementGroup group, int targetId, MemberState state, long epoch) {
        List<Member> members = new ArrayList<>(group.members());
        members.replaceAll(m -> m.targetId() == targetId ? new Member(targetId, state) : m);
        return group.next(epoch, false, members);
    }

    private List<ServerView> views(ClusterMap map) {
        long now = clock.millis();
        List<ServerView> views = new ArrayList<>();
        for (Seen seen : servers.values()) {
            Heartbeat h = seen.heartbeat;
            boolean alive = isAlive(seen, now) || isSuspended(h.name());
            views.add(ServerView.of(h, alive));
        }
        if (now - leaderSinceMs < leaseWithGraceMs()) {
            map.servers().stream()
                    .filter(s -> !servers.containsKey(s.name()))
                    .forEach(s -> views.add(presumed(map, s)));
        }
        return views;
    }

    /** Groups that have waited long enough for members that may have kept their memory. */
    private Set<Integer> impatient(ClusterMap map) {
        long now = clock.millis();
        Set<Integer> impatient = new HashSet<>();
        List<Integer> begin = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            if (!GroupDecision.isWaiting(group)) {
                waitingSinceMs.remove(group.id());
                continue;
            }
            Long since = waitingSinceMs.putIfAbsent(group.id(), now);
            if (since == null) {
                begin.add(group.id());
            } else if (now - since >= settings.reunionMs()) {
                impatient.add(group.id());
            }
        }
        if (!begin.isEmpty()) {
            LOG.warn(
                    "groups {} came back from a loss of power in part; they wait {} s for servers"
                            + " that may have what was not synced",
                    begin,
                    settings.reunionMs() / 1000);
        }
        return impatient;
    }

    private static ServerView presumed(ClusterMap map, ChunkServer server) {
        List<TargetReport> targets = new ArrayList<>();
        for (Target target : map.targets()) {
            if (target.serverId() == server.id()) {
                targets.add(new TargetReport(target.identity(), 0, 0, 0, true));
            }
        }
        return new ServerView(
                server.name(),
                server.endpoint(),
                server.incarnation(),
                server.bootId(),
                targets,
                true);
    }

    /**
     * New pools when targets exist that the youngest pools do not use, and no further server came
     * for a while.
     */
    private @Nullable ClusterMap poolsIfDue(ClusterMap map) {
        List<Target> present = new ArrayList<>();
        long now = clock.millis();
        for (Target target : map.targets()) {
            ChunkServer server = map.serverOfTarget(target.id());
            Seen seen = server == null ? null : servers.get(server.name());
            if (seen != null && isAlive(seen, now) && isHealthy(seen, target)) {
                present.add(target);
            }
        }
        Set<Integer> used = targetsOfYoungestPools(map);
        boolean news = present.stream().anyMatch(t -> !used.contains(t.id()));
        long distinct = present.stream().mapToInt(Target::serverId).distinct().count();
        boolean complete = settings.expectedServers() > 0 && distinct >= settings.expectedServers();
        boolean settled = now - lastArrivalMs >= settings.settleMs();
        boolean early = map.pools().isEmpty() && distinct < settings.expectedServers();
        if (!news || early || distinct < settings.replicas() || (!complete && !settled)) {
            return null;
        }
        return MapDecision.withPools(
                map, present, Math.max(settings.standardReplicas(), MIN_POOL_REPLICAS));
    }

    private static boolean isHealthy(Seen seen, Target target) {
        return seen.heartbeat.targets().stream()
                .anyMatch(t -> t.identity() == target.identity() && t.healthy());
    }

    private static Set<Integer> targetsOfYoungestPools(ClusterMap map) {
        Set<Integer> used = new HashSet<>();
        Pool pool = map.youngestPool(1);
        for (PlacementGroup group : map.groups()) {
            if (pool != null && group.poolId() == pool.id()) {
                group.members().forEach(m -> used.add(m.targetId()));
            }
        }
        return used;
    }

    private static String describe(ClusterMap map, ClusterMap next) {
        long groups = next.groups().stream().filter(g -> !g.equals(map.group(g.id()))).count();
        return Wording.count(next.servers().size(), "server")
                + ", "
                + Wording.count(next.targets().size(), "target")
                + ", "
                + Wording.count(groups, "group")
                + " changed";
    }

    private void propose(ClusterMap next, String what) {
        proposing = true;
        var _ =
                log.submit(new LeaderMutation.ChangeMap(next))
                        .whenComplete((reply, error) -> proposed(next, what, reply, error));
    }

    private void proposed(
            ClusterMap next, String what, @Nullable Reply reply, @Nullable Throwable error) {
        synchronized (this) {
            proposing = false;
        }
        if (error != null) {
            LOG.warn("cluster map {} not committed: {}", next.epoch(), error.getMessage());
        } else if (reply instanceof Reply.Failure failure) {
            LOG.warn("cluster map {} refused: {}", next.epoch(), failure.message());
        } else {
            LOG.info("cluster map {}: {}", next.epoch(), what);
        }
    }

    /** Runs an action on the heartbeat connection of every server that has one. */
    public void forEachConnection(Consumer<Connection> action) {
        List<Connection> connections = new ArrayList<>();
        synchronized (this) {
            servers.values()
                    .forEach(
                            s -> {
                                if (s.connection != null && s.connection.isOpen()) {
                                    connections.add(s.connection);
                                }
                            });
        }
        connections.forEach(action);
    }

    /** What the targets do. */
    public LoadWatch load() {
        return load;
    }

    /** Chunk servers of other clusters that ask here, with their cluster, by name. */
    public synchronized Map<String, Long> foreign() {
        return foreign.recent();
    }

    /** The space of the disks. */
    public synchronized Space space() {
        DiskSpace space = diskSpace();
        return new Space(space.totalBytes(), space.freeBytes(), usualReplicas());
    }

    private DiskSpace diskSpace() {
        DiskSpace space = new DiskSpace();
        for (Seen seen : servers.values()) {
            boolean alive = isAlive(seen, clock.millis());
            seen.heartbeat.targets().forEach(target -> space.add(target, alive));
        }
        return space;
    }

    /** Capacity at the standard redundancy, from the last reports of the servers. */
    public synchronized Usage usage() {
        DiskSpace space = diskSpace();
        int replicas = usualReplicas();
        long inodes = namespace.get().inodeCount();
        return new Usage(
                space.totalBytes() / replicas,
                space.freeBytes() / replicas,
                space.freeBytes() / replicas,
                inodes,
                Integer.MAX_VALUE - inodes);
    }

    /** Copies that a file gets where no policy says otherwise, given the pools there are. */
    private int usualReplicas() {
        int most =
                namespace.get().clusterMap().pools().stream()
                        .mapToInt(Pool::replicas)
                        .max()
                        .orElse(1);
        return Math.max(1, Math.min(most, namespace.get().standardReplicas()));
    }

    /** What an operator should see of each server, in order of names. */
    public synchronized List<ServerStatus> status() {
        List<ServerStatus> list = new ArrayList<>();
        long now = clock.millis();
        for (Seen seen : servers.values()) {
            Heartbeat h = seen.heartbeat;
            long silentMs = now - seen.answeredMs;
            boolean alive = isAlive(seen, now);
            list.add(
                    new ServerStatus(
                            h.name(), h.endpoint(), alive, silentMs, seen.connection, h.targets()));
        }
        return list;
    }
}
