package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.blob.Alignment;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.InstallPart;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.Clone;
import io.cairn.wire.chunk.ChunkRequest.Discard;
import io.cairn.wire.chunk.ChunkRequest.Expect;
import io.cairn.wire.chunk.ChunkRequest.Install;
import io.cairn.wire.chunk.ChunkRequest.Replicate;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.HeadRequest.Settled;
import io.cairn.wire.chunk.OperationId;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Changes that the head tells a member to make. The member follows only the head of the epoch that
 * its own map says, and checks that again before it answers. It applies a change only to the very
 * predecessor that the head applied it to. Otherwise it answers with sequence 0, and the head
 * installs the chunk. Of what was deleted here the head may not know yet: a change of it is
 * answered as if it were made, for else it would come back and stay. Thread-safe.
 */
public final class MemberWrites {
    private static final WriteReply LACKING = new WriteReply(0, 0, 0, 0);

    private final PeerContext station;
    private final GroupMember member;

    MemberWrites(PeerContext station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Applies a write; the payload is not kept. */
    public CompletableFuture<WriteReply> replicate(Replicate write, ByteBuffer blocks) {
        Term term = member.enterAsMember(write.chunk().epoch());
        StorageTarget target = term.target();
        return turn(
                term,
                write.chunk(),
                key -> {
                    Alignment.verifyBlocks(blocks, write.crcs());
                    if (station.tombstones().holds(key)) {
                        return new WriteReply(
                                write.sequence(), write.lengthBytes(), 0, write.chunk().epoch());
                    }
                    ChunkState state = member.state(term, key);
                    WriteReply done = station.memory().find(key, write.operation());
                    if (isDone(state, write.chunk(), write.sequence()) && done != null) {
                        return done;
                    }
                    member.unsettled().mark(key);
                    boolean follows =
                            state.sequence() == write.sequence() - 1
                                    && (state.sequence() == 0 ? 0 : state.epoch())
                                            == write.previousEpoch();
                    if (!follows) {
                        return LACKING;
                    }
                    member.origins().note(term, state);
                    AlignedWrite aligned =
                            new AlignedWrite(
                                    write.offsetBytes(), write.lengthBytes(), blocks, write.crcs());
                    return applied(
                            state,
                            () -> {
                                int delta = target.write(write.chunk(), write.sequence(), aligned);
                                WriteReply reply =
                                        new WriteReply(
                                                write.sequence(),
                                                write.lengthBytes(),
                                                delta,
                                                write.chunk().epoch());
                                station.memory().remember(key, write.operation(), reply);
                                return reply;
                            });
                });
    }

    /** Applies a change; a replica that cannot be used looks absent, and is to be installed. */
    private static WriteReply applied(ChunkState before, Supplier<WriteReply> change) {
        try {
            return change.get();
        } catch (FsException e) {
            boolean unusable = e.errno() == Errno.EIO || e.errno() == Errno.NOT_READY;
            if (before.sequence() == 0 && unusable) {
                return LACKING;
            }
            throw e;
        }
    }

    private static boolean isDone(ChunkState state, ChunkAddress chunk, long sequence) {
        return state.epoch() == chunk.epoch() && state.sequence() == sequence;
    }

    /** Makes a range zeros. */
    public CompletableFuture<WriteReply> zero(Zero zero) {
        Term term = member.enterAsMember(zero.chunk().epoch());
        return turn(
                term,
                zero.chunk(),
                key -> {
                    ChunkState state = member.state(term, key);
                    if (isDone(state, zero.chunk(), zero.sequence())
                            || station.tombstones().holds(key)) {
                        return new WriteReply(
                                zero.sequence(), state.lengthBytes(), 0, zero.chunk().epoch());
                    }
                    member.unsettled().mark(key);
                    long number = zero.sequence() & ~ChunkState.SEALED;
                    boolean follows = state.sequence() > 0 && state.sequence() == number - 1;
                    if (!term.isServing() || !follows) {
                        return LACKING;
                    }
                    member.origins().note(term, state);
                    int delta =
                            term.target()
                                    .zero(
                                            zero.chunk(),
                                            zero.sequence(),
                                            zero.offsetBytes(),
                                            zero.lengthBytes());
                    WriteReply reply =
                            new WriteReply(
                                    zero.sequence(),
                                    state.lengthBytes(),
                                    delta,
                                    zero.chunk().epoch());
                    if (!zero.operation().equals(OperationId.NOBODY)) {
                        station.memory().remember(key, zero.operation(), reply);
                    }
                    return reply;
                });
    }

    /** Makes a chunk from another one. */
    public CompletableFuture<WriteReply> cloneFrom(Clone clone) {
        Term term = member.enterAsMember(clone.chunk().epoch());
        return turn(
                term,
                clone.chunk(),
                key -> {
                    ChunkState state = member.state(term, key);
                    if (isDone(state, clone.chunk(), 1) || station.tombstones().holds(key)) {
                        return new WriteReply(1, state.lengthBytes(), 0, clone.chunk().epoch());
                    }
                    member.unsettled().mark(key);
                    if (!term.isServing() || state.sequence() != 0) {
                        return LACKING;
                    }
                    return applied(
                            state,
                            () -> {
                                term.target()
                                        .cloneFrom(
                                                clone.chunk(),
                                                clone.sourceOid(),
                                                clone.lengthBytes());
                                int lengthBytes = member.state(term, key).lengthBytes();
                                return new WriteReply(1, lengthBytes, 0, clone.chunk().epoch());
                            });
                });
    }

    /**
     * Takes a part of a chunk that replaces the one here. ESTALE when a later write of the same
     * epoch is here: then the part comes late.
     */
    public CompletableFuture<Void> install(Install install, ByteBuffer blocks) {
        Term term = member.enterAsMember(install.chunk().epoch());
        InstallPart part =
                new InstallPart(
                        install.sequence(),
                        install.lengthBytes(),
                        install.offsetBytes(),
                        blocks,
                        install.crcs(),
                        install.last());
        return turn(
                        term,
                        install.chunk(),
                        key -> {
                            if (station.tombstones().holds(key)) {
                                return LACKING;
                            }
                            ChunkState state = member.state(term, key);
                            if (state.epoch() == install.chunk().epoch()
                                    && state.sequence() > install.sequence()) {
                                throw new FsException(
                                        Errno.ESTALE,
                                        "write "
                                                + state.sequence()
                                                + " of this epoch is here already");
                            }
                            if (term.isServing() || member.unsettled().isMarked(key)) {
                                member.unsettled().mark(key);
                            }
                            term.target().install(install.chunk(), install.writtenEpoch(), part);
                            if (install.last()) {
                                station.memory().forget(key);
                            }
                            return LACKING;
                        })
                .thenAccept(reply -> {});
    }

    /** The bytes of a chunk here are not those written last, unless the chunk is at that write. */
    public CompletableFuture<Void> expect(Expect expect) {
        Term term = member.enterAsMember(expect.chunk().epoch());
        return turn(
                        term,
                        expect.chunk(),
                        key -> {
                            BlobKey blob = new BlobKey(term.groupId(), key.oid(), key.index());
                            term.target().expect(blob, expect.mark());
                            station.memory().forget(key);
                            return LACKING;
                        })
                .thenAccept(reply -> {});
    }

    /**
     * The head tells that all members had these states of chunks. Where one of them is still here,
     * and no change has begun, reads need not ask the head any more: it may be gone by then.
     */
    public CompletableFuture<Void> settled(Settled notice) {
        Term term = member.enterAsMember(notice.epoch());
        return Futures.forEach(notice.states(), 1, state -> settle(term, state));
    }

    private CompletableFuture<Void> settle(Term term, ChunkState told) {
        ChunkKey key = new ChunkKey(told.oid(), told.index());
        if (member.unsettled().isSettled(key)) {
            return Futures.DONE;
        }
        return member.turns()
                .shared(
                        key,
                        () -> {
                            member.check(term);
                            ChunkState own = member.state(term, key);
                            if (own.sequence() == told.sequence() && own.epoch() == told.epoch()) {
                                member.unsettled().settle(key);
                            }
                            return Futures.DONE;
                        });
    }

    /** Deletes chunks that the head does not have. */
    public CompletableFuture<Void> discard(Discard discard) {
        Term term = member.enterAsMember(discard.epoch());
        return Futures.forEach(
                discard.chunks(),
                1,
                key ->
                        turn(
                                        term,
                                        member.address(term, key, 0),
                                        k -> {
                                            term.target()
                                                    .delete(term.groupId(), k.oid(), k.index());
                                            station.memory().forget(k);
                                            return LACKING;
                                        })
                                .thenAccept(reply -> {}));
    }

    private CompletableFuture<WriteReply> turn(
            Term term, ChunkAddress chunk, Function<ChunkKey, WriteReply> work) {
        ChunkKey key = new ChunkKey(chunk.oid(), chunk.index());
        return member.turns()
                .exclusive(
                        key,
                        () -> {
                            member.check(term);
                            WriteReply reply = work.apply(key);
                            member.check(term);
                            return CompletableFuture.completedFuture(reply);
                        });
    }
}
