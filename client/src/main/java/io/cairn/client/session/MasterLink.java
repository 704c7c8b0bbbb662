package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Decoder;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The connection to the leading master: finds it, opens or renews the session on it, keeps the
 * lease alive, and begins again when it breaks.
 *
 * <pre>
 *   SEARCHING --connected--> GREETING --SessionReply--> READY
 *       ^                        |                        |
 *       +------ not the leader, no answer, broken --------+
 * </pre>
 *
 * Greeting means OpenSession if there is no session, then a KeepAlive that binds the connection to
 * the session and tells the inodes held open. Thread-safe, never blocks; the listener is called
 * without locks held, on an event loop or a scheduler thread.
 */
final class MasterLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MasterLink.class);

    /** The other masters are asked when the leader answers nothing for one to two of these. */
    private static final long SILENT_MS = 250;

    /** Hears of the link. */
    interface Listener {
        /** Requests can be sent. */
        void ready();

        /** The session and its locks are gone; a new one will be opened. */
        void sessionLost();

        /** The master says something; completes when that has taken effect. */
        CompletableFuture<Void> push(Push push);

        /** The master has a cluster map of this epoch. */
        void mapEpoch(long epoch);
    }

    private final ClientSettings settings;
    private final Clock clock;
    private final Scheduler scheduler;
    private final SessionState state;
    private final Listener listener;
    private final LeaderSearch search;
    private final SilenceWatch watch;
    private final Outage outage;
    private final boolean isLoggingIn;
    private final CompletableFuture<Void> firstReady = new CompletableFuture<>();
    private volatile @Nullable Connection ready;
    private volatile String lastError = "not tried yet";

    @GuardedBy("this")
    private @Nullable Connection current;

    @GuardedBy("this")
    private int renewals;

    /** When it was last asked whether the session lasts. */
    @GuardedBy("this")
    private long doubtedMs;

    @GuardedBy("this")
    private boolean closed;

    MasterLink(
            ClientSettings settings,
            Transport transport,
            ClientRuntime runtime,
            SessionState state,
            Listener listener) {
        this.settings = settings;
        this.clock = runtime.clock();
        this.scheduler = runtime.scheduler();
        this.state = state;
        this.listener = listener;
        this.isLoggingIn = runtime.login() != null;
        this.outage = new Outage(settings.masters(), clock);
        this.doubtedMs = clock.millis() - SILENT_MS;
        this.search =
                new LeaderSearch(settings, transport, runtime, new PushHandler(), new Finder());
        this.watch = new SilenceWatch(scheduler, SILENT_MS, new Hedge());
    }

    /** Begins to search; completes when requests can be sent for the first time. */
    CompletableFuture<Void> start() {
        scheduler.execute(() -> search.begin(null));
        return firstReady;
    }

    /** The connection to use, or null while there is none. */
    @Nullable Connection ready() {
        return ready;
    }

    /** Why there is no connection, for messages. */
    String lastError() {
        return lastError;
    }

    /** Counts what is sent over the connection, and notices when nothing is answered. */
    SilenceWatch watch() {
        return watch;
    }

    /** The other masters are asked while the leader is silent; what is under way goes on there. */
    private final class Hedge implements SilenceWatch.Listener {
        @Override
        public void silent() {
            Connection silent;
            synchronized (MasterLink.this) {
                silent = current;
                if (closed) {
                    return;
                }
            }
            search.begin(silent == null ? null : silent.remote());
        }

        @Override
        public void answers() {
            if (ready != null) {
                search.succeeded();
            }
        }
    }

    private final class Finder implements LeaderSearch.Listener {
        @Override
        public void found(Connection leader) {
            Connection last;
            boolean useless;
            synchronized (MasterLink.this) {
                useless = closed;
                last = closed ? leader : current;
                if (!closed) {
                    current = leader;
                    ready = null;
                    state.connected(false);
                }
            }
            if (last != null) {
                last.close();
            }
            if (!useless) {
                if (last != null) {
                    LOG.info("master {} leads, {} is silent", leader.remote(), last.remote());
                }
                greet(leader);
            }
        }

        @Override
        public void failed(Endpoint at, FsException error, long nextTryMs) {
            synchronized (MasterLink.this) {
                if (closed || current != null) {
                    return;
                }
            }
            if (error.errno() == Errno.EACCES && isLoggingIn) {
                firstReady.completeExceptionally(error);
            }
            lastError = at + " " + Outage.reason(at, error);
            outage.failed(at, error, nextTryMs);
        }
    }

    private void greet(Connection connection) {
        long session = state.session();
        if (session != 0) {
            keepAlive(connection, true);
            return;
        }
        long nonce = state.openNonce();
        Mutation opening = new SessionMutation.OpenSession(settings.clientName());
        ask(
                connection,
                v -> MasterRequest.mutation(new Envelope(v, 0, nonce, 0, 0, opening)),
                reply -> {
                    state.opened(reply);
                    LOG.info(
                            "session {} opened at {} of cluster {}",
                            reply.session(),
                            connection.remote(),
                            String.format("%016x", reply.clusterId()));
                    keepAlive(connection, true);
                });
    }

    private void keepAlive(Connection connection, boolean greeting) {
        long session = state.session();
        long[] opens = greeting ? state.takeOpens() : new long[0];
        long sentMs = clock.millis();
        long sentWallMs = state.wallMs();
        ask(
                connection,
                v -> MasterRequest.query(session, new Query.KeepAlive(greeting, opens), v),
                reply -> {
                    state.renewed(reply, sentMs, sentWallMs);
                    search.learn(reply.masters());
                    if (greeting) {
                        becomeReady(connection);
                    }
                    listener.mapEpoch(reply.mapEpoch());
                    int number = nextRenewal();
                    scheduler.schedule(() -> renew(connection, number), state.leaseMs() / 3);
                });
    }

    /**
     * Asks whether the session lasts when its lease is over by our clock, now and then: timers
     * stand still while the machine sleeps.
     */
    void renewIfDoubtful() {
        Connection connection = ready;
        if (connection == null || !state.isDoubtful()) {
            return;
        }
        synchronized (this) {
            long nowMs = clock.millis();
            if (nowMs - doubtedMs < SILENT_MS) {
                return;
            }
            doubtedMs = nowMs;
        }
        // Not here: locks are held.
        scheduler.execute(() -> keepAlive(connection, false));
    }

    private synchronized int nextRenewal() {
        return ++renewals;
    }

    private void renew(Connection connection, int number) {
        boolean due;
        synchronized (this) {
            due = connection.equals(current) && number == renewals;
        }
        if (due) {
            keepAlive(connection, false);
        }
    }

    private void becomeReady(Connection connection) {
        synchronized (this) {
            if (!connection.equals(current)) {
                return;
            }
            ready = connection;
        }
        search.succeeded();
        outage.ended(connection.remote());
        listener.ready();
        synchronized (this) {
            // After the listener doubts what it could not be told.
            state.connected(connection.equals(ready));
        }
        firstReady.complete(null);
    }

    /** Takes the reply to a greeting or renewal. */
    private interface Next {
        void accept(Reply.SessionReply reply);
    }

    private void ask(Connection connection, Message.Content request, Next next) {
        long session = state.session();
        watch.sent();
        Promises.whenDone(
                connection.call(Message.of(request), settings.attemptTimeoutMs()),
                (message, failure) -> {
                    watch.over(message != null);
                    try {
                        Reply.SessionReply reply = sessionReply(message, failure);
                        state.requireCluster(reply);
                        next.accept(reply);
                    } catch (FsException e) {
                        if (e.errno() == Errno.NO_SESSION) {
                            sessionGone(session);
                        } else {
                            if (e.errno() == Errno.EACCES) {
                                // Who waits for the first session need not: nobody lets it in.
                                firstReady.completeExceptionally(e);
                            }
                            broken(connection, e);
                        }
                    }
                });
    }

    private static Reply.SessionReply sessionReply(
            @Nullable Message message, @Nullable Throwable failure) {
        if (message == null) {
            throw Await.failure(failure);
        }
        message.release();
        try {
            return Await.expect(Reply.decode(message.decoder()), Reply.SessionReply.class);
        } catch (MalformedMessageException e) {
            throw new FsException(Errno.EPROTO, String.valueOf(e.getMessage()), e);
        }
    }

    /** A request was answered NO_SESSION: opens a new session on the same connection. */
    void sessionGone(long session) {
        if (!state.lost(session)) {
            return;
        }
        Connection connection;
        synchronized (this) {
            ready = null;
            state.connected(false);
            connection = current;
        }
        LOG.warn("session {} has ended at the master; its locks are lost", session);
        listener.sessionLost();
        if (connection != null) {
            greet(connection);
        }
    }

    /** A connection failed, or is not to the leader: the message of NOT_LEADER tells who is. */
    void broken(Connection connection, FsException error) {
        synchronized (this) {
            if (!connection.equals(current)) {
                return;
            }
            current = null;
            ready = null;
            state.connected(false);
        }
        connection.close();
        lastError = connection.remote() + " " + Outage.reason(connection.remote(), error);
        outage.failed(connection.remote(), error, 0);
        search.begin(null);
    }

    /** Stops for good. Idempotent. */
    @Override
    public void close() {
        Connection connection;
        synchronized (this) {
            closed = true;
            connection = current;
            current = null;
            ready = null;
            state.connected(false);
        }
        search.end();
        if (connection != null) {
            connection.close();
        }
    }

    /** The master's side of the connection: pushes. */
    private final class PushHandler implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            byte[] header = request.header();
            request.release();
            if (header.length < 2 || MasterRequest.of(header) != MasterRequest.PUSH) {
                answer.fail(new FsException(Errno.EPROTO, "a client answers pushes only"));
                return;
            }
            Decoder in = request.decoder();
            in.u8();
            Push push = Push.decode(in);
            if (push instanceof Push.MastersChanged news) {
                search.learn(news.masters());
            }
            // The answer says that the push has taken effect.
            Promises.whenDone(
                    listener.push(push),
                    (_, failure) -> {
                        if (failure == null) {
                            answer.send(Message.empty());
                        } else {
                            answer.fail(Await.failure(failure));
                        }
                    });
        }

        @Override
        public void closed(Connection connection) {
            broken(connection, new FsException(Errno.DISCONNECTED));
        }
    }
}
