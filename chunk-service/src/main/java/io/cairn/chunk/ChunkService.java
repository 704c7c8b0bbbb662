package io.cairn.chunk;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.chunk.direct.DirectSocket;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.ConcurrencyLimit;
import io.cairn.chunk.peer.CopyPace;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Heartbeat;
import io.cairn.chunk.peer.Leader;
import io.cairn.chunk.peer.Lease;
import io.cairn.chunk.peer.Members;
import io.cairn.chunk.peer.OperationMemory;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Peers;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.peer.SnapshotFence;
import io.cairn.chunk.peer.Tombstones;
import io.cairn.chunk.scrub.ScrubService;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Refusals;
import io.cairn.wire.master.ClusterRequest.Leaving;
import io.cairn.wire.master.Push;
import io.cairn.wire.scrub.ScrubReport;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A chunk server: listens, registers with the masters, and serves the placement groups that the
 * cluster map gives to its targets. Thread-safe.
 */
public final class ChunkService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkService.class);
    private static final long DRAIN_POLL_MS = 10;
    private static final long DRAIN_LIMIT_MS = 3_000;
    private static final long CLOSE_LIMIT_MS = 3_000;
    private static final long LEAVE_LIMIT_MS = 1_000;

    private final ServerContext world;
    private final ChunkSettings settings;
    private final List<StorageTarget> targets;
    private final Peers peers;
    private final PeerContext station;
    private final Groups groups;
    private final Garbage garbage;
    private final ScrubService scrubs;
    private final ChunkRequestHandler door;
    private final TicketCheck tickets;
    private final Keyring keys;
    private final Refusals refusals;
    private volatile Consumer<List<String>> revocations = _ -> {};
    private volatile Consumer<String> authorities = _ -> {};
    private volatile @Nullable Registration registration;

    @GuardedBy("this")
    private @Nullable Listener listener;

    @GuardedBy("this")
    private @Nullable CompletableFuture<Void> leaving;

    @GuardedBy("this")
    private boolean closed;

    /**
     * A server that does nothing yet.
     *
     * @param targets at least one, all with the same keys; the server owns them from now on and
     *     closes them
     * @throws FsException EEXIST when one of them is a copy of another
     */
    public ChunkService(ServerContext world, ChunkSettings settings, List<StorageTarget> targets) {
        if (targets.isEmpty()) {
            throw new IllegalArgumentException(
                    "chunk server " + settings.name() + " needs a directory: --data DIR");
        }
        requireDistinct(targets);
        this.world = world;
        this.settings = settings;
        this.targets = List.copyOf(targets);
        this.peers =
                new Peers(
                        world.transport(),
                        new MasterNews(
                                this::mapChanged,
                                news -> revocations.accept(news.serials()),
                                news -> authorities.accept(news.pem())));
        Leader leader = new Leader(peers, world.scheduler(), settings.masters());
        Lease lease = new Lease(world.clock());
        this.station =
                new PeerContext(
                        world,
                        world.control(),
                        lease,
                        new Members(peers, world.clock(), world.scheduler()),
                        leader,
                        new Heartbeat(world, leader, lease),
                        new OperationMemory(targets.size()),
                        new Tombstones(),
                        new SnapshotFence(),
                        new ConcurrencyLimit(1),
                        new CopyPace(world.clock(), _ -> Futures.DONE));
        this.groups = new Groups(station, targets, world.random().nextLong());
        this.keys = targets.getFirst().verification().keys();
        keys.placeBy(group -> keyOf(groups.map(), group));
        this.garbage = new Garbage(station, groups, targets);
        this.scrubs = new ScrubService(groups, targets, settings.packAfterMs());
        this.refusals = new Refusals("chunk", world.clock());
        this.tickets = new TicketCheck(refusals, world.clock());
        this.door =
                new ChunkRequestHandler(
                        new ChunkRoleCheck(refusals),
                        tickets,
                        groups,
                        settings.clientBytes(),
                        targets.size());
    }

    private static int keyOf(ClusterMap map, int group) {
        PlacementGroup placed = map.group(group);
        Pool pool = placed == null ? null : map.pool(placed.poolId());
        return pool == null ? Keyring.UNKNOWN : pool.key();
    }

    private static void requireDistinct(List<StorageTarget> targets) {
        Map<Long, StorageTarget> seen = new HashMap<>();
        for (StorageTarget target : targets) {
            StorageTarget other = seen.putIfAbsent(target.identity(), target);
            if (other != null) {
                throw new FsException(
                        Errno.EEXIST,
                        target.directory()
                                + " and "
                                + other.directory()
                                + " are the same target "
                                + Long.toHexString(target.identity())
                                + ", one copied from the other; give only the one in use");
            }
        }
    }

    /** Lets clients of this machine read files themselves. Before {@link #start}. */
    public void grantThrough(DirectSocket files) {
        targets.forEach(target -> target.grants().begin(files.words(), files));
        station.lease().showTo(files.words()::allowUntil);
    }

    /** From now on this hears which certificates were revoked, by their serial numbers. */
    public void onRevoked(Consumer<List<String>> hearer) {
        revocations = hearer;
    }

    /** From now on this hears the certificates of authorities in PEM, when one is replaced. */
    public void onAuthorities(Consumer<String> hearer) {
        authorities = hearer;
    }

    /** What the door refused because of who asked. */
    public Refusals refusals() {
        return refusals;
    }

    private void mapChanged(Push.MapChanged news) {
        Registration known = registration;
        if (known != null) {
            known.mapChanged(news);
        }
    }

    /**
     * Listens and begins to register with the masters; returns at once. Requests are answered with
     * NOT_READY until a master gave a lease.
     *
     * @throws FsException when the endpoint cannot be listened at, or WRONG_CLUSTER when the
     *     targets belong to different clusters
     */
    public synchronized void start() {
        if (closed || listener != null) {
            throw new IllegalStateException("started already");
        }
        Listener fresh = world.transport().listen(settings.listen(), door);
        Endpoint endpoint = new Endpoint(settings.listen().host(), fresh.endpoint().port());
        try {
            Registration own =
                    new Registration(
                            station,
                            groups,
                            new Registration.Work(garbage, scrubs, tickets, keys),
                            targets,
                            settings,
                            endpoint);
            registration = own;
            station.heartbeat().begin(own);
        } catch (FsException e) {
            fresh.close();
            throw e;
        }
        listener = fresh;
        scrubs.begin();
        LOG.info("Chunk server {} listens at {}", settings.name(), endpoint);
    }

    /**
     * Where it listens, with the real port.
     *
     * @throws IllegalStateException before {@link #start}
     */
    public synchronized Endpoint endpoint() {
        if (listener == null) {
            throw new IllegalStateException("not started");
        }
        return new Endpoint(settings.listen().host(), listener.endpoint().port());
    }

    /** Whether it has a lease, and so serves. */
    public boolean isReady() {
        return station.lease().runs();
    }

    /**
     * Whether the cluster map that is in force here lists all its targets at this server, but for
     * those whose disks do not answer. From then on the masters know what belongs to it.
     */
    public boolean isListed() {
        Registration known = registration;
        return known != null && known.isListed();
    }

    /** Where the masters may be reached, by what they have told last. */
    public List<Endpoint> masters() {
        return station.leader().masters();
    }

    /** Why the masters refuse this server, with the remedy; empty when they do not. */
    public String refusal() {
        return station.heartbeat().refusal();
    }

    /** How far a target of this server is verified. */
    public ScrubReport scrubReport(StorageTarget target) {
        return scrubs.report(target);
    }

    /** The cluster map in force; empty before the first answer of a master. */
    public ClusterMap clusterMap() {
        return groups.map();
    }

    /**
     * Refuses new requests of clients from now on.
     *
     * @return done, never failed, when the ones under way are answered, or after 3 s
     */
    public CompletableFuture<Void> drain() {
        door.drain();
        return scrubs.end().thenCompose(ended -> drained(world.clock().millis()));
    }

    private CompletableFuture<Void> drained(long sinceMs) {
        if (door.busy() == 0 || world.clock().millis() - sinceMs > DRAIN_LIMIT_MS) {
            return Futures.DONE;
        }
        return station.after(DRAIN_POLL_MS, () -> drained(sinceMs));
    }

    /**
     * Drains, ends the lease and tells the masters, so that the other members of its groups go on
     * without this server at once. For a server that stops while others go on: {@link #close} alone
     * leaves its place to it, should it come back soon.
     *
     * @return done, never failed, within 5 s
     */
    public CompletableFuture<Void> leave() {
        CompletableFuture<Void> left = new CompletableFuture<>();
        synchronized (this) {
            if (leaving != null) {
                return leaving;
            }
            leaving = left;
        }
        Futures.finish(
                drain().thenCompose(_ -> farewell()),
                (_, thrown) -> {
                    if (thrown != null) {
                        LOG.info("The masters did not hear of the end: {}", Wording.of(thrown));
                    }
                    left.complete(null);
                });
        return left;
    }

    private CompletableFuture<Void> farewell() {
        boolean served = station.lease().runs();
        station.heartbeat().end();
        station.lease().end();
        return served
                ? station.leader()
                        .ask(new Leaving(settings.name(), groups.incarnation()), LEAVE_LIMIT_MS)
                        .thenAccept(Message::release)
                : Futures.DONE;
    }

    /**
     * Finishes what is under way, makes everything durable and releases ports and directories,
     * within 5 s unless a disk is slower. Idempotent. In a simulation, wait for {@link #drain}
     * first: then this does not block.
     */
    @Override
    public void close() {
        synchronized (this) {
            if (closed) {
                return;
            }
            closed = true;
        }
        try {
            drain().get(DRAIN_LIMIT_MS + 1_000, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            LOG.warn("Requests under way were given up");
        }
        boolean hangs = door.busy() > 0;
        station.heartbeat().end();
        station.lease().end();
        synchronized (this) {
            if (listener != null) {
                listener.close();
            }
        }
        groups.leave();
        peers.close();
        closeTargets(hangs);
        LOG.info("Chunk server {} has stopped", settings.name());
    }

    /** A disk that does not answer is not waited for longer than a few seconds. */
    private void closeTargets(boolean anyHangs) {
        List<StorageTarget> silent;
        synchronized (this) {
            silent = registration == null ? List.of() : registration.silent();
        }
        if (!anyHangs && silent.isEmpty()) {
            targets.forEach(StorageTarget::close);
            return;
        }
        Map<StorageTarget, Thread> closing = new LinkedHashMap<>();
        for (StorageTarget target : targets) {
            closing.put(target, Thread.ofPlatform().daemon().start(target::close));
        }
        long leftNs = TimeUnit.MILLISECONDS.toNanos(CLOSE_LIMIT_MS);
        for (Map.Entry<StorageTarget, Thread> each : closing.entrySet()) {
            long beganNs = world.clock().nanoTime();
            try {
                if (!each.getValue().join(Duration.ofNanos(Math.max(1, leftNs)))) {
                    LOG.error(
                            "The disk of {} hangs, it is left as it is", each.getKey().directory());
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            leftNs -= world.clock().nanoTime() - beganNs;
        }
    }
}
