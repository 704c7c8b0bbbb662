package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.Clone;
import io.cairn.wire.chunk.ChunkRequest.Flush;
import io.cairn.wire.chunk.ChunkRequest.Replicate;
import io.cairn.wire.chunk.ChunkRequest.Write;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.cairn.wire.chunk.OperationId;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Changes of a chunk that clients ask of the head. Each change has the chunk for itself from the
 * moment it gets its number until all current members have it. Thread-safe.
 */
public final class HeadWrites {

    /** Turns a request into a change of the chunk as it stands; null when nothing changes. */
    private interface Preparation {
        @Nullable Change prepare(ChunkState state);
    }

    /** A request of a client. */
    private record Request(
            Term term,
            ChunkAddress chunk,
            @Nullable OperationId operation,
            Preparation preparation) {
        ChunkKey key() {
            return new ChunkKey(chunk.oid(), chunk.index());
        }
    }

    private final PeerContext station;
    private final GroupMember member;
    private final Flushing flushing;

    HeadWrites(PeerContext station, GroupMember member, Flushing flushing) {
        this.station = station;
        this.member = member;
        this.flushing = flushing;
    }

    /** Writes; the payload is not released and must live until the result is there. */
    public CompletableFuture<WriteReply> write(Write write, ByteBuf payload) {
        Term term = member.enterAsHead(write.chunk().epoch());
        return fenced(
                new Request(
                        term,
                        write.chunk(),
                        write.operation(),
                        state -> writing(term, write, payload, state)));
    }

    /** Several writes of a chunk in one turn, under the same condition as {@link #write}. */
    public CompletableFuture<WriteReply> writePieces(WritePieces write, ByteBuf payload) {
        ChunkAddress chunk = write.chunk();
        Term term = member.enterAsHead(chunk.epoch());
        List<Request> requests = new ArrayList<>(write.pieces().size());
        int at = payload.readerIndex();
        for (WritePieces.Piece piece : write.pieces()) {
            ByteBuf bytes = payload.slice(at, piece.lengthBytes());
            at += piece.lengthBytes();
            Write one = new Write(chunk, piece.operation(), piece.offsetBytes(), piece.crcs());
            requests.add(
                    new Request(
                            term,
                            chunk,
                            piece.operation(),
                            state -> writing(term, one, bytes, state)));
        }
        return fenced(requests);
    }

    private CompletableFuture<WriteReply> fenced(Request request) {
        return fenced(List.of(request));
    }

    /** Changes of the contents of one chunk, of an object that no snapshot has. */
    private CompletableFuture<WriteReply> fenced(List<Request> requests) {
        Request first = requests.getFirst();
        long version = station.fence().enter(first.chunk.oid());
        return Futures.guarded(() -> change(first, () -> applyAll(requests.iterator(), null)))
                .whenComplete((_, _) -> station.fence().leave(version));
    }

    private static Change writing(Term term, Write write, ByteBuf payload, ChunkState state) {
        requireOpen(write.chunk(), state);
        AlignedWrite aligned =
                term.target()
                        .align(
                                write.chunk(),
                                write.offsetBytes(),
                                payload.nioBuffer(),
                                write.crcs());
        long sequence = state.sequence() + 1;
        Replicate replicate =
                new Replicate(
                        write.chunk(),
                        write.operation(),
                        state.sequence() == 0 ? 0 : state.epoch(),
                        sequence,
                        aligned.offsetBytes(),
                        aligned.lengthAfterBytes(),
                        aligned.crcs());
        boolean merged =
                aligned.offsetBytes() != write.offsetBytes()
                        || aligned.blocks().remaining() != payload.readableBytes();
        int bytes = payload.readableBytes();
        return new Change() {
            @Override
            public Message forMember() {
                return new Message(
                        replicate::toBytes,
                        merged
                                ? Unpooled.wrappedBuffer(aligned.blocks().duplicate())
                                : payload.retainedDuplicate());
            }

            @Override
            public int apply() {
                int allocated = term.target().write(write.chunk(), sequence, aligned);
                term.target().meter().taken(bytes);
                return allocated;
            }

            @Override
            public long sequence() {
                return sequence;
            }

            @Override
            public int lengthAfterBytes() {
                return aligned.lengthAfterBytes();
            }
        };
    }

    /**
     * Makes a range zeros. Where nothing is, nothing changes, unless a member is away or behind: it
     * may have an earlier chunk, which must not come back with it. So an empty one is made, and
     * also when this server may not tell what is here: others may have written without it, and then
     * refuse the change.
     */
    public CompletableFuture<WriteReply> zero(Zero zero) {
        Term term = member.enterAsHead(zero.chunk().epoch());
        return fenced(
                new Request(
                        term, zero.chunk(), zero.operation(), state -> zeroing(term, zero, state)));
    }

