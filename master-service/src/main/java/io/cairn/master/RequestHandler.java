package io.cairn.master;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.master.access.Admitted;
import io.cairn.master.access.Logins;
import io.cairn.master.access.MountAdmission;
import io.cairn.master.access.MountClient;
import io.cairn.master.access.Visit;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.master.delegation.DelegationGate;
import io.cairn.master.quota.Allowances;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.Outcome;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.HostMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.MutationType;
import io.cairn.wire.master.OperationNames;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.SessionMutation.Numbered;
import io.cairn.wire.master.TreeMutation;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where requests to the master arrive. Mutations go to the replicated log as the bytes they came
 * in; queries are answered here, on the event loop, from the applied state: they take microseconds
 * and never block. Only the leader answers, and it asks the log's read gate before and after.
 */
final class RequestHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(RequestHandler.class);

    /** Where the envelope begins in the frame of a mutation. */
    private static final int ENVELOPE = 1;

    private static final String JUST_LEADS = "this master has just become the leader";

    private final ReplicatedLog log;
    private final Supplier<Namespace> namespace;
    private final SessionTable sessions;
    private final MountAdmission gate;
    private final RoomCheck room;
    private final DirectoryWatch watch;
    private final DelegationGate delegations;
    private final ContentWatch contents;
    private final OrphanReaper reaper;
    private final ServerWatch servers;
    private final Supplier<String> status;
    private final Certification certification;
    private final Logins logins;
    private final ClusterRequests clusterRequests;
    private final Allowances allowances;
    private final LongAdder operations = new LongAdder(); // requests of clients since the start
    private volatile @Nullable Handler admin;

    /** What requests are handed to. */
    record Services(
            ReplicatedLog log,
            Supplier<Namespace> namespace,
            SessionTable sessions,
            DirectoryWatch watch,
            DelegationGate delegations,
            ContentWatch contents,
            OrphanReaper reaper,
            ServerWatch servers,
            Allowances allowances) {}

    RequestHandler(
            Services services, Presence presence, RandomGenerator random, Supplier<String> status) {
        this.log = services.log;
        this.namespace = services.namespace;
        this.sessions = services.sessions;
        this.gate = new MountAdmission(services.namespace, services.sessions);
        this.room = new RoomCheck(services.log, services.namespace);
        this.watch = services.watch;
        this.delegations = services.delegations;
        this.contents = services.contents;
        this.reaper = services.reaper;
        this.servers = services.servers;
        this.status = status;
        this.allowances = services.allowances;
        this.certification = new Certification(log, namespace, presence.clock(), random);
        this.logins = new Logins(namespace, certification.refusals(), presence.clock(), random);
        this.clusterRequests =
                new ClusterRequests(log, namespace, servers, presence, certification, logins);
    }

    Certification certification() {
        return certification;
    }

    @Override
    public void opened(Connection connection) {
        certification.opened(connection);
    }

    /** From now on requests of the admin API that other masters hand on go there. */
    void serveAdmin(Handler handler) {
        admin = handler;
    }

    long operations() {
        return operations.sum();
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        byte[] frame = request.header();
        certification.door().require(from.principal(), frame);
        Handler administration = admin;
        if (administration != null && MasterRequest.of(frame) == MasterRequest.ADMIN) {
            administration.handle(from, request, answer);
            return;
        }
        request.release();
        try {
            Decoder in = request.decoder();
            MasterRequest kind = MasterRequest.read(in);
            operations.add(kind == MasterRequest.CLUSTER ? 0 : 1);
            switch (kind) {
                case MUTATION -> mutate(from, frame, answer);
                case QUERY -> query(from, in, answer);
                case CLUSTER -> cluster(from, in, answer);
                case PUSH, ADMIN -> throw new MalformedMessageException("no request: " + kind);
            }
        } catch (MalformedMessageException e) {
            String what = OperationNames.ofMaster(frame) + ": " + e.getMessage();
            LOG.info("closing the connection of {}: {}", from.remote(), what);
            answer.fail(new FsException(Errno.EPROTO, what));
            from.close();
        } catch (RuntimeException e) {
            answer.fail(told(e));
        }
    }

    private FsException told(Throwable error) {
        if (cause(error) instanceof FsException known) {
            return known;
        }
        if (!log.mayRead()) {
            // It stops, and its store is closed: another master knows, or this one later.
            return notLeader();
        }
        LOG.error("a request failed", error);
        return new FsException(Errno.EIO, "the master failed: " + cause(error));
    }

    /**
     * A client that goes without ending its session may have crashed. Should it come back, nothing
     * was lost by doubting.
     */
    @Override
    public void closed(Connection connection) {
        certification.closed(connection);
        logins.closed(connection);
        if (!sessions.disconnected(connection) || !log.mayRead()) {
            return;
        }
        LOG.info("{} has gone without ending its session", connection.remote());
        byte[] doubt = new Envelope(0, 0, 0, 0, new LeaderMutation.DoubtObjects()).toBytes();
        var _ =
                log.submit(doubt, 0)
                        .whenComplete(
                                (_, error) -> {
                                    if (error != null) {
                                        LOG.info(
                                                "what {} left is doubted when its session ends: {}",
                                                connection.remote(),
                                                reason(error));
                                    }
                                });
    }

    /**
     * A mutation that some master cannot read must not get into the log; a master that does not
     * lead may be behind.
     */
    private FsException tooYoung(int version) {
        return log.mayRead()
                ? new FsException(
                        Errno.EPROTO,
                        "the cluster is at level %d: version %d comes when all masters have it"
                                .formatted(namespace.get().level(), version))
                : notLeader();
    }

    @Override
    public int newestVersion() {
        return namespace.get().level();
    }

    private FsException notLeader() {
        Endpoint leader = log.leader();
        return new FsException(Errno.NOT_LEADER, leader == null ? "" : leader.toString());
    }

    private void requireLeads() {
        if (!log.mayRead()) {
            throw notLeader();
        }
        requireTermBegun();
    }

    /**
     * A new leader knows the sessions a moment after it could answer: until then nobody may hear
     * that a session has ended.
     */
    private void requireTermBegun() {
        if (sessions.term() != log.leaderTerm()) {
            throw new FsException(Errno.NOT_READY, JUST_LEADS);
        }
    }

    /** Reads the header only: it is decoded where it is applied, and where mount rules judge. */
    private void mutate(Connection from, byte[] frame, Answer answer) {
        if (frame.length - ENVELOPE <= Envelope.HEADER_BYTES) {
            throw new MalformedMessageException("mutation of " + frame.length + " bytes");
        }
        int version = Envelope.versionOf(frame, ENVELOPE);
        if (version > namespace.get().level()) {
            throw tooYoung(version);
        }
        MutationType type = Envelope.typeOf(frame, ENVELOPE);
        if (log.leaderTerm() >= 0) {
            requireTermBegun();
        }
        // Who answers without the log must know what is in it.
        boolean isJudged = type == MutationType.RESERVE_NUMBERS || !gate.isOpenTo(from.principal());
        if (isJudged && !log.mayRead()) {
            throw notLeader();
        }
        long session = Envelope.sessionOf(frame, ENVELOPE);
        MountClient client = logins.client(from);
        Reply refusal =
                sessions.touch(session, client) && mayPropose(session, type)
                        ? room.refusal(frame, ENVELOPE)
                        : new Reply.Failure(
                                Errno.NO_SESSION, "session " + session + " is not open");
        Admitted judged =
                refusal == null
                        ? gate.admit(client, frame, ENVELOPE)
                        : new Admitted(frame, ENVELOPE, refusal);
        Reply refused = judged.refusal();
        if (refused != null) {
            answer.send(Message.of(refused.toBytes(version)));
            return;
        }
        if (type.mayOpen()) {
            sessions.requireRoomToOpen(session);
        }
        long ticket = type.mayOpen() ? reaper.begin() : 0;
        CompletableFuture<Outcome> done = delegations.submit(judged.bytes(), judged.offset());
        var _ =
                done.whenComplete(
                        (outcome, error) -> {
                            if (error != null) {
                                answer.fail(told(error));
                            } else {
                                reading(
                                        () -> applied(from, client, judged.told(outcome), answer),
                                        answer);
                            }
                            if (ticket != 0) {
                                reaper.end(ticket);
                            }
                            if (type == MutationType.OPEN_SESSION) {
                                sessions.begun(client);
                            }
                        });
    }

    /** In the leader's own name only the leader itself proposes. */
    private static boolean mayPropose(long session, MutationType type) {
        return switch (type.sender()) {
            case SESSION, SESSION_OR_LEADER -> session != 0;
            case NEWCOMER -> true;
            case LEADER -> throw new FsException(Errno.EPERM, "only the leader proposes " + type);
        };
    }

    private void applied(Connection from, MountClient client, Outcome outcome, Answer answer) {
        Envelope envelope = outcome.envelope();
        if (envelope == null) {
            LOG.info("closing the connection of {}: {}", from.remote(), outcome.reply());
            answer.send(Message.of(outcome.bytes()));
            from.close();
            return;
        }
        Reply reply = outcome.reply();
        allowances.follow(envelope, reply);
        switch (envelope.mutation().unwrapped()) {
            case SessionMutation.OpenSession _ -> {
                answer.send(Message.of(sessionOpened(client, envelope, outcome)));
                return;
            }
            case SessionMutation.CloseSession m -> {
                if (reply instanceof Reply.Done) {
                    sessions.closed(m.session());
                }
                answer.send(Message.of(outcome.bytes()));
                return;
            }
            case TreeMutation.Create m -> opened(m.open(), envelope.session(), reply);
            case TreeMutation.CreateUnnamed _ -> opened(true, envelope.session(), reply);
            case ContentMutation.MoveChunks m -> opened(m.isFirstStep(), envelope.session(), reply);
            case TreeMutation _,
                    ContentMutation _,
                    ContentMutation.SharingMutation _,
                    Numbered _,
                    SessionMutation _,
                    HostMutation _,
                    LeaderMutation _ -> {}
        }
        settle(answer, envelope, outcome);
    }

    private void opened(boolean isOpen, long session, Reply reply) {
        if (isOpen && reply instanceof Reply.EntryReply entry) {
            sessions.open(session, entry.inode().ino());
        }
    }

    private void settle(Answer answer, Envelope envelope, Outcome outcome) {
        if (log.leaderTerm() > sessions.term()) {
            // Done by who led just before; asked again, it is told to who has to know.
            answer.fail(new FsException(Errno.NOT_READY, JUST_LEADS));
            return;
        }
        Reply reply = outcome.reply();
        Runnable sender = () -> answer.send(Message.of(outcome.bytes()));
        watch.settle(envelope, reply, () -> contents.settle(envelope, reply, sender));
    }

    private byte[] sessionOpened(MountClient client, Envelope envelope, Outcome outcome) {
        if (outcome.reply() instanceof Reply.SessionReply opened) {
            sessions.opened(opened.session());
            if (!sessions.isOf(opened.session(), client)) {
                return new Reply.Failure(Errno.NO_SESSION, "this session is of somebody else")
                        .toBytes(envelope.version());
            }
            return complete(opened.session()).toBytes(envelope.version());
        }
        return outcome.bytes();
    }

    private Reply.SessionReply complete(long session) {
        return new Reply.SessionReply(
                session,
                namespace.get().clusterId(),
                sessions.leaseMs(),
                namespace.get().inlineLimitBytes(),
                namespace.get().clusterMap().epoch(),
                sessions.wallNs(),
                allowances.version(),
                log.endpoints());
    }

    private static Throwable cause(Throwable error) {
        Throwable cause = error;
        while (cause instanceof CompletionException && cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    private void query(Connection from, Decoder in, Answer answer) {
        long session = in.i64();
        Query asked = Query.decode(in);
        requireLeads();
        MountClient client = logins.client(from, session, asked);
        if (session != 0 && !sessions.touch(session, client)) {
            throw new FsException(Errno.NO_SESSION, "session " + session + " is not open");
        }
        Visit visit = gate.visit(client);
        Query query = visit == null ? asked : visit.admit(session, asked);
        Runnable server = () -> serve(from, session, query, visit, answer);
        delegations.serve(session, query, () -> reading(server, answer));
    }

    /** As {@link #handle}, also for an answer that comes later. */
    private void reading(Runnable server, Answer answer) {
        try {
            server.run();
        } catch (RuntimeException e) {
            answer.fail(told(e));
        }
    }

    private void serve(
            Connection from, long session, Query query, @Nullable Visit visit, Answer answer) {
        requireLeads();
        @Nullable Reply reply =
                switch (query) {
                    case Query.GetUsage _ -> new Reply.UsageReply(servers.usage());
                    case Query.Open open -> open(session, open.ino());
                    case Query.Release release -> release(session, release.inos());
                    case Query.KeepAlive alive -> keepAlive(session, alive, from);
                    case Query.GetAllowance m -> allowances.answer(session, m, servers::roomBytes);
                    case Query.GetRoom m -> allowances.answer(m, servers.usage());
                    case Query.GetTicket _ -> certification.tickets().answer(session, from, visit);
                    case Query.OfLogin step -> logins.answer(from, step);
                    case Query.GetStatus _ -> new Reply.TextReply(status.get());
                    case Query.HoldStill still -> {
                        requireSession(session);
                        contents.holdStill(
                                session, still, late -> answer.send(Message.of(late::toBytes)));
                        yield null;
                    }
                    case Query.Lookup wanted -> watch.lookup(namespace.get(), session, wanted);
                    case Query.ReadDirectory list -> watch.list(namespace.get(), session, list);
                    case Query.OfState any -> namespace.get().read(session, any);
                };
        if (reply == null) {
            return;
        }
        if (!log.mayRead()) {
            throw notLeader();
        }
        Reply told = visit == null ? reply : visit.told(reply);
        answer.send(Message.of(told::toBytes));
    }

    /**
     * Registers before it reads, so that the reaper cannot purge the inode in between. An orphan
     * that is still there can be opened: the client decides whether it had a name when the open
     * began.
     */
    private Reply open(long session, long ino) {
        requireSession(session);
        sessions.requireRoomToOpen(session);
        sessions.open(session, ino);
        Reply reply = namespace.get().read(session, new Query.GetInode(ino));
        if (reply instanceof Reply.Failure) {
            sessions.release(session, new long[] {ino});
        }
        return reply;
    }

    private Reply release(long session, long[] inos) {
        allowances.giveBack(session, inos);
        sessions.release(session, inos);
        return new Reply.Done();
    }

    private Reply keepAlive(long session, Query.KeepAlive alive, Connection from) {
        requireSession(session);
        sessions.keepAlive(session, from, alive.reconnected(), alive.openInos());
        return complete(session);
    }

    private void requireSession(long session) {
        if (!sessions.isLive(session)) {
            throw new FsException(Errno.NO_SESSION, "session " + session + " has ended");
        }
    }

    private void cluster(Connection from, Decoder in, Answer answer) {
        requireLeads();
        ClusterRequest request = ClusterRequest.decode(in);
        Message reply = clusterRequests.serve(from, request, answer);
        if (reply != null && !log.mayRead()) {
            throw notLeader();
        }
        if (reply != null) {
            answer.send(reply);
        }
    }

    /** The reason of a failed submission, for the log; never null. */
    static String reason(@Nullable Throwable error) {
        return error == null ? "" : cause(error).toString();
    }
}
