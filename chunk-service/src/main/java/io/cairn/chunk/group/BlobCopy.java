package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.net.Message;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ReadReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.Discard;
import io.cairn.wire.chunk.ChunkRequest.Fetch;
import io.cairn.wire.chunk.ChunkRequest.Install;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies whole chunks between the members of a group, on behalf of the head, which must hold the
 * chunk's exclusive turn. Every block is verified on the way. One that fails is taken from another
 * replica in the same state, or at last from the replica that is to be replaced, if its bytes match
 * the checksum. So no good block is overwritten by a bad one. Thread-safe.
 */
final class BlobCopy {
    /** A replica to read from: whole blocks of a range, as {@code StorageTarget.read}. */
    private interface Source {
        CompletableFuture<BlockRange> read(int offsetBytes, int lengthBytes);
    }

    /** Where the parts go, one after the other. */
    private interface Sink {
        CompletableFuture<Void> install(InstallPart part);
    }

    /**
     * Blocks of which some may still be wrong.
     *
     * @param expected checksums that blocks which are still wrong should have
     */
    private record Piece(ByteBuffer blocks, int[] crcs, boolean[] good, int[] expected) {
        static Piece of(int lengthBytes) {
            int blocks = (lengthBytes + BLOCK_BYTES - 1) / BLOCK_BYTES;
            return new Piece(
                    ByteBuffer.allocateDirect(lengthBytes),
                    new int[blocks],
                    new boolean[blocks],
                    new int[blocks]);
        }

        /** Takes a block that has the right checksum. */
        void take(int block, ByteBuffer from, int crc) {
            int at = block * BLOCK_BYTES;
            int length = Math.min(BLOCK_BYTES, blocks.capacity() - at);
            blocks.put(at, from, from.position() + at, length);
            crcs[block] = crc;
            good[block] = true;
        }

        /** Index of the first block that is not good, or -1. */
        int firstBad() {
            for (int i = 0; i < good.length; i++) {
                if (!good[i]) {
                    return i;
                }
            }
            return -1;
        }

        boolean complete() {
            return firstBad() < 0;
        }
    }

    private static final Logger LOG = LoggerFactory.getLogger(BlobCopy.class);
    private static final int PIECE_BYTES = Limits.MAX_IO_BYTES;
    private static final int BLOCK_BYTES = Limits.BLOCK_BYTES;

    private final PeerContext station;
    private final Term term;

    BlobCopy(PeerContext station, Term term) {
        this.station = station;
        this.term = term;
    }

    /**
     * Gives a member the chunk as it stands here, or takes it away when it does not exist here.
     * {@code spares} are serving members in the same state. A block that is bad everywhere arrives
     * as bad.
     */
    CompletableFuture<Void> push(ChunkState state, Peer to, List<Peer> spares) {
        if (state.sequence() == 0) {
            ChunkKey key = new ChunkKey(state.oid(), state.index());
            Discard discard = new Discard(term.groupId(), term.epoch(), List.of(key));
            return station.members()
                    .ask(term, to, () -> Message.of(discard::toBytes))
                    .thenAccept(Message::release);
        }
        List<Source> sources = new ArrayList<>();
        sources.add(local(state));
        spares.forEach(peer -> sources.add(there(peer, state)));
        return new Copying(state, sources, there(to, state), member(to, state), true).piece(0);
    }

    /**
     * Replaces the chunk here by the one that members have in a state; it counts as write {@code
     * result} from now on. A block that is bad everywhere arrives as bad.
     */
    CompletableFuture<Void> pull(ChunkState state, ChunkState result, List<Peer> from) {
        List<Source> sources = from.stream().map(peer -> there(peer, state)).toList();
        return new Copying(state, sources, local(state), here(result), true).piece(0);
    }

