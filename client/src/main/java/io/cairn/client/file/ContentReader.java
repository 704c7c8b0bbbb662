package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.chunk.HeldBytes;
import io.cairn.client.chunk.Zeros;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.Limits;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Reads of one open file: what the chunk servers hold, with what is still buffered here on top.
 * Thread-safe; blocks.
 *
 * <p>An absent chunk reads as zeros; but it is also what a reader with an outdated layout sees
 * after another client has truncated the file and the old chunk was collected. So when a chunk is
 * absent and the inode was not looked at since the read began, it is looked at, and the read
 * repeated if the layout changed.
 */
public final class ContentReader {
    /** Requests of one large read that are on their way at a time. */
    private static final int MAX_PARALLEL = 16;

    private static final int MAX_TRIES = 20;

    private final OpenInode inode;
    private final Mount mount;
    private final ReadAhead ahead;

    public ContentReader(OpenInode inode) {
        this.inode = inode;
        this.mount = inode.mount();
        this.ahead =
                inode.with(
                        s -> {
                            ReadAhead made =
                                    new ReadAhead(mount.settings().readAheadBytes(), s.unused());
                            s.readers().add(made);
                            return made;
                        });
    }

    /** The pieces to be fetched for a read, decided in one moment. */
    private record Plan(
            int length,
            boolean isDone,
            List<HeldBytes> held,
            boolean covered,
            @Nullable List<ReadAhead.Segment> segments,
            List<ReadAhead.Segment> ahead) {
        /** The bytes are read already. */
        static Plan done(int length) {
            return new Plan(length, true, List.of(), false, null, List.of());
        }
    }

    /** A part of a read on its way. */
    private record Part(
            CompletableFuture<ChunkIo.Piece> piece, ChunkSource source, int inChunk, int length) {}

