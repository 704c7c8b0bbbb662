package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.master.ClusterRequest.MemberFailed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The work of a server for a group in a term in which it is the head. It makes the members agree,
 * brings syncing ones up to date, and has failed ones taken out. Thread-safe.
 */
final class Headship {
    private static final Logger LOG = LoggerFactory.getLogger(Headship.class);
    private static final long REPORT_TIMEOUT_MS = 2_000;
    private static final long EXPULSION_MS = 2_000;
    private static final long POLL_MS = 200;

    private final PeerContext station;
    private final Term term;
    private final Agreement agreement;
    private final SettledNotices notices;
    private final Map<Integer, CompletableFuture<Void>> expulsions = new HashMap<>();
    private final Map<Integer, Syncing> syncings = new HashMap<>();

    @GuardedBy("this")
    private final Set<Integer> promised = new HashSet<>();

    private volatile List<Peer> live;

    Headship(PeerContext station, GroupMember member, Term term) {
        this.station = station;
        this.term = term;
        this.agreement = new Agreement(station, member, term);
        this.notices = new SettledNotices(station, term);
        this.live = term.servingPeers();
        for (Peer peer : term.peers()) {
            if (!peer.serving()) {
                syncings.put(peer.targetId(), new Syncing(station, member, term, peer));
            }
        }
    }

    Agreement agreement() {
        return agreement;
    }

    SettledNotices notices() {
        return notices;
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
                    term.peers().stream()
                            .filter(peer -> !peer.serving())
                            .forEach(peer -> syncing(peer).begin());
                });
    }

    /**
     * The members that must receive every change now: all serving ones, and the syncing ones that
     * can be reached.
     */
    List<Peer> live() {
        return live;
    }

    private Syncing syncing(Peer peer) {
        Syncing syncing = syncings.get(peer.targetId());
        if (syncing == null) {
            throw new IllegalStateException("target " + peer.targetId() + " is not syncing");
        }
        return syncing;
    }

    /** From now on a syncing member receives every change. */
    synchronized void join(Peer peer) {
        if (!live.contains(peer)) {
            List<Peer> more = new ArrayList<>(live);
            more.add(peer);
            live = List.copyOf(more);
        }
    }

    /**
     * The master is about to hear that a syncing member is up to date: from now on it has to have
     * every change, like a serving one.
     *
     * @return false when it missed a change before
     */
    synchronized boolean promise(Peer peer) {
        if (syncing(peer).isInterrupted()) {
            return false;
        }
        promised.add(peer.targetId());
        return true;
    }

    /**
     * A member failed a change, or could not be asked. A serving one has to leave the group. A
     * syncing one is not waited for any longer, and has to begin its syncing anew.
     *
     * @return whether changes may be acknowledged without it
     */
    boolean excuses(Peer peer, FsException error) {
        if (term.hasEnded()) {
            return false;
        }
        boolean needed;
        synchronized (this) {
            needed = peer.serving() || promised.contains(peer.targetId());
            if (!needed) {
                List<Peer> fewer = new ArrayList<>(live);
                fewer.remove(peer);
                live = List.copyOf(fewer);
                syncing(peer).interrupt();
            }
        }
        String reason = String.valueOf(error.getMessage());
        if (needed) {
            expel(peer.targetId(), reason);
        } else {
            LOG.info("Target {} of {} failed while syncing: {}", peer.targetId(), term, reason);
        }
        return !needed;
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