    /**
     * Replaces the bad replica here by one put together from good blocks, wherever they are.
     * EBADMSG when a block is good nowhere; then nothing changes.
     */
    CompletableFuture<Void> mend(ChunkState state, List<Peer> others) {
        List<Source> sources = new ArrayList<>();
        sources.add(local(state));
        others.forEach(peer -> sources.add(there(peer, state)));
        return new Copying(state, sources, local(state), here(state), false).piece(0);
    }

    private ChunkAddress address(ChunkState state) {
        return new ChunkAddress(
                term.groupId(), term.epoch(), state.oid(), state.index(), state.chunkSizeLog2());
    }

    private Source local(ChunkState state) {
        return (offset, length) ->
                station.onDisk(() -> term.target().read(address(state), offset, length));
    }

    private Source there(Peer peer, ChunkState state) {
        return (offset, length) -> {
            Fetch fetch = new Fetch(address(state), offset, length);
            return station.members()
                    .ask(term, peer, () -> Message.of(fetch::toBytes))
                    .thenApply(BlobCopy::range);
        };
    }

    private static BlockRange range(Message reply) {
        try {
            ReadReply header = Replies.read(reply);
            ByteBuffer blocks = ByteBuffer.allocateDirect(reply.payloadBytes());
            if (reply.payload() != null) {
                reply.payload().readBytes(blocks);
            }
            return new BlockRange(
                    header.offsetBytes(), header.lengthBytes(), blocks.flip(), header.crcs());
        } finally {
            reply.release();
        }
    }

    private Sink here(ChunkState result) {
        ChunkAddress chunk = address(result);
        return part ->
                station.doOnDisk(
                        () -> {
                            term.target().install(chunk, result.epoch(), numbered(part, result));
                            if (part.last()) {
                                station.memory().forget(new ChunkKey(chunk.oid(), chunk.index()));
                            }
                        });
    }

    private static InstallPart numbered(InstallPart part, ChunkState result) {
        return new InstallPart(
                result.sequence(),
                part.lengthBytes(),
                part.offsetBytes(),
                part.blocks(),
                part.crcs(),
                part.last());
    }

    private Sink member(Peer peer, ChunkState result) {
        ChunkAddress chunk = address(result);
        return part -> {
            Install install =
                    new Install(
                            chunk,
                            result.epoch(),
                            result.sequence(),
                            part.lengthBytes(),
                            part.offsetBytes(),
                            part.last(),
                            part.crcs());
            return station.members()
                    .ask(
                            term,
                            peer,
                            () ->
                                    new Message(
                                            install::toBytes,
                                            Unpooled.wrappedBuffer(part.blocks())))
                    .thenAccept(Message::release);
        };
    }

    /** One chunk on its way. */
    private final class Copying {
        private final ChunkState state;
        private final List<Source> sources;
        private final Source former;
        private final Sink sink;
        private final boolean evenIfLost;

        Copying(
                ChunkState state,
                List<Source> sources,
                Source former,
                Sink sink,
                boolean evenIfLost) {
            this.state = state;
            this.sources = sources;
            this.former = former;
            this.sink = sink;
            this.evenIfLost = evenIfLost;
        }

        /** Copies from an offset to the end. */
        CompletableFuture<Void> piece(int offset) {
            int length = Math.min(PIECE_BYTES, state.lengthBytes() - offset);
            boolean last = offset + length >= state.lengthBytes();
            Piece nothing = Piece.of(length);
            CompletableFuture<Piece> found =
                    length == 0
                            ? CompletableFuture.completedFuture(nothing)
                            : gather(offset, nothing, sources);
            return found.thenCompose(piece -> give(offset, piece, last))
                    .thenCompose(done -> last ? Futures.DONE : piece(offset + length));
        }

        private CompletableFuture<Void> give(int offset, Piece piece, boolean last) {
            boolean hole = Arrays.stream(piece.crcs).allMatch(crc -> crc == Crc32c.ZERO_BLOCK);
            // The first part begins the replacement, whatever is in it.
            if (hole && !last && offset > 0) {
                return Futures.DONE;
            }
            ByteBuffer blocks = hole ? ByteBuffer.allocate(0) : piece.blocks;
            int[] crcs = hole ? new int[0] : piece.crcs;
            return sink.install(
                    new InstallPart(
                            state.sequence(), state.lengthBytes(), offset, blocks, crcs, last));
        }

