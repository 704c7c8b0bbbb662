package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.group.FormerGroups;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Heartbeat;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.scrub.ScrubService;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.Target;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Push;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The report of this server to the master, and the effect of the answer: fresh targets join the
 * cluster, the map comes into force before the lease is renewed, garbage is deleted. An answer of
 * another cluster than the targets' is refused.
 */
final class Registration implements Heartbeat.Contents {
    private static final Logger LOG = LoggerFactory.getLogger(Registration.class);

    private final PeerContext station;
    private final Groups groups;
    private final Work work;
    private final List<StorageTarget> targets;
    private final FormerGroups former;
    private final TargetReports reports;
    private final String name;
    private final Endpoint endpoint;
    private final long incarnation;
    private final ChunkSettings settings;
    private long mark;
    private long[] told = {};
    private final AtomicBoolean fetching = new AtomicBoolean();

    private volatile boolean areKeysTold;

    /** What is done at the word of the masters. */
    record Work(Garbage garbage, ScrubService scrubs, TicketCheck tickets, Keyring keys) {}

    /** The identities of the targets in the last heartbeat; null before the first. */
    private volatile @Nullable List<Long> reported;

    /**
     * @throws FsException WRONG_CLUSTER when the targets belong to different clusters
     */
    Registration(
            PeerContext station,
            Groups groups,
            Work work,
            List<StorageTarget> targets,
            ChunkSettings settings,
            Endpoint endpoint) {
        this.station = station;
        this.groups = groups;
        this.work = work;
        this.targets = List.copyOf(targets);
        this.former = new FormerGroups(station, groups, this.targets);
        this.reports =
                new TargetReports(
                        this.targets,
                        target -> groups.station(target).disk(),
                        work.scrubs()::report,
                        former::cleared,
                        station.world().clock(),
                        station.world().scheduler());
        this.name = settings.name();
        this.endpoint = endpoint;
        this.incarnation = groups.incarnation();
        this.settings = settings;
        clusterId();
        targets.forEach(target -> target.starts().begin(incarnation));
    }

    /** The cluster the targets belong to; 0 when all are fresh. */
    private long clusterId() {
        long cluster = 0;
        for (StorageTarget target : targets) {
            long own = target.clusterId();
            if (own != 0 && cluster != 0 && own != cluster) {
                throw other("has targets of cluster " + hex(cluster) + " and of " + hex(own));
            }
            cluster = own != 0 ? own : cluster;
        }
        return cluster;
    }

    private FsException other(String what) {
        return new FsException(
                Errno.WRONG_CLUSTER,
                "chunk server "
                        + name
                        + " "
                        + what
                        + "; check --data and --masters, and that the masters have their disks");
    }

    private static String hex(long id) {
        return String.format("%016x", id);
    }

    /** Targets that do not answer now. */
    List<StorageTarget> silent() {
        return reports.silent();
    }

    /** As {@link ChunkService#isListed}. */
    boolean isListed() {
        ClusterMap map = groups.map();
        List<Long> all = reported;
        return all != null && all.stream().allMatch(each -> isHere(map, map.targetOf(each)));
    }

    private boolean isHere(ClusterMap map, @Nullable Target target) {
        ChunkServer holder = target == null ? null : map.serverOfTarget(target.id());
        return holder != null && holder.name().equals(name);
    }

    @Override
    public CompletableFuture<ClusterRequest> compose() {
        return reports.list().thenApply(this::compose);
    }

    private ClusterRequest compose(List<TargetReport> list) {
        reported = list.stream().map(TargetReport::identity).toList();
        mark = groups.fence().mark();
        told = work.garbage().collected();
        return new ClusterRequest.Heartbeat(
                clusterId(),
                name,
                endpoint,
                incarnation,
                station.world().bootId(),
                list,
                groups.map().epoch(),
                told,
                settings.declaration(),
                station.fence().reached());
    }

