package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Asks the other members of a group. A question is asked again for up to {@link #LIMIT_MS} while
 * the member is not ready, does not know the epoch yet, got damaged bytes, or the connection broke,
 * and given up with WRONG_EPOCH when the epoch ends. Thread-safe.
 */
public final class Members {
    /** A member that has not done in this time what it was asked for has failed. */
    static final long LIMIT_MS = 5_000;

    /** A member that cannot be reached for this long has failed. */
    private static final long UNREACHABLE_MS = 1_000;

    /** A member that answers nothing is asked whether it is there, so often. */
    private static final long LOOK_MS = 100;

    /** A process that answers nothing in this time is not there. */
    private static final long PING_MS = 400;

    private static final long FIRST_PAUSE_MS = 10;
    private static final long LONGEST_PAUSE_MS = 200;

    private final Peers peers;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Map<Callee, CompletableFuture<Void>> pings = new ConcurrentHashMap<>();

    /** Questions without an answer, the eldest first. Guarded by itself. */
    private final Set<Question> open = new LinkedHashSet<>();

    private boolean looking;

    public Members(Peers peers, Clock clock, Scheduler scheduler) {
        this.peers = peers;
        this.clock = clock;
        this.scheduler = scheduler;
    }

    /**
     * Asks until answered.
     *
     * @param request makes the question, once for each attempt
     * @return the reply, to be released
     */
    public CompletableFuture<Message> ask(Term term, Peer peer, Supplier<Message> request) {
        CompletableFuture<Message> result = new CompletableFuture<>();
        term.limit(result);
        Question question = new Question(peer, request, result);
        question.attempt(FIRST_PAUSE_MS);
        if (!result.isDone()) {
            watch(question);
        }
        return result;
    }

    private void watch(Question question) {
        boolean first;
        synchronized (open) {
            first = !looking;
            looking = true;
            open.add(question);
        }
        Futures.finish(
                question.result,
                (_, _) -> {
                    synchronized (open) {
                        open.remove(question);
                    }
                });
        if (first) {
            scheduler.schedule(this::look, LOOK_MS);
        }
    }

    /** A member may be slow as long as its disk is, but not dead or stopped. */
    private void look() {
        List<Question> late = new ArrayList<>();
        synchronized (open) {
            looking = !open.isEmpty();
            if (!looking) {
                return;
            }
            long nowMs = clock.millis();
            for (Question each : open) {
                if (nowMs - each.startMs < LOOK_MS) {
                    break;
                }
                late.add(each);
            }
        }
        for (Question each : late) {
            Futures.finish(
                    ping(each.peer.server()),
                    (_, thrown) -> {
                        if (thrown != null) {
                            each.result.completeExceptionally(Futures.failure(thrown));
                        }
                    });
        }
        scheduler.schedule(this::look, LOOK_MS);
    }

    /**
     * Whether the process of another chunk server is there: done when it greets on a connection of
     * its own, however busy its disks and the network are. One question at a time for each server.
     */
    public CompletableFuture<Void> ping(Callee to) {
        CompletableFuture<Void> fresh = new CompletableFuture<>();
        CompletableFuture<Void> other = pings.putIfAbsent(to, fresh);
        if (other != null) {
            return other;
        }
        Futures.finish(
                peers.probe(to, PING_MS),
                (_, thrown) -> {
                    if (thrown != null && isAbsent(Futures.failure(thrown))) {
                        fresh.completeExceptionally(thrown);
                    } else {
                        fresh.complete(null);
                    }
                    // It is believed for a moment.
                    scheduler.schedule(() -> pings.remove(to, fresh), PING_MS / 2);
                });
        return fresh;
    }

    /** A connection may break although nobody is to blame: the next one tells more. */
    private static boolean isAbsent(FsException error) {
        return error.errno() == Errno.ETIMEDOUT || provesAbsence(error);
    }

    /** Asks once. */
    public CompletableFuture<Message> askOnce(Callee to, Message request, long timeoutMs) {
        return peers.call(to, request, timeoutMs);
    }

    /**
     * Whether a failed call proves that no process listens there any more: the machine itself
     * refused the connection.
     */
    static boolean provesAbsence(Throwable thrown) {
        for (Throwable at = thrown; at != null; at = at.getCause()) {
            if (at instanceof ConnectException
                    && String.valueOf(at.getMessage()).contains("refused")) {
                return true;
            }
        }
        return false;
    }

    private final class Question {
        private final Peer peer;
        private final Supplier<Message> request;
        private final CompletableFuture<Message> result;
        private final Span span = Scope.current();
        private final long startMs = clock.millis();

        Question(Peer peer, Supplier<Message> request, CompletableFuture<Message> result) {
            this.peer = peer;
            this.request = request;
            this.result = result;
        }

        void attempt(long pauseMs) {
            if (result.isDone()) {
                return;
            }
            long leftMs = LIMIT_MS - (clock.millis() - startMs);
            Futures.finish(
                    Futures.guarded(
                            () ->
                                    peers.call(
                                            peer.server(),
                                            peer.addressed(request.get()),
                                            Math.max(leftMs, 1))),
                    (reply, thrown) -> {
                        if (thrown != null) {
                            failed(Futures.failure(thrown), pauseMs);
                        } else if (reply != null && !result.complete(reply)) {
                            reply.release();
                        }
                    });
        }

        private void failed(FsException error, long pauseMs) {
            long spentMs = clock.millis() - startMs;
            boolean again =
                    switch (error.errno()) {
                        case WRONG_EPOCH, NOT_READY, EAGAIN, EBADMSG ->
                                spentMs + pauseMs < LIMIT_MS;
                        case DISCONNECTED ->
                                spentMs + pauseMs < UNREACHABLE_MS && !provesAbsence(error);
                        default -> false;
                    };
            if (again && !result.isDone()) {
                long nextMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
                scheduler.schedule(() -> Scope.run(span, () -> attempt(nextMs)), pauseMs);
            } else {
                result.completeExceptionally(error);
            }
        }
    }
}
