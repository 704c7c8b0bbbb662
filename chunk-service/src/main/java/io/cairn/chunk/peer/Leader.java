package io.cairn.chunk.peer;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.KnownMasters;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.MasterRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the leader of the masters, wherever it is: the one that answered last, and all others as
 * soon as that one fails or is silent for a moment, again and again while it is silent. So a master
 * that is stopped or cut off keeps nobody waiting. Questions must do no harm twice. Thread-safe.
 */
public final class Leader {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

    /** Silence after which the other masters are asked, too. */
    private static final long PATIENCE_MS = 300;

    /** How often the others are asked while one is silent: they may be choosing a leader. */
    private static final long AGAIN_MS = 100;

    private final Peers peers;
    private final Scheduler scheduler;
    private final KnownMasters masters;
    private volatile Endpoint leader;

    public Leader(Peers peers, Scheduler scheduler, List<Endpoint> masters) {
        this.peers = peers;
        this.scheduler = scheduler;
        this.masters = new KnownMasters(masters);
        this.leader = masters.get(0);
    }

    /** Where the masters are said to be. */
    public List<Endpoint> masters() {
        return masters.list();
    }

    /** The masters tell where all of them are. */
    public void learn(List<Endpoint> all) {
        masters.learn(all);
    }

    /**
     * Asks the leader.
     *
     * @param timeoutMs for each master, above 0
     * @return the reply, to be released; or fails with the last master's error
     */
    public CompletableFuture<Message> ask(ClusterRequest request, long timeoutMs) {
        return ask(v -> MasterRequest.cluster(request, v), timeoutMs);
    }

    /** The same with a request as its bytes in a version of the protocol. */
    public CompletableFuture<Message> ask(Message.Content request, long timeoutMs) {
        Question question = new Question(request, timeoutMs);
        question.begin();
        return question.result;
    }

    private static @Nullable Endpoint named(FsException error) {
        if (error.errno() != Errno.NOT_LEADER) {
            return null;
        }
        String text = String.valueOf(error.getMessage());
        try {
            return text.isEmpty() ? null : Endpoint.parse(text);
        } catch (IllegalArgumentException notAnEndpoint) {
            return null;
        }
    }

    /** One question to several masters. */
    private final class Question {
        private final Message.Content request;
        private final long timeoutMs;
        private final CompletableFuture<Message> result = new CompletableFuture<>();

        // Guarded by this.
        private final Set<Endpoint> asked = new HashSet<>();
        private int answersDue;

        Question(Message.Content request, long timeoutMs) {
            this.request = request;
            this.timeoutMs = timeoutMs;
        }

        void begin() {
            Scheduler.Timer patience =
                    scheduler.schedule(() -> ask(masters.list()), Math.min(PATIENCE_MS, timeoutMs));
            Futures.finish(result, (_, _) -> patience.cancel());
            ask(List.of(leader));
        }

        private void ask(List<Endpoint> all) {
            List<Endpoint> fresh = new ArrayList<>();
            synchronized (this) {
                for (Endpoint each : all) {
                    if (!result.isDone() && asked.add(each)) {
                        answersDue++;
                        fresh.add(each);
                    }
                }
            }
            fresh.forEach(this::ask);
        }

        private void ask(Endpoint master) {
            Message message = Message.of(request);
            // What is asked for all is part of no operation, even if one gave rise to it.
            Futures.finish(
                    Scope.get(
                            Span.NONE, () -> peers.call(Callee.master(master), message, timeoutMs)),
                    (reply, thrown) -> {
                        if (reply != null) {
                            answered(master, reply);
                        } else if (thrown != null) {
                            failed(master, Futures.failure(thrown));
                        }
                    });
        }

        /** Somebody else is silent still. */
        private void askAgain(Endpoint master) {
            synchronized (this) {
                if (result.isDone() || answersDue == 0) {
                    return;
                }
                answersDue++;
            }
            ask(master);
        }

        private void answered(Endpoint master, Message reply) {
            if (!master.equals(leader)) {
                leader = master;
                LOG.info("The leader of the masters is {}", master);
            }
            if (!result.complete(reply)) {
                reply.release();
            }
        }

        private void failed(Endpoint master, FsException error) {
            if (!error.errno().isTransient()) {
                result.completeExceptionally(error);
                return;
            }
            Endpoint named = named(error);
            ask(named == null || named.equals(master) ? masters.list() : List.of(named));
            boolean unasked;
            synchronized (this) {
                answersDue--;
                unasked = answersDue == 0 && !asked.containsAll(masters.list());
            }
            if (unasked) {
                // The one that was named had been asked before.
                ask(masters.list());
            }
            boolean over;
            synchronized (this) {
                over = answersDue == 0;
            }
            if (over) {
                result.completeExceptionally(error);
            } else if (error.errno() != Errno.ETIMEDOUT) {
                scheduler.schedule(() -> askAgain(master), AGAIN_MS);
            }
        }
    }
}
