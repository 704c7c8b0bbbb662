package io.cairn.master.raft;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.master.ReplicatedLog;
import io.cairn.master.load.SlowMutation;
import io.cairn.master.raft.member.Admission;
import io.cairn.master.raft.member.Handover;
import io.cairn.master.raft.member.HelloQuestions;
import io.cairn.master.raft.member.LocalRequests;
import io.cairn.master.raft.member.MemberChanges;
import io.cairn.master.raft.member.MemberList;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.raft.tls.SecuredNetwork;
import io.cairn.master.store.Membership;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.metadata.state.Notice;
import io.cairn.runtime.Clock;
import io.cairn.runtime.DiskFullException;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.impl.LeaderGate;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.util.ExitUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The replicated log on Apache Ratis: one Raft group, one division in this process. Thread-safe.
 *
 * <p>When the state and the log can no longer be trusted to agree (an entry cannot be applied, the
 * log cannot be written) the process has to end: {@code halt} is called, once, and must not return
 * to normal work. The next start replays.
 */
public final class RatisLog implements ReplicatedLog {
    private static final Logger LOG = LoggerFactory.getLogger(RatisLog.class);

    static {
        // Ratis exits when its port is taken, and makes itself the handler of every thread that
        // dies, to exit then, too. When this process ends is not its business.
        Thread.UncaughtExceptionHandler handler = Thread.getDefaultUncaughtExceptionHandler();
        ExitUtils.disableSystemExit();
        Thread.setDefaultUncaughtExceptionHandler(handler);
    }

    /** Shard 0; a scaled-out namespace has one group per shard. */
    static final RaftGroupId GROUP =
            RaftGroupId.valueOf(
                    UUID.nameUUIDFromBytes(
                            "io.cairn.master/shard/0".getBytes(StandardCharsets.US_ASCII)));

    private static final long EXPIRE_INTERVAL_MS = 250;
    private static final long LOOK_INTERVAL_MS = 50;

    /** Several times within the shortest wait of an election. */
    private static final long ATTEND_INTERVAL_MS = 100;

    private final RatisSettings settings;
    private final Clock clock;
    private final LogListener listener;
    private final Consumer<@Nullable Throwable> halt;
    private final AtomicBoolean halted = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private final ClientId clientId = ClientId.randomId();
    private final RaftPeerId self;
    private final long openedNs;

    private final MasterDirectory directory;
    private final Combiner combiner;
    private final NamespaceMachine machine;
    private final RaftServer server;
    private final RaftServer.Division division;
    private final LeaderGate gate;
    private final MemberList members;
    private final boolean wasAlone;
    private final Membership seat;
    private final HelloQuestions others;
    private final Admission admission;
    private final Retreat retreat;
    private final LocalRequests requests;
    private final MemberChanges changes;
    private final AtomicBoolean dismissed = new AtomicBoolean();
    private final ScheduledExecutorService timer =
            Executors.newSingleThreadScheduledExecutor(
                    task -> Thread.ofPlatform().name("log-timer").daemon().unstarted(task));

    /**
     * Opens the master's directory. {@link #start} must follow, or {@link #close}.
     *
     * @param listener hears nothing before {@link #start}
     * @param endOfTurn runs a task when the calling thread has handed in what it has, or at once
     * @param halt ends the process, told why if that is known; may be called by any thread
     * @param network to other masters, with certificates; null for plain text
     * @throws IOException when the directory is in use, foreign or damaged; the message names the
     *     file
     */
    public RatisLog(
            RatisSettings settings,
            Clock clock,
            LogListener listener,
            Executor endOfTurn,
            Consumer<@Nullable Throwable> halt,
            @Nullable SecuredNetwork network)
            throws IOException {
        this.settings = settings;
        this.clock = clock;
        this.listener = listener;
        this.halt = halt;
        self = RaftPeerId.valueOf(settings.id());
        openedNs = clock.nanoTime();
        directory =
                new MasterDirectory(
                        settings.directory(),
                        settings.id(),
                        GROUP.getUuid().toString(),
                        settings.store());
        combiner =
                new Combiner(
                        clock,
                        Combiner.MAX_IN_FLIGHT,
                        Combiner.LEAST_BESIDE,
                        endOfTurn,
                        this::propose);
        machine =
                new NamespaceMachine(
                        directory.state(),
                        settings,
                        clientId.toByteString(),
                        combiner,
                        new Announcer(),
                        this::stop);
        seat = new Membership(directory.format());
        try {
            members = directory.members(settings);
            wasAlone = members.alone();
            if (wasAlone) {
                directory.foundAlone(settings.found());
            }
            server = build(network);
            division = server.getDivision(GROUP);
            members.follow(division);
            gate = new LeaderGate(division);
            others = new HelloQuestions(settings.id(), GuardedRpc.hellos(network, GROUP), clock);
            admission = admission();
            requests = new LocalRequests(server, division, clientId, this::mayRead, timer);
            changes = new MemberChanges(members, others, requests, seat, clock, this::listChanges);
            BooleanSupplier low = directory.room()::isLow;
            retreat = new Retreat(this::mayRead, low, admission::kin, this::lead, clock);
        } catch (IOException | RuntimeException e) {
            directory.close();
            throw e;
        }
    }