    /** Reads as {@code OpenFile.read} says. */
    public int read(long offset, ByteBuffer target) {
        if (offset < 0) {
            throw new FsException(Errno.EINVAL, "negative offset " + offset);
        }
        if (!inode.isFresh()) {
            inode.doubts().look();
        }
        int start = target.position();
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Layout used = inode.inode().layout();
            int length = readOnce(offset, target);
            if (length >= 0) {
                return length;
            }
            inode.doubts().look();
            if (Objects.equals(used, inode.inode().layout())) {
                return ~length;
            }
            target.position(start);
        }
        throw new FsException(
                Errno.EIO, "the file was truncated during each of " + MAX_TRIES + " reads");
    }

    /** The number of bytes read, as its complement when a chunk was absent. */
    private int readOnce(long offset, ByteBuffer target) {
        Plan plan = inode.with(s -> plan(s, offset, target));
        if (plan.isDone) {
            return plan.length;
        }
        int start = target.position();
        boolean absent;
        try {
            plan.ahead.forEach(this::fetchAhead);
            absent = !plan.covered && fetch(plan, offset, target.duplicate());
            for (HeldBytes held : plan.held) {
                held.overlay(offset, target, start, plan.length);
            }
        } finally {
            plan.held.forEach(held -> held.data().release());
        }
        target.position(start + plan.length);
        return absent ? ~plan.length : plan.length;
    }

    /** Reads what is in the inode, or says what to fetch. */
    private Plan plan(FileState s, long offset, ByteBuffer target) {
        long size = s.size();
        int length = Math.clamp(size - offset, 0, target.remaining());
        InlineContents inline = s.contents().inline();
        if (length == 0) {
            return Plan.done(0);
        }
        if (inline != null) {
            inline.read((int) offset, length, target);
            return Plan.done(length);
        }
        long end = offset + length;
        List<HeldBytes> held = s.contents().held(offset, end);
        if (held.size() == 1 && held.get(0).covers(offset, end)) {
            return new Plan(length, false, held, true, null, List.of());
        }
        long nowMs = mount.nowMs();
        List<ReadAhead.Segment> found = ahead.use(offset, end, nowMs);
        List<ReadAhead.Segment> more = planAhead(s, size, nowMs);
        return new Plan(
                length,
                false,
                held,
                false,
                found == null && !more.isEmpty() ? ahead.find(offset, end) : found,
                more);
    }

    private List<ReadAhead.Segment> planAhead(FileState s, long size, long nowMs) {
        List<ReadAhead.Segment> more = List.of();
        Layout layout = s.layout();
        long chunkBytes = layout.chunkSizeBytes();
        ReadAhead.Range range = ahead.next(size, chunkBytes);
        while (range != null
                && !s.contents().holds(range.offset(), range.end())
                && mount.pool().tryReserveReadAhead(range.length())) {
            more = more.isEmpty() ? new ArrayList<>(4) : more;
            ChunkSource source = s.clones().source(layout, layout.chunkOf(range.offset()));
            int inChunk = (int) (range.offset() & (chunkBytes - 1));
            more.add(ahead.fetching(range, inChunk, source, nowMs));
            range = ahead.next(size, chunkBytes);
        }
        return more;
    }

    private void fetchAhead(ReadAhead.Segment segment) {
        Promises.forward(
                mount.chunks()
                        .read(segment.source.place(), segment.inChunk, segment.range.length()),
                segment.piece);
    }

    /** Fills the target; whether any chunk was absent. */
    private boolean fetch(Plan plan, long offset, ByteBuffer target) {
        target.limit(target.position() + plan.length);
        return plan.segments == null
                ? fetchDirectly(offset, target)
                : copySegments(plan.segments, offset, target);
    }

    private boolean copySegments(List<ReadAhead.Segment> segments, long offset, ByteBuffer target) {
        boolean absent = false;
        long at = offset;
        int limit = target.limit();
        try {
            for (ReadAhead.Segment segment : segments) {
                ChunkIo.Piece piece = await(segment.piece);
                int skip = (int) (at - segment.range.offset());
                int count = Math.min(limit - target.position(), segment.range.length() - skip);
                target.limit(target.position() + count);
                absent |= piece.chunkLengthBytes() == 0;
                copy(piece, segment.source, segment.inChunk + skip, target);
                target.limit(limit);
                at += count;
            }
        } catch (FsException e) {
            inode.tell(_ -> ahead.forget(0, Long.MAX_VALUE));
            throw e;
        } finally {
            inode.tell(_ -> segments.forEach(ahead::done));
        }
        return absent;
    }

    private ChunkIo.Piece await(CompletableFuture<ChunkIo.Piece> piece) {
        return Await.get(piece, mount.timeoutMs(), WaitCause.CHUNKS);
    }

    /** Copies, with zeros beyond what the source is good for. */
    private static void copy(
            ChunkIo.Piece piece, ChunkSource source, int inChunk, ByteBuffer target) {
        int limit = target.limit();
        long good = Math.clamp(source.lengthBytes() - inChunk, 0, target.remaining());
        target.limit(target.position() + (int) good);
        piece.copyTo(inChunk, target);
        target.limit(limit);
        Zeros.fill(target);
    }

    private boolean fetchDirectly(long offset, ByteBuffer target) {
        ArrayDeque<Part> parts = new ArrayDeque<>();
        boolean absent = false;
        long at = offset;
        long end = offset + target.remaining();
        int limit = target.limit();
        try {
            while (at < end || !parts.isEmpty()) {
                while (at < end && parts.size() < MAX_PARALLEL) {
                    Part part = begin(at, end);
                    parts.add(part);
                    at += part.length;
                }
                Part first = parts.element();
                ChunkIo.Piece piece = await(first.piece);
                parts.remove();
                try {
                    absent |= piece.chunkLengthBytes() == 0;
                    target.limit(target.position() + first.length);
                    copy(piece, first.source, first.inChunk, target);
                    target.limit(limit);
                } finally {
                    piece.release();
                }
            }
        } finally {
            parts.forEach(
                    part ->
                            Promises.whenDone(
                                    part.piece,
                                    (piece, _) -> {
                                        if (piece != null) {
                                            piece.release();
                                        }
                                    }));
        }
        return absent;
    }

    private Part begin(long at, long end) {
        ChunkSource source = inode.with(s -> s.clones().source(s.layout(), s.layout().chunkOf(at)));
        long chunkBytes = source.place().layout().chunkSizeBytes();
        long chunkEnd = (at / chunkBytes + 1) * chunkBytes;
        long pieceEnd = (at / Limits.MAX_IO_BYTES + 1) * Limits.MAX_IO_BYTES;
        int length = (int) (Math.min(Math.min(chunkEnd, pieceEnd), end) - at);
        int inChunk = (int) (at & (chunkBytes - 1));
        CompletableFuture<ChunkIo.Piece> piece =
                mount.chunks().read(source.place(), inChunk, length);
        return new Part(piece, source, inChunk, length);
    }

    /** Gives up what was fetched ahead. */
    public void close() {
        inode.tell(
                s -> {
                    s.readers().remove(ahead);
                    ahead.forget(0, Long.MAX_VALUE);
                });
    }
}
