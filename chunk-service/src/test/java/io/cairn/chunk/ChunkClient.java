package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Peers;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Callee;
import io.cairn.net.Message;
import io.cairn.net.Principal.Role;
import io.cairn.net.Transport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.ReadReply;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequest.Flush;
import io.cairn.wire.chunk.ChunkRequest.Read;
import io.cairn.wire.chunk.ChunkRequest.StatChunk;
import io.cairn.wire.chunk.ChunkRequest.Write;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.chunk.ChunkRequest.Zero;
import io.cairn.wire.chunk.OperationId;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

/**
 * A client as the real one behaves: takes the map from the master, computes and checks checksums,
 * and sends an operation again, with the same identity, until it is answered.
 */
public final class ChunkClient {
    private static final long CALL_TIMEOUT_MS = 12_000;
    private static final long PAUSE_MS = 50;

    private final Peers peers;
    private final Scheduler scheduler;
    private final Clock clock;
    private final FakeMapMaster master;
    private final long session;
    private final Map<String, Set<WriteMark>> acknowledged = new ConcurrentHashMap<>();
    private long lastOperation;
    private long retryLimitMs = 60_000;

    ChunkClient(
            Transport transport,
            Scheduler scheduler,
            Clock clock,
            FakeMapMaster master,
            long session) {
        this.peers = new Peers(transport, new MasterNews(_ -> {}));
        this.scheduler = scheduler;
        this.clock = clock;
        this.master = master;
        this.session = session;
    }

    /** How long an operation is tried again. */
    public void setRetryLimitMs(long limitMs) {
        retryLimitMs = limitMs;
    }

    /** Does something after a while. */
    public void later(long delayMs, Runnable task) {
        scheduler.schedule(task, delayMs);
    }

    OperationId nextOperation() {
        return new OperationId(session, ++lastOperation);
    }

    public static ChunkAddress chunk(int group, long epoch, long oid, long index) {
        return new ChunkAddress(group, epoch, oid, index, ChunkCluster.CHUNK_LOG2);
    }

    /** Writes, until it is acknowledged. */
    public CompletableFuture<WriteReply> write(
            int group, long oid, long index, int offset, byte[] data) {
        OperationId operation = nextOperation();
        return again(
                        group,
                        epoch -> writing(chunk(group, epoch, oid, index), operation, offset, data),
                        WriteReply.class)
                .thenCompose(
                        reply ->
                                noted(group, marks(oid, index), reply)
                                        ? flush(group, oid, index, false)
                                                .handle((done, thrown) -> reply)
                                        : CompletableFuture.completedFuture(reply));
    }

    /** Writes to a chunk of another size than usual. */
    public CompletableFuture<WriteReply> write(ChunkAddress chunk, int offset, byte[] data) {
        OperationId operation = nextOperation();
        return again(
                chunk.group(),
                epoch ->
                        writing(
                                new ChunkAddress(
                                        chunk.group(),
                                        epoch,
                                        chunk.oid(),
                                        chunk.index(),
                                        chunk.chunkSizeLog2()),
                                operation,
                                offset,
                                data),
                WriteReply.class);
    }

    /** The address of a chunk in another epoch. */
    public static ChunkAddress inEpoch(ChunkAddress chunk, long epoch) {
        return new ChunkAddress(
                chunk.group(),
                epoch,
                chunk.oid(),
                chunk.index(),
                chunk.chunkSizeLog2(),
                chunk.snapshot(),
                chunk.ticket());
    }

    public static Message writing(
            ChunkAddress chunk, OperationId operation, int offset, byte[] data) {
        int[] crcs = Crc32c.ofPieces(ByteBuffer.wrap(data), offset);
        Write write = new Write(chunk, operation, offset, crcs);
        return new Message(write::toBytes, Unpooled.copiedBuffer(data));
    }

    /** Makes a range zeros. */
    public CompletableFuture<WriteReply> zero(
            int group, long oid, long index, int offset, int length) {
        return zero(group, oid, index, offset, length, nextOperation());
    }

    /** The same as an operation that may have been sent before. */
    public CompletableFuture<WriteReply> zero(
            int group, long oid, long index, int offset, int length, OperationId operation) {
        return again(
                group,
                epoch ->
                        Message.of(
                                new Zero(
                                                chunk(group, epoch, oid, index),
                                                operation,
                                                0,
                                                offset,
                                                length)
                                        ::toBytes),
                WriteReply.class);
    }

    /** Clones. */
    public CompletableFuture<WriteReply> cloneFrom(
            int group, long oid, long index, long sourceOid, int length) {
        return again(
                group,
                epoch ->
                        Message.of(
                                new ChunkRequest.Clone(
                                                chunk(group, epoch, oid, index),
                                                sourceOid,
                                                length,
                                                false)
                                        ::toBytes),
                WriteReply.class);
    }

    /**
     * Within a time without a stop of all servers the last write stands for all before it. Returns
     * whether there was such a stop before.
     */
    private boolean noted(int group, Set<WriteMark> marks, WriteReply reply) {
        long unbrokenSince = master.group(group).unbrokenSince();
        marks.removeIf(mark -> mark.epoch() >= unbrokenSince);
        boolean old = !marks.isEmpty();
        return marks.add(new WriteMark(reply.epoch(), reply.sequence())) && old;
    }

