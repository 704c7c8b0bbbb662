package io.cairn.chunk.group;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.PeerContext;
import io.cairn.chunk.peer.Replies;
import io.cairn.chunk.peer.Term;
import io.cairn.chunk.peer.Term.Peer;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.net.Message;
import io.cairn.trace.Scope;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.IndicesReply;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.chunk.ChunkReply.OffsetReply;
import io.cairn.wire.chunk.ChunkReply.ReadReply;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.ChunkRequest.Fetch;
import io.cairn.wire.chunk.ChunkRequest.FindChunks;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import io.cairn.wire.chunk.ChunkRequest.Read;
import io.cairn.wire.chunk.ChunkRequest.SeekChunk;
import io.cairn.wire.chunk.ChunkRequest.StatChunk;
import io.cairn.wire.chunk.ChunkRequest.Verify;
import io.cairn.wire.chunk.DirectRequest.Grant;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to a member that change nothing. A client never gets bytes that may be taken back. The
 * head lets a read wait for the write of the chunk that is under way. Another member serves a chunk
 * only when it knows that all members have the same state, and otherwise asks the head first.
 * Thread-safe.
 */
public final class Reader {
    private static final Logger LOG = LoggerFactory.getLogger(Reader.class);
    private static final int ATTEMPTS = 3;
    private static final int MAX_PAGE = 4096;

    /** How long a read waits for a master to answer this server. */
    private static final long LEASE_WAIT_MS = 2_000;

    private static final long LEASE_POLL_MS = 20;

    private final PeerContext station;
    private final GroupMember member;

    Reader(PeerContext station, GroupMember member) {
        this.station = station;
        this.member = member;
    }

    /** Reads whole blocks. */
    public CompletableFuture<Message> read(Read read) {
        Term term = serving(read.chunk());
        return settled(
                term,
                read.chunk(),
                () -> {
                    Message reply =
                            blocks(term, read.chunk(), read.offsetBytes(), read.lengthBytes());
                    term.target().meter().served(reply.payloadBytes());
                    return reply;
                });
    }

    /** Leave to read the chunk without asking, which ends before it changes here. */
    public CompletableFuture<Message> grant(Grant grant) {
        Term term = serving(grant.chunk());
        term.target().grants().requireMachine(grant.machine());
        return settled(
                term,
                grant.chunk(),
                () -> Message.of(term.target().grants().grant(grant.chunk())::toBytes));
    }

    /** Finds data or a hole. */
    public CompletableFuture<Message> seek(SeekChunk seek) {
        Term term = serving(seek.chunk());
        return settled(
                term,
                seek.chunk(),
                () -> {
                    int offset = term.target().seek(seek.chunk(), seek.offsetBytes(), seek.data());
                    return Message.of(new OffsetReply(offset)::toBytes);
                });
    }

    /** State of the replica here; on the head after all members agree on the chunk. */
    public CompletableFuture<Message> stat(StatChunk stat) {
        Term term = member.enter(stat.chunk().epoch());
        ChunkKey key = key(stat.chunk());
        Supplier<Message> work =
                () -> {
                    ChunkState state = member.state(term, key);
                    if (term.isHead() && member.isUnusable(term, key)) {
                        throw new FsException(
                                Errno.EIO, "the chunk is damaged, and no copy is left");
                    }
                    long allocated =
                            state.sequence() == 0
                                    ? 0
                                    : term.target()
                                            .allocatedBytes(term.groupId(), key.oid(), key.index());
                    return Message.of(new StatReply(state, allocated)::toBytes);
                };
        return term.isHead() ? settled(term, stat.chunk(), work) : shared(term, key, work);
    }

    /** Reads the replica here as it is, for the head. */
    public CompletableFuture<Message> fetch(Fetch fetch) {
        Term term = member.enterAsMember(fetch.chunk().epoch());
        return station.onDisk(
                () -> {
                    Message reply =
                            blocks(term, fetch.chunk(), fetch.offsetBytes(), fetch.lengthBytes());
                    member.check(term);
                    return reply;
                });
    }

