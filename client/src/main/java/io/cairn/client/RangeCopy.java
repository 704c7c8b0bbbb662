package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.Zeros;
import io.cairn.fs.Attributes;
import io.cairn.runtime.PendingRequest;
import java.nio.ByteBuffer;

/**
 * Copies a range between two open files of one mount: through its caches and buffers, so that what
 * was written here and not stored yet is copied, too. Holes stay holes. A call ends after some
 * bytes, and when its process got a signal: programs go on from there. Blocking; for one thread.
 */
final class RangeCopy {
    private static final int PIECE_BYTES = 1 << 20;

    /** Bytes that one call moves; holes do not count. */
    private static final long MAX_MOVED_BYTES = 64L << 20;

    /** Zeros become a hole when they are so many, in a source that has holes. */
    private static final int HOLE_BYTES = 64 << 10;

    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;

    private final ClientFile source;
    private final ClientFile target;
    private final boolean hasHoles;
    private final ByteBuffer piece;
    private boolean mayBeHole;
    private long movedBytes;

    /** A copy of a range of a length. */
    RangeCopy(ClientFile source, ClientFile target, long lengthBytes) {
        this.source = source;
        this.target = target;
        Attributes known = source.attributes();
        hasHoles = known.usedBytes() < known.size();
        mayBeHole = hasHoles;
        piece = ByteBuffer.allocate((int) Math.min(lengthBytes, PIECE_BYTES));
    }

    /** Bytes copied; fails when there were none. */
    long copy(long from, long to, long lengthBytes) {
        long done = 0;
        try {
            while (done < lengthBytes
                    && movedBytes < MAX_MOVED_BYTES
                    && (done == 0 || !PendingRequest.isCurrentInterrupted())) {
                long step = step(from + done, to + done, lengthBytes - done);
                if (step == 0) {
                    break;
                }
                done += step;
            }
        } catch (FsException e) {
            if (done == 0 || PendingRequest.isCurrentCancelled()) {
                throw e;
            }
        }
        return done;
    }

    private long step(long from, long to, long left) {
        if (mayBeHole) {
            long hole = holeBytes(from, left);
            if (hole > 0) {
                makeHole(to, hole);
                return hole;
            }
            mayBeHole = false;
        }
        piece.clear().limit((int) Math.min(left, PIECE_BYTES));
        if (source.read(from, piece) == 0) {
            return 0;
        }
        piece.flip();
        if (hasHoles) {
            int zeros = partBytes(true);
            if (zeros > 0) {
                makeHole(to, zeros);
                mayBeHole = true;
                return zeros;
            }
            piece.limit(partBytes(false));
        }
        int count = piece.remaining();
        target.write(to, piece, false);
        movedBytes += count;
        return count;
    }

    /** How many bytes from an offset on are a hole, at most to the end of the file. */
    private long holeBytes(long from, long left) {
        long dataAt;
        try {
            dataAt = source.seek(from, true);
        } catch (FsException e) {
            if (e.errno() != Errno.ENXIO) {
                throw e;
            }
            dataAt = source.attributes().size();
        }
        return Math.clamp(dataAt - from, 0, left);
    }

    /** How long the first part of the piece is that is all zeros, or has none of such parts. */
    private int partBytes(boolean isZero) {
        int end = 0;
        while (end < piece.limit()) {
            int length = Math.min(HOLE_BYTES, piece.limit() - end);
            if (Zeros.isZero(piece.slice(end, length)) != isZero) {
                break;
            }
            end += length;
        }
        return end;
    }

    private void makeHole(long at, long lengthBytes) {
        long end = at + lengthBytes;
        long size = target.attributes().size();
        if (at < size) {
            target.allocate(PUNCH_HOLE | KEEP_SIZE, at, Math.min(end, size) - at);
        }
        if (end > size) {
            target.extend(end);
        }
    }
}
