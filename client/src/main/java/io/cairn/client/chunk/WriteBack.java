package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Stripe;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * The written data of one inode that is on its way to the chunk servers.
 *
 * <p>Sequential writes are collected in extents that end at multiples of 1 MiB (or at the end of
 * the chunk), so that the head of the group gets whole blocks; several are in flight at a time.
 * Extents of one chunk that wait until others are answered go with one request. Of two extents that
 * overlap the younger one is not sent before the older one is answered, so a resend can never undo
 * a later write.
 *
 * <p>Guarded by the lock of its owner: every method is called with it held, and answers take it
 * themselves. Nothing here blocks; {@link #put} says when there is no room.
 */
public final class WriteBack {
    /** Extents end at multiples of this. */
    public static final int WINDOW_BYTES = Limits.MAX_IO_BYTES;

    /** Requests with extents of one inode on their way at a time. */
    public static final int MAX_IN_FLIGHT = 16;

    /** Open extents of a file that is written in many places; the oldest goes out beyond it. */
    private static final int MAX_OPEN = 64;

    private static final int SMALLEST_BUFFER_BYTES = 16 << 10;

    private final WriteOwner owner;
    private final ChunkIo io;
    private final BufferPool pool;
    private final ExtentQueue extents = new ExtentQueue();
    private long lastNumber;
    private long sequentialEnd = -1;
    private int inFlight;
    private int pauses;

    public WriteBack(WriteOwner owner, ChunkIo io, BufferPool pool) {
        this.owner = owner;
        this.io = io;
        this.pool = pool;
    }

    public boolean isEmpty() {
        return extents.isEmpty();
    }

    /** The number of the youngest extent there ever was. */
    public long lastNumber() {
        return lastNumber;
    }

    /** Whether all extents up to a number are at the servers. */
    public boolean isDrained(long upTo) {
        return extents.oldest() > upTo;
    }

    public int count() {
        return extents.count();
    }

    /** The end of the last byte held here; 0 when there is none. */
    public long end() {
        long end = 0;
        for (WriteExtent extent : extents.all()) {
            end = extent.abandoned ? end : Math.max(end, extent.end());
        }
        return end;
    }

    /** The end of the window and chunk that an offset lies in. */
    private long windowEnd(long offset) {
        return (offset / windowBytes() + 1) * windowBytes();
    }

    private long windowBytes() {
        return Math.min(WINDOW_BYTES, owner.layout().chunkSizeBytes());
    }

    /**
     * Takes bytes from the source, at most up to the end of a window.
     *
     * @param always goes beyond the limit of the pool rather than to refuse
     * @return bytes taken; 0 when the pool has no room
     */
    public int put(long offset, ByteBuffer source, boolean always) {
        int length = (int) Math.min(source.remaining(), windowEnd(offset) - offset);
        WriteExtent extent = extents.openAt(offset, length, windowBytes());
        if (extent == null) {
            extent = open(offset, length, always);
        } else if (!grow(extent, (int) (offset - extent.offset) + length, always)) {
            return 0;
        }
        if (extent == null) {
            return 0;
        }
        int at = (int) (offset - extent.offset);
        ByteBuffer part = source.slice(source.position(), length);
        extent.data.setBytes(at, part);
        source.position(source.position() + length);
        extent.data.writerIndex(Math.max(extent.length(), at + length));
        if (extent.end() == windowEnd(extent.offset)) {
            sequentialEnd = extent.end();
            seal(extent);
            submit();
        }
        return length;
    }

    private @Nullable WriteExtent open(long offset, int length, boolean always) {
        int room = (int) (windowEnd(offset) - offset);
        int capacity =
                offset == sequentialEnd
                        ? room
                        : Math.min(room, Math.max(SMALLEST_BUFFER_BYTES, length));
        if (!reserve(capacity, always)) {
            return null;
        }
        WriteExtent oldest = extents.oldestOpen();
        if (oldest != null && extents.openCount() >= MAX_OPEN) {
            seal(oldest);
            submit();
        }
        WriteExtent extent =
                new WriteExtent(++lastNumber, offset, pool.allocate(capacity), capacity);
        extents.add(extent);
        return extent;
    }

    private boolean grow(WriteExtent extent, int needed, boolean always) {
        int capacity = extent.data.capacity();
        if (needed <= capacity) {
            return true;
        }
        int room = (int) (windowEnd(extent.offset) - extent.offset);
        int wanted = (int) Math.min(room, Math.max(needed, 4L * capacity));
        if (!reserve(wanted, always)) {
            return false;
        }
        ByteBuf larger = pool.allocate(wanted);
        larger.writeBytes(extent.data, 0, extent.length());
        extent.data.release();
        pool.free(extent.reservedBytes);
        extent.data = larger;
        extent.reservedBytes = wanted;
        return true;
    }

    private boolean reserve(int bytes, boolean always) {
        if (pool.tryReserve(bytes)) {
            return true;
        }
        if (always) {
            pool.reserve(bytes);
        }
        return always;
    }

    private void seal(WriteExtent extent) {
        extent.seal();
        extents.sealed(extent);
        extent.operation = io.newOperation();
        long inChunk = extent.offset & (owner.layout().chunkSizeBytes() - 1);
        extent.crcs = Crc32c.ofPieces(extent.data.nioBuffer(0, extent.length()), inChunk);
    }

    /** Sends all that is here. */
    public void sendAll() {
        extents.open().forEach(this::seal);
        submit();
    }

    /** Sends all that is here now; the promise is kept when none of it is left. */
    public CompletableFuture<Void> drain() {
        sendAll();
        if (extents.isEmpty()) {
            return Promises.DONE;
        }
        return extents.drain(lastNumber);
    }

    /** Forgets what was not sent yet at and beyond an offset: it is being truncated. */
    public void discardFrom(long offset) {
        for (WriteExtent extent : List.copyOf(extents.all())) {
            if (!extent.inFlight && extent.offset >= offset) {
                remove(extent);
            }
        }
    }

    /** Forgets what is at and beyond an offset: others have cut it off. */
    public void cut(long size) {
        for (WriteExtent extent : List.copyOf(extents.all())) {
            if (extent.inFlight) {
                // Looked at when it is answered: from there on only what is left counts.
                extent.keptEnd = Math.min(extent.keptEnd, size);
                extent.abandoned |= extent.offset >= size;
            } else if (extent.offset >= size) {
                remove(extent);
            } else if (extent.end() > size) {
                shorten(extent, size);
            }
        }
    }

    private void shorten(WriteExtent extent, long end) {
        extent.data.writerIndex((int) (end - extent.offset));
        if (extent.sealed) {
            seal(extent);
        }
    }

    /** An extent went to where the file is no more: it is sent once more. */
    private boolean goesAgain(WriteExtent extent, ChunkPlace place) {
        if (extent.abandoned || (!extent.recalled && place.isIn(owner.layout()))) {
            return false;
        }
        extent.goAgain();
        shorten(extent, Math.min(extent.keptEnd, extent.end()));
        rechunk();
        return true;
    }

    /**
     * Sends nothing until {@link #resume}; pauses count. An extent that is on its way and ends
     * beyond an offset goes again then, also if it arrives.
     */
    public void pause(long offset) {
        pauses++;
        for (WriteExtent extent : extents.all()) {
            if (extent.inFlight && extent.end() > offset) {
                extent.recalled = true;
                extent.withdraw();
            }
        }
    }

    /** Ends one pause; without any other it sends again. */
    public void resume() {
        pauses--;
        submit();
    }

    /** Whether some chunks have anything here for a group that does not serve, or has no room. */
    public boolean isBlocked(LongPredicate chunks) {
        ClusterMap map = io.map();
        Layout layout = owner.layout();
        for (WriteExtent extent : extents.all()) {
            long index = layout.chunkOf(extent.offset);
            boolean isStuck =
                    extent.isWaitingForRoom() || Stripe.isBlocked(map, layout, index, index);
            if (!extent.abandoned && isStuck && chunks.test(index)) {
                return true;
            }
        }
        return false;
    }

    /** Forgets everything, and sends nothing of it again. */
    public void abandon() {
        discardFrom(0);
        for (WriteExtent extent : extents.all()) {
            extent.abandoned = true;
            extent.withdraw();
        }
    }

    private void remove(WriteExtent extent) {
        extents.remove(extent);
        extent.data.release();
        pool.free(extent.reservedBytes);
    }

    /** The layout has another chunk size: cuts what lies across a border of chunks. */
    public void rechunk() {
        long chunkBytes = owner.layout().chunkSizeBytes();
        List<WriteExtent> ordered = new ArrayList<>();
        for (WriteExtent extent : extents.all()) {
            WriteExtent part = extent;
            while (part != null) {
                ordered.add(part);
                part = part.inFlight ? null : rest(part, chunkBytes);
            }
        }
        extents.replace(ordered);
    }

    /** Cuts an extent where its chunk ends; what is behind, null when it ends before. */
    private @Nullable WriteExtent rest(WriteExtent extent, long chunkBytes) {
        long border = (extent.offset / chunkBytes + 1) * chunkBytes;
        if (extent.end() <= border) {
            return null;
        }
        WriteExtent rest = extent.split(border);
        seal(extent);
        seal(rest);
        return rest;
    }

    private void submit() {
        WriteExtent next;
        while (pauses == 0 && inFlight < MAX_IN_FLIGHT && (next = nextReady()) != null) {
            send(next);
        }
    }

    /** A sealed extent that no older extent overlaps; open ones in the way of some are sealed. */
    private @Nullable WriteExtent nextReady() {
        List<WriteExtent> inTheWay = new ArrayList<>(0);
        for (WriteExtent extent : extents.waiting()) {
            WriteExtent older = extents.olderOverlapping(extent);
            if (older == null) {
                return extent;
            }
            if (!older.sealed) {
                inTheWay.add(older);
            }
        }
        for (WriteExtent each : inTheWay) {
            if (!each.sealed) {
                seal(each);
            }
        }
        return inTheWay.isEmpty() ? null : nextReady();
    }

    /** Sends an extent, and in the same request what else waits for its chunk. */
    private void send(WriteExtent first) {
        if (!Scope.is(first.span())) {
            Scope.run(first.span(), () -> send(first));
            return;
        }
        Layout layout = owner.layout();
        List<WriteExtent> batch = extents.batch(first, layout.chunkSizeBytes());
        for (WriteExtent extent : batch) {
            extent.inFlight = true;
            extents.sent(extent);
            extent.permit = owner.permit();
        }
        inFlight++;
        long index = layout.chunkOf(first.offset);
        ChunkPlace place = new ChunkPlace(layout, layout.runOf(index).oid(), index);
        Promises.whenDone(
                owner.prepare(place),
                (_, failure) -> {
                    if (failure != null) {
                        scatter(batch, extent -> answered(extent, place, null, failure));
                    } else if (batch.size() == 1) {
                        write(first, place);
                    } else {
                        write(batch, place);
                    }
                });
    }

    private void write(WriteExtent extent, ChunkPlace place) {
        WritePieces.Piece piece = extent.piece(place);
        ByteBuf data = extent.bytes();
        Promises.whenDone(
                io.write(
                        place,
                        piece.operation(),
                        piece.offsetBytes(),
                        data,
                        piece.crcs(),
                        extent.permit()),
                (reply, failure) -> answered(extent, place, reply, failure));
    }

    /** Writes several; when that fails each goes alone, as some may be stored, or could be. */
    private void write(List<WriteExtent> batch, ChunkPlace place) {
        ByteBuf data =
                Unpooled.wrappedBuffer(
                        batch.stream().map(WriteExtent::bytes).toArray(ByteBuf[]::new));
        WritePermit permit = WritePermit.ofAll(batch.stream().map(WriteExtent::permit).toList());
        List<WritePieces.Piece> pieces = batch.stream().map(e -> e.piece(place)).toList();
        Promises.whenDone(
                io.writePieces(place, pieces, data, permit),
                (reply, failure) -> {
                    if (reply != null) {
                        owner.locked(() -> settle(batch, place, reply))
                                .forEach(promise -> promise.complete(null));
                    } else if (Await.failure(failure).errno() == Errno.ETIMEDOUT) {
                        scatter(batch, extent -> answered(extent, place, null, failure));
                    } else {
                        scatter(batch, extent -> write(extent, place));
                    }
                });
    }

    /** From now on the extents of a batch are on their way each for itself. */
    private void scatter(List<WriteExtent> batch, Consumer<WriteExtent> way) {
        owner.locked(() -> inFlight += batch.size() - 1);
        batch.forEach(way);
    }

    private void answered(
            WriteExtent extent,
            ChunkPlace place,
            @Nullable WriteReply reply,
            @Nullable Throwable failure) {
        FsException error = reply == null ? Await.failure(failure) : null;
        if (error != null && extent.looksElsewhere(error)) {
            // The chunk is no more, belongs to a snapshot, or has no room: it may be elsewhere.
            Promises.whenDone(
                    owner.look(place, error),
                    (_, why) -> answered(extent, place, reply, WriteOwner.told(failure, why)));
            return;
        }
        owner.locked(
                        () -> {
                            end(extent, place, reply, error);
                            return settled();
                        })
                .forEach(promise -> promise.complete(null));
    }

    /** All extents of a batch are stored; the promises that are to be kept now. */
    private List<CompletableFuture<Void>> settle(
            List<WriteExtent> batch, ChunkPlace place, WriteReply reply) {
        WriteReply others = new WriteReply(reply.sequence(), reply.lengthBytes(), 0, reply.epoch());
        WriteReply next = reply;
        for (WriteExtent extent : batch) {
            end(extent, place, next, null);
            // What they allocated together is counted once, with the first one that counts.
            next = extent.abandoned ? next : others;
        }
        return settled();
    }

    private void end(
            WriteExtent extent,
            ChunkPlace place,
            @Nullable WriteReply reply,
            @Nullable FsException error) {
        if (!goesAgain(extent, place)) {
            gone(extent, place, reply, error);
        }
    }

    /** A request was answered; the promises that are to be kept now. */
    private List<CompletableFuture<Void>> settled() {
        inFlight--;
        // What comes next was not asked for by the operation that this one was sent for.
        Scope.run(Span.NONE, this::submit);
        return extents.drained();
    }

    private void gone(
            WriteExtent extent,
            ChunkPlace place,
            @Nullable WriteReply reply,
            @Nullable FsException error) {
        long end = Math.min(extent.end(), extent.keptEnd);
        remove(extent);
        if (extent.abandoned) {
            // Its writer knows.
        } else if (reply != null) {
            owner.written(place, end, reply);
        } else if (error != null) {
            owner.lost(error);
        }
    }

    /** The bytes held here of a range, oldest first, each retained for the reader. */
    public List<HeldBytes> held(long from, long to) {
        List<HeldBytes> held = List.of();
        for (WriteExtent extent : extents.within(from, to)) {
            held = held.isEmpty() ? new ArrayList<>(2) : held;
            held.add(new HeldBytes(extent.offset, extent.bytes()));
        }
        return held;
    }

    /** Whether any byte of a range is held here. */
    public boolean holds(long from, long to) {
        return !extents.within(from, to).isEmpty();
    }
}
