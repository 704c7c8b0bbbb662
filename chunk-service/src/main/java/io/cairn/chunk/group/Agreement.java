package io.cairn.chunk.group;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.cluster.Layout;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.StatChunk;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * Makes the serving members of a group agree on its chunks when a head begins a term: writes of an
 * earlier term may have reached some members only. The state with the highest (epoch, sequence) of
 * a chunk wins; it holds every acknowledged write, because those reached all members. A comparison
 * of all chunks runs in the background; a chunk that is asked for before it has ended is settled
 * first. So is, later, a chunk of which a write failed half-way; also when nobody asks for it any
 * more, because the member that failed may be well again, or the master that heard of it may have
 * lost its office. Thread-safe.
 */
final class Agreement {
    private static final Logger LOG = LoggerFactory.getLogger(Agreement.class);
    private static final int MAX_AGREED = 65_536;
    private static final long RETRY_MS = 500;

    private final PeerContext station;
    private final GroupMember member;
    private final Term term;
    private final BlobCopy copy;

    @GuardedBy("this")
    private final Set<ChunkKey> agreed = new HashSet<>();

    @GuardedBy("this")
    private final Set<ChunkKey> doubted = new HashSet<>();

    private volatile boolean compared;
    private volatile boolean anyDoubted;

    @GuardedBy("this")
    private boolean settling;

