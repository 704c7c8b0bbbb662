package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Message;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.HeadRequest;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.chunk.Ticket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A chunk server that keeps chunks in memory, alone in all its groups. Does what the seam says of
 * epochs, checksums, repeated operations and lengths. Used on the network's thread only, apart from
 * the settings.
 */
public final class FakeChunkServer implements Handler {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private static final class Chunk {
        byte[] bytes = new byte[0];
        long sequence;
        final Map<OperationId, ChunkReply.WriteReply> done = new HashMap<>();
    }

    private final LongUnaryOperator epochOfGroup;
    private final Map<ChunkKey, Chunk> chunks = new HashMap<>();

    /** Of these others were made, or they were deleted: they take no writes. */
    private final Set<ChunkKey> sealed = new HashSet<>();

    public final Set<ChunkKey> flushed = new HashSet<>();
    volatile boolean corrupt;

    /** What reads fail with; null when they do not. */
    volatile @Nullable Errno failure;

    /** Groups of which another server is the head, and a write is under way. */
    volatile IntPredicate follows = group -> false;

    volatile boolean full;

    /** With what requests of several writes fail; null: they do not. */
    volatile @Nullable Errno pieceRefusal;

    /** What was written in epochs before this one was lost with the power. */
    volatile long lostBeforeEpoch;

    /** Throws what is to be said to a ticket. */
    public volatile Consumer<Ticket> ticketCheck = _ -> {};

    final AtomicInteger reportedBad = new AtomicInteger();
    final AtomicInteger reads = new AtomicInteger();
    final AtomicInteger finds = new AtomicInteger();
    final AtomicInteger writes = new AtomicInteger();

    /** Requests that brought several writes. */
    final AtomicInteger batches = new AtomicInteger();

    final AtomicInteger unalignedWrites = new AtomicInteger();

    FakeChunkServer(LongUnaryOperator epochOfGroup) {
        this.epochOfGroup = epochOfGroup;
    }

    @Override
    public void handle(Connection from, Message message, Answer answer) {
        ByteBuf payload = message.payload();
        try {
            ChunkRequest request = ChunkRequest.decode(new Decoder(message.header()));
            ticketCheck.accept(request.chunk().ticket());
            switch (request) {
                case ChunkRequest.Write m -> reply(answer, write(m, payload));
                case HeadRequest.WritePieces m -> reply(answer, writePieces(m, payload));
                case ChunkRequest.Read m -> read(m, answer);
                case ChunkRequest.Flush m -> reply(answer, flush(m));
                case ChunkRequest.Zero m -> reply(answer, zero(m));
                case ChunkRequest.Clone m -> reply(answer, cloneFrom(m));
                case ChunkRequest.StatChunk m -> reply(answer, stat(m));
                case ChunkRequest.SeekChunk m -> reply(answer, seek(m));
                case ChunkRequest.FindChunks m -> reply(answer, find(m));
                case ChunkRequest.ReportBad ignored -> {
                    reportedBad.incrementAndGet();
                    reply(answer, new ChunkReply.Done());
                }
                default -> throw new FsException(Errno.EPROTO, "not for a client: " + request);
            }
        } finally {
            message.release();
        }
    }

    private static void reply(Answer answer, ChunkReply reply) {
        answer.send(Message.of(reply::toBytes));
    }

    private void checkEpoch(ChunkAddress address) {
        if (epochOfGroup.applyAsLong(address.group()) != address.epoch()) {
            throw new FsException(Errno.WRONG_EPOCH);
        }
    }

    private static ChunkKey key(ChunkAddress address) {
        return new ChunkKey(address.oid(), address.index());
    }

    private ChunkReply writePieces(HeadRequest.WritePieces m, ByteBuf payload) {
        Errno refusal = pieceRefusal;
        if (refusal != null) {
            throw new FsException(refusal, "one of several is refused");
        }
        batches.incrementAndGet();
        ChunkReply.WriteReply last = new ChunkReply.WriteReply(0, 0, 0, 0);
        int allocated = 0;
        int at = payload.readerIndex();
        for (HeadRequest.WritePieces.Piece piece : m.pieces()) {
            ChunkRequest.Write one =
                    new ChunkRequest.Write(
                            m.chunk(), piece.operation(), piece.offsetBytes(), piece.crcs());
            last = write(one, payload.slice(at, piece.lengthBytes()));
            allocated += last.allocatedDeltaBytes();
            at += piece.lengthBytes();
        }
        return new ChunkReply.WriteReply(
                last.sequence(), last.lengthBytes(), allocated, last.epoch());
    }

