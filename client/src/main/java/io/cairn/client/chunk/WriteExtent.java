package io.cairn.client.chunk;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.trace.Scope;
import io.cairn.trace.Span;
import io.cairn.wire.chunk.HeadRequest.WritePieces;
import io.cairn.wire.chunk.OperationId;
import io.netty.buffer.ByteBuf;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A piece of written data that is not yet at the chunk servers. Guarded by the lock of its inode.
 *
 * <p>Open (more may be merged into it), then sealed, then in flight, then gone. Lies inside one
 * chunk and one window of {@link WriteBack#WINDOW_BYTES}.
 */
final class WriteExtent {
    /** The place that is found may be full, too. */
    private static final int MAX_ROOM_SEARCHES = 3;

    /** Order of arrival: of two that overlap the younger one wins. */
    final long number;

    /** Where it begins in the file. */
    final long offset;

    /** The bytes, from index 0 to the writer index. */
    ByteBuf data;

    /** Bytes that the pool counts for it. */
    long reservedBytes;

    boolean sealed;
    boolean inFlight;
    int @Nullable [] crcs;
    @Nullable OperationId operation;

    /** The operation that sends it; while that is none, the one that began it. */
    private Span span = Scope.current();

    /** Where the file was cut while it was in flight: what is behind does not count. */
    long keptEnd = Long.MAX_VALUE;

    /** Whether it goes again although it may have arrived: its chunk is about to be elsewhere. */
    boolean recalled;

    /** Whether the master was asked where the file is since the extent was refused. */
    private boolean looked;

    /** How often another place was looked for because a disk is full. */
    private int roomSearches;

    /** Whether it stays in flight while another place is looked for. */
    private volatile boolean waitingForRoom;

    /** Set when it is sent. */
    @Nullable WritePermit permit;

    /** Its writer was told that it is lost: whether it arrives does not matter. */
    boolean abandoned;

    WriteExtent(long number, long offset, ByteBuf data, long reservedBytes) {
        this.number = number;
        this.offset = offset;
        this.data = data;
        this.reservedBytes = reservedBytes;
    }

    /** Nothing is merged into it any more. */
    void seal() {
        sealed = true;
        Span sealer = Scope.current();
        if (sealer.context() != null) {
            span = sealer;
        }
    }

    /**
     * It was refused: whether another place is to be looked for before that counts. From the thread
     * with the answer, without the lock.
     */
    boolean looksElsewhere(FsException refusal) {
        boolean isFull = refusal.errno() == Errno.ENOSPC;
        if (looked
                || !WriteOwner.mayBeElsewhere(refusal)
                || (isFull && ++roomSearches > MAX_ROOM_SEARCHES)) {
            return false;
        }
        looked = true;
        waitingForRoom = isFull;
        return true;
    }

    /** Whether a full disk refused it, and another place is looked for. */
    boolean isWaitingForRoom() {
        return inFlight && waitingForRoom;
    }

    /** It goes to where the file is now. */
    void goAgain() {
        recalled = false;
        inFlight = false;
        looked = false;
        waitingForRoom = false;
    }

    /** No further try to send it is made. */
    void withdraw() {
        if (permit != null) {
            permit.withdraw();
        }
    }

    /** Its bytes as they are, to be released by the caller. */
    ByteBuf bytes() {
        return data.retainedSlice(0, length());
    }

    /** The permit that it was sent with. */
    WritePermit permit() {
        return Objects.requireNonNull(permit, "not sent yet");
    }

    /** The write of its bytes to a chunk, once it is sealed. */
    WritePieces.Piece piece(ChunkPlace place) {
        int inChunk = (int) (offset & (place.layout().chunkSizeBytes() - 1));
        return new WritePieces.Piece(
                Objects.requireNonNull(operation, "not sealed"),
                inChunk,
                length(),
                Objects.requireNonNull(crcs, "not sealed"));
    }

    Span span() {
        return span;
    }

    int length() {
        return data.writerIndex();
    }

    long end() {
        return offset + data.writerIndex();
    }

    /** Ends at an offset from now on; what was behind it. */
    WriteExtent split(long at) {
        int head = (int) (at - offset);
        ByteBuf tail = data.retainedSlice(head, length() - head);
        // With its number: who drains the one waits for the other.
        WriteExtent rest = new WriteExtent(number, at, tail, 0);
        data = data.slice(0, head);
        return rest;
    }

    boolean overlaps(long from, long to) {
        return offset < to && from < end();
    }
}
