package io.cairn.client.session;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.PollLoop;
import io.cairn.runtime.Tuning;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A second connection to the leader, which the threads of a door run themselves: the one that asks
 * finds its answer, and no other one is woken for it. Made when it is first wanted, and again after
 * it broke. Thread-safe; only {@link #look} takes a while.
 */
final class PolledLeader implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PolledLeader.class);

    private static final long RETRY_MS = 1000;

    /** Turns of the loop after which others are let in: finding out whether one asks costs. */
    private static final int TURNS_BEFORE_REQUESTS = 4;

    private final PolledNetwork network;
    private final PollLoop loop;
    private final Clock clock;
    private final ClientRuntime runtime;
    private final @Nullable PasswordLogin login;
    private final long timeoutMs;
    private final long lookNs = Tuning.here().answerNs();
    private volatile @Nullable Connection current;

    // Guarded by this.
    @GuardedBy("this")
    private boolean opening;

    @GuardedBy("this")
    private long notBeforeMs;

    @GuardedBy("this")
    private boolean closed;

    /**
     * Not connected.
     *
     * @param timeoutMs for connecting
     */
    PolledLeader(PolledNetwork network, ClientRuntime runtime, long timeoutMs) {
        this.network = network;
        this.loop = network.loop();
        this.clock = runtime.clock();
        this.runtime = runtime;
        this.login = runtime.login();
        this.timeoutMs = timeoutMs;
        this.notBeforeMs = clock.millis();
    }

    /** For a door whose threads poll; null when there is none. */
    static @Nullable PolledLeader of(ClientSettings settings, ClientRuntime runtime) {
        PolledNetwork network = runtime.polled();
        return network == null
                ? null
                : new PolledLeader(network, runtime, settings.attemptTimeoutMs());
    }

    /** The connection to this server; null while there is none, and one will be made. */
    @Nullable Connection to(Endpoint server) {
        Connection open = current;
        if (open != null && open.isOpen() && open.remote().equals(server)) {
            return open;
        }
        if (!loop.isEntered()) {
            return null;
        }
        synchronized (this) {
            if (closed || opening || clock.millis() - notBeforeMs < 0) {
                return null;
            }
            opening = true;
        }
        Promises.whenDone(
                network.transport().connect(server, PolledLeader::refuse, timeoutMs),
                (connection, failure) -> {
                    if (connection == null) {
                        LOG.debug("no polled connection to {}", server, failure);
                        opened(null);
                    } else if (login == null) {
                        opened(connection);
                    } else {
                        logIn(login, connection);
                    }
                });
        return null;
    }

    private void logIn(PasswordLogin with, Connection connection) {
        Promises.whenDone(
                with.over(connection, timeoutMs, runtime.threads(), runtime.random()),
                (_, failure) -> {
                    if (failure != null) {
                        LOG.debug("no login over the polled connection", failure);
                        connection.close();
                    }
                    opened(failure == null ? connection : null);
                });
    }

    private void opened(@Nullable Connection connection) {
        boolean useless;
        synchronized (this) {
            opening = false;
            notBeforeMs = clock.millis() + RETRY_MS;
            useless = closed;
            current = closed ? null : connection;
        }
        if (useless && connection != null) {
            connection.close();
        }
    }

    /** Masters ask over the other connection. */
    private static void refuse(Connection from, Message request, Answer answer) {
        request.release();
        answer.fail(new FsException(Errno.EPROTO, "this connection serves nothing"));
    }

    /**
     * Looks for an answer a little, if the calling thread owns the loop: it need not sleep then.
     * What it finds for others belongs to none of its own requests.
     */
    void look(Future<?> answer) {
        if (loop.isOwned()) {
            PendingRequest own = PendingRequest.current();
            PendingRequest.runApart(() -> Scope.run(Span.NONE, () -> look(answer, own)));
        }
    }

    @SuppressWarnings("ThreadPriorityCheck") // Correct without it, but others may want to run.
    private void look(Future<?> answer, @Nullable PendingRequest own) {
        long endNs = clock.nanoTime() + lookNs;
        int turns = 0;
        while (!answer.isDone() && loop.isOwned() && clock.nanoTime() - endNs < 0) {
            loop.poll();
            if (!answer.isDone()) {
                turns++;
                if (turns % TURNS_BEFORE_REQUESTS == 0) {
                    PendingRequest.stillLooking(own);
                }
                Thread.yield();
            }
        }
    }

    /** The other connection was made anew: this one is probably broken, too. */
    void renew() {
        Connection open = current;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        renew();
    }
}
