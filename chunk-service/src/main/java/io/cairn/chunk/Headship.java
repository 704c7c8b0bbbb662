package io.cairn.chunk;

import io.cairn.chunk.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.ClusterRequest.MemberFailed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a server does for a group in a term in which it is the head: make the members agree, bring
 * syncing ones up to date, and have failed ones taken out. Thread-safe.
 */
final class Headship {
    private static final Logger LOG = LoggerFactory.getLogger(Headship.class);
    private static final long REPORT_TIMEOUT_MS = 2_000;
    private static final long EXPULSION_MS = 2_000;
    private static final long POLL_MS = 200;

    private final Station station;
    private final GroupMember member;
    private final Term term;
    private final Agreement agreement;
    private final Map<Integer, CompletableFuture<Void>> expulsions = new HashMap<>();

    Headship(Station station, GroupMember member, Term term) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.agreement = new Agreement(station, member, term);
    }

    Agreement agreement() {
        return agreement;
    }

    /** Begins the term's work in the background. */
    void begin() {
        Futures.finish(
                agreement.begin(),
                (done, thrown) -> {
                    if (thrown != null) {
                        LOG.error("Comparison in {} ended", term, thrown);
                        return;
                    }
                    for (Peer peer : term.peers()) {
                        if (!peer.serving()) {
                            new Syncing(station, member, term, peer).begin();
                        }
                    }
                });
    }

    /**
     * Asks the master to take a target out of the group, once at a time. The master lets the lease
     * of the target's server end first, so this takes a while: {@link #expulsions}.
     */
    void expel(int targetId, String reason) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        synchronized (expulsions) {
            if (expulsions.putIfAbsent(targetId, done) != null) {
                return;
            }
        }
        LOG.warn("Target {} of {} failed: {}", targetId, term, reason);
        long startMs = station.world().clock().millis();
        Futures.finish(
                station.leader()
                        .ask(
                                new MemberFailed(term.groupId(), term.epoch(), targetId, reason),
                                REPORT_TIMEOUT_MS)
                        .thenAccept(Message::release)
                        .exceptionally(thrown -> unheard(targetId, thrown))
                        .thenCompose(told -> awaitEnd(startMs)),
                (over, thrown) -> {
                    synchronized (expulsions) {
                        expulsions.remove(targetId);
                    }
                    done.complete(null);
                });
    }

    private @Nullable Void unheard(int targetId, Throwable thrown) {
        LOG.warn(
                "The master did not hear that target {} of {} failed: {}",
                targetId,
                term,
                Futures.failure(thrown).getMessage());
        return null;
    }

    private CompletableFuture<Void> awaitEnd(long startMs) {
        if (term.hasEnded() || station.world().clock().millis() - startMs > EXPULSION_MS) {
            return Futures.DONE;
        }
        return station.heartbeat()
                .refresh()
                .thenCompose(
                        fresh ->
                                term.hasEnded()
                                        ? Futures.DONE
                                        : station.after(POLL_MS, () -> awaitEnd(startMs)));
    }

    /**
     * Done, never failed, when the expulsions under way have made the term end, or after {@value
     * #EXPULSION_MS} ms.
     */
    CompletableFuture<Void> expulsions() {
        synchronized (expulsions) {
            return Futures.all(List.copyOf(expulsions.values()));
        }
    }
}