    private @Nullable Change zeroing(Term term, Zero zero, ChunkState state) {
        requireOpen(zero.chunk(), state);
        long sequence = state.sequence() + 1;
        if (state.sequence() == 0) {
            Zero nothing = new Zero(zero.chunk(), zero.operation(), sequence, 0, 0);
            boolean isNowhere = term.group().isComplete() && station.lease().allowsReads();
            return isNowhere ? null : counting(term, nothing, state);
        }
        Zero forwarded =
                new Zero(
                        zero.chunk(),
                        zero.operation(),
                        sequence,
                        zero.offsetBytes(),
                        zero.lengthBytes());
        return new Change() {
            @Override
            public Message forMember() {
                return Message.of(forwarded::toBytes);
            }

            @Override
            public int apply() {
                return term.target()
                        .zero(zero.chunk(), sequence, zero.offsetBytes(), zero.lengthBytes());
            }

            @Override
            public long sequence() {
                return sequence;
            }

            @Override
            public int lengthAfterBytes() {
                return state.lengthBytes();
            }
        };
    }

    /**
     * Makes a chunk from another one, which nobody changes any more. A client that has not heard
     * that the file goes on elsewhere would change it afterwards, be told that it is stored, and
     * nobody would ever read it.
     */
    public CompletableFuture<WriteReply> cloneFrom(Clone clone) {
        Term term = member.enterAsHead(clone.chunk().epoch());
        ChunkKey key = new ChunkKey(clone.chunk().oid(), clone.chunk().index());
        ChunkKey source = new ChunkKey(clone.sourceOid(), clone.chunk().index());
        return station.fromDisk(
                        () ->
                                member.state(term, key).sequence() > 0
                                        ? Futures.DONE
                                        : sealed(term, clone, source))
                .thenCompose(
                        Scope.carried(
                                agreed ->
                                        member.turns()
                                                .shared(
                                                        source,
                                                        () -> cloneSettled(term, clone, source))));
    }

    /** Done when a chunk takes no more writes, whatever happens to its servers. */
    private CompletableFuture<Void> sealed(Term term, Clone clone, ChunkKey source) {
        ChunkAddress chunk = member.address(term, source, clone.chunk().chunkSizeLog2());
        Request request =
                new Request(
                        term,
                        chunk,
                        null,
                        state -> state.isSealed() ? null : sealing(term, chunk, state));
        return change(request)
                .thenCompose(
                        Scope.carried(
                                reply -> flushing.everywhere(new Flush(chunk, List.of(), false))))
                .thenAccept(reply -> {});
    }

    /** A write of nothing with the number after which none comes. */
    private static Change sealing(Term term, ChunkAddress chunk, ChunkState state) {
        long sequence = ChunkState.SEALED | (state.sequence() + 1);
        return counting(term, new Zero(chunk, OperationId.NOBODY, sequence, 0, 0), state);
    }

    /** A write of nothing: what is not there becomes an empty chunk. */
    private static Change counting(Term term, Zero forwarded, ChunkState state) {
        ChunkAddress chunk = forwarded.chunk();
        long sequence = forwarded.sequence();
        return new Change() {
            @Override
            public Message forMember() {
                return Message.of(forwarded::toBytes);
            }

            @Override
            public int apply() {
                if (state.sequence() > 0) {
                    return term.target().zero(chunk, sequence, 0, 0);
                }
                ByteBuffer nothing = ByteBuffer.allocate(0);
                InstallPart empty = new InstallPart(sequence, 0, 0, nothing, new int[0], true);
                term.target().install(chunk, chunk.epoch(), empty);
                return 0;
            }

            @Override
            public long sequence() {
                return sequence;
            }

            @Override
            public int lengthAfterBytes() {
                return state.lengthBytes();
            }
        };
    }

    private static void requireOpen(ChunkAddress chunk, ChunkState state) {
        if (state.isSealed()) {
            throw new FsException(
                    Errno.ESTALE, chunk + " was cloned: the file goes on in another object");
        }
    }

    private CompletableFuture<WriteReply> cloneSettled(Term term, Clone clone, ChunkKey source) {
        if (member.headship(term).agreement().isNeeded(source)) {
            throw new FsException(Errno.NOT_READY, "writes of the source fail: try again");
        }
        return change(new Request(term, clone.chunk(), null, state -> cloning(term, clone, state)));
    }

    private @Nullable Change cloning(Term term, Clone clone, ChunkState state) {
        if (state.sequence() > 0) {
            return null;
        }
        ChunkKey sourceKey = new ChunkKey(clone.sourceOid(), clone.chunk().index());
        if (member.isUnusable(term, sourceKey)) {
            FsException error =
                    new FsException(Errno.EIO, "the source of " + clone.chunk() + " is damaged");
            throw member.told(term, sourceKey, error);
        }
        ChunkState source = member.state(term, sourceKey);
        int lengthBytes = Math.min(clone.lengthBytes(), source.lengthBytes());
        Clone forwarded = new Clone(clone.chunk(), clone.sourceOid(), clone.lengthBytes(), true);
        return new Change() {
            @Override
            public Message forMember() {
                return Message.of(forwarded::toBytes);
            }

            @Override
            public int apply() {
                term.target().cloneFrom(clone.chunk(), clone.sourceOid(), clone.lengthBytes());
                return lengthBytes;
            }

            @Override
            public long sequence() {
                return 1;
            }

            @Override
            public int lengthAfterBytes() {
                return lengthBytes;
            }
        };
    }

