package io.cairn.client.session;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.MasterCall.Sent;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.Scheduler;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to whichever master leads. A caller's thread encodes and hands the bytes to the
 * connection; the event loop that receives the answer completes the promise: one hand-over each
 * way. The threads of a door can have a connection that they run themselves ({@link
 * PolledNetwork}): a call goes over it the first time, and pays no hand-over.
 *
 * <p>Mutations are exactly once: each has a sequence number in the session and is sent again with
 * the same bytes, after a broken connection or to another leader, until it is answered or its time
 * is over. When the session ended meanwhile, a mutation that may have been executed is sent again
 * only if doing it twice is harmless; else it fails with EIO.
 *
 * <p>Thread-safe; never blocks; promises are completed without locks held.
 */
public final class MasterChannel implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterChannel.class);

    /** Requests that may wait for a connection or for room in the session's window. */
    private static final int MAX_WAITING = 16_384;

    /** Requests on their way at a time: leaves room on the connection for renewals. */
    private static final int MAX_IN_FLIGHT = Limits.MAX_IN_FLIGHT * 3 / 4;

    private static final long SWEEP_MS = 200;

    /** Hears of pushes and of the end of a session. */
    public interface Listener {
        /** The master says something; called on an event loop. Completes when it has effect. */
        CompletableFuture<Void> push(Push push);

        /** Requests go over a new connection from now on, perhaps to another master. */
        void connected();

        /** All locks are lost; called on an event loop. */
        void sessionLost();
    }

    private final ClientSettings settings;
    private final Clock clock;
    private final Scheduler scheduler;
    private final SessionState state;
    private final ChannelEvents events;
    private final MasterLink link;
    private final Backoff backoff;
    private final @Nullable PolledLeader polled;
    private final Releases releases;
    private final DirectoryRights.Lease lease;
    private final YoungFiles young;
    private final ArrayDeque<MasterCall> waiting = new ArrayDeque<>();
    private boolean sweeping;
    private volatile boolean closed;

    public MasterChannel(ClientSettings settings, Transport transport, ClientRuntime runtime) {
        this.settings = settings;
        this.clock = runtime.clock();
        this.scheduler = runtime.scheduler();
        this.state = new SessionState(clock, runtime.random());
        this.backoff = new Backoff(runtime.random());
        this.lease = new DirectoryRights.Lease(clock);
        this.polled = PolledLeader.of(settings, runtime);
        this.events = new ChannelEvents(new Own());
        this.link = new MasterLink(settings, transport, runtime, state, events);
        this.releases = new Releases(settings, runtime, state, link);
        this.young = new YoungFiles(state, this::direct, releases::add, clock, lease);
    }

    /**
     * Begins to search for the leader; completes once a session is open.
     *
     * @param newListener hears of pushes from now on
     * @param newView hears of younger cluster maps from now on
     */
    public CompletableFuture<Void> start(Listener newListener, ClusterView newView) {
        events.toldTo(newListener, newView);
        return link.start();
    }

    /** The state of the session. */
    public SessionState session() {
        return state;
    }

    /** The files of which the master does not know yet. */
    public YoungFiles young() {
        return young;
    }

    /** Why no master can be asked now. */
    public String lastError() {
        return link.lastError();
    }

    /** Sends a mutation; the promise is kept or broken within the request timeout. */
    public CompletableFuture<Reply> mutate(Mutation mutation) {
        return mutate(mutation, 0);
    }

    /** As {@link #mutate(Mutation)}; EIO when this session ends before, if it is not 0. */
    public CompletableFuture<Reply> mutate(Mutation mutation, long session) {
        return young.mutate(mutation, session);
    }

    /** Sends a query; the promise is kept or broken within the request timeout. */
    public CompletableFuture<Reply> query(Query query) {
        return young.query(query);
    }

    /** Sends without looking for what has to be told before. */
    private MasterCall direct(@Nullable Mutation mutation, @Nullable Query query, long session) {
        PendingRequest errand = mutation == null ? null : PendingRequest.current();
        MasterCall call = new MasterCall(mutation, query, deadlineMs(), session, errand);
        send(call);
        return call;
    }

    /** Sends a mutation and waits for the reply; not for event loops. */
    public Reply change(Mutation mutation) {
        return change(mutation, 0);
    }

    /** As {@link #change(Mutation)}; EIO when this session ends before, if it is not 0. */
    public Reply change(Mutation mutation, long session) {
        await(young.before(mutation));
        return await(
                new MasterCall(mutation, null, deadlineMs(), session, PendingRequest.current()));
    }

    /** Sends a query and waits for the reply; not for event loops. */
    public Reply ask(Query query) {
        await(young.before(query));
        return await(new MasterCall(null, query, deadlineMs(), 0, PendingRequest.current()));
    }

    /** A thread of a door looks a little for the answers that lead to a result. */
    public void look(CompletableFuture<?> result) {
        if (polled != null) {
            polled.look(result);
        }
    }

    private void await(@Nullable CompletableFuture<Void> before) {
        if (before != null) {
            look(before);
            Await.get(before, settings.requestTimeoutMs());
        }
    }

    private Reply await(MasterCall call) {
        long sinceNs = PendingRequest.waitClockNs();
        send(call);
        look(call);
        long limitMs = settings.requestTimeoutMs();
        try {
            return call.isForOne() ? Await.get(call, limitMs) : Await.result(call, limitMs);
        } catch (FsException e) {
            call.ifOpenedInVain(this::release);
            throw e;
        } finally {
            PendingRequest.waitedFor(WaitCause.MASTER, sinceNs);
        }
    }

    private long deadlineMs() {
        return clock.millis() + settings.requestTimeoutMs();
    }

    /** Sends a call, now or when there is a connection. */
    private void send(MasterCall call) {
        FsException refusal = call.refusalIn(state.session());
        if (refusal != null) {
            fail(call, refusal);
            return;
        }
        if (call.isWithdrawn()) {
            if (call.isUnsent()) {
                fail(call, PendingRequest.interrupted());
                return;
            }
            call.makeVoid();
        }
        Connection main = link.ready();
        if (main == null || state.session() == 0 || isFull() || !claim(call)) {
            enqueue(call);
            return;
        }
        long leftMs = call.deadlineMs - clock.millis();
        if (leftMs <= 0) {
            expire(call);
            return;
        }
        call.attempts++;
        link.watch().sent();
        Connection own = call.attempts == 1 && polled != null ? polled.to(main.remote()) : null;
        Connection over = own == null ? main : own;
        Sent sent = new Sent(over, own != null, state.greetings(), lease.now());
        byte[] frame = call.frame(state.session(), state.ackedUpTo(), over.version());
        long timeoutMs = Math.min(leftMs, settings.attemptTimeoutMs());
        Promises.whenDone(
                call.over(sent.over(), frame, timeoutMs),
                (message, failure) -> {
                    link.watch().over(message != null);
                    answered(call, sent, message, failure);
                    resume();
                });
    }

    /** What the link tells this channel. */
    private final class Own implements ChannelEvents.Channel {
        @Override
        public void renewed() {
            if (polled != null) {
                polled.renew();
            }
            young.connected();
        }

        @Override
        public void resume() {
            MasterChannel.this.resume();
        }

        @Override
        public void sessionGone() {
            young.sessionLost();
        }
    }

    private boolean isFull() {
        return link.watch().underWay() >= MAX_IN_FLIGHT;
    }

    /** Gives a mutation its sequence number in the current session; false when it must wait. */
    private boolean claim(MasterCall call) {
        if (call.mutation == null) {
            return true;
        }
        long session = state.session();
        if (call.refusalIn(session) != null) {
            return false;
        }
        if (call.sequence != 0 && call.session == session) {
            return session != 0;
        }
        long sequence = state.claim();
        if (sequence == 0) {
            link.renewIfDoubtful();
            return false;
        }
        call.place(session, sequence);
        return true;
    }

    private void enqueue(MasterCall call) {
        boolean full;
        boolean begin = false;
        synchronized (waiting) {
            full = closed || waiting.size() >= MAX_WAITING;
            if (!full) {
                waiting.add(call);
                begin = !sweeping;
                sweeping = true;
            }
        }
        if (full) {
            fail(
                    call,
                    closed
                            ? ended()
                            : new FsException(Errno.EAGAIN, "too many requests to the master"));
        } else if (begin) {
            scheduler.schedule(this::sweep, SWEEP_MS);
        }
        if (link.ready() != null && state.session() != 0) {
            resume();
        }
    }

    /** Sends what waits, as far as the window has room. */
    private void resume() {
        while (true) {
            MasterCall call;
            synchronized (waiting) {
                call = waiting.peek();
                if (call == null
                        || link.ready() == null
                        || isFull()
                        || (!claim(call) && call.refusalIn(state.session()) == null)) {
                    return;
                }
                waiting.poll();
            }
            send(call);
        }
    }

    /** Ends the requests that have waited too long for a connection. */
    private void sweep() {
        List<MasterCall> late = new ArrayList<>();
        List<MasterCall> unwanted = new ArrayList<>();
        boolean again;
        synchronized (waiting) {
            long nowMs = clock.millis();
            for (Iterator<MasterCall> each = waiting.iterator(); each.hasNext(); ) {
                MasterCall call = each.next();
                if (closed || call.deadlineMs - nowMs <= 0) {
                    each.remove();
                    late.add(call);
                } else if (call.isWithdrawn() && call.isUnsent()) {
                    each.remove();
                    unwanted.add(call);
                }
            }
            again = !waiting.isEmpty();
            sweeping = again;
        }
        late.forEach(this::expire);
        unwanted.forEach(call -> fail(call, PendingRequest.interrupted()));
        if (again) {
            resume();
            scheduler.schedule(this::sweep, SWEEP_MS);
        }
    }

    private void expire(MasterCall call) {
        fail(
                call,
                new FsException(
                        Errno.ETIMEDOUT,
                        "no master answered "
                                + call.title()
                                + " within "
                                + settings.requestTimeoutMs()
                                + " ms ("
                                + link.lastError()
                                + ")"));
    }

    private void answered(
            MasterCall call, Sent sent, @Nullable Message message, @Nullable Throwable failure) {
        if (message == null) {
            unanswered(call, sent, Await.failure(failure));
            return;
        }
        Reply reply;
        try {
            reply = call.reply(message);
        } catch (MalformedMessageException e) {
            fail(call, new FsException(Errno.EPROTO, "answer to " + call.title() + ": " + e));
            return;
        }
        if (!(reply instanceof Reply.Failure)) {
            lease.answered(sent.at());
        }
        if (reply instanceof Reply.Failure f && f.errno() == Errno.NO_SESSION) {
            unanswered(call, sent, f.toException());
        } else if (reply instanceof Reply.EntryReply entry
                && call.opens()
                && !state.openIf(sent.greetings(), entry.inode().ino())) {
            // A new leader, or the same one after a break, may not have heard of this open.
            send(call);
        } else {
            complete(call, reply);
        }
    }

    /** Sent again over the link, after a failure of the door's own connection. */
    private void unanswered(MasterCall call, Sent sent, FsException error) {
        Connection connection = sent.over();
        if (sent.polled() && error.errno() != Errno.NO_SESSION) {
            LOG.debug("{} over the polled connection", call.title(), error);
            if (error.errno() == Errno.ETIMEDOUT) {
                connection.close();
            }
            send(call);
            return;
        }
        switch (error.errno()) {
            case NO_SESSION -> withoutSession(call);
            case NOT_LEADER, DISCONNECTED -> {
                link.broken(connection, error);
                send(call);
            }
            case ETIMEDOUT -> {
                if (clock.millis() - call.deadlineMs < 0) {
                    link.broken(connection, error);
                }
                send(call);
            }
            case NOT_READY, EAGAIN -> scheduler.schedule(() -> send(call), backoff.nextMs());
            default -> fail(call, error);
        }
    }

    /** The session in which it was sent has ended: sends it in another one if it may. */
    private void withoutSession(MasterCall call) {
        if (state.isEnding()) {
            fail(call, ended());
            return;
        }
        link.sessionGone(call.session);
        call.attempts--; // This time it was not executed, for certain.
        if (call.attempts > 0 && !call.isRepeatable()) {
            fail(call, call.undecided());
            return;
        }
        call.place(0, 0);
        send(call);
    }

    private static FsException ended() {
        return new FsException(Errno.EIO, "this filesystem client is closed");
    }

    /** The reply is: done, and what it opened is noted. */
    private void complete(MasterCall call, Reply reply) {
        backoff.reset();
        settle(call);
        if (call.isVoid()) {
            call.completeExceptionally(PendingRequest.interrupted());
        }
        if (!call.complete(reply) && reply instanceof Reply.EntryReply entry && call.opens()) {
            release(entry.inode().ino());
        }
    }

    /** There will be no reply. */
    private void fail(MasterCall call, FsException error) {
        settle(call);
        call.completeExceptionally(error);
    }

    private void settle(MasterCall call) {
        if (call.sequence == 0) {
            return;
        }
        state.settle(call.session, call.sequence);
    }

    /** The session holds an inode open once less; told to the master in batches, soon. */
    public void release(long ino) {
        if (!young.released(ino)) {
            releases.add(ino);
        }
    }

    /** Ends the session, waiting for the answer no longer than a time, then the connection. */
    public CompletableFuture<Void> end(long timeoutMs) {
        long session = state.session();
        state.end();
        releases.tell();
        CompletableFuture<Void> ended = new CompletableFuture<>();
        if (session == 0) {
            ended.complete(null);
        } else {
            Promises.whenDone(
                    mutate(new SessionMutation.CloseSession(session)),
                    (reply, failure) -> ended.complete(null));
            scheduler.schedule(() -> ended.complete(null), timeoutMs);
        }
        return ended.thenRun(this::close);
    }

    /** Breaks the connection and fails what waits. Idempotent. */
    @Override
    public void close() {
        closed = true;
        link.close();
        if (polled != null) {
            polled.close();
        }
        sweep();
    }
}