    /** Checks the replica here, for the head: EBADMSG when it is bad as a whole or in a block. */
    public CompletableFuture<Void> verify(Verify verify) {
        Term term = member.enterAsMember(verify.chunk().epoch());
        return station.doOnDisk(
                () -> {
                    if (member.isUnusable(term, key(verify.chunk()))
                            || !term.target().verify(verify.chunk())) {
                        throw new FsException(Errno.EBADMSG);
                    }
                });
    }

    /**
     * A page of the chunks here, when no work of an earlier term can change one any more: for the
     * head, and for masters that check the cluster, who ask the head as well.
     */
    public CompletableFuture<Message> list(ListChunks list) {
        Term here = member.enter(list.epoch());
        Term term = here.isHead() ? here : member.enterAsMember(list.epoch());
        int max = Math.clamp(list.max(), 1, MAX_PAGE);
        return member.quietBefore()
                .thenCompose(
                        quiet ->
                                station.onDisk(
                                        () -> {
                                            if (!term.isServing() && list.afterIndex() < 0) {
                                                makeDurable(term);
                                            }
                                            return page(term, list, max);
                                        }));
    }

    /**
     * Which chunks there are, for a client. Every acknowledged write is here once the members are
     * compared, which is waited for; one that is under way may count or not.
     */
    public CompletableFuture<Message> find(FindChunks find) {
        return station.lease().allowsReads()
                ? found(find)
                : allowed(station.world().clock().millis())
                        .thenCompose(Scope.carried(_ -> found(find)));
    }

    private CompletableFuture<Message> found(FindChunks find) {
        Term term = serving(find.chunk());
        if (!term.isHead()) {
            throw askTheHead(term);
        }
        if (!member.headship(term).agreement().isCompared()) {
            throw new FsException(Errno.NOT_READY, "members of " + term + " are being compared");
        }
        int max = Math.clamp(find.max(), 1, MAX_PAGE);
        return station.onDisk(
                () -> {
                    List<Long> found = new ArrayList<>();
                    for (ChunkRange range : find.ranges()) {
                        if (found.size() <= max) {
                            int room = max + 1 - found.size();
                            found.addAll(term.target().find(term.groupId(), range, room));
                        }
                    }
                    member.check(term);
                    requireAllowed();
                    boolean end = found.size() <= max;
                    long[] indices = found.stream().limit(max).mapToLong(i -> i).toArray();
                    return Message.of(new IndicesReply(indices, end)::toBytes);
                });
    }

    /**
     * The head takes equal state for equal durability, but a syncing member may have missed
     * flushes.
     */
    private static void makeDurable(Term term) {
        try {
            term.target().flushAll();
        } catch (FsException e) {
            LOG.warn("What failed to sync is to be installed anew: {}", e.getMessage());
        }
    }

    private Message page(Term term, ListChunks list, int max) {
        List<ChunkState> page =
                term.target().list(term.groupId(), list.afterOid(), list.afterIndex(), max);
        member.check(term);
        return Message.of(new ListReply(page, page.size() < max)::toBytes);
    }

    private Term serving(ChunkAddress chunk) {
        Term term = member.enter(chunk.epoch());
        if (!term.isServing()) {
            throw new FsException(Errno.WRONG_EPOCH, "does not serve reads of " + term);
        }
        return term;
    }

    private static ChunkKey key(ChunkAddress chunk) {
        return new ChunkKey(chunk.oid(), chunk.index());
    }

    private static Message blocks(Term term, ChunkAddress chunk, int offset, int length) {
        Buffers buffers = new Buffers();
        try {
            BlockRange range = term.target().read(chunk, offset, length, buffers);
            ReadReply reply = new ReadReply(range.offsetBytes(), range.lengthBytes(), range.crcs());
            return new Message(reply::toBytes, buffers.filled(range.blocks().remaining()));
        } catch (RuntimeException | Error e) {
            buffers.filled(0).release();
            throw e;
        }
    }

