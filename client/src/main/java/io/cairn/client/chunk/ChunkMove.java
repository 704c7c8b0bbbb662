package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.MasterChannel;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.wire.Crc32c;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import io.cairn.wire.master.ContentMutation.MoveChunks;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Moves chunks of one file to other disks, as {@link MoveChunks} says: copies them, makes the
 * copies durable, and has the file go on with them. Nobody may write to these chunks meanwhile.
 * Blocking; for one thread, which ends it in any case.
 */
public final class ChunkMove {
    /** Copies that are not made by then are given up: writers wait, and not for longer. */
    private static final long COPY_MS = 20_000;

    private final MasterChannel master;
    private final ChunkIo io;
    private final ClientRuntime runtime;
    private final Inode inode;
    private final List<ChunkSource> from;
    private final int stillMs;
    private final WritePermit permit;
    private long copyIno;
    private volatile boolean ended;

    /**
     * A move.
     *
     * @param inode the file, as it has to be when the move is done
     * @param from where the chunks are, in ascending order; at least one
     * @param stillMs for how long others keep still who were asked to, in milliseconds
     */
    public ChunkMove(
            MasterChannel master,
            ChunkIo io,
            ClientRuntime runtime,
            Inode inode,
            List<ChunkSource> from,
            int stillMs) {
        this.master = master;
        this.io = io;
        this.runtime = runtime;
        this.inode = inode;
        this.from = List.copyOf(from);
        this.stillMs = stillMs;
        this.permit = new WritePermit(master.session(), 0);
    }

    /**
     * Makes the copies; they are durable on all current replicas then.
     *
     * @return the object that has them
     * @throws FsException what failed; ETIMEDOUT when it takes too long
     */
    public long makeCopies() {
        Inode copy = Await.expect(master.change(step(0)), Reply.EntryReply.class).inode();
        copyIno = copy.ino();
        Layout there = copy.layout();
        if (there == null) {
            throw new FsException(Errno.EPROTO, "inode " + copyIno + " has no place for chunks");
        }
        CompletableFuture<?>[] copies =
                from.stream()
                        .map(source -> copy(source, there, 0, WriteMarks.NONE))
                        .toArray(CompletableFuture<?>[]::new);
        CompletableFuture<Void> made = CompletableFuture.allOf(copies);
        keepStill(made);
        Await.get(
                Promises.within(made, runtime.scheduler(), COPY_MS),
                io.requestTimeoutMs() + COPY_MS);
        return there.lastOid();
    }

    /** Others keep still until the copies are made: they are asked again before they go on. */
    private void keepStill(CompletableFuture<Void> made) {
        runtime.scheduler()
                .schedule(
                        () -> {
                            if (!made.isDone() && !ended) {
                                Query still = new Query.HoldStill(inode.ino(), stillMs);
                                Promises.whenDone(master.query(still), (_, _) -> {});
                                keepStill(made);
                            }
                        },
                        stillMs / 3);
    }

    /** Has the file go on with the copies; what the master says, ESTALE if it is another one. */
    public Reply finish() {
        return master.change(step(copyIno));
    }

    /** Gives up what was not finished. Idempotent. */
    public void end() {
        ended = true;
        permit.withdraw();
        if (copyIno != 0) {
            master.release(copyIno);
            copyIno = 0;
        }
    }

    private MoveChunks step(long copy) {
        long[] chunks = from.stream().mapToLong(source -> source.place().index()).toArray();
        return new MoveChunks(inode.ino(), inode.attributes().version(), copy, chunks);
    }

    private CompletableFuture<Void> copy(
            ChunkSource source, Layout there, int offset, WriteMarks marks) {
        ChunkPlace to = new ChunkPlace(there, there.lastOid(), source.place().index());
        int limit = (int) Math.min(source.lengthBytes(), there.chunkSizeBytes());
        if (offset >= limit) {
            return flush(to, marks);
        }
        int length = Math.min(WriteBack.WINDOW_BYTES, limit - offset);
        return Promises.then(
                io.read(source.place(), offset, length),
                piece -> {
                    int end = Math.min(offset + length, piece.chunkLengthBytes());
                    ByteBuffer bytes = ByteBuffer.allocate(Math.max(0, end - offset));
                    piece.copyTo(offset, bytes);
                    piece.release();
                    int next = end < offset + length ? limit : offset + length;
                    ByteBuffer data = withoutZeros(bytes.flip());
                    return data.hasRemaining()
                            ? Promises.then(
                                    write(to, offset + data.position(), data.slice()),
                                    reply -> copy(source, there, next, with(marks, to, reply)))
                            : copy(source, there, next, marks);
                });
    }

    /** Without whole blocks of zeros at both ends: a chunk with holes takes no more room there. */
    private static ByteBuffer withoutZeros(ByteBuffer bytes) {
        int end = bytes.limit();
        while (end > 0 && bytes.get(end - 1) == 0) {
            end--;
        }
        int begin = 0;
        while (begin < end && bytes.get(begin) == 0) {
            begin++;
        }
        return bytes.limit(end).position(Math.min(end, begin / ChunkIo.BLOCK * ChunkIo.BLOCK));
    }

    private CompletableFuture<WriteReply> write(ChunkPlace to, int offset, ByteBuffer bytes) {
        int[] crcs = Crc32c.ofPieces(bytes, offset);
        return io.write(to, io.newOperation(), offset, Unpooled.wrappedBuffer(bytes), crcs, permit);
    }

    private WriteMarks with(WriteMarks marks, ChunkPlace to, WriteReply reply) {
        return reply.sequence() == 0
                ? marks
                : marks.with(new WriteMark(reply.epoch(), reply.sequence()), io.unbrokenSince(to));
    }

    private CompletableFuture<Void> flush(ChunkPlace to, WriteMarks marks) {
        return marks.list().isEmpty()
                ? Promises.DONE
                : io.flush(to, marks.list()).thenAccept(_ -> {});
    }
}
