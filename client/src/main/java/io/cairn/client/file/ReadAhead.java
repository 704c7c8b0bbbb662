package io.cairn.client.file;

import io.cairn.client.chunk.BufferPool;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.session.Promises;
import io.cairn.wire.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Pieces that are fetched ahead of one sequential reader. The window grows with the bytes read in
 * the run, from 128 KiB to the limit of the mount; a reader that jumps gets nothing ahead until it
 * reads in sequence again. Readers that come a little out of order (the kernel sends several
 * requests at a time) still count as sequential. How far a jump is no jump depends on what was read
 * in the run, so that small reads here and there are not taken for one.
 *
 * <p>Who reads large pieces here and there reads each in several requests. So a run that began with
 * a jump is first expected to be as long as the one before it, and nothing is fetched beyond that.
 *
 * <p>It is told of reads and writes, says what to fetch ({@link #next}), and hands over what nobody
 * needs any more; {@link OpenInode} guards it, {@link ContentReader} fetches. A segment is
 * forgotten when any of its bytes is written, and is never fetched for bytes that are still
 * buffered, so it holds what a read would find.
 */
final class ReadAhead {
    private static final int FIRST_WINDOW_BYTES = 128 << 10;
    private static final int SMALLEST_SEGMENT_BYTES = 128 << 10;

    /** How far out of order sequential reads may come at most. */
    private static final long SLACK_BYTES = 1 << 20;

    /** The same in relation to what was read: the kernel has so many requests on their way. */
    private static final long SLACK_FACTOR = 8;

    /** A piece that was fetched longer ago is not believed any more. */
    private static final long MAX_AGE_MS = 10_000;

    private final int maxWindowBytes;
    private final Collection<Segment> unused;
    private final ArrayDeque<Segment> segments = new ArrayDeque<>();
    private long runStart;

    /** Bytes asked for in the run. */
    private long runBytes;

    /** How long the run before was, from which the reader jumped; 0 for none. */
    private long expectedBytes;

    private long next;
    private long issuedTo;
    private long fetchFrom = Long.MAX_VALUE;

    /**
     * Nothing is fetched yet.
     *
     * @param unused where segments are put that nobody needs any more
     */
    ReadAhead(int maxWindowBytes, Collection<Segment> unused) {
        this.maxWindowBytes = maxWindowBytes;
        this.unused = unused;
    }

    /** A part of a file that lies within one chunk. */
    record Range(long offset, int length) {
        long end() {
            return offset + length;
        }
    }

    /** A fetched or coming part of a chunk. */
    static final class Segment {
        final Range range;
        final int inChunk;
        final ChunkSource source;
        final CompletableFuture<ChunkIo.Piece> piece = new CompletableFuture<>();
        private final long issuedMs;
        private int users;
        private boolean forgotten;

        private Segment(Range range, int inChunk, ChunkSource source, long nowMs) {
            this.range = range;
            this.inChunk = inChunk;
            this.source = source;
            this.issuedMs = nowMs;
        }

        /** It is not needed any more: gives back its bytes, and its room in a pool. */
        void release(BufferPool pool) {
            Promises.whenDone(
                    piece,
                    (found, _) -> {
                        if (found != null) {
                            found.release();
                        }
                        pool.freeReadAhead(range.length());
                    });
        }
    }

    /**
     * A reader asks for a range. The pieces to be fetched ahead are told by {@link #next} then.
     *
     * @param to end of the range, not beyond the size
     * @return as {@link #find}
     */
    @Nullable List<Segment> use(long from, long to, long nowMs) {
        fetchFrom = Long.MAX_VALUE;
        if (maxWindowBytes == 0) {
            return null;
        }
        if (!isSequential(from)) {
            forget(0, Long.MAX_VALUE);
            expectedBytes = next - runStart;
            runStart = from;
            runBytes = to - from;
            next = to;
            issuedTo = to;
            return null;
        }
        next = Math.max(next, to);
        runBytes += to - from;
        dropConsumed(from, nowMs);
        List<Segment> found = find(from, to);
        fetchFrom = found == null ? to : from;
        return found;
    }

    private boolean isSequential(long from) {
        if (next == 0) {
            return from == 0;
        }
        long slack = Math.min(SLACK_BYTES, SLACK_FACTOR * runBytes);
        return from <= next + slack && from >= Math.max(runStart, next - slack);
    }

    private void dropConsumed(long from, long nowMs) {
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); ) {
            Segment segment = each.next();
            if (segment.range.end() + SLACK_BYTES <= from
                    || nowMs - segment.issuedMs > MAX_AGE_MS) {
                each.remove();
                forget(segment);
            }
        }
    }

    /**
     * The segments that cover all of a range, in order, each to be given back with {@link #done};
     * null when the range has to be read directly.
     */
    @Nullable List<Segment> find(long from, long to) {
        List<Segment> found = new ArrayList<>(2);
        long at = from;
        for (Segment segment : segments) {
            if (segment.range.offset <= at && at < segment.range.end()) {
                found.add(segment);
                at = segment.range.end();
                if (at >= to) {
                    found.forEach(each -> each.users++);
                    return found;
                }
            }
        }
        return null;
    }

    /**
     * The next piece to fetch, or null when that is enough; {@link #fetching} follows, or nothing.
     */
    @Nullable Range next(long size, long chunkBytes) {
        if (fetchFrom == Long.MAX_VALUE) {
            return null;
        }
        int smallest = Math.min(FIRST_WINDOW_BYTES, maxWindowBytes);
        long read = Math.min(runBytes, next - runStart);
        long window = Math.clamp(2 * read, smallest, maxWindowBytes);
        long bound = read <= expectedBytes ? Math.min(size, runStart + expectedBytes) : size;
        long limit = Math.min(bound, next + window);
        long at = Math.max(issuedTo, fetchFrom);
        if (at >= limit) {
            return null;
        }
        long segmentBytes =
                Math.clamp(
                        Long.highestOneBit(window / 4),
                        SMALLEST_SEGMENT_BYTES,
                        Limits.MAX_IO_BYTES);
        long end = Math.min((at / segmentBytes + 1) * segmentBytes, bound);
        end = Math.min(end, (at / chunkBytes + 1) * chunkBytes);
        return new Range(at, (int) (end - at));
    }

    /** A range is being fetched, which completes the piece of the segment. */
    Segment fetching(Range range, int inChunk, ChunkSource source, long nowMs) {
        Segment segment = new Segment(range, inChunk, source, nowMs);
        segments.add(segment);
        issuedTo = range.end();
        return segment;
    }

    /** A reader has copied what it wanted of a segment. */
    void done(Segment segment) {
        segment.users--;
        dropIfUnused(segment);
    }

    private void forget(Segment segment) {
        segment.forgotten = true;
        dropIfUnused(segment);
    }

    private void dropIfUnused(Segment segment) {
        if (segment.forgotten && segment.users == 0) {
            segment.users = -1;
            unused.add(segment);
        }
    }

    /** Forgets what overlaps a range: it was written. */
    void forget(long from, long to) {
        if (segments.isEmpty()) {
            return;
        }
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); ) {
            Segment segment = each.next();
            if (segment.range.offset < to && from < segment.range.end()) {
                each.remove();
                forget(segment);
            }
        }
        if (segments.isEmpty()) {
            issuedTo = next;
        }
    }
}
