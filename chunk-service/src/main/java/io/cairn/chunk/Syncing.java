package io.cairn.chunk;

import io.cairn.chunk.Term.Peer;
import io.cairn.chunk.store.BlobKey;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.wire.ChunkReply.ChunkState;
import io.cairn.wire.ChunkRequest.ChunkKey;
import io.cairn.wire.ClusterRequest.MemberSynced;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a SYNCING member up to date, on the head. All chunks are compared; one that differs is
 * installed as it stands here, one that the head does not have is discarded, each while the head
 * holds the chunk's exclusive turn, so that no write comes between. Live writes go to the member as
 * well: it applies a write whose predecessor it has, and answers that it has not otherwise; then
 * the head installs the chunk before it acknowledges the write. So a chunk that was compared or
 * written once stays equal, and after one pass over all chunks the member is up to date. Nothing is
 * remembered between terms: a new attempt compares again and copies only what still differs.
 */
final class Syncing {
    private static final Logger LOG = LoggerFactory.getLogger(Syncing.class);
    private static final long RETRY_MS = 1_000;
    private static final long REPORT_TIMEOUT_MS = 2_000;

    private final Station station;
    private final GroupMember member;
    private final Term term;
    private final Peer peer;
    private final BlobCopy copy;
    private final AtomicLong copied = new AtomicLong();

    Syncing(Station station, GroupMember member, Term term, Peer peer) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.peer = peer;
        this.copy = new BlobCopy(station, term);
    }

    /** Syncs, and tells the master; tried again until it worked or the term has ended. */
    void begin() {
        if (term.hasEnded()) {
            return;
        }
        Futures.finish(
                new Comparison(station, term, peer, this::bring)
                        .run()
                        .thenCompose(done -> report()),
                (done, thrown) -> {
                    if (thrown != null && !term.hasEnded()) {
                        LOG.warn(
                                "Target {} of {} is not up to date yet: {}",
                                peer.targetId(),
                                term,
                                Futures.failure(thrown).getMessage());
                        station.world().scheduler().schedule(this::begin, RETRY_MS);
                    }
                });
    }

    private CompletableFuture<Void> bring(ChunkKey key) {
        return station.copies()
                .run(
                        () ->
                                member.turns()
                                        .exclusive(
                                                key,
                                                () ->
                                                        member.headship(term)
                                                                .agreement()
                                                                .ensure(key)
                                                                .thenCompose(d -> send(key))));
    }

    private CompletableFuture<Void> send(ChunkKey key) {
        return station.fromDisk(
                () -> {
                    member.check(term);
                    ChunkState state = member.state(term, key);
                    BlobKey blob = new BlobKey(term.groupId(), key.oid(), key.index());
                    if (state.sequence() == 0 && term.target().doubtful().contains(blob)) {
                        throw new FsException(
                                Errno.EIO, blob + " is damaged at the head; delete or restore it");
                    }
                    copied.incrementAndGet();
                    return copy.push(state, peer, term.servingPeers());
                });
    }

    private CompletableFuture<Void> report() {
        MemberSynced word = new MemberSynced(term.groupId(), term.epoch(), peer.targetId());
        return station.leader()
                .ask(word, REPORT_TIMEOUT_MS)
                .thenAccept(
                        reply -> {
                            reply.release();
                            LOG.info(
                                    "Target {} of {} is up to date; {} chunks were copied",
                                    peer.targetId(),
                                    term,
                                    copied.get());
                            var _ = station.heartbeat().refresh();
                        });
    }
}
