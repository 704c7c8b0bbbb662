package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.client.session.SilenceWatch;
import io.cairn.net.Answer;
import io.cairn.net.Callee;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.net.Transport;
import io.cairn.runtime.Scheduler;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One connection to each chunk server, made when it is first needed and again after it broke. One
 * that answers nothing, not even whether the process is there, is given up: the server may be
 * stopped or cut off. Then the server is suspect for a moment. Thread-safe; never blocks.
 */
public final class ChunkConnections implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkConnections.class);

    /** A server that answers nothing for one to two of these is asked whether it is there. */
    private static final long SILENT_MS = 100;

    /** Then it has so long to greet; twice as long each time that it did not. */
    private static final long LEAST_PATIENCE_MS = 300;

    private static final long MOST_PATIENCE_MS = 5_000;
    private static final long CONNECT_MS = 1_000;

    /** A suspect server is tried again after this time, then ever more seldom. */
    private static final long FIRST_TRY_MS = 200;

    private static final long LAST_TRY_MS = 5_000;

    private final Transport transport;
    private final Scheduler scheduler;
    private final Map<Callee, CompletableFuture<Link>> links = new ConcurrentHashMap<>();
    private final Set<Callee> suspects = ConcurrentHashMap.newKeySet();
    private final Map<Callee, Long> patiences = new ConcurrentHashMap<>();
    private volatile boolean closed;

    /** No connection yet. */
    public ChunkConnections(Transport transport, Scheduler scheduler) {
        this.transport = transport;
        this.scheduler = scheduler;
    }

    /** A connection and the watch over it. */
    final class Link implements SilenceWatch.Listener {
        private final Callee server;
        private final Connection connection;
        private final SilenceWatch watch;
        private final long patienceMs;
        private volatile boolean asked;

        Link(Callee server, Connection connection) {
            this.server = server;
            this.connection = connection;
            this.patienceMs = patiences.getOrDefault(server, LEAST_PATIENCE_MS);
            this.watch = new SilenceWatch(scheduler, SILENT_MS, this);
        }

        /** Whether both sides have certificates, so that the server asks for tickets. */
        boolean isSecured() {
            return !connection.principal().isAnonymous();
        }

        /** Asks, as {@link Connection#call}. */
        CompletableFuture<Message> call(Message request, long timeoutMs) {
            watch.sent();
            CompletableFuture<Message> answer = connection.call(request, timeoutMs);
            Promises.whenDone(
                    answer,
                    (message, failure) -> {
                        boolean answered = message != null || isAnswer(Await.failure(failure));
                        watch.over(answered);
                        if (answered && patienceMs > LEAST_PATIENCE_MS) {
                            patiences.remove(server);
                        }
                    });
            return answer;
        }

        @Override
        public void silent() {
            if (asked || !connection.isOpen()) {
                return;
            }
            asked = true;
            // On a connection of its own: this one may be full of what is written.
            Promises.whenDone(
                    transport.connect(server, new Refusal(), patienceMs),
                    (greeted, failure) -> {
                        asked = false;
                        if (greeted != null) {
                            greeted.close();
                        } else if (Await.failure(failure).errno() == Errno.ETIMEDOUT) {
                            LOG.info("chunk server {} is silent", connection.remote());
                            giveUp(this);
                        }
                    });
        }

        @Override
        public void answers() {}
    }

    private static boolean isAnswer(FsException error) {
        return error.errno() != Errno.ETIMEDOUT && error.errno() != Errno.DISCONNECTED;
    }

    /** The connection to a server; fails when it cannot be made. */
    CompletableFuture<Link> to(Callee server) {
        CompletableFuture<Link> known = links.get(server);
        if (known != null && isUsable(known)) {
            return known;
        }
        if (closed) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.EIO, "this filesystem client is closed"));
        }
        if (known != null) {
            links.remove(server, known);
        }
        CompletableFuture<Link> fresh = new CompletableFuture<>();
        CompletableFuture<Link> other = links.putIfAbsent(server, fresh);
        if (other != null) {
            return other;
        }
        Promises.whenDone(
                transport.connect(server, new Refusal(), CONNECT_MS),
                (connection, failure) -> {
                    if (connection == null) {
                        suspect(server);
                        links.remove(server, fresh);
                        fresh.completeExceptionally(Promises.cause(failure));
                    } else {
                        suspects.remove(server);
                        fresh.complete(new Link(server, connection));
                    }
                });
        return fresh;
    }

    /** Still being made, or open. */
    private static boolean isUsable(CompletableFuture<Link> future) {
        return !future.isDone()
                || (!future.isCompletedExceptionally() && future.join().connection.isOpen());
    }

    /** A connection broke, or could not be made: other ways are better until one can be made. */
    void suspect(Callee server) {
        if (suspects.add(server)) {
            tryLater(server, FIRST_TRY_MS);
        }
    }

    private void tryLater(Callee server, long pauseMs) {
        scheduler.schedule(
                () -> {
                    if (!closed && suspects.contains(server)) {
                        Promises.whenDone(
                                to(server),
                                (link, _) -> {
                                    if (link == null) {
                                        tryLater(server, Math.min(2 * pauseMs, LAST_TRY_MS));
                                    } else {
                                        suspects.remove(server);
                                    }
                                });
                    }
                },
                pauseMs);
    }

    /** Whether a server cannot be reached. */
    boolean isSuspect(Callee server) {
        return suspects.contains(server);
    }

    /**
     * Gives up a connection on which an answer stayed away, so that the next call makes a new one.
     * What was sent and has not arrived never will: it may be sent again on another way.
     */
    void giveUp(Link link) {
        Callee server = link.server;
        patiences.put(server, Math.min(2 * link.patienceMs, MOST_PATIENCE_MS));
        suspect(server);
        link.connection.abort();
    }

    /** Closes all connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        links.values()
                .forEach(
                        each ->
                                Promises.whenDone(
                                        each,
                                        (link, failure) -> {
                                            if (link != null) {
                                                link.connection.close();
                                            }
                                        }));
        links.clear();
    }

    /** Chunk servers have nothing to ask a client. */
    private static final class Refusal implements Handler {
        @Override
        public void handle(Connection from, Message request, Answer answer) {
            request.release();
            answer.fail(new FsException(Errno.EPROTO, "a client serves nothing"));
        }
    }
}
