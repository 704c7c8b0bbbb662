package io.cairn.master.cluster;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Stripe;
import io.cairn.cluster.Target;
import io.cairn.fs.Usage;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.master.cluster.move.MoveProgress;
import io.cairn.metadata.Namespace;
import io.cairn.net.Connection;
import io.cairn.runtime.Clock;
import io.cairn.wire.chunk.ServerKeys;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.Leaving;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
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

    /** Pools are made for every number of copies up to this, so that a policy may ask for them. */
    private static final int MIN_POOL_REPLICAS = 3;

    private final Supplier<Namespace> namespace;
    private final Clock clock;
    private final ClusterSettings settings;
    private final GarbageRounds garbage;
    private final MapProposals proposals;
    private final MemberMoves moves;
    private final LoadWatch load;
    private final ServerLeases leases;
    private final ForeignServers foreign;
    private final Map<String, Seen> servers = new TreeMap<>();
    private final GroupReports reports = new GroupReports();
    private final Map<Long, String> holders = new HashMap<>();
    private final Map<Integer, Long> waitingSinceMs = new HashMap<>();
    private long nextPatienceMs = Long.MAX_VALUE;
    private @Nullable Moment decided;
    private long lastArrivalMs;

    /** A server that sent heartbeats to this leader. */
    private static final class Seen {
        Heartbeat heartbeat;
        boolean aliveAsDecided;
        @Nullable Connection connection;

        Seen(Heartbeat heartbeat) {
            this.heartbeat = heartbeat;
        }
    }

    /**
     * The inputs of a decision besides the reports of servers and heads. When they are the same as
     * at the last decision there is nothing to decide.
     */
    private record Moment(
            long epoch,
            Set<Integer> usedPools,
            Set<Policy> classes,
            boolean presuming,
            boolean settled) {}

    /** A watch that has not begun, on a clock that stands still while this process does. */
    public ServerWatch(
            Supplier<Namespace> namespace, LogWriter log, Clock clock, ClusterSettings settings) {
        this.namespace = namespace;
        this.clock = clock;
        this.settings = settings;
        this.leases = new ServerLeases(clock, settings.serverLeaseMs());
        this.garbage = new GarbageRounds(namespace, log);
        this.proposals = new MapProposals(log);
        this.moves = new MemberMoves(clock, () -> MoveLimits.of(namespace.get()));
        this.load = new LoadWatch(clock);
        this.foreign = new ForeignServers(clock);
    }

    /** This master has become the leader: forget what an earlier term saw. */
    public synchronized void lead() {
        servers.clear();
        reports.clear();
        holders.clear();
        decided = null;
        waitingSinceMs.clear();
        garbage.clear();
        load.clear();
        foreign.clear();
        leases.lead();
        lastArrivalMs = clock.millis();
        proposals.clear();
        moves.clear();
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
        new TargetClaims(known, holders(known, heartbeat)).check(heartbeat);
        if (seen == null || !ServerView.isSame(seen.heartbeat, heartbeat)) {
            decided = null;
            heartbeat.targets().forEach(t -> holders.put(t.identity(), heartbeat.name()));
        }
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
            refuseNamesake(seen, heartbeat);
            if (seen.heartbeat.incarnation() != heartbeat.incarnation()) {
                garbage.restarted(heartbeat.name());
            }
        }
        seen.heartbeat = heartbeat;
        seen.connection = connection;
        load.heard(heartbeat);
        garbage.confirm(heartbeat.name(), heartbeat.collected());
        boolean suspended = reports.isSuspended(heartbeat.name());
        leases.heard(heartbeat.name(), !suspended);
        MapDelta delta =
                known.epoch() > heartbeat.mapEpoch()
                        ? namespace.get().mapSince(heartbeat.mapEpoch())
                        : null;
        boolean fits = delta == null || delta.isSmall();
        return new HeartbeatReply(
                cluster,
                suspended || !fits ? 0 : settings.serverLeaseMs(),
                delta == null ? known.epoch() : delta.to(),
                fits ? delta : null,
                garbage.tasks(heartbeat.name()),
                ScrubRecords.of(namespace.get(), heartbeat.targets()),
                List.of(),
                moves.copyLimits(),
                namespace.get().snapshotStatus().fence(),
                ServerKeys.NONE);
    }

    /** The other servers that may have a target of one. */
    private List<ServerView> holders(ClusterMap map, Heartbeat heartbeat) {
        Map<String, ServerView> found = new TreeMap<>();
        for (TargetReport report : heartbeat.targets()) {
            Target target = map.targetOf(report.identity());
            ChunkServer owner = target == null ? null : map.server(target.serverId());
            if (owner != null && !servers.containsKey(owner.name()) && leases.presumes()) {
                found.put(owner.name(), ServerView.presumed(map, owner));
            }
            String last = holders.getOrDefault(report.identity(), "");
            for (String name : List.of(owner == null ? "" : owner.name(), last)) {
                Seen holder = servers.get(name);
                if (holder != null) {
                    found.put(name, view(holder));
                }
            }
        }
        return List.copyOf(found.values());
    }

    private void refuseNamesake(Seen seen, Heartbeat heartbeat) {
        boolean other =
                seen.heartbeat.incarnation() != heartbeat.incarnation()
                        && !seen.heartbeat.endpoint().equals(heartbeat.endpoint());
        if (other && leases.isAlive(heartbeat.name())) {
            throw new FsException(
                    Errno.EBUSY,
                    "a chunk server named "
                            + heartbeat.name()
                            + " already runs at "
                            + seen.heartbeat.endpoint()
                            + "; give this one another --id");
        }
    }

    /** Whether a server may still act in its groups. */
    private boolean mayServe(String server) {
        return leases.mayServe(server, reports.isSuspended(server));
    }

    /** Whether every server that may act keeps to a fence, with all that it has under way. */
    public synchronized boolean keeps(long fenceVersion) {
        if (leases.presumes()) {
            return false;
        }
        for (Seen seen : servers.values()) {
            if (leases.mayWrite(seen.heartbeat.name()) && seen.heartbeat.fence() < fenceVersion) {
                return false;
            }
        }
        return true;
    }

    /** A head reports that it cannot write to a member. */
    public synchronized void memberFailed(MemberFailed report) {
        decided = null;
        reports.failed(namespace.get().clusterMap(), report);
    }

    /** A server stops, and has ended its lease. */
    public synchronized void leaving(Leaving leaving) {
        Seen seen = servers.get(leaving.name());
        if (seen != null && seen.heartbeat.incarnation() == leaving.incarnation()) {
            decided = null;
            leases.ended(leaving.name());
        }
    }

    /** A head reports that a syncing member has everything. */
    public synchronized void memberSynced(MemberSynced report) {
        decided = null;
        reports.synced(report);
    }

    /**
     * Looks whether something must change; a few times a second while this master leads. Cheap
     * while there is no news.
     */
    public synchronized void tick() {
        if (proposals.isUnderWay() || namespace.get().clusterId() == 0) {
            return;
        }
        garbage.tick(name -> servers.containsKey(name) && leases.isAlive(name));
        if (!hasNews()) {
            return;
        }
        ClusterMap map = namespace.get().clusterMap();
        giveUp();
        MapDraft draft = new MapDraft(map);
        List<ServerView> views = views(map);
        new MapDecision(draft, views, impatient(map)).decide();
        reports.decide(draft, this::mayServe);
        if (draft.keepsServers()) {
            if (!leases.presumes()) {
                moves.decide(draft, views);
            }
            Namespace state = namespace.get();
            var kinds = PoolDecision.kinds(map, state.usedPools(), state.classes().policies());
            expandIfDue(draft, kinds);
            PoolDecision.retire(draft, state.usedPools(), kinds);
            HeadDecision.decide(draft, clock.wallNs() / 1_000_000);
        }
        MapDelta delta = draft.delta();
        if (delta.size() > 0) {
            proposals.submit(delta);
        }
    }

    /** A server that others cannot reach, and this master does not hear, loses all its groups. */
    private void giveUp() {
        for (String name : reports.servers()) {
            if (leases.giveUp(name)) {
                LOG.warn("chunk server {} is given up: neither others nor masters hear it", name);
            }
        }
    }

    private boolean hasNews() {
        long now = clock.millis();
        Namespace state = namespace.get();
        Moment moment =
                new Moment(
                        state.clusterMap().epoch(),
                        state.usedPools(),
                        state.classes().policies(),
                        leases.presumes(),
                        now - lastArrivalMs >= settings.settleMs());
        boolean news = !moment.equals(decided) || now >= nextPatienceMs || moves.isDue();
        news |= proposals.hasFailed() || reports.isWaiting();
        for (Seen seen : servers.values()) {
            boolean alive = mayServe(seen.heartbeat.name());
            news |= alive != seen.aliveAsDecided;
            seen.aliveAsDecided = alive;
        }
        decided = moment;
        return news;
    }

    private ServerView view(Seen seen) {
        String name = seen.heartbeat.name();
        boolean leavesSomeGroups = reports.isSuspended(name) && leases.isHeard(name);
        return ServerView.of(seen.heartbeat, mayServe(name) || leavesSomeGroups);
    }

    private List<ServerView> views(ClusterMap map) {
        List<ServerView> views = new ArrayList<>();
        servers.values().forEach(seen -> views.add(view(seen)));
        if (leases.presumes()) {
            map.servers().stream()
                    .filter(s -> !servers.containsKey(s.name()) && mayServe(s.name()))
                    .forEach(s -> views.add(ServerView.presumed(map, s)));
        }
        return views;
    }

    /** Groups that have waited long enough for members that may have kept their memory. */
    private Set<Integer> impatient(ClusterMap map) {
        nextPatienceMs = Long.MAX_VALUE;
        if (map.isAvailable()) {
            waitingSinceMs.clear();
            return Set.of();
        }
        long now = clock.millis();
        Set<Integer> impatient = new HashSet<>();
        List<Integer> begin = new ArrayList<>();
        for (PlacementGroup group : map.groups()) {
            if (!GroupDecision.isWaiting(group)) {
                waitingSinceMs.remove(group.id());
                continue;
            }
            Long since = waitingSinceMs.putIfAbsent(group.id(), now);
            long end = (since == null ? now : since) + settings.reunionMs();
            if (since == null) {
                begin.add(group.id());
            } else if (now >= end) {
                impatient.add(group.id());
                continue;
            }
            nextPatienceMs = Math.min(nextPatienceMs, end);
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

    /**
     * New pools when targets exist that the youngest pools do not use, or classes ask for such as
     * there are none, and no further server came for a while.
     */
    private void expandIfDue(MapDraft draft, Set<Pool.Kind> kinds) {
        ClusterMap map = draft.map();
        List<Target> present = new ArrayList<>();
        long now = clock.millis();
        for (Target target : map.targets()) {
            ChunkServer server = map.serverOfTarget(target.id());
            Seen seen = server == null ? null : servers.get(server.name());
            if (seen != null
                    && leases.isAlive(seen.heartbeat.name())
                    && isHealthy(seen, target)
                    && !target.isDraining()) {
                present.add(target);
            }
        }
        long distinct = present.stream().mapToInt(Target::serverId).distinct().count();
        boolean complete = settings.expectedServers() > 0 && distinct >= settings.expectedServers();
        boolean settled = now - lastArrivalMs >= settings.settleMs();
        int most = Math.max(settings.standardReplicas(), MIN_POOL_REPLICAS);
        int least = settings.replicas();
        boolean few = distinct < Math.max(least, settings.expectedServers());
        if ((complete || settled) && !(few && map.pools().isEmpty())) {
            PoolDecision.expand(draft, present, most, kinds, least);
        }
    }

    private static boolean isHealthy(Seen seen, Target target) {
        return seen.heartbeat.targets().stream()
                .anyMatch(t -> t.identity() == target.identity() && t.healthy());
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

    /** What is copied from target to target. */
    public synchronized MoveProgress moves() {
        return moves.progress();
    }

    /** The work of the targets. */
    public LoadWatch load() {
        return load;
    }

    /** Chunk servers of other clusters that ask here, with their cluster, by name. */
    public synchronized Map<String, Long> foreign() {
        return foreign.recent();
    }

    /** The space of the disks. */
    public synchronized Space space() {
        return diskSpace(_ -> true).space(Space.usualReplicas(namespace.get()));
    }

    private DiskSpace diskSpace(Predicate<TargetReport> chosen) {
        DiskSpace space = new DiskSpace();
        for (Seen seen : servers.values()) {
            boolean alive = leases.isAlive(seen.heartbeat.name());
            seen.heartbeat.targets().stream().filter(chosen).forEach(t -> space.add(t, alive));
        }
        return space;
    }

    /** Bytes that fit on the disks of a layout; no limit is known while none of them answers. */
    public synchronized long roomBytes(Layout layout) {
        Namespace state = namespace.get();
        ClusterMap map = state.clusterMap();
        Set<Long> own = Stripe.targets(map, layout);
        int copies = own.isEmpty() ? Space.usualReplicas(state) : Math.max(1, map.copies(layout));
        DiskSpace disks = diskSpace(t -> own.isEmpty() || own.contains(t.identity()));
        return disks.isSilent() ? Long.MAX_VALUE : disks.space(copies).availableBytes(trashBytes());
    }

    /** Bytes that nearly full disks lack, from the last reports of the servers; 0 when none is. */
    public synchronized long lackingBytes() {
        return diskSpace(_ -> true).lackingBytes();
    }

    /**
     * Capacity at the standard redundancy, from the last reports of the servers. What is in the
     * trash counts as free: it goes when room is needed.
     */
    public synchronized Usage usage() {
        Space space = space();
        long inodes = namespace.get().inodeCount();
        long totalBytes = space.totalBytes() / space.replicas();
        long freeBytes = space.availableBytes(trashBytes());
        return new Usage(totalBytes, freeBytes, freeBytes, inodes, Integer.MAX_VALUE - inodes);
    }

    private long trashBytes() {
        return namespace.get().trashSums().storedBytes();
    }

    /** The view of an operator on each server, in order of names. */
    public synchronized List<ServerStatus> status() {
        List<ServerStatus> list = new ArrayList<>();
        for (Seen seen : servers.values()) {
            list.add(
                    ServerStatus.of(
                            seen.heartbeat,
                            leases.isAlive(seen.heartbeat.name()),
                            seen.connection));
        }
        return list;
    }
}