    @Override
    public void accept(HeartbeatReply reply, long sentNs) {
        long cluster = clusterId();
        if (reply.clusterId() == 0 || (cluster != 0 && cluster != reply.clusterId())) {
            throw other(
                    "belongs to cluster "
                            + hex(cluster)
                            + ", the master to cluster "
                            + hex(reply.clusterId()));
        }
        adopt(reply.clusterId());
        station.leader().learn(reply.masters());
        work.tickets().learn(reply.keys().tickets());
        // The targets of this server may have been told different things before its start.
        if (work.keys().learn(reply.keys().classes()) || !areKeysTold) {
            areKeysTold = true;
            targets.forEach(this::refreshKeys);
        }
        MapDelta delta = reply.map();
        if (delta != null && groups.map().takes(delta)) {
            take(groups.map().with(delta));
        }
        // A map that another thread has just taken: its terms begin before the lease is renewed.
        if (reply.mapEpoch() > groups.map().epoch() || !groups.reaches(reply.mapEpoch())) {
            fetch();
            return;
        }
        station.fence().raise(reply.fence());
        station.lease().renew(sentNs, reply.leaseMs());
        groups.fence().clear(mark);
        if (delta != null) {
            work.scrubs().mapChanged();
        }
        work.scrubs().accept(reply.scrub());
        work.garbage().accept(reply.garbage(), told);
        targets.forEach(target -> groups.station(target).pace().limit(reply.limits()));
        former.clear();
    }

    private void refreshKeys(StorageTarget target) {
        Futures.finish(
                groups.station(target).doOnDisk(() -> target.verification().refreshKeys()),
                (done, thrown) -> {
                    if (thrown != null) {
                        areKeysTold = false; // The next heartbeat tries again.
                        String reason = Futures.failure(thrown).getMessage();
                        LOG.error("{}: former keys stand there still: {}", target, reason);
                    }
                });
    }

    private void take(ClusterMap map) {
        groups.accept(map);
        for (StorageTarget target : targets) {
            Target known = map.targetOf(target.identity());
            if (known != null && known.start() == incarnation) {
                Futures.finish(
                        groups.station(target).doOnDisk(() -> target.starts().confirm(incarnation)),
                        (done, thrown) -> unconfirmed(target, thrown));
            }
        }
    }

    /**
     * The master tells what changed. Asks for it where this server lacks what was before, or has no
     * lease because the master waited with it for this change.
     */
    void mapChanged(Push.MapChanged news) {
        MapDelta delta = news.delta();
        CompletableFuture<Void> taken = Futures.DONE;
        if (delta != null && groups.map().epoch() > 0 && station.lease().runs()) {
            taken = station.doOnDisk(() -> mapChanged(delta));
        }
        Futures.finish(
                taken,
                (_, _) -> {
                    if (groups.map().epoch() < news.epoch()) {
                        var _ = station.heartbeat().refresh();
                    }
                });
    }

    private void mapChanged(MapDelta delta) {
        ClusterMap map = groups.map();
        if (delta.from() == map.epoch()) {
            ClusterMap next = map.with(delta);
            // Without the key of a new pool a member would refuse writes, and so leave its group.
            // The reply to a heartbeat brings the key and the map.
            if (work.keys().knowsAll(next.pools())) {
                take(next);
                work.scrubs().mapChanged();
            }
        }
    }

    /** Asks for a map that no heartbeat can bring, and only then for a lease. */
    private void fetch() {
        if (fetching.compareAndSet(false, true)) {
            Futures.finish(
                    MapQuestions.ask(station.leader(), groups.map())
                            .thenAcceptAsync(this::take, station.disk()),
                    (_, thrown) -> {
                        fetching.set(false);
                        if (thrown == null) {
                            var _ = station.heartbeat().refresh();
                        }
                    });
        }
    }

    private static void unconfirmed(StorageTarget target, @Nullable Throwable thrown) {
        if (thrown != null) {
            String reason = Futures.failure(thrown).getMessage();
            LOG.warn("{}: its start is not noted: {}", target.directory(), reason);
        }
    }

    private void adopt(long cluster) {
        for (StorageTarget target : targets) {
            if (target.clusterId() == 0) {
                try {
                    target.adoptCluster(cluster);
                } catch (TargetException e) {
                    throw new FsException(
                            Errno.EIO, "a target cannot join the cluster: " + e.getMessage(), e);
                }
            }
        }
    }
}
