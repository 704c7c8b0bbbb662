package io.cairn.chunk.group;

import io.cairn.base.Errno;
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
import io.cairn.wire.chunk.ChunkRequest.Expect;
import io.cairn.wire.chunk.ChunkRequest.StatChunk;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * The last resort of the head for a chunk of which no serving member has a replica that can be
 * used. A syncing member may have one that lacks nothing: at the write, or a later one, that the
 * chunk was at here. An earlier one is not what was written: it stays where it is, and is not
 * served. NOT_READY when one of them cannot be asked now. The caller holds the chunk's exclusive
 * turn. Thread-safe.
 */
final class Salvage {
    /** The outcome of asking a member. */
    private enum Found {
        HERE_NOW,
        NOTHING,
        UNKNOWN
    }

    private static final Logger LOG = LoggerFactory.getLogger(Salvage.class);

    private final PeerContext station;
    private final GroupMember member;
    private final Term term;
    private final BlobCopy copy;

    Salvage(PeerContext station, GroupMember member, Term term) {
        this.station = station;
        this.member = member;
        this.term = term;
        this.copy = new BlobCopy(station, term);
    }

    /** State of the replica of a member. */
    CompletableFuture<ChunkState> stat(Peer peer, ChunkKey key) {
        StatChunk question =
                new StatChunk(member.address(term, key, Layout.STANDARD_CHUNK_SIZE_LOG2));
        return station.members()
                .ask(term, peer, () -> Message.of(question::toBytes))
                .thenApply(
                        reply -> {
                            try {
                                return Replies.stat(reply).state();
                            } finally {
                                reply.release();
                            }
                        });
    }

    /** Whether a syncing member had the chunk, so that it is here now. On a disk thread. */
    CompletableFuture<Boolean> run(ChunkKey key) {
        return from(term.peers().iterator(), key, expected(key), true);
    }

    private @Nullable WriteMark expected(ChunkKey key) {
        return term.target().expected(new BlobKey(term.groupId(), key.oid(), key.index()));
    }

    private CompletableFuture<Boolean> from(
            Iterator<Peer> peers, ChunkKey key, @Nullable WriteMark mark, boolean allTold) {
        if (!peers.hasNext() && !allTold) {
            return Futures.failed(
                    Errno.NOT_READY, "a member that may have what is damaged here does not answer");
        }
        if (!peers.hasNext()) {
            LOG.atLevel(GroupMember.isLost(term) ? Level.DEBUG : Level.ERROR)
                    .log(
                            "Chunk {}.{} of {} is damaged on every member that is here",
                            Long.toHexString(key.oid()),
                            key.index(),
                            term);
            return CompletableFuture.completedFuture(false);
        }
        Peer peer = peers.next();
        if (peer.serving()) {
            return from(peers, key, mark, allTold);
        }
        return stat(peer, key)
                .thenCompose(
                        theirs ->
                                suffices(theirs, mark)
                                        ? copy.pull(theirs, theirs, List.of(peer))
                                                .thenApply(done -> Found.HERE_NOW)
                                        : CompletableFuture.completedFuture(Found.NOTHING))
                .exceptionally(
                        thrown -> {
                            LOG.info("{}", Futures.failure(thrown).getMessage());
                            return Found.UNKNOWN;
                        })
                .thenCompose(
                        found ->
                                found == Found.HERE_NOW
                                        ? CompletableFuture.completedFuture(true)
                                        : from(
                                                peers,
                                                key,
                                                mark,
                                                allTold && found == Found.NOTHING));
    }

    private static boolean suffices(ChunkState theirs, @Nullable WriteMark mark) {
        if (theirs.sequence() == 0 || mark == null) {
            return theirs.sequence() > 0;
        }
        return theirs.epoch() != mark.epoch()
                ? theirs.epoch() > mark.epoch()
                : theirs.sequence() >= mark.sequence();
    }

    /**
     * Lets a syncing member know that the chunk was there, so that it takes neither an earlier copy
     * nor the lack of one for the truth when it serves. On a disk thread.
     */
    CompletableFuture<Void> warn(Peer peer, ChunkKey key) {
        WriteMark mark = expected(key);
        Expect word =
                new Expect(
                        member.address(term, key, Layout.STANDARD_CHUNK_SIZE_LOG2),
                        mark == null ? new WriteMark(0, 1) : mark);
        return station.members()
                .ask(term, peer, () -> Message.of(word::toBytes))
                .thenAccept(Message::release);
    }
}