    private ChunkReply.WriteReply write(ChunkRequest.Write m, ByteBuf payload) {
        checkEpoch(m.chunk());
        if (full) {
            throw new FsException(Errno.ENOSPC, "the disk is full");
        }
        Chunk present = chunks.get(key(m.chunk()));
        ChunkReply.WriteReply before = present == null ? null : present.done.get(m.operation());
        if (before != null) {
            return before;
        }
        requireOpen(m.chunk());
        Chunk chunk = present == null ? new Chunk() : present;
        chunks.put(key(m.chunk()), chunk);
        ByteBuffer data = payload.nioBuffer();
        int length = data.remaining();
        int end = m.offsetBytes() + length;
        if (end > 1 << m.chunk().chunkSizeLog2() || length > Limits.MAX_IO_BYTES) {
            throw new FsException(Errno.EINVAL, "a write across the end of a chunk");
        }
        if (!Arrays.equals(m.crcs(), Crc32c.ofPieces(data, m.offsetBytes()))) {
            throw new FsException(Errno.EBADMSG);
        }
        writes.incrementAndGet();
        if (m.offsetBytes() % BLOCK != 0) {
            unalignedWrites.incrementAndGet();
        }
        int old = chunk.bytes.length;
        chunk.bytes = Arrays.copyOf(chunk.bytes, Math.max(old, end));
        data.get(chunk.bytes, m.offsetBytes(), length);
        chunk.sequence++;
        flushed.remove(key(m.chunk()));
        ChunkReply.WriteReply reply =
                new ChunkReply.WriteReply(
                        chunk.sequence,
                        chunk.bytes.length,
                        Math.max(0, end - old),
                        m.chunk().epoch());
        chunk.done.put(m.operation(), reply);
        return reply;
    }

    private void read(ChunkRequest.Read m, Answer answer) {
        reads.incrementAndGet();
        checkEpoch(m.chunk());
        if (follows.test(m.chunk().group())) {
            throw new FsException(Errno.NOT_HEAD);
        }
        Errno fails = failure;
        if (fails != null) {
            throw new FsException(fails, "the chunk is damaged");
        }
        Chunk chunk = chunks.get(key(m.chunk()));
        int length = chunk == null ? 0 : chunk.bytes.length;
        int from = m.offsetBytes() / BLOCK * BLOCK;
        int wanted = (m.offsetBytes() + m.lengthBytes() + BLOCK - 1) / BLOCK * BLOCK;
        int to = Math.min(wanted, length);
        if (chunk == null || from >= to) {
            reply(answer, new ChunkReply.ReadReply(from, length, new int[0]));
            return;
        }
        ByteBuf payload = Unpooled.copiedBuffer(chunk.bytes, from, to - from);
        int[] crcs = new int[(to - from + BLOCK - 1) / BLOCK];
        for (int i = 0; i < crcs.length; i++) {
            int at = i * BLOCK;
            crcs[i] = Crc32c.ofPadded(payload.nioBuffer(), at, Math.min(BLOCK, to - from - at));
        }
        if (corrupt) {
            payload.setByte(0, payload.getByte(0) + 1);
        }
        answer.send(new Message(new ChunkReply.ReadReply(from, length, crcs)::toBytes, payload));
    }

    private ChunkReply flush(ChunkRequest.Flush m) {
        checkEpoch(m.chunk());
        if (m.marks().stream().anyMatch(mark -> mark.epoch() < lostBeforeEpoch)) {
            throw new FsException(Errno.EIO, m.marks() + " are lost");
        }
        flushed.add(key(m.chunk()));
        Chunk chunk = chunks.get(key(m.chunk()));
        return chunk == null
                ? new ChunkReply.WriteReply(0, 0, 0, 0)
                : new ChunkReply.WriteReply(chunk.sequence, chunk.bytes.length, 0, 1);
    }

