package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.net.Message;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.OperationId;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Takes back a write that some members applied and others had no room for. Nobody else saw it: it
 * was not acknowledged, and the head still holds the chunk's exclusive turn. A chunk that it made
 * is deleted. Otherwise write number {@code n} has failed, and the old contents become write {@code
 * n + 1} everywhere. Members that applied it get them installed. Members that refused it count two
 * empty changes, which need no room, or for a moment that of a packed blob.
 */
final class Undo {
    private static final OperationId NOBODY = new OperationId(0, 0);

    private final PeerContext station;
    private final Term term;
    private final ChunkAddress chunk;
    private final BlobCopy copy;

    Undo(PeerContext station, Term term, ChunkAddress chunk) {
        this.station = station;
        this.term = term;
        this.chunk = chunk;
        this.copy = new BlobCopy(station, term);
    }

    /**
     * Undoes.
     *
     * @param before the chunk without the write
     * @param appliedHere whether this server, the head, has the write
     * @param applied members that have it
     * @param refused members that had no room for it
     */
    CompletableFuture<Void> run(
            ChunkState before, boolean appliedHere, List<Peer> applied, List<Peer> refused) {
        if (before.sequence() == 0) {
            CompletableFuture<Void> here =
                    appliedHere ? station.doOnDisk(this::deleteHere) : Futures.DONE;
            return here.thenCompose(done -> each(applied, peer -> copy.push(before, peer, none())));
        }
        ChunkState after =
                new ChunkState(
                        before.oid(),
                        before.index(),
                        before.chunkSizeLog2(),
                        term.epoch(),
                        before.sequence() + 2,
                        before.lengthBytes());
        CompletableFuture<Void> here =
                appliedHere
                        ? copy.pull(before, after, refused)
                        : station.doOnDisk(() -> countHere(before));
        return here.thenCompose(done -> each(applied, peer -> copy.push(after, peer, none())))
                .thenCompose(done -> each(refused, peer -> count(peer, before)));
    }

    private static List<Peer> none() {
        return List.of();
    }

    private static CompletableFuture<Void> each(
            List<Peer> peers, Function<Peer, CompletableFuture<Void>> work) {
        return Futures.forEach(peers, peers.size(), work);
    }

    private void deleteHere() {
        term.target().delete(term.groupId(), chunk.oid(), chunk.index());
    }

    private void countHere(ChunkState before) {
        term.target().zero(chunk, before.sequence() + 1, 0, 0);
        term.target().zero(chunk, before.sequence() + 2, 0, 0);
    }

    private CompletableFuture<Void> count(Peer peer, ChunkState before) {
        return count(peer, before.sequence() + 1)
                .thenCompose(done -> count(peer, before.sequence() + 2));
    }

    private CompletableFuture<Void> count(Peer peer, long sequence) {
        Zero nothing = new Zero(chunk, NOBODY, sequence, 0, 0);
        return station.members()
                .ask(term, peer, () -> Message.of(nothing::toBytes))
                .thenAccept(
                        reply -> {
                            try {
                                if (Replies.write(reply).sequence() != sequence) {
                                    throw new FsException(
                                            Errno.ESTALE, "a member lost count of its writes");
                                }
                            } finally {
                                reply.release();
                            }
                        });
    }
}
