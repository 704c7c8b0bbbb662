package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import io.cairn.wire.master.ClusterRequest.MemberSynced;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a SYNCING member up to date, on the head. All chunks are compared; one that differs is
 * installed as it stands here, each while the head holds the chunk's exclusive turn, so that no
 * write comes between. A chunk that is later at the member, or only there, is taken from it:
 * nothing good is given up because the head has less. The master tells the member which chunks were
 * deleted while it was away. Live writes go to the member as well: it applies a write whose
 * predecessor it has, and answers that it has not otherwise; then the head installs the chunk
 * before it acknowledges the write. So a chunk that was compared or written once stays equal, and
 * after one pass over all chunks the member is up to date.
 *
 * <p>Nobody waits for a syncing member that fails: changes are acknowledged without it, and the
 * pass begins anew when it can be reached again. Once a clean pass was reported to the master the
 * member may become SERVING any moment: then nothing is acknowledged without it any more. A member
 * flushes the writes that it applied before a pass when the pass begins. Nothing is remembered
 * between terms: a new attempt compares again and copies only what still differs.
 */
final class Syncing {
    private static final Logger LOG = LoggerFactory.getLogger(Syncing.class);
    private static final long RETRY_MS = 1_000;
    private static final long REPORT_TIMEOUT_MS = 2_000;
    private static final long REPORT_AGAIN_MS = 2_000;

    private final PeerContext station;
    private final GroupMember member;
    private final Term term;
    private final Peer peer;
    private final BlobCopy copy;
    private final Salvage salvage;
    private final AtomicLong copied = new AtomicLong();
    private volatile boolean interrupted;

    Syncing(PeerContext station, GroupMember member, Term term, Peer peer) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.peer = peer;
        this.copy = new BlobCopy(station, term);
        this.salvage = new Salvage(station, member, term);
    }

    /** Syncs, and tells the master; tried again until it worked or the term has ended. */
    void begin() {
        if (term.hasEnded()) {
            return;
        }
        interrupted = false;
        Futures.finish(
                probe().thenCompose(there -> pass()).thenCompose(done -> report()),
                (done, thrown) -> {
                    if (thrown != null && !term.hasEnded()) {
                        LOG.info(
                                "Target {} of {} is not up to date yet: {}",
                                peer.targetId(),
                                term,
                                Futures.failure(thrown).getMessage());
                        station.world().scheduler().schedule(this::begin, RETRY_MS);
                    } else {
                        station.world().scheduler().schedule(this::remind, REPORT_AGAIN_MS);
                    }
                });
    }

    /**
     * The report ends the term. When it does not, the master that heard it lost its office before
     * it could act: the next one has to hear it, too.
     */
    private void remind() {
        if (term.hasEnded()) {
            return;
        }
        Futures.finish(
                Futures.guarded(this::report),
                (done, thrown) ->
                        station.world()
                                .scheduler()
                                .schedule(
                                        thrown == null ? this::remind : this::begin,
                                        REPORT_AGAIN_MS));
    }

    /** The member missed a change: what was compared so far counts for nothing. */
    void interrupt() {
        interrupted = true;
    }

    /** Whether the member missed a change since this attempt began. */
    boolean isInterrupted() {
        return interrupted;
    }

    /** The member makes durable what it has, before it answers. */
    private CompletableFuture<Void> probe() {
        ListChunks question = new ListChunks(term.groupId(), term.epoch(), 0, -1, 1);
        return station.members()
                .ask(term, peer, () -> Message.of(question::toBytes))
                .thenAccept(Message::release);
    }

    /** Compares everything, after the last change that did not go to the member has ended. */
    private CompletableFuture<Void> pass() {
        member.headship(term).join(peer);
        return member.turns()
                .quiet()
                .thenCompose(quiet -> new Comparison(station, term, peer, this::bring).run());
    }

    private CompletableFuture<Void> bring(ChunkKey key) {
        return term.isShort()
                ? station.copies().run(() -> station.pace().repair(() -> bringNow(key)))
                : station.pace().move(() -> station.copies().run(() -> bringNow(key)));
    }

    private CompletableFuture<Long> bringNow(ChunkKey key) {
        Agreement agreement = member.headship(term).agreement();
        return member.turns()
                .exclusive(key, () -> agreement.ensure(key).thenCompose(done -> send(key)));
    }

    /** The better replica wins, whoever has it; only the lack of one is not believed. */
    private CompletableFuture<Long> send(ChunkKey key) {
        return salvage.stat(peer, key)
                .thenCompose(theirs -> station.fromDisk(() -> level(key, theirs)));
    }

    /** How many bytes it took. */
    private CompletableFuture<Long> level(ChunkKey key, ChunkState theirs) {
        member.check(term);
        if (member.isUnusable(term, key)) {
            return salvage.run(key)
                    .thenCompose(
                            found ->
                                    found
                                            ? settleAll(key)
                                            : station.fromDisk(() -> salvage.warn(peer, key)))
                    .thenApply(done -> 0L);
        }
        ChunkState own = member.state(term, key);
        boolean buried = station.tombstones().holds(key);
        if (!buried && Agreement.ORDER.compare(theirs, own) > 0) {
            LOG.warn(
                    "Chunk {}.{} of {} is later at target {}: taken from there",
                    Long.toHexString(key.oid()),
                    key.index(),
                    term,
                    peer.targetId());
            return copy.pull(theirs, theirs, List.of(peer))
                    .thenCompose(done -> settleAll(key))
                    .thenApply(done -> (long) theirs.lengthBytes());
        }
        copied.incrementAndGet();
        return copy.push(own, peer, term.servingPeers())
                .thenApply(done -> (long) own.lengthBytes());
    }

    /** The serving members get what was taken from the syncing one. */
    private CompletableFuture<Void> settleAll(ChunkKey key) {
        Agreement agreement = member.headship(term).agreement();
        agreement.doubt(key);
        return agreement.ensure(key);
    }

    private CompletableFuture<Void> report() {
        MemberSynced word = new MemberSynced(term.groupId(), term.epoch(), peer.targetId());
        if (!member.headship(term).promise(peer)) {
            throw new FsException(Errno.NOT_READY, "it missed a change meanwhile");
        }
        return station.leader()
                .ask(word, REPORT_TIMEOUT_MS)
                .thenAccept(
                        reply -> {
                            reply.release();
                            LOG.debug(
                                    "Target {} of {} is up to date; {} chunks were copied",
                                    peer.targetId(),
                                    term,
                                    copied.get());
                            var _ = station.heartbeat().refresh();
                        });
    }
}
