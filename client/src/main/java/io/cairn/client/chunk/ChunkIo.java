package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.client.session.ClusterView;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.client.session.SessionState;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.IndicesReply;
import io.cairn.wire.chunk.ChunkReply.OffsetReply;
import io.cairn.wire.chunk.ChunkReply.ReadReply;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.chunk.Ticket;
import io.cairn.wire.master.Query;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads and writes of chunks, at whichever servers hold them now. Thread-safe; never blocks. Every
 * promise is kept or broken within the request timeout; tries, replicas and maps are the business
 * of {@link ChunkCall}.
 */
public final class ChunkIo implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkIo.class);
    static final int BLOCK = Limits.BLOCK_BYTES;

    /** 2^64 divided by the golden ratio: its multiples spread evenly (Knuth, TAOCP 3, 6.4). */
    private static final long GOLDEN_RATIO = 0x9e3779b97f4a7c15L;

    private final ClientSettings settings;
    private final Clock clock;
    private final Scheduler scheduler;
    private final RandomGenerator random;
    private final SessionState session;
    private final ChunkTickets tickets;
    private final ClusterView view;
    private final ChunkConnections connections;
    private final WritePermit always;
    private final ChunkOutage outage;
    private final ReadHedge hedge;
    private final @Nullable DirectReads direct;
    private final AtomicLong operations = new AtomicLong();
    private final int spread;

    public ChunkIo(
            ClientSettings settings,
            ClientRuntime runtime,
            MasterChannel master,
            ClusterView view,
            ChunkConnections connections) {
        this.settings = settings;
        this.clock = runtime.clock();
        this.scheduler = runtime.scheduler();
        this.random = runtime.random();
        this.session = master.session();
        this.tickets = new ChunkTickets(() -> master.query(new Query.GetTicket()), clock);
        this.always = new WritePermit(session, 0);
        this.outage = new ChunkOutage(clock);
        this.hedge = new ReadHedge(clock, scheduler);
        this.view = view;
        this.connections = connections;
        this.direct = runtime.machine() == 0 ? null : new DirectReads(runtime, this);
        synchronized (random) {
            this.spread = random.nextInt(1 << 16);
        }
    }

    /**
     * The result of a read.
     *
     * @param blocks bytes from {@code offsetBytes} on, owned by the receiver; null when the chunk
     *     has none there
     * @param offsetBytes offset in the chunk of the first byte of {@code blocks}
     * @param chunkLengthBytes what lies at or beyond it reads as zeros; 0 also when there is no
     *     such chunk
     */
    public record Piece(@Nullable ByteBuf blocks, int offsetBytes, int chunkLengthBytes) {
        /**
         * Copies a range of the chunk, zeros where it has no bytes.
         *
         * @param fromBytes offset in the chunk
         * @param target filled up to its remaining bytes
         */
        public void copyTo(int fromBytes, ByteBuffer target) {
            int available = 0;
            if (blocks != null && fromBytes >= offsetBytes) {
                int end = Math.min(offsetBytes + blocks.readableBytes(), chunkLengthBytes);
                available = Math.clamp((long) end - fromBytes, 0, target.remaining());
                if (available > 0) {
                    int index = blocks.readerIndex() + fromBytes - offsetBytes;
                    ByteBuffer part = target.duplicate();
                    part.limit(part.position() + available);
                    blocks.getBytes(index, part);
                    target.position(target.position() + available);
                }
            }
            Zeros.fill(target);
        }

        public void release() {
            if (blocks != null) {
                blocks.release();
            }
        }
    }

    /** A name for a write that no other write ever has. */
    OperationId newOperation() {
        return new OperationId(session.session(), operations.incrementAndGet());
    }

    /**
     * Writes to all current replicas.
     *
     * @param data taken over
     * @param crcs as {@link Crc32c#ofPieces} makes them
     * @param permit asked before each try; EIO when it ends before one succeeded
     */
    CompletableFuture<WriteReply> write(
            ChunkPlace place,
            OperationId operation,
            int offsetBytes,
            ByteBuf data,
            int[] crcs,
            WritePermit permit) {
        return start(
                        place,
                        address -> new ChunkRequest.Write(address, operation, offsetBytes, crcs),
                        data,
                        permit)
                .thenApply(received -> expect(received, WriteReply.class));
    }

    /**
     * Several writes of one chunk with one request, as {@link #write}. After a failure some may
     * have been done; each can be sent again with its operation, also alone.
     *
     * @param data the bytes of all pieces, taken over
     */
    CompletableFuture<WriteReply> writePieces(
            ChunkPlace place, List<WritePieces.Piece> pieces, ByteBuf data, WritePermit permit) {
        return start(place, address -> new WritePieces(address, pieces), data, permit)
                .thenApply(received -> expect(received, WriteReply.class));
    }

    /** Makes a range zeros, under the same condition as {@link #write}. */
    public CompletableFuture<WriteReply> zero(
            ChunkPlace place, int offsetBytes, int lengthBytes, WritePermit permit) {
        OperationId operation = newOperation();
        return start(
                        place,
                        address ->
                                new ChunkRequest.Zero(
                                        address, operation, 0, offsetBytes, lengthBytes),
                        null,
                        permit)
                .thenApply(received -> expect(received, WriteReply.class));
    }

    /** Makes a chunk from the first bytes of the same index of another object, once. */
    CompletableFuture<WriteReply> cloneFrom(ChunkPlace place, long sourceOid, int lengthBytes) {
        return start(
                        place,
                        address -> new ChunkRequest.Clone(address, sourceOid, lengthBytes, false),
                        null)
                .thenApply(received -> expect(received, WriteReply.class));
    }

    /**
     * Makes a chunk durable on all current replicas. EIO when one of these writes, acknowledged
     * before, was lost with the power of all servers.
     */
    CompletableFuture<WriteReply> flush(ChunkPlace place, List<WriteMark> marks) {
        return start(place, address -> new ChunkRequest.Flush(address, marks, false), null)
                .thenApply(received -> expect(received, WriteReply.class));
    }

    /** The next data or hole at or after an offset, -1 when there is none before the end. */
    public CompletableFuture<Integer> seek(ChunkPlace place, int offsetBytes, boolean data) {
        return start(place, address -> new ChunkRequest.SeekChunk(address, offsetBytes, data), null)
                .thenApply(received -> expect(received, OffsetReply.class).offsetBytes());
    }

    /**
     * Which chunks of objects there are in the group of a place, at its head; at most {@code max}.
     */
    public CompletableFuture<IndicesReply> find(
            ChunkPlace place, List<ChunkRange> ranges, int max) {
        return start(place, address -> new ChunkRequest.FindChunks(address, ranges, max), null)
                .thenApply(received -> expect(received, IndicesReply.class));
    }

    /** The state of a chunk at the head. */
    public CompletableFuture<StatReply> stat(ChunkPlace place) {
        return start(place, ChunkRequest.StatChunk::new, null)
                .thenApply(received -> expect(received, StatReply.class));
    }

    /** The state of a chunk at one server, asked once. */
    CompletableFuture<StatReply> statAt(ChunkServer server, ChunkAddress address) {
        return connections
                .to(Callee.of(server))
                .thenCompose(
                        link ->
                                once(
                                        link,
                                        address,
                                        ChunkRequest.StatChunk::new,
                                        settings.attemptTimeoutMs()))
                .thenApply(
                        answer -> {
                            answer.release();
                            return (StatReply) ChunkReply.decode(answer.decoder());
                        });
    }

    /** Asks a server once, with a ticket if it wants one; again with another, if it refuses it. */
    CompletableFuture<Message> once(
            ChunkConnections.Link link,
            ChunkAddress address,
            Function<ChunkAddress, ChunkRequest> request,
            long timeoutMs) {
        Function<Ticket, CompletableFuture<Message>> call =
                ticket -> {
                    ChunkRequest asked = request.apply(address.showing(ticket));
                    return link.call(Message.of(asked::toBytes), timeoutMs);
                };
        if (!link.isSecured()) {
            return call.apply(Ticket.NONE);
        }
        return tickets.get()
                .thenCompose(
                        ticket ->
                                call.apply(ticket)
                                        .exceptionallyCompose(
                                                failure -> renewed(ticket, failure, call)));
    }

    private CompletableFuture<Message> renewed(
            Ticket ticket, Throwable failure, Function<Ticket, CompletableFuture<Message>> call) {
        if (Await.failure(failure).errno() != Errno.BAD_TICKET) {
            return CompletableFuture.failedFuture(failure);
        }
        tickets.refused(ticket);
        return tickets.get().thenCompose(call);
    }

    ChunkTickets tickets() {
        return tickets;
    }

    /** Reads and verifies a range of a chunk, 1 byte up to {@link Limits#MAX_IO_BYTES}. */
    public CompletableFuture<Piece> read(ChunkPlace place, int offsetBytes, int lengthBytes) {
        Supplier<CompletableFuture<Piece>> sent = () -> send(place, offsetBytes, lengthBytes);
        return direct == null ? sent.get() : direct.read(place, offsetBytes, lengthBytes, sent);
    }

    /** Reads that did not need the network: files of chunk servers on this machine. */
    public long directReads() {
        return direct == null ? 0 : direct.reads();
    }

    private CompletableFuture<Piece> send(ChunkPlace place, int offsetBytes, int lengthBytes) {
        ChunkCall call = readCall(place, offsetBytes, lengthBytes);
        call.attempt();
        if (!call.isDone() && replicas(place) > 1) {
            hedge.begin(call, () -> readCall(place, offsetBytes, lengthBytes));
        }
        return call.thenApply(ChunkIo::piece);
    }

    private ChunkCall readCall(ChunkPlace place, int offsetBytes, int lengthBytes) {
        return new ChunkCall(
                this,
                place,
                address -> new ChunkRequest.Read(address, offsetBytes, lengthBytes),
                null,
                always,
                received -> firstBad(received, offsetBytes, lengthBytes));
    }

    private static Piece piece(ChunkCall.Received received) {
        ReadReply reply = (ReadReply) received.reply();
        return new Piece(received.payload(), reply.offsetBytes(), reply.lengthBytes());
    }

    private ChunkCall start(
            ChunkPlace place,
            Function<ChunkAddress, ChunkRequest> request,
            @Nullable ByteBuf payload) {
        return start(place, request, payload, always);
    }

    private ChunkCall start(
            ChunkPlace place,
            Function<ChunkAddress, ChunkRequest> request,
            @Nullable ByteBuf payload,
            WritePermit permit) {
        ChunkCall call = new ChunkCall(this, place, request, payload, permit, null);
        call.attempt();
        return call;
    }

    private static <T> T expect(ChunkCall.Received received, Class<T> kind) {
        received.release();
        if (!kind.isInstance(received.reply())) {
            throw new FsException(
                    Errno.EPROTO, "a chunk server answered " + received.reply().getClass());
        }
        return kind.cast(received.reply());
    }

    /** Verifies a read: the offset of the first block that is wrong or missing, or -1. */
    private static int firstBad(ChunkCall.Received received, int offsetBytes, int lengthBytes) {
        if (!(received.reply() instanceof ReadReply reply)) {
            return offsetBytes;
        }
        int end = Math.min(offsetBytes + lengthBytes, reply.lengthBytes());
        if (end <= offsetBytes) {
            return -1;
        }
        ByteBuf payload = received.payload();
        int bytes = payload == null ? 0 : payload.readableBytes();
        if (payload == null
                || reply.offsetBytes() > offsetBytes
                || (reply.offsetBytes() & (BLOCK - 1)) != 0
                || reply.offsetBytes() + bytes < end
                || reply.crcs().length < (bytes + BLOCK - 1) / BLOCK) {
            return offsetBytes;
        }
        ByteBuffer blocks = payload.nioBuffer();
        for (int i = 0, at = 0; at < bytes; i++, at += BLOCK) {
            if (Crc32c.ofPadded(blocks, at, Math.min(BLOCK, bytes - at)) != reply.crcs()[i]) {
                return reply.offsetBytes() + at;
            }
        }
        return -1;
    }

    /** Tells a server that a block failed its checksum there. */
    void reportBad(ChunkConnections.Link connection, ChunkAddress address, int offsetBytes) {
        ChunkRequest report = new ChunkRequest.ReportBad(address, offsetBytes);
        Promises.whenDone(
                connection.call(Message.of(report::toBytes), settings.attemptTimeoutMs()),
                (answer, failure) -> {
                    if (answer != null) {
                        answer.release();
                    }
                });
    }

    void noteBad(ChunkPlace place, int target, FsException error) {
        LOG.warn("{} at target {}: {}; asking another replica", place, target, error.getMessage());
    }

    /** Which of several equal replicas to read: the same one for a chunk, spread over clients. */
    int preference(ChunkPlace place, int replicas) {
        // Mixed: heads alternate from group to group, in step with the chunks of a file.
        long mixed = (place.index() + spread) * GOLDEN_RATIO;
        return (int) Long.remainderUnsigned(mixed >>> Integer.SIZE, replicas);
    }

    /** How many replicas the group of a chunk has. */
    int replicas(ChunkPlace place) {
        PlacementGroup group = map().groupOf(place.layout(), place.index());
        return group == null ? 0 : group.members().size();
    }

    /** Epoch since when no acknowledged write of the group of a chunk can have been lost. */
    long unbrokenSince(ChunkPlace place) {
        PlacementGroup group = map().groupOf(place.layout(), place.index());
        return group == null ? 0 : group.unbrokenSince();
    }

    long epochOf(int groupId) {
        PlacementGroup group = map().group(groupId);
        return group == null ? 0 : group.epoch();
    }

    public ClusterMap map() {
        return view.map();
    }

    public CompletableFuture<ClusterMap> refresh() {
        return view.refresh();
    }

    ChunkConnections connections() {
        return connections;
    }

    ChunkOutage outage() {
        return outage;
    }

    /** Whether a target was slow, or could not be reached, a moment ago. */
    boolean avoids(int target) {
        ChunkServer server = map().serverOfTarget(target);
        return hedge.avoids(target) || (server != null && connections.isSuspect(Callee.of(server)));
    }

    RandomGenerator random() {
        return random;
    }

    void later(Runnable task, long delayMs) {
        scheduler.schedule(task, delayMs);
    }

    long deadlineMs() {
        return clock.millis() + settings.requestTimeoutMs();
    }

    long leftMs(long deadlineMs) {
        return deadlineMs - clock.millis();
    }

    long attemptTimeoutMs() {
        return 2 * settings.attemptTimeoutMs();
    }

    long requestTimeoutMs() {
        return settings.requestTimeoutMs();
    }

    /** Whether a layout can hold chunks at all: some chunk server has registered. */
    public static boolean canStore(@Nullable Layout layout) {
        return layout != null && layout.hasPool();
    }

    /** Closes the connections to all chunk servers. Idempotent. */
    @Override
    public void close() {
        if (direct != null) {
            direct.close();
        }
        connections.close();
    }
}