    private ChunkReply zero(ChunkRequest.Zero m) {
        checkEpoch(m.chunk());
        Chunk chunk = chunks.get(key(m.chunk()));
        if (chunk == null) {
            return new ChunkReply.WriteReply(0, 0, 0, 0);
        }
        requireOpen(m.chunk());
        int from = Math.min(m.offsetBytes(), chunk.bytes.length);
        int to = Math.min(m.offsetBytes() + m.lengthBytes(), chunk.bytes.length);
        Arrays.fill(chunk.bytes, from, to, (byte) 0);
        chunk.sequence++;
        return new ChunkReply.WriteReply(chunk.sequence, chunk.bytes.length, 0, 1);
    }

    private void requireOpen(ChunkAddress chunk) {
        if (sealed.contains(key(chunk))) {
            throw new FsException(Errno.ESTALE, "the chunk was cloned");
        }
    }

    private ChunkReply cloneFrom(ChunkRequest.Clone m) {
        checkEpoch(m.chunk());
        Chunk chunk = chunks.get(key(m.chunk()));
        if (chunk == null) {
            ChunkKey from = new ChunkKey(m.sourceOid(), m.chunk().index());
            sealed.add(from);
            Chunk source = chunks.get(from);
            chunk = new Chunk();
            byte[] old = source == null ? new byte[0] : source.bytes;
            chunk.bytes = Arrays.copyOf(old, Math.min(old.length, m.lengthBytes()));
            chunk.sequence = 1;
            chunks.put(key(m.chunk()), chunk);
        }
        return new ChunkReply.WriteReply(chunk.sequence, chunk.bytes.length, 0, 1);
    }

    private ChunkReply stat(ChunkRequest.StatChunk m) {
        ChunkAddress a = m.chunk();
        Chunk chunk = chunks.get(key(a));
        long sequence = chunk == null ? 0 : chunk.sequence;
        int length = chunk == null ? 0 : chunk.bytes.length;
        return new ChunkReply.StatReply(
                new ChunkState(a.oid(), a.index(), a.chunkSizeLog2(), a.epoch(), sequence, length),
                length);
    }

    /** Whatever group they are in: the asker takes them together. */
    private ChunkReply find(ChunkRequest.FindChunks m) {
        checkEpoch(m.chunk());
        finds.incrementAndGet();
        long[] all =
                m.ranges().stream()
                        .flatMapToLong(
                                range ->
                                        chunks.keySet().stream()
                                                .filter(key -> key.oid() == range.oid())
                                                .mapToLong(ChunkKey::index)
                                                .filter(i -> i >= range.fromIndex())
                                                .filter(i -> i < range.endIndex()))
                        .sorted()
                        .toArray();
        boolean end = all.length <= m.max();
        return new ChunkReply.IndicesReply(Arrays.copyOf(all, Math.min(all.length, m.max())), end);
    }

    private ChunkReply seek(ChunkRequest.SeekChunk m) {
        Chunk chunk = chunks.get(key(m.chunk()));
        byte[] bytes = chunk == null ? new byte[0] : chunk.bytes;
        for (int at = m.offsetBytes(); at < bytes.length; at = (at / BLOCK + 1) * BLOCK) {
            int block = at / BLOCK * BLOCK;
            boolean data = false;
            for (int i = block; i < Math.min(block + BLOCK, bytes.length); i++) {
                data |= bytes[i] != 0;
            }
            if (data == m.data()) {
                return new ChunkReply.OffsetReply(at);
            }
        }
        return new ChunkReply.OffsetReply(-1);
    }

    /** Deletes chunks; as on a real server they do not come back. */
    void delete(long oid, long fromChunk, long endChunk) {
        for (ChunkKey key : List.copyOf(chunks.keySet())) {
            if (key.oid() == oid && key.index() >= fromChunk && key.index() < endChunk) {
                chunks.remove(key);
                sealed.add(key);
            }
        }
    }
}