    private CompletableFuture<WriteReply> change(Request request) {
        return change(request, () -> apply(request, true));
    }

    /** Does work for a request, or for several of one chunk, in a turn of the chunk. */
    private CompletableFuture<WriteReply> change(
            Request request, Supplier<CompletableFuture<WriteReply>> work) {
        Headship headship = member.headship(request.term);
        return member.turns()
                .exclusive(
                        request.key(),
                        () -> {
                            member.check(request.term);
                            station.tombstones().check(request.key());
                            if (!headship.agreement().isNeeded(request.key())) {
                                return work.get();
                            }
                            return headship.agreement()
                                    .ensure(request.key())
                                    .thenCompose(Scope.carried(agreed -> station.fromDisk(work)));
                        })
                .exceptionallyCompose(thrown -> failed(request, headship, thrown));
    }

    /** A client told of the wrong epoch shall find the new one at the master. */
    private CompletableFuture<WriteReply> failed(
            Request request, Headship headship, Throwable thrown) {
        FsException error = Futures.failure(thrown);
        if (error.errno() == Errno.WRONG_EPOCH) {
            return headship.expulsions().thenCompose(done -> CompletableFuture.failedFuture(error));
        }
        return station.onDisk(
                () -> {
                    throw member.told(request.term, request.key(), error);
                });
    }

    /**
     * Applies requests one after the other, until one fails. On a disk thread.
     *
     * @param before the reply to those that are done; null when none is
     */
    private CompletableFuture<WriteReply> applyAll(
            Iterator<Request> requests, @Nullable WriteReply before) {
        WriteReply done = before;
        while (true) {
            CompletableFuture<WriteReply> applied = apply(requests.next(), true);
            WriteReply earlier = done;
            if (!applied.isDone() || applied.isCompletedExceptionally()) {
                return applied.thenCompose(
                        Scope.carried(
                                reply -> {
                                    WriteReply all = both(earlier, reply);
                                    return requests.hasNext()
                                            ? station.fromDisk(() -> applyAll(requests, all))
                                            : CompletableFuture.completedFuture(all);
                                }));
            }
            done = both(earlier, applied.join());
            if (!requests.hasNext()) {
                return CompletableFuture.completedFuture(done);
            }
        }
    }

    /** The younger write, with the bytes of both: one that was done before may be the older. */
    private static WriteReply both(@Nullable WriteReply one, WriteReply other) {
        if (one == null) {
            return other;
        }
        WriteReply younger = one.sequence() > other.sequence() ? one : other;
        return new WriteReply(
                younger.sequence(),
                younger.lengthBytes(),
                one.allocatedDeltaBytes() + other.allocatedDeltaBytes(),
                younger.epoch());
    }

    private CompletableFuture<WriteReply> apply(Request request, boolean mayHeal) {
        Term term = request.term;
        member.check(term);
        if (request.operation != null) {
            WriteReply before = station.memory().find(request.key(), request.operation);
            if (before != null) {
                return CompletableFuture.completedFuture(before);
            }
        }
        ChunkState state = member.state(term, request.key());
        if (state.sequence() == 0) {
            term.target().verification().keys().requireNotDropped(term.groupId());
        }
        Change change;
        try {
            if (state.sequence() == 0 && member.isUnusable(term, request.key())) {
                throw new FsException(Errno.EIO, request.chunk + " is damaged");
            }
            change = request.preparation.prepare(state);
        } catch (FsException e) {
            if (!mayHeal) {
                throw e;
            }
            return healed(request, state, e)
                    .thenCompose(
                            Scope.carried(done -> station.fromDisk(() -> apply(request, false))));
        }
        if (change == null) {
            return CompletableFuture.completedFuture(
                    new WriteReply(state.sequence(), state.lengthBytes(), 0, state.epoch()));
        }
        return new FanOut(station, member, term, request.chunk, request.operation)
                .run(state, change);
    }

    /** The replica here is to blame for an error: replaces it from another member, if it can. */
    private CompletableFuture<Void> healed(Request request, ChunkState state, FsException error) {
        Term term = request.term;
        boolean unusable = member.isUnusable(term, request.key());
        boolean unread = error.errno() == Errno.EIO && !unusable;
        if ((error.errno() == Errno.EBADMSG || unread) && !term.target().verify(request.chunk)) {
            return mended(term, state);
        }
        if (unusable) {
            Agreement agreement = member.headship(term).agreement();
            agreement.doubt(request.key());
            return agreement.ensure(request.key());
        }
        throw error;
    }

    /** An old block that has to be merged is bad here. */
    private CompletableFuture<Void> mended(Term term, ChunkState state) {
        return new BlobCopy(station, term)
                .mend(state, term.servingPeers())
                .exceptionally(
                        thrown -> {
                            throw new FsException(
                                    Errno.EIO,
                                    String.valueOf(Futures.failure(thrown).getMessage()));
                        });
    }
}
