package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.group.Flushing;
import io.cairn.chunk.group.GroupService;
import io.cairn.chunk.group.Groups;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.Layout;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.MalformedMessageException;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequest.Clone;
import io.cairn.wire.chunk.ChunkRequest.Discard;
import io.cairn.wire.chunk.ChunkRequest.Expect;
import io.cairn.wire.chunk.ChunkRequest.Fetch;
import io.cairn.wire.chunk.ChunkRequest.FindChunks;
import io.cairn.wire.chunk.ChunkRequest.Flush;
import io.cairn.wire.chunk.ChunkRequest.Install;
import io.cairn.wire.chunk.ChunkRequest.ListChunks;
import io.cairn.wire.chunk.ChunkRequest.Read;
import io.cairn.wire.chunk.ChunkRequest.Replicate;
import io.cairn.wire.chunk.ChunkRequest.ReportBad;
import io.cairn.wire.chunk.ChunkRequest.SeekChunk;
import io.cairn.wire.chunk.ChunkRequest.StatChunk;
import io.cairn.wire.chunk.ChunkRequest.Verify;
import io.cairn.wire.chunk.ChunkRequest.Write;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.ChunkRequestType.Sender;
import io.cairn.wire.chunk.DirectRequest.Grant;
import io.cairn.wire.chunk.HeadRequest.Relay;
import io.cairn.wire.chunk.HeadRequest.Settled;
import io.cairn.wire.chunk.HeadRequest.ToTarget;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.cairn.wire.master.OperationNames;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where requests come in: decodes, checks the ranges, hands over to the group, answers. Never
 * blocks. Bytes that are no request close the connection; every other failure becomes a failure
 * frame, here and nowhere else. Requests of clients and of other chunk servers have a budget each,
 * so that clients cannot keep servers from replicating.
 */
