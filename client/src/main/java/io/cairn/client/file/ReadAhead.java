package io.cairn.client.file;

import io.cairn.client.chunk.BufferPool;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.session.Promises;
import io.cairn.wire.Limits;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * What is fetched ahead of one sequential reader. The window grows with the length of the run from
 * 128 KiB to the limit of the mount; a reader that jumps gets nothing ahead until it reads in
 * sequence again. Readers that come a little out of order (the kernel sends several requests at a
 * time) still count as sequential.
 *
 * <p>Guarded by the monitor of the inode. A segment is forgotten when any of its bytes is written,
 * and is never fetched for bytes that are still buffered, so it holds what a read would find.
 */
final class ReadAhead {
    private static final int FIRST_WINDOW_BYTES = 128 << 10;
    private static final int SMALLEST_SEGMENT_BYTES = 128 << 10;

    /** How far out of order sequential reads may come. */
    private static final long SLACK_BYTES = 1 << 20;

    /** What was fetched longer ago is not believed any more. */
    private static final long MAX_AGE_MS = 10_000;

    private final InodeState state;
    private final ChunkIo io;
    private final BufferPool pool;
    private final int maxWindowBytes;
    private final ArrayDeque<Segment> segments = new ArrayDeque<>();
    private long runStart;
    private long next;
    private long issuedTo;

    ReadAhead(InodeState state) {
        Mount mount = state.mount();
        this.state = state;
        this.io = mount.chunks();
        this.pool = mount.pool();
        this.maxWindowBytes = mount.settings().readAheadBytes();
    }

    /** A fetched or coming part of a chunk. */
    final class Segment {
        final long offset;
        final int length;
        final int inChunk;
        final ChunkSource source;
        final CompletableFuture<ChunkIo.Piece> piece;
        private final long issuedMs;
        private int users;
        private boolean forgotten;

        private Segment(long offset, int length, int inChunk, ChunkSource source, long nowMs) {
            this.offset = offset;
            this.length = length;
            this.inChunk = inChunk;
            this.source = source;
            this.issuedMs = nowMs;
            this.piece = io.read(source.place(), inChunk, length);
        }

        long end() {
            return offset + length;
        }

        /** The reader has copied what it wanted. */
        void done() {
            synchronized (state) {
                users--;
                releaseIfUnused();
            }
        }

        private void forget() {
            forgotten = true;
            releaseIfUnused();
        }

        private void releaseIfUnused() {
            if (forgotten && users == 0) {
                users = -1;
                Promises.whenDone(
                        piece,
                        (found, _) -> {
                            if (found != null) {
                                found.release();
                            }
                            pool.freeReadAhead(length);
                        });
            }
        }
    }

    /**
     * A reader asks for a range: fetches ahead, and hands out the segments that cover all of it.
     *
     * @param to end of the range, not beyond the size
     * @return the segments in order, each to be given back with {@link Segment#done}; null when the
     *     range has to be read directly
     */
    @Nullable List<Segment> use(long from, long to, long size) {
        if (maxWindowBytes == 0) {
            return null;
        }
        long nowMs = state.mount().nowMs();
        if (!isSequential(from)) {
            forget(0, Long.MAX_VALUE);
            runStart = from;
            next = to;
            issuedTo = to;
            return null;
        }
        next = Math.max(next, to);
        dropConsumed(from, nowMs);
        List<Segment> found = find(from, to);
        fetch(found == null ? to : from, size, nowMs);
        return found == null ? find(from, to) : found;
    }

    private boolean isSequential(long from) {
        if (next == 0) {
            return from == 0;
        }
        return from <= next + SLACK_BYTES && from >= Math.max(runStart, next - SLACK_BYTES);
    }

    private void dropConsumed(long from, long nowMs) {
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); ) {
            Segment segment = each.next();
            if (segment.end() + SLACK_BYTES <= from || nowMs - segment.issuedMs > MAX_AGE_MS) {
                each.remove();
                segment.forget();
            }
        }
    }

    private @Nullable List<Segment> find(long from, long to) {
        List<Segment> found = new ArrayList<>(2);
        long at = from;
        for (Segment segment : segments) {
            if (segment.offset <= at && at < segment.end()) {
                found.add(segment);
                at = segment.end();
                if (at >= to) {
                    found.forEach(each -> each.users++);
                    return found;
                }
            }
        }
        return null;
    }

    private void fetch(long from, long size, long nowMs) {
        long window = Math.clamp(2 * (next - runStart), FIRST_WINDOW_BYTES, maxWindowBytes);
        window = Math.min(window, maxWindowBytes);
        long limit = Math.min(size, next + window);
        long segmentBytes =
                Math.clamp(
                        Long.highestOneBit(window / 4),
                        SMALLEST_SEGMENT_BYTES,
                        Limits.MAX_IO_BYTES);
        long at = Math.max(issuedTo, from);
        while (at < limit) {
            long chunkBytes = state.layout().chunkSizeBytes();
            long end = Math.min((at / segmentBytes + 1) * segmentBytes, size);
            end = Math.min(end, (at / chunkBytes + 1) * chunkBytes);
            int length = (int) (end - at);
            if (state.holds(at, end) || !pool.tryReserveReadAhead(length)) {
                return;
            }
            int inChunk = (int) (at & (chunkBytes - 1));
            segments.add(
                    new Segment(
                            at, length, inChunk, state.source(state.layout().chunkOf(at)), nowMs));
            at = end;
            issuedTo = end;
        }
    }

    /** Forgets what overlaps a range: it was written. */
    void forget(long from, long to) {
        assert Thread.holdsLock(state) : "segments are guarded by the monitor of the inode";
        if (segments.isEmpty()) {
            return;
        }
        for (Iterator<Segment> each = segments.iterator(); each.hasNext(); ) {
            Segment segment = each.next();
            if (segment.offset < to && from < segment.end()) {
                each.remove();
                segment.forget();
            }
        }
        if (segments.isEmpty()) {
            issuedTo = next;
        }
    }
}