        /** Takes blocks from one source after the other until all are good. */
        private CompletableFuture<Piece> gather(int offset, Piece wanted, List<Source> rest) {
            if (rest.isEmpty()) {
                return former.read(offset, wanted.blocks.capacity())
                        .thenApply(range -> takeFormer(offset, wanted, range))
                        .exceptionally(thrown -> wanted)
                        .thenCompose(
                                piece ->
                                        piece.complete()
                                                ? CompletableFuture.completedFuture(piece)
                                                : lost(offset, piece));
            }
            List<Source> others = rest.subList(1, rest.size());
            return rest.get(0)
                    .read(offset, wanted.blocks.capacity())
                    .thenApply(range -> take(state, offset, wanted, range))
                    .exceptionally(
                            thrown -> {
                                FsException error = Futures.failure(thrown);
                                if (others.isEmpty() || error.errno() == Errno.WRONG_EPOCH) {
                                    throw error;
                                }
                                return wanted;
                            })
                    .thenCompose(
                            piece ->
                                    piece.complete()
                                            ? CompletableFuture.completedFuture(piece)
                                            : gather(offset, piece, others));
        }

        private CompletableFuture<Piece> lost(int offset, Piece wanted) {
            String block =
                    "a block of chunk "
                            + Long.toHexString(state.oid())
                            + "."
                            + state.index()
                            + " in "
                            + term
                            + ", at byte "
                            + (offset + wanted.firstBad() * BLOCK_BYTES)
                            + ", is bad on every replica";
            LOG.error("{}: reading it gives EIO until it is written anew", block);
            if (!evenIfLost) {
                return Futures.failed(Errno.EBADMSG, block);
            }
            for (int i = 0; i < wanted.good.length; i++) {
                if (!wanted.good[i]) {
                    wanted.crcs[i] = Crc32c.LOST_BLOCK;
                }
            }
            return CompletableFuture.completedFuture(wanted);
        }
    }

    private static Piece take(ChunkState state, int offset, Piece wanted, BlockRange range) {
        int bytes = wanted.blocks.capacity();
        if (range.lengthBytes() != state.lengthBytes()
                || range.offsetBytes() != offset
                || range.blocks().remaining() < bytes
                || range.crcs().length < wanted.crcs.length) {
            throw new FsException(
                    Errno.ESTALE, "the replica to copy from is not in the state expected");
        }
        ByteBuffer from = range.blocks();
        for (int i = 0; i < wanted.good.length; i++) {
            int at = i * BLOCK_BYTES;
            int length = Math.min(BLOCK_BYTES, bytes - at);
            int crc = Crc32c.ofPadded(from, from.position() + at, length);
            if (!wanted.good[i] && crc == range.crcs()[i]) {
                wanted.take(i, from, crc);
            } else if (!wanted.good[i]) {
                wanted.expected[i] = range.crcs()[i];
            }
        }
        return wanted;
    }

    /** Blocks of another state of the chunk that are what they should be in this one. */
    private static Piece takeFormer(int offset, Piece wanted, BlockRange range) {
        ByteBuffer from = range.blocks();
        for (int i = 0; i < wanted.good.length && range.offsetBytes() == offset; i++) {
            int at = i * BLOCK_BYTES;
            int length = Math.min(BLOCK_BYTES, wanted.blocks.capacity() - at);
            if (!wanted.good[i] && from.remaining() >= at + length) {
                int crc = Crc32c.ofPadded(from, from.position() + at, length);
                if (crc == wanted.expected[i] && crc != Crc32c.LOST_BLOCK) {
                    wanted.take(i, from, crc);
                }
            }
        }
        return wanted;
    }
}
