package io.cairn.chunk.peer;

import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.master.ClusterRequest;
import io.cairn.wire.master.MasterRequest;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the leader of the masters, wherever it is: the one that answered last, else the one that
 * another master names, else one after the other. Thread-safe.
 */
public final class Leader {
    private static final Logger LOG = LoggerFactory.getLogger(Leader.class);

    private final Peers peers;
    private final List<Endpoint> masters;
    private volatile Endpoint leader;

    public Leader(Peers peers, List<Endpoint> masters) {
        this.peers = peers;
        this.masters = masters;
        this.leader = masters.get(0);
    }

    /** Where the masters are said to be. */
    List<Endpoint> masters() {
        return masters;
    }

    /**
     * Asks once around.
     *
     * @param timeoutMs for each master, above 0
     * @return the reply, to be released; or fails with the last master's error
     */
    public CompletableFuture<Message> ask(ClusterRequest request, long timeoutMs) {
        return ask(v -> MasterRequest.cluster(request, v), timeoutMs);
    }

    /** The same with a request as its bytes in a version of the protocol. */
    public CompletableFuture<Message> ask(Message.Content request, long timeoutMs) {
        return attempt(request, timeoutMs, leader, 2 * masters.size());
    }

    private CompletableFuture<Message> attempt(
            Message.Content request, long timeoutMs, Endpoint master, int more) {
        Message message = Message.of(request);
        // What is asked for all is part of no operation, even if one gave rise to it.
        return Scope.get(Span.NONE, () -> peers.call(master, message, timeoutMs))
                .thenApply(
                        reply -> {
                            if (!master.equals(leader)) {
                                leader = master;
                                LOG.info("The leader of the masters is {}", master);
                            }
                            return reply;
                        })
                .exceptionallyCompose(
                        thrown -> {
                            FsException error = Futures.failure(thrown);
                            if (more == 0 || !error.errno().isTransient()) {
                                return CompletableFuture.failedFuture(error);
                            }
                            return attempt(request, timeoutMs, next(master, error), more - 1);
                        });
    }

    private Endpoint next(Endpoint asked, FsException error) {
        Endpoint named = named(error);
        if (named != null && !named.equals(asked)) {
            return named;
        }
        return masters.get((masters.indexOf(asked) + 1) % masters.size());
    }

    private static @Nullable Endpoint named(FsException error) {
        return switch (error.errno()) {
            case NOT_LEADER -> {
                String text = String.valueOf(error.getMessage());
                try {
                    yield text.isEmpty() ? null : Endpoint.parse(text);
                } catch (IllegalArgumentException notAnEndpoint) {
                    yield null;
                }
            }
            default -> null;
        };
    }
}
