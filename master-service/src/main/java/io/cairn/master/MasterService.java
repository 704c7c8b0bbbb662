package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.LockHost;
import io.cairn.master.backup.Recovery;
import io.cairn.master.cluster.LogWriter;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.master.delegation.DelegationGate;
import io.cairn.master.job.JobRunner;
import io.cairn.master.quota.Allowances;
import io.cairn.master.snapshot.SnapshotKeeper;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.Notice;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One master: the request door in front of a namespace and its replicated log, and, while it leads,
 * the housekeeping of sessions, orphans and chunk servers. Thread-safe.
 */
public final class MasterService implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterService.class);
    private static final long TICK_MS = 100;

    private final MasterSettings settings;
    private final ReplicatedLog log;
    private final Supplier<Namespace> namespace;
    private final Clock clock;
    private final LivedClock lived;
    private final Scheduler scheduler;
    private final Founding founding;
    private final SessionTable sessions;
    private final DirectoryWatch watch;
    private final DelegationGate delegations;
    private final ContentWatch contents;
    private final OrphanReaper reaper;
    private final LostSessions lost;
    private final ServerWatch servers;
    private final RequestHandler door;
    private final JobRunner jobs;
    private final TrashKeeper trash;
    private final SnapshotKeeper snapshots;
    private final Presence presence;
    private final Allowances allowances;
    private final Recovery recovery;
    private final Listener listener;
    private long termSeen = -1;
    private @Nullable MasterGauges gauges;
    private volatile boolean closed;
    private volatile Supplier<Map<String, Object>> glance = Map::of;

    /**
     * The foundations of a master: its log with the namespace that the log applies to, and the
     * world around it.
     */
    public record Context(
            ReplicatedLog log,
            Supplier<Namespace> namespace,
            Transport transport,
            Clock clock,
            Scheduler scheduler,
            RandomGenerator random) {}

    /**
     * Listens and begins the housekeeping.
     *
     * @throws FsException when the endpoint cannot be listened on
     */
    public MasterService(MasterSettings settings, Context ground) {
        this.settings = settings;
        this.log = ground.log();
        this.namespace = ground.namespace();
        this.clock = ground.clock();
        this.scheduler = ground.scheduler();
        LogWriter writer = this::submit;
        this.lived = new LivedClock(clock);
        this.recovery = new Recovery(namespace, writer, log::stateRecovered, clock);
        this.sessions = new SessionTable(lived, settings.sessionLeaseMs());
        this.watch = new DirectoryWatch(sessions, ground.clock(), scheduler);
        this.delegations =
                new DelegationGate(
                        log::submit, namespace, sessions, watch::isAlone, lived, scheduler);
        this.contents = new ContentWatch(namespace, sessions, scheduler);
        this.reaper = new OrphanReaper(namespace, sessions, writer, ground.clock());
        this.lost = new LostSessions(namespace, sessions, writer, ground.clock());
        this.servers = new ServerWatch(namespace, writer, lived, settings.cluster());
        this.snapshots =
                new SnapshotKeeper(
                        namespace,
                        writer,
                        version -> leads() && servers.keeps(version),
                        watch,
                        contents::commit,
                        clock);
        this.jobs =
                new JobRunner(
                        namespace, writer, watch::changed, contents::changed, clock, scheduler);
        this.trash =
                new TrashKeeper(
                        namespace,
                        writer,
                        watch::announce,
                        sessions::isOpen,
                        servers::lackingBytes,
                        ground.clock());
        this.founding = new Founding(settings, namespace, writer, ground.random());
        this.presence = new Presence(settings.id(), log, namespace, ground.transport(), lived);
        this.allowances = new Allowances(namespace, sessions::isLive, sessions::wallNs);
        sessions.ends = allowances::ended;
        RequestHandler.Services services =
                new RequestHandler.Services(
                        log,
                        namespace,
                        sessions,
                        watch,
                        delegations,
                        contents,
                        reaper,
                        servers,
                        allowances);
        this.door = new RequestHandler(services, presence, ground.random(), this::statusJson);
        this.listener = ground.transport().listen(settings.listen(), door);
        scheduler.schedule(this::tick, 0);
    }

    /**
     * Registers the numbers about the cluster, once; they end with this master.
     *
     * @param registry keeps a fixed number of series, whatever the cluster does
     */
    public synchronized void measure(MeterRegistry registry) {
        if (gauges == null && !closed) {
            gauges = new MasterGauges(namespace, sessions, servers, scheduler, registry);
        }
    }

    /** Where this master listens. */
    public Endpoint endpoint() {
        return listener.endpoint();
    }

    /** Whether this master leads and has begun to hear sessions and chunk servers. */
    public boolean leads() {
        return log.mayRead() && sessions.term() == log.leaderTerm();
    }

    /** Its log. */
    public ReplicatedLog log() {
        return log;
    }

    /** The state that its log has made; ask again for each read. */
    public Namespace namespace() {
        return namespace.get();
    }

    /** Who may ask it, by certificates. */
    public Certification certification() {
        return door.certification();
    }

    /** Its settings. */
    public MasterSettings settings() {
        return settings;
    }

    /** The leader's view of chunk servers. */
    public ServerWatch servers() {
        return servers;
    }

    /** The time by which maintenance ends: milliseconds since 1970. */
    public long wallMs() {
        return clock.wallNs() / 1_000_000;
    }

    /** Gives tree jobs their turns while this master leads. */
    public JobRunner jobs() {
        return jobs;
    }

    /** Takes and drops snapshots while this master leads. */
    public SnapshotKeeper snapshots() {
        return snapshots;
    }

    /** The trash, for the administration. */
    public TrashKeeper trash() {
        return trash;
    }

    /** Requests of the admin API that other masters hand on go there. */
    public void serveAdmin(Handler handler) {
        door.serveAdmin(handler);
    }

    /** Logs a change in the leader's own name, if this master leads; see {@link ReplicatedLog}. */
    public CompletableFuture<Reply> submit(LeaderMutation mutation) {
        if (mutation instanceof JobMutation && log.isShortOfRoom()) {
            return noRoom();
        }
        Envelope envelope = inOwnName(mutation);
        return delegations.submit(envelope.toBytes(), 0).thenApply(Outcome::reply);
    }

    private static CompletableFuture<Reply> noRoom() {
        return CompletableFuture.failedFuture(
                new FsException(Errno.ENOSPC, "the disk of the leading master is full"));
    }

    /** Changes an inode; completes when every client that holds it open has been told. */
    public CompletableFuture<Reply> edit(JobMutation.EditInode mutation) {
        return log.isShortOfRoom() ? noRoom() : settled(mutation);
    }

    /**
     * Logs a change of the tree in the leader's own name, for the administration: nothing checks
     * permissions, and a change that is submitted again is done again. Completes when every client
     * that could know better has been told.
     */
    public CompletableFuture<Reply> change(TreeMutation mutation) {
        return settled(mutation);
    }

    private CompletableFuture<Reply> settled(Mutation mutation) {
        Envelope envelope = inOwnName(mutation);
        return delegations
                .submit(envelope.toBytes(), 0)
                .thenCompose(
                        outcome -> {
                            CompletableFuture<Reply> told = new CompletableFuture<>();
                            Reply reply = outcome.reply();
                            Runnable teller = () -> told.complete(reply);
                            watch.settle(
                                    envelope,
                                    reply,
                                    () -> contents.settle(envelope, reply, teller));
                            return told;
                        });
    }

    /** Releases all locks that a machine holds over NFS, for the administration. */
    public CompletableFuture<Reply> release(LockHost host) {
        Envelope envelope = inOwnName(new HostMutation.ReleaseHost(host, 0));
        return delegations.submit(envelope.toBytes(), 0).thenApply(Outcome::reply);
    }

    private Envelope inOwnName(Mutation mutation) {
        return new Envelope(namespace.get().level(), 0, 0, 0, 0, mutation);
    }

    private void tick() {
        if (closed) {
            return;
        }
        try {
            lived.nanoTime();
            presence.tick();
            housekeep();
        } catch (RuntimeException e) {
            LOG.error("housekeeping failed", e);
        } finally {
            scheduler.schedule(this::tick, TICK_MS);
        }
    }

    private void housekeep() {
        long term = log.leaderTerm();
        if (term < 0) {
            // Who only listens would not look for the next leader, and would hear of nothing.
            sessions.connections().forEach(Connection::close);
            snapshots.follow();
            return;
        }
        if (!log.mayRead()) {
            return;
        }
        if (log.isRecovering() && !recovery.isOver(term)) {
            // Nobody is answered before: what others acknowledged is not mixed with what comes.
            recovery.tick(term);
            return;
        }
        if (term != termSeen) {
            termSeen = term;
            founding.reset();
            watch.reset();
            // Before the sessions, which tell whether this master leads.
            servers.lead();
            var known = namespace.get().sessions().stream().map(s -> s.session()).toList();
            List<Connection> old = new ArrayList<>();
            delegations.reset(() -> old.addAll(sessions.reset(term, known)));
            old.forEach(Connection::close);
            reaper.reset();
            trash.reset();
            snapshots.lead();
            lost.reset();
            LOG.debug("master {} leads in term {}", settings.id(), term);
        }
        if (namespace.get().clusterId() == 0) {
            founding.tick();
            return;
        }
        sessions.expire().forEach(this::closeExpired);
        delegations.tick();
        reaper.tick();
        lost.tick();
        servers.tick();
        jobs.tick();
        trash.tick();
        snapshots.tick();
        tell(presence.news());
    }

    private void closeExpired(long session) {
        LOG.info("session {} ends: no sign of life for {} ms", session, settings.sessionLeaseMs());
        var _ = end(session);
    }

    /**
     * Ends a session: its locks are released, and what it has not committed under them is given up.
     * A mount that still lives begins another one. For the leader only.
     *
     * @return completes when it has ended; fails as the log does
     */
    public CompletableFuture<Void> end(long session) {
        return lost.end(session)
                .handle(
                        (_, error) -> {
                            if (error == null) {
                                sessions.closed(session);
                                return null;
                            }
                            sessions.retryExpiry(session);
                            throw new CompletionException(error);
                        });
    }

    /** The leader's facts of a session, or null when it has ended. */
    public @Nullable SessionFacts session(long session) {
        return sessions.facts(session);
    }

    /** The masters that are there and what they run, by name; complete at the leader only. */
    public List<MasterRelease> releases() {
        return presence.masters();
    }

    /** Requests of clients that came here since the start, mutations and queries. */
    public long operations() {
        return door.operations();
    }

    /** How many inodes a session holds open. */
    public int openCount(long session) {
        return sessions.openCount(session);
    }

    /**
     * Sends what an applied log entry gives reason to tell, if this master leads. Called by the
     * log, in order.
     */
    public void tell(List<Notice> notices) {
        if (notices.isEmpty() || !log.mayRead()) {
            return;
        }
        for (Notice notice : allowances.addressed(notices)) {
            Message push = Message.of(v -> MasterRequest.push(notice.push(), v));
            if (notice.session() == 0) {
                sessions.connections().forEach(c -> c.send(push));
                if (notice.push() instanceof Push.MapChanged) {
                    servers.forEachConnection(c -> c.send(push));
                }
            } else {
                Connection connection = sessions.connection(notice.session());
                if (connection != null) {
                    connection.send(push);
                }
            }
        }
    }

    /**
     * Takes the numbers of the status document from here, as long as this master leads: the admin
     * API and {@code cairn status} shall tell the same.
     */
    public void describeBy(Supplier<Map<String, Object>> cluster) {
        glance = cluster;
    }

    /** The state of the cluster as this master sees it: a JSON document. */
    public String statusJson() {
        return new StatusDocument(this, sessions, clock).text(leads() ? glance.get() : Map.of());
    }

    /** The next reason why this master is not ready, or null when it is. */
    public @Nullable String notReadyReason() {
        if (log.mayRead()) {
            return namespace.get().clusterId() == 0 ? "the cluster is being founded" : null;
        }
        String waiting = log.waiting();
        if (waiting != null) {
            return "this master has no vote yet: " + waiting;
        }
        return log.leader() == null ? "no leader is known" : null;
    }

    /** The next reason why files cannot be stored yet, or null when they can. */
    public @Nullable String notServingReason() {
        String reason = notReadyReason();
        if (reason == null && namespace.get().clusterMap().pools().isEmpty()) {
            Map<String, Long> foreign = servers.foreign();
            return foreign.isEmpty()
                    ? "no pool yet: waiting for chunk servers"
                    : "no pool yet: chunk servers %s hold data of another cluster"
                            .formatted(String.join(", ", foreign.keySet()));
        }
        return reason;
    }

    /**
     * Lets another master lead before this one stops, if this one leads and another one can: then
     * nobody waits for an election. Blocks, but not for long; it is no error when it fails.
     */
    public void handOver() {
        presence.handOver();
    }

    /** Stops listening. The log is closed by its owner. Idempotent. */
    @Override
    public void close() {
        closed = true;
        synchronized (this) {
            if (gauges != null) {
                gauges.close();
            }
        }
        listener.close();
        presence.close();
    }
}