    Agreement(PeerContext station, GroupMember member, Term term) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.copy = new BlobCopy(station, term);
    }

    /** Compares everything; done when all serving members agree, or the term has ended. */
    CompletableFuture<Void> begin() {
        int drops = member.unsettled().drops();
        return member.turns()
                .quiet()
                .thenCompose(quiet -> settleDoubtful())
                .thenCompose(done -> Futures.forEach(term.servingPeers(), 1, peer -> compare(peer)))
                .thenAccept(
                        done -> {
                            member.unsettled().settleOthers(drops);
                            synchronized (this) {
                                compared = true;
                                agreed.clear();
                            }
                        })
                .exceptionallyCompose(
                        thrown -> {
                            if (term.hasEnded()) {
                                return Futures.DONE;
                            }
                            LOG.info(
                                    "Members of {} cannot be compared yet: {}",
                                    term,
                                    Futures.failure(thrown).getMessage());
                            return station.after(RETRY_MS, this::begin);
                        });
    }

    private CompletableFuture<Void> settleDoubtful() {
        return station.onDisk(() -> term.target().doubtful())
                .thenCompose(
                        blobs ->
                                Futures.forEach(
                                        blobs.stream()
                                                .filter(blob -> blob.group() == term.groupId())
                                                .map(b -> new ChunkKey(b.oid(), b.index()))
                                                .toList(),
                                        1,
                                        this::settleAlone));
    }

    private CompletableFuture<Void> compare(Peer peer) {
        return new Comparison(station, term, peer, this::settleAlone).run();
    }

    /** Compares everything once more, for a scrub; what differs agrees afterwards. */
    CompletableFuture<Void> compareAgain() {
        return compared
                ? Futures.forEach(term.servingPeers(), 1, peer -> compare(peer))
                : Futures.DONE;
    }

    private CompletableFuture<Void> settleAlone(ChunkKey key) {
        return station.copies().run(() -> member.turns().exclusive(key, () -> settle(key)));
    }

    /** Whether all chunks were compared: until then a chunk that is not here may be at a member. */
    boolean isCompared() {
        return compared;
    }

    /** Whether a chunk must be settled before it is used. */
    boolean isNeeded(ChunkKey key) {
        if (compared && !anyDoubted) {
            return false;
        }
        synchronized (this) {
            return doubted.contains(key) || (!compared && !agreed.contains(key));
        }
    }

    /** A write failed half-way: members may differ, until the chunk is settled. */
    void doubt(ChunkKey key) {
        synchronized (this) {
            doubted.add(key);
            agreed.remove(key);
            anyDoubted = true;
            if (settling) {
                return;
            }
            settling = true;
        }
        settleLater();
    }

    private void settleLater() {
        station.world().scheduler().schedule(this::settleDoubted, RETRY_MS);
    }

    /** The writer may never come back: doubtful chunks are settled without being asked for. */
    private void settleDoubted() {
        List<ChunkKey> open;
        synchronized (this) {
            doubted.removeIf(station.tombstones()::holds);
            anyDoubted = !doubted.isEmpty();
            open = List.copyOf(doubted);
            settling = !open.isEmpty() && !term.hasEnded();
            if (!settling) {
                return;
            }
        }
        Futures.finish(
                Futures.forEach(
                        open,
                        1,
                        key -> settleAlone(key).exceptionallyCompose(t -> unsettled(key, t))),
                (done, thrown) -> settleLater());
    }

    /**
     * A member that fails the question is reported again. If it is the disk here that cannot take
     * what another member has, that one has to head.
     */
    private CompletableFuture<Void> unsettled(ChunkKey key, Throwable thrown) {
        FsException error = Futures.failure(thrown);
        if (term.hasEnded()) {
            return Futures.DONE;
        }
        LOG.atLevel(GroupMember.isLost(term) ? Level.DEBUG : Level.INFO)
                .log(
                        "{}.{} of {} is still in doubt: {}",
                        Long.toHexString(key.oid()),
                        key.index(),
                        term,
                        error.getMessage());
        boolean here = error.errno() == Errno.EIO || error.errno() == Errno.ENOSPC;
        if (!here || term.servingPeers().isEmpty()) {
            return Futures.DONE;
        }
        return station.doOnDisk(
                () -> {
                    if (member.isUnusable(term, key)) {
                        String reason = String.valueOf(error.getMessage());
                        member.headship(term).expel(term.targetId(), reason);
                    }
                });
    }

    /** Settles a chunk if that is needed. The caller holds its exclusive turn. */
    CompletableFuture<Void> ensure(ChunkKey key) {
        return isNeeded(key) ? settle(key) : Futures.DONE;
    }

    private CompletableFuture<Void> settle(ChunkKey key) {
        if (station.tombstones().holds(key)) {
            return Futures.DONE;
        }
        List<Peer> peers = compared ? member.headship(term).live() : term.servingPeers();
        return station.fromDisk(
                        () -> {
                            member.check(term);
                            ChunkState own = member.state(term, key);
                            return ask(key, peers).thenCompose(r -> level(key, own, r));
                        })
                .thenAccept(best -> settled(key));
    }

    private synchronized void settled(ChunkKey key) {
        doubted.remove(key);
        anyDoubted = !doubted.isEmpty();
        if (!compared && agreed.size() < MAX_AGREED) {
            agreed.add(key);
        }
        member.unsettled().settle(key);
    }

    private CompletableFuture<Map<Integer, ChunkState>> ask(ChunkKey key, List<Peer> peers) {
        StatChunk question =
                new StatChunk(member.address(term, key, Layout.STANDARD_CHUNK_SIZE_LOG2));
        Map<Integer, ChunkState> states = new TreeMap<>();
        List<CompletableFuture<Void>> answers = new ArrayList<>();
        for (Peer peer : peers) {
            answers.add(
                    station.members()
                            .ask(term, peer, () -> Message.of(question::toBytes))
                            .thenAccept(
                                    reply -> {
                                        ChunkState state = stateOf(reply);
                                        synchronized (states) {
                                            states.put(peer.targetId(), state);
                                        }
                                    })
                            .exceptionallyCompose(thrown -> failed(peer, thrown)));
        }
        return Futures.all(answers).thenApply(done -> states);
    }

    /**
     * Without a serving member there is no agreement; a syncing one has to begin anew. One that was
     * about to serve leaves: that its disk is full is no reason to refuse a write.
     */
    private CompletableFuture<Void> failed(Peer peer, Throwable thrown) {
        FsException error = Futures.failure(thrown);
        if (member.headship(term).excuses(peer, error)) {
            return Futures.DONE;
        }
        boolean isLeaving = !peer.serving() && error.errno() == Errno.ENOSPC;
        return CompletableFuture.failedFuture(
                isLeaving
                        ? new FsException(Errno.WRONG_EPOCH, "a member of " + term + " is full")
                        : error);
    }

    private static ChunkState stateOf(Message reply) {
        try {
            return Replies.stat(reply).state();
        } finally {
            reply.release();
        }
    }

    /** Brings everybody to the best state, which it returns. */
    private CompletableFuture<ChunkState> level(
            ChunkKey key, ChunkState own, Map<Integer, ChunkState> states) {
        ChunkState best = own;
        for (Peer peer : term.servingPeers()) {
            ChunkState state = states.get(peer.targetId());
            if (state != null && ORDER.compare(state, best) > 0) {
                best = state;
            }
        }
        ChunkState winner = best;
        return takeOver(key, own, winner, states)
                .thenCompose(
                        now ->
                                Futures.forEach(
                                                behind(now, states),
                                                term.peers().size(),
                                                peer ->
                                                        copy.push(now, peer, same(now, states))
                                                                .exceptionallyCompose(
                                                                        t -> failed(peer, t)))
                                        .thenApply(done -> now));
    }

    private CompletableFuture<ChunkState> takeOver(
            ChunkKey key, ChunkState own, ChunkState best, Map<Integer, ChunkState> states) {
        if (ORDER.compare(own, best) < 0) {
            return copy.pull(best, best, same(best, states)).thenApply(done -> best);
        }
        if (own.sequence() > 0) {
            return CompletableFuture.completedFuture(own);
        }
        return station.fromDisk(
                () -> {
                    if (!member.isUnusable(term, key)) {
                        return CompletableFuture.completedFuture(member.state(term, key));
                    }
                    settleHere(new BlobKey(term.groupId(), key.oid(), key.index()), key);
                    ChunkState now = member.state(term, key);
                    return now.sequence() > 0
                            ? CompletableFuture.completedFuture(now)
                            : new Salvage(station, member, term)
                                    .run(key)
                                    .thenCompose(
                                            found -> station.onDisk(() -> member.state(term, key)));
                });
    }

    /**
     * Takes a replica in doubt as it stands. Its bytes may be no write at all, so they become the
     * next one: a replica of another member that has the last write is not the same.
     */
    private void settleHere(BlobKey blob, ChunkKey key) {
        try {
            WriteMark whole = term.target().settle(blob, term.epoch());
            if (whole != null) {
                member.origins().note(term.unbrokenSince(), key, whole);
            }
            LOG.info("{} was in doubt and no other member has it: taken as it stands", blob);
        } catch (FsException e) {
            LOG.atLevel(GroupMember.isLost(term) ? Level.DEBUG : Level.WARN)
                    .log("{} is damaged and no serving member has it: {}", blob, e.getMessage());
        }
    }

    private List<Peer> behind(ChunkState best, Map<Integer, ChunkState> states) {
        return term.peers().stream()
                .filter(
                        peer -> {
                            ChunkState state = states.get(peer.targetId());
                            return best.sequence() > 0
                                    && state != null
                                    && !Comparison.agree(best, state);
                        })
                .toList();
    }

    private List<Peer> same(ChunkState best, Map<Integer, ChunkState> states) {
        return term.servingPeers().stream()
                .filter(peer -> Comparison.agree(best, states.get(peer.targetId())))
                .toList();
    }

    /** By what a replica holds; one that cannot be used holds nothing. */
    static final Comparator<ChunkState> ORDER =
            Comparator.<ChunkState>comparingLong(s -> s.sequence() == 0 ? 0 : s.epoch())
                    .thenComparingLong(ChunkState::sequence);
}