final class ChunkRequestHandler implements Handler {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkRequestHandler.class);
    private static final int MAX_REQUESTS = 8192;
    private static final long SERVER_BYTES = 512L << 20;
    private static final int ANY_TARGET = 0;
    private static final ChunkReply DONE = new ChunkReply.Done();

    /** Requests to one disk at a time; a disk that hangs keeps its own. */
    private record Budgets(Budget clients, Budget servers) {}

    private final ChunkRoleCheck roles;
    private final TicketCheck tickets;
    private final Groups groups;
    private final Map<StorageTarget, Budgets> budgets = new ConcurrentHashMap<>();
    private final Budgets others;
    private final int targets;
    private final long clientBytes;
    private volatile boolean draining;

    ChunkRequestHandler(
            ChunkRoleCheck roles,
            TicketCheck tickets,
            Groups groups,
            long clientBytes,
            int targets) {
        this.roles = roles;
        this.tickets = tickets;
        this.groups = groups;
        this.clientBytes = clientBytes;
        this.targets = targets;
        this.others = newBudgets();
    }

    private Budgets newBudgets() {
        return new Budgets(
                new Budget(MAX_REQUESTS / targets, clientBytes / targets),
                new Budget(MAX_REQUESTS / targets, SERVER_BYTES / targets));
    }

    private Budgets budgets(ChunkRequest request) {
        int target = request instanceof ToTarget to ? to.target() : ANY_TARGET;
        GroupService part = groups.find(request.group(), target);
        return part == null
                ? others
                : budgets.computeIfAbsent(part.member().target(), t -> newBudgets());
    }

    /** From now on new requests of clients are refused with NOT_READY. */
    void drain() {
        draining = true;
    }

    /** Requests of clients that are being worked on. */
    int busy() {
        int busy = others.clients.requests();
        for (Budgets each : budgets.values()) {
            busy += each.clients.requests();
        }
        return busy;
    }

    @Override
    public void handle(Connection from, Message request, Answer answer) {
        roles.require(from.principal(), request.header());
        ChunkRequest decoded;
        try {
            Decoder in = request.decoder();
            decoded = ChunkRequest.decode(in);
            if (in.remaining() > 0) {
                throw new MalformedMessageException(in.remaining() + " bytes too many");
            }
        } catch (MalformedMessageException e) {
            String what = OperationNames.ofChunk(request.header()) + ": " + e.getMessage();
            LOG.info("Nonsense from {}, connection closed: {}", from.remote(), what);
            request.release();
            answer.fail(new FsException(Errno.EPROTO, what));
            from.close();
            return;
        }
        roles.require(from.principal(), decoded);
        tickets.require(from, decoded);
        boolean fromServer =
                !ChunkRoleCheck.isClient(from.principal())
                        && (decoded.isOfServers() || decoded.type().sender() == Sender.ANYBODY);
        Budgets both = budgets(decoded);
        Budget budget = fromServer ? both.servers : both.clients;
        int payloadBytes = request.payloadBytes();
        if ((draining && !fromServer) || !budget.take(payloadBytes)) {
            request.release();
            answer.fail(
                    new FsException(
                            Errno.NOT_READY,
                            draining ? "the chunk server is stopping" : "too many requests"));
            return;
        }
        Futures.finish(
                Futures.guarded(() -> dispatch(decoded, ANY_TARGET, request.payload())),
                (reply, thrown) -> {
                    request.release();
                    budget.give(payloadBytes);
                    answer(answer, reply, thrown);
                });
    }

    @Override
    public void closed(Connection connection) {
        tickets.closed(connection);
    }

    private static void answer(Answer answer, @Nullable Message reply, @Nullable Throwable thrown) {
        if (reply != null) {
            answer.send(reply);
            return;
        }
        FsException error =
                thrown == null ? new FsException(Errno.EIO) : ofThisServer(Futures.failure(thrown));
        boolean known = error.getCause() instanceof FsException;
        if (!known
                && (error.getCause() instanceof RuntimeException
                        || error.getCause() instanceof Error)) {
            LOG.error("Request failed", error.getCause());
        }
        answer.fail(error);
    }

    /** A failed call to another server is not a failure of the asker's connection. */
    private static FsException ofThisServer(FsException error) {
        return switch (error.errno()) {
            case DISCONNECTED, ETIMEDOUT, NOT_LEADER, EAGAIN ->
                    new FsException(Errno.NOT_READY, String.valueOf(error.getMessage()), error);
            default -> error;
        };
    }

    private CompletableFuture<Message> dispatch(
            ChunkRequest request, int target, @Nullable ByteBuf payload) {
        ByteBuf bytes = payload == null ? Unpooled.EMPTY_BUFFER : payload;
        return switch (request) {
            case Write w -> {
                checkRange(w.chunk(), w.offsetBytes(), bytes.readableBytes());
                yield encoded(part(target, w.chunk()).headWrites().write(w, bytes));
            }
            case WritePieces w ->
                    encoded(part(target, checked(w, bytes)).headWrites().writePieces(w, bytes));
            case Replicate r -> {
                checkBlocks(r.chunk(), r.offsetBytes(), r.lengthBytes(), bytes);
                yield encoded(part(target, r.chunk()).memberWrites().replicate(r, nio(bytes)));
            }
            case Read r -> {
                checkRange(r.chunk(), r.offsetBytes(), r.lengthBytes());
                yield part(target, r.chunk()).reader().read(r);
            }
            case Flush f -> flush(part(target, checked(f.chunk())).flushing(), f);
            case Zero z -> {
                checkWithin(z.chunk(), z.offsetBytes(), z.lengthBytes());
                yield encoded(
                        z.isForwarded()
                                ? part(target, z.chunk()).memberWrites().zero(z)
                                : part(target, z.chunk()).headWrites().zero(z));
            }
            case Clone c -> {
                checkWithin(c.chunk(), 0, c.lengthBytes());
                checkSource(c);
                yield encoded(
                        c.isForwarded()
                                ? part(target, c.chunk()).memberWrites().cloneFrom(c)
                                : part(target, c.chunk()).headWrites().cloneFrom(c));
            }
            case StatChunk s -> part(target, checked(s.chunk())).reader().stat(s);
            case SeekChunk s -> {
                checkWithin(s.chunk(), s.offsetBytes(), 0);
                yield part(target, s.chunk()).reader().seek(s);
            }
            case FindChunks f -> part(target, checked(f.chunk())).reader().find(f);
            case ListChunks l -> part(target, l.group(), l.epoch()).reader().list(l);
            case Install i -> {
                checkBlocks(i.chunk(), i.offsetBytes(), i.lengthBytes(), bytes);
                yield done(part(target, i.chunk()).memberWrites().install(i, nio(bytes)));
            }
            case Discard d -> done(part(target, d.group(), d.epoch()).memberWrites().discard(d));
            case ReportBad b -> reported(target, b);
            case Fetch f -> {
                checkRange(f.chunk(), f.offsetBytes(), f.lengthBytes());
                yield part(target, f.chunk()).reader().fetch(f);
            }
            case Verify v -> done(part(target, checked(v.chunk())).reader().verify(v));
            case VerifyCopies v -> encoded(part(target, checked(v)).repair().verifyCopies(v));
            case Grant g -> part(target, checked(g.chunk())).reader().grant(g);
            case Relay r -> part(target, checked(r.chunk())).relays().relay(r, bytes);
            case Settled s -> done(part(target, s.group(), s.epoch()).memberWrites().settled(s));
            case ToTarget t -> dispatch(t.request(), t.target(), payload);
            case Expect e -> done(part(target, checked(e.chunk())).memberWrites().expect(e));
        };
    }

    private static CompletableFuture<Message> flush(Flushing flushing, Flush flush) {
        return encoded(flush.isForwarded() ? flushing.here(flush) : flushing.everywhere(flush));
    }

    private CompletableFuture<Message> reported(int target, ReportBad bad) {
        part(target, checked(bad.chunk())).repair().begin(bad);
        return done(Futures.DONE);
    }

    private static ChunkAddress checked(VerifyCopies verify) {
        if (verify.endIndex() <= checked(verify.chunk()).index()) {
            throw invalid("no chunk is before " + verify.endIndex() + " of " + verify.chunk());
        }
        return verify.chunk();
    }

    private static void checkSource(Clone clone) {
        if (clone.sourceOid() == 0 || clone.sourceOid() == clone.chunk().oid()) {
            throw invalid("a chunk cannot be cloned from " + clone.sourceOid());
        }
    }

    private static ByteBuffer nio(ByteBuf bytes) {
        return bytes.nioBuffer();
    }

    private GroupService part(int target, ChunkAddress chunk) {
        return part(target, chunk.group(), chunk.epoch());
    }

    private GroupService part(int target, int group, long epoch) {
        return groups.part(group, epoch, target);
    }

    private static CompletableFuture<Message> encoded(
            CompletableFuture<? extends ChunkReply> reply) {
        return reply.thenApply(r -> Message.of(r::toBytes));
    }

    private static CompletableFuture<Message> done(CompletableFuture<Void> work) {
        return work.thenApply(nothing -> Message.of(DONE::toBytes));
    }

    private static ChunkAddress checked(ChunkAddress chunk) {
        if (chunk.oid() == 0
                || chunk.index() < 0
                || chunk.snapshot() < 0
                || chunk.chunkSizeLog2() < Layout.MIN_CHUNK_SIZE_LOG2
                || chunk.chunkSizeLog2() > Layout.MAX_CHUNK_SIZE_LOG2) {
            throw invalid("no such chunk can be: " + chunk);
        }
        return chunk;
    }

    private static void checkWithin(ChunkAddress chunk, int offset, int length) {
        if (offset < 0
                || length < 0
                || (long) offset + length > 1L << checked(chunk).chunkSizeLog2()) {
            throw invalid(length + " bytes at " + offset + " of " + chunk);
        }
    }

    private static void checkRange(ChunkAddress chunk, int offset, int length) {
        checkWithin(chunk, offset, length);
        if (length == 0 || length > Limits.MAX_IO_BYTES) {
            throw invalid(length + " bytes at a time; 1 to " + Limits.MAX_IO_BYTES + " can be");
        }
    }

    private static ChunkAddress checked(WritePieces write, ByteBuf bytes) {
        long total = 0;
        for (WritePieces.Piece piece : write.pieces()) {
            checkRange(write.chunk(), piece.offsetBytes(), piece.lengthBytes());
            total += piece.lengthBytes();
        }
        int count = write.pieces().size();
        if (count == 0 || count > WritePieces.MAX_PIECES || total != bytes.readableBytes()) {
            throw invalid(
                    count + " pieces of " + total + " bytes, of which " + bytes.readableBytes());
        }
        return write.chunk();
    }

    private static void checkBlocks(ChunkAddress chunk, int offset, int length, ByteBuf bytes) {
        checkWithin(chunk, offset, bytes.readableBytes());
        checkWithin(chunk, 0, length);
        if (offset % Limits.BLOCK_BYTES != 0) {
            throw invalid("blocks at " + offset + ", which is inside of a block");
        }
    }

    private static FsException invalid(String what) {
        return new FsException(Errno.EINVAL, what);
    }
}