    /** A pooled buffer that the disk fills and the network empties. */
    private static final class Buffers implements IntFunction<ByteBuffer> {
        private ByteBuf buffer = Unpooled.EMPTY_BUFFER;

        @Override
        public ByteBuffer apply(int bytes) {
            buffer = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
            return buffer.nioBuffer(0, bytes);
        }

        ByteBuf filled(int bytes) {
            return buffer.writerIndex(bytes);
        }
    }

    /** Works on what all members have, while this server may tell it. */
    private CompletableFuture<Message> settled(
            Term term, ChunkAddress chunk, Supplier<Message> work) {
        return station.lease().allowsReads()
                ? settledHere(term, chunk, work)
                : allowed(station.world().clock().millis())
                        .thenCompose(Scope.carried(_ -> settledHere(term, chunk, work)));
    }

    /** Done when this server may answer reads, or when that was waited for long enough. */
    private CompletableFuture<Void> allowed(long sinceMs) {
        if (station.lease().allowsReads()
                || station.world().clock().millis() - sinceMs > LEASE_WAIT_MS) {
            return Futures.DONE;
        }
        return station.heartbeat()
                .refresh()
                .thenCompose(
                        _ ->
                                station.lease().allowsReads()
                                        ? Futures.DONE
                                        : station.after(LEASE_POLL_MS, () -> allowed(sinceMs)));
    }

    private void requireAllowed() {
        if (!station.lease().allowsReads()) {
            throw new FsException(Errno.NOT_READY, "no master has answered this server lately");
        }
    }

    private CompletableFuture<Message> settledHere(
            Term term, ChunkAddress chunk, Supplier<Message> read) {
        Supplier<Message> work =
                () -> {
                    Message reply = read.get();
                    try {
                        requireAllowed();
                    } catch (FsException e) {
                        reply.release();
                        throw e;
                    }
                    return reply;
                };
        return term.isHead()
                ? leading(term, chunk, work, ATTEMPTS)
                        .exceptionallyCompose(thrown -> told(term, key(chunk), thrown))
                : following(term, chunk, work, ATTEMPTS);
    }

    private CompletableFuture<Message> told(Term term, ChunkKey key, Throwable thrown) {
        FsException error = Futures.failure(thrown);
        return station.onDisk(
                () -> {
                    throw member.told(term, key, error);
                });
    }

    private CompletableFuture<Message> leading(
            Term term, ChunkAddress chunk, Supplier<Message> work, int attempts) {
        ChunkKey key = key(chunk);
        Agreement agreement = member.headship(term).agreement();
        boolean mayHeal = attempts == ATTEMPTS;
        return ifSettled(term, key, () -> !agreement.isNeeded(key), work)
                .exceptionallyCompose(
                        thrown -> {
                            FsException error = Futures.failure(thrown);
                            if (!mayHeal || error.errno() == Errno.WRONG_EPOCH) {
                                throw error;
                            }
                            return station.onDisk(() -> doubted(term, key, error));
                        })
                .thenCompose(
                        reply -> {
                            if (reply.isPresent()) {
                                return CompletableFuture.completedFuture(reply.get());
                            }
                            if (attempts == 0) {
                                throw new FsException(
                                        Errno.NOT_READY, "writes of the chunk fail: try again");
                            }
                            return member.turns()
                                    .exclusive(key, () -> agreement.ensure(key))
                                    .thenCompose(
                                            agreed -> leading(term, chunk, work, attempts - 1));
                        });
    }

    /** Has the replica here replaced when it turns out that it cannot be used. */
    private Optional<Message> doubted(Term term, ChunkKey key, FsException error) {
        if (!member.isUnusable(term, key)) {
            throw error;
        }
        member.headship(term).agreement().doubt(key);
        return Optional.empty();
    }

    private CompletableFuture<Message> shared(Term term, ChunkKey key, Supplier<Message> work) {
        return ifSettled(term, key, () -> true, work).thenApply(Optional::orElseThrow);
    }