    private Set<WriteMark> marks(long oid, long index) {
        return acknowledged.computeIfAbsent(
                oid + "." + index, chunk -> ConcurrentHashMap.newKeySet());
    }

    /** Makes a chunk durable, with all writes acknowledged to this client since. */
    public CompletableFuture<WriteReply> flush(int group, long oid, long index) {
        return flush(group, oid, index, true);
    }

    private CompletableFuture<WriteReply> flush(
            int group, long oid, long index, boolean tellsLoss) {
        List<WriteMark> marks = List.copyOf(marks(oid, index));
        return again(
                        group,
                        epoch ->
                                Message.of(
                                        new Flush(chunk(group, epoch, oid, index), marks, false)
                                                ::toBytes),
                        WriteReply.class)
                .whenComplete(
                        (reply, thrown) -> {
                            boolean lost =
                                    thrown != null && Futures.failure(thrown).errno() == Errno.EIO;
                            if (reply != null || (lost && tellsLoss)) {
                                marks.forEach(marks(oid, index)::remove);
                            }
                        });
    }

    /** State of a chunk as the head tells it. */
    CompletableFuture<StatReply> stat(int group, long oid, long index) {
        return again(
                group,
                epoch -> Message.of(new StatChunk(chunk(group, epoch, oid, index))::toBytes),
                StatReply.class);
    }

    /** Reads from the head. */
    public CompletableFuture<byte[]> read(int group, long oid, long index, int offset, int length) {
        return attempt(
                        group,
                        clock.millis(),
                        epoch -> reading(group, epoch, oid, index, offset, length))
                .thenApply(reply -> bytes(reply, offset, length));
    }

    static Message reading(int group, long epoch, long oid, long index, int offset, int length) {
        return Message.of(new Read(chunk(group, epoch, oid, index), offset, length)::toBytes);
    }

    /** Reads from a certain server, once. */
    public CompletableFuture<byte[]> readFrom(
            int server, int group, long oid, int offset, int length) {
        Message read = reading(group, master.group(group).epoch(), oid, 0, offset, length);
        return ask(server, read).thenApply(reply -> bytes(reply, offset, length));
    }

    /** Asks a server once. */
    public CompletableFuture<Message> ask(int server, Message request) {
        return peers.call(
                new Callee(new Endpoint("c" + server, 9500), Role.CHUNK, ""),
                request,
                CALL_TIMEOUT_MS);
    }

    /** The bytes of a range, zeros beyond the end; EBADMSG when a checksum does not match. */
    static byte[] bytes(Message reply, int offset, int length) {
        try {
            ChunkReply decoded = ChunkReply.decode(new Decoder(reply.header()));
            if (!(decoded instanceof ReadReply read)) {
                throw new AssertionError("not a reply to a read: " + decoded);
            }
            byte[] blocks = new byte[reply.payloadBytes()];
            if (reply.payload() != null) {
                reply.payload().getBytes(reply.payload().readerIndex(), blocks);
            }
            for (int i = 0; i < read.crcs().length; i++) {
                int at = i * Limits.BLOCK_BYTES;
                int bytes = Math.min(Limits.BLOCK_BYTES, blocks.length - at);
                if (Crc32c.ofPadded(ByteBuffer.wrap(blocks), at, bytes) != read.crcs()[i]) {
                    throw new FsException(
                            Errno.EBADMSG, "block at " + (read.offsetBytes() + at) + " is bad");
                }
            }
            byte[] result = new byte[length];
            int from = offset - read.offsetBytes();
            int present = Math.min(length, blocks.length - from);
            if (present > 0) {
                System.arraycopy(blocks, from, result, 0, present);
            }
            return result;
        } finally {
            reply.release();
        }
    }

    private <T extends ChunkReply> CompletableFuture<T> again(
            int group, LongFunction<Message> request, Class<T> type) {
        return attempt(group, clock.millis(), request)
                .thenApply(
                        reply -> {
                            try {
                                Decoder in = new Decoder(reply.header());
                                return type.cast(ChunkReply.decode(in));
                            } finally {
                                reply.release();
                            }
                        });
    }

    private CompletableFuture<Message> attempt(
            int group, long startMs, LongFunction<Message> request) {
        PlacementGroup present = master.group(group);
        PlacementGroup.Member head = present.head();
        CompletableFuture<Message> reply =
                head == null
                        ? Futures.failed(Errno.NOT_READY, "no head")
                        : peers.call(
                                serverOf(head.targetId()),
                                request.apply(present.epoch()),
                                CALL_TIMEOUT_MS);
        return reply.exceptionallyCompose(
                thrown -> {
                    FsException error = Futures.failure(thrown);
                    boolean over = clock.millis() - startMs > retryLimitMs;
                    if (over || !error.errno().isTransient()) {
                        return CompletableFuture.failedFuture(error);
                    }
                    CompletableFuture<Void> pause = new CompletableFuture<>();
                    scheduler.schedule(() -> pause.complete(null), PAUSE_MS);
                    return pause.thenCompose(done -> attempt(group, startMs, request));
                });
    }

    private Callee serverOf(int targetId) {
        return Callee.of(Objects.requireNonNull(master.map().serverOfTarget(targetId)));
    }
}