    private Admission admission() {
        Admission.Environment environment =
                new Admission.Environment(
                        division,
                        gate,
                        others,
                        this::namespace,
                        directory.room()::isLow,
                        new Admission.Ends(this::dismiss, why -> stop(why, null)));
        long incarnation = UUID.randomUUID().getMostSignificantBits();
        return new Admission(
                members, settings.found(), seat, environment, incarnation, settings.client());
    }

    private RaftServer build(@Nullable SecuredNetwork network) throws IOException {
        RaftFilter door = new RaftFilter(members, GROUP, seat, () -> admission, clock);
        List<RaftPeer> peers = members.peers().stream().map(Peer::inRatis).toList();
        return RaftServer.newBuilder()
                .setServerId(self)
                .setStateMachine(machine)
                .setProperties(RatisOptions.properties(settings, wasAlone, directory.raft()))
                .setParameters(GuardedRpc.with(door, network, settings.self().raft()))
                .setThreadGroup(new RaftThreads())
                .setGroup(RaftGroup.valueOf(GROUP, peers))
                .setOption(RaftStorage.StartupOption.RECOVER)
                .build();
    }

    /**
     * Joins the group. Returns before there is a leader. When it fails, the log is closed.
     *
     * @throws IOException when the log is damaged or the port is taken; the message names it
     */
    public void start() throws IOException {
        try {
            if (directory.used() && !wasAlone) {
                sitOutLease();
            }
            server.start();
            directory.forceNames();
        } catch (IOException | RuntimeException e) {
            RatisLog started = this;
            try (started) {
                throw directory.notStarted(e, settings.self().raft());
            }
        }
        Future<?> _ =
                timer.scheduleWithFixedDelay(
                        directory.room()::look,
                        LOOK_INTERVAL_MS,
                        LOOK_INTERVAL_MS,
                        TimeUnit.MILLISECONDS);
        Future<?> _ =
                timer.scheduleWithFixedDelay(
                        combiner::expire,
                        EXPIRE_INTERVAL_MS,
                        EXPIRE_INTERVAL_MS,
                        TimeUnit.MILLISECONDS);
        Future<?> _ =
                timer.scheduleWithFixedDelay(
                        this::attend, 0, ATTEND_INTERVAL_MS, TimeUnit.MILLISECONDS);
    }

    private void attend() {
        try {
            admission.tick();
            retreat.tick();
        } catch (RuntimeException e) {
            LOG.error("looking at the other masters failed", e);
        }
    }

    /**
     * A master that just came back may have promised a leader its lease and does not remember. It
     * keeps silent until that is over.
     */
    private void sitOutLease() throws IOException {
        long passedMs = TimeUnit.NANOSECONDS.toMillis(clock.nanoTime() - openedNs);
        try {
            TimeUnit.MILLISECONDS.sleep(RatisOptions.ELECTION_MIN_MS - passedMs);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while starting", e);
        }
    }

    /** Registers the numbers about the log and the store beneath it. */
    public void measure(MeterRegistry registry) {
        new LogGauges(division, combiner, directory.state()::rocks, registry).register();
    }

    /** The namespace; ask again for each read, and {@link #mayRead} before and after it. */
    public Namespace namespace() {
        return directory.state().namespace();
    }

    @Override
    public CompletableFuture<Outcome> submit(byte[] frame, int offset) {
        return division.getInfo().isLeader()
                ? combiner.submit(frame, offset)
                : CompletableFuture.failedFuture(notLeader());
    }

    @Override
    public List<SlowMutation> slow() {
        return combiner.slow();
    }

    @Override
    public boolean isShortOfRoom() {
        return directory.room().isLow() && division.getInfo().isLeader();
    }

    @Override
    public boolean isGivingWay() {
        return isShortOfRoom() && retreat.isPossible();
    }

    private void propose(Group group) {
        Future<?> _ =
                requests.propose(group.number(), group.entry(), combiner.answered())
                        .whenComplete((reply, error) -> answered(group, reply, error));
    }

    /** The machine answers what was applied; what was not is answered here. */
    private void answered(Group group, @Nullable RaftClientReply reply, @Nullable Throwable error) {
        if (reply != null && reply.isSuccess()) {
            return;
        }
        if (!group.logged() && reply != null && reply.getNotLeaderException() != null) {
            combiner.failed(group, notLeader());
        } else {
            Throwable cause = reply != null ? reply.getException() : error;
            String why = cause == null ? "no reason was given" : Wording.of(cause);
            combiner.failed(
                    group,
                    new FsException(
                            Errno.NOT_READY,
                            group.logged()
                                    ? "the masters are choosing a leader"
                                    : "the master is not ready: " + why));
        }
    }