    /** Works if something holds when the turn has come. */
    private CompletableFuture<Optional<Message>> ifSettled(
            Term term, ChunkKey key, BooleanSupplier isSettled, Supplier<Message> work) {
        return member.turns()
                .shared(
                        key,
                        () -> {
                            member.check(term);
                            Optional<Message> reply =
                                    isSettled.getAsBoolean()
                                            ? Optional.of(checked(term, work.get()))
                                            : Optional.empty();
                            return CompletableFuture.completedFuture(reply);
                        });
    }

    /** The bytes are sent only if this server may still serve after having read them. */
    private Message checked(Term term, Message reply) {
        try {
            member.check(term);
            return reply;
        } catch (FsException e) {
            reply.release();
            throw e;
        }
    }

    private CompletableFuture<Message> following(
            Term term, ChunkAddress chunk, Supplier<Message> work, int attempts) {
        ChunkKey key = key(chunk);
        return ifSettled(term, key, () -> member.unsettled().isSettled(key), work)
                .exceptionallyCompose(thrown -> doubtedHere(term, chunk, thrown))
                .thenCompose(
                        reply -> {
                            if (reply.isPresent()) {
                                return CompletableFuture.completedFuture(reply.get());
                            }
                            if (attempts == 0) {
                                throw askTheHead(term);
                            }
                            return asked(term, chunk)
                                    .thenCompose(d -> following(term, chunk, work, attempts - 1));
                        });
    }

    /** A replica that waits for another one's copy waits no longer when the head knows of none. */
    private CompletableFuture<Optional<Message>> doubtedHere(
            Term term, ChunkAddress chunk, Throwable thrown) {
        FsException error = Futures.failure(thrown);
        if (error.errno() != Errno.NOT_READY) {
            return CompletableFuture.failedFuture(error);
        }
        return station.onDisk(() -> member.isUnusable(term, key(chunk)))
                .thenCompose(
                        unusable ->
                                unusable
                                        ? asked(term, chunk)
                                        : CompletableFuture.<Void>failedFuture(error))
                .thenCompose(same -> CompletableFuture.failedFuture(error));
    }

    /**
     * Asks the head whether all members have what is here. When nothing is, and the head says that
     * no copy is left, that is the answer: to ask the head would tell a client nothing new.
     */
    private CompletableFuture<Void> asked(Term term, ChunkAddress chunk) {
        ChunkKey key = key(chunk);
        Peer head = term.headPeer();
        if (head == null) {
            throw askTheHead(term);
        }
        StatChunk question = new StatChunk(chunk);
        long moment = member.unsettled().moment(key);
        CompletableFuture<ChunkState> here = station.onDisk(() -> member.state(term, key));
        CompletableFuture<ChunkState> there =
                station.members()
                        .ask(term, head, () -> Message.of(question::toBytes))
                        .thenApply(Reader::stateOf);
        return here.thenCombine(
                        there,
                        (own, theirs) -> {
                            boolean same =
                                    own.sequence() == theirs.sequence()
                                            && own.lengthBytes() == theirs.lengthBytes()
                                            && (own.epoch() == theirs.epoch()
                                                    || own.sequence() == 0);
                            if (!same) {
                                throw askTheHead(term);
                            }
                            member.unsettled().settle(key, moment);
                            return own;
                        })
                .handle(
                        (own, thrown) -> {
                            if (thrown == null) {
                                return own;
                            }
                            FsException error = Futures.failure(thrown);
                            boolean nothingHere =
                                    !here.isCompletedExceptionally() && here.join().sequence() == 0;
                            throw nothingHere && error.errno() == Errno.EIO
                                    ? error
                                    : askTheHead(term);
                        })
                .thenAccept(own -> {});
    }

    private static ChunkState stateOf(Message reply) {
        try {
            return Replies.stat(reply).state();
        } finally {
            reply.release();
        }
    }

    private static FsException askTheHead(Term term) {
        return new FsException(
                Errno.NOT_HEAD, "a write of the chunk is under way: ask the head of " + term);
    }
}