    private FsException notLeader() {
        Endpoint leader = leader();
        return new FsException(Errno.NOT_LEADER, leader == null ? "" : leader.toString());
    }

    @Override
    public boolean mayRead() {
        return !closed.get() && gate.mayRead();
    }

    @Override
    public long leaderTerm() {
        return closed.get() ? -1 : gate.readyTerm();
    }

    @Override
    public @Nullable Endpoint leader() {
        RaftPeerId leader = division.getInfo().getLeaderId();
        if (leader == null) {
            return null;
        }
        if (leader.equals(self)) {
            return settings.client();
        }
        Endpoint told = admission.clientOf(leader.toString());
        return told != null ? told : directory.state().endpointOf(leader.toString());
    }

    @Override
    public long term() {
        return division.getInfo().getCurrentTerm();
    }

    @Override
    public List<Standing> masters() {
        List<Peer> peers = new ArrayList<>(members.peers());
        Peer joining = changes.joining();
        if (joining != null) {
            peers.add(joining);
        }
        return new GroupStatus(division, settings, peers, directory.state(), admission).list();
    }

    @Override
    public @Nullable String waiting() {
        return admission.waiting();
    }

    @Override
    public boolean isRecovering() {
        return seat.recovers();
    }

    @Override
    public void stateRecovered() {
        admission.stateRecovered();
    }

    @Override
    public CompletableFuture<Void> lead(String id) {
        if (!members.contains(id)) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.EINVAL, "there is no master '" + id + "'"));
        }
        if (!mayRead()) {
            return CompletableFuture.failedFuture(notLeader());
        }
        return Handover.start(requests, clock, settings.id(), id);
    }

    @Override
    public @Nullable String refusal(Change change) {
        return changes.refusal(change, masters());
    }

    @Override
    public List<String> warnings(Change change) {
        return changes.warnings(change, masters());
    }

    @Override
    public CompletableFuture<Void> change(Change change) {
        return mayRead() ? changes.start(change) : CompletableFuture.failedFuture(notLeader());
    }

    /** A master without others commits what it has forced, and waits less for more to come. */
    private void listChanges() {
        boolean alone = members.alone() && !changes.isRunning();
        machine.setAlone(alone);
        combiner.setPace(alone);
    }

    /** The others went on without this master: it must do nothing for them any more. */
    private void dismiss() {
        if (!closed.get() && dismissed.compareAndSet(false, true)) {
            LOG.error(
                    "{} is none of the masters of cluster {} any more, and stops. Nothing in {} is"
                            + " needed. To make it one of them again, empty the directory, start"
                            + " it with --join, and add it: cairn admin masters add {}",
                    settings.id(),
                    Membership.text(seat.clusterId()),
                    settings.directory(),
                    members.self());
            listener.dismissed(admission.wasCounted());
        }
    }

    private void stop(String what, @Nullable Throwable cause) {
        if (members.index() >= 0 && !members.containsSelf() && admission.wasCounted()) {
            dismiss(); // Ratis stops a leader that has left.
            return;
        }
        if (!closed.get() && halted.compareAndSet(false, true)) {
            LOG.error("{}: this master stops, start it again", what, cause);
            // Ratis keeps to itself which write failed when it stops on its own.
            boolean full = cause == null && directory.room().isLow();
            halt.accept(full ? new DiskFullException(settings.directory()) : cause);
        }
    }

    /**
     * Stops, flushes and frees the directory, or throws as {@link RatisStop} does. Callers that
     * wait get NOT_READY. Idempotent.
     */
    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        timer.shutdownNow();
        others.close();
        combiner.close();
        machine.stop();
        new RatisStop(server, division, directory).within(RatisStop.LIMIT_MS);
    }

    /** The Raft group in this process, for tests. */
    RaftServer.Division division() {
        return division;
    }

    /** Threads of Ratis; none may die. */
    private final class RaftThreads extends ThreadGroup {
        private RaftThreads() {
            super("raft");
        }

        @Override
        public void uncaughtException(Thread thread, Throwable error) {
            stop("thread " + thread.getName() + " died", error);
        }
    }

    /** Tells the other masters where clients reach this one when it leads. */
    private final class Announcer implements NamespaceMachine.Events {
        @Override
        public void leading() {
            listChanges();
            if (!members.alone()) {
                combiner.submitAlone(LeaderEndpoints.entry(settings.id(), settings.client()));
            }
            long term = leaderTerm();
            if (term >= 0) {
                listener.leading(term);
            }
        }

        @Override
        public void following() {
            listener.following();
        }

        @Override
        public void notices(List<Notice> notices) {
            listener.notices(notices);
        }
    }
}
