package io.cairn.client;

import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.Zeros;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.client.tree.ExistingChunks;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.OpenFile;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.StatReply;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Copies contents in chunks into another file, again and again: each round copies the chunks that
 * were written since the round before, as their write sequences tell. Holes stay holes. Blocking;
 * for one thread.
 */
final class ContentCopy {
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int MAX_PARALLEL = 16;
    private static final int PIECE_BYTES = 64 << 10;

    private final CairnFileSystem fs;
    private final Mount mount;
    private final ClientFile source;
    private final OpenFile target;

    /** The copied version of each chunk. */
    private final Map<Long, Copied> copied = new HashMap<>();

    private final ByteBuffer piece = ByteBuffer.allocateDirect(PIECE_BYTES);
    private long targetSize;
    private long chunkBytes;

    /** How a chunk was when it was copied last, and where that ended in the file. */
    private record Copied(ChunkState state, long end) {}

    private record Asked(long index, CompletableFuture<StatReply> reply) {}

    ContentCopy(CairnFileSystem fs, ClientFile source, OpenFile target) {
        this.fs = fs;
        this.mount = fs.mount();
        this.source = source;
        this.target = target;
    }

    /** Brings the target up to date with an inode as the master told it just now. */
    void round(Inode inode) {
        long size = inode.attributes().size();
        Layout layout = source.state().layout();
        source.state().forgetReadAhead();
        if (layout.chunkSizeBytes() != chunkBytes) {
            chunkBytes = layout.chunkSizeBytes();
            copied.clear();
            resize(0);
        }
        if (size < targetSize) {
            resize(size);
        }
        long chunks = (size + layout.chunkSizeBytes() - 1) / layout.chunkSizeBytes();
        copied.keySet().removeIf(index -> index >= chunks);
        ArrayDeque<Asked> asked = new ArrayDeque<>();
        Iterator<Long> left = candidates(layout, chunks).iterator();
        while (left.hasNext() || !asked.isEmpty()) {
            while (left.hasNext() && asked.size() < MAX_PARALLEL) {
                long index = left.next();
                asked.add(new Asked(index, mount.chunks().stat(place(index))));
            }
            Asked first = asked.remove();
            ChunkState state = Await.get(first.reply, mount.timeoutMs()).state();
            long from = first.index * layout.chunkSizeBytes();
            long end = Math.min(size, from + layout.chunkSizeBytes());
            Copied before = copied.get(first.index);
            boolean holdsData = state.lengthBytes() > 0;
            if (before == null ? holdsData : !before.equals(new Copied(state, end))) {
                if (before != null) {
                    target.allocate(PUNCH_HOLE | KEEP_SIZE, from, end - from);
                }
                if (holdsData) {
                    copy(from, end);
                }
                copied.put(first.index, new Copied(state, end));
            }
        }
        if (size > targetSize) {
            resize(size);
        }
    }

    /** Chunks that hold something, or did so in the round before. */
    private SortedSet<Long> candidates(Layout layout, long chunks) {
        SortedSet<Long> found = new TreeSet<>(copied.keySet());
        ExistingChunks existing = new ExistingChunks(mount);
        for (long next = 0; next < chunks; ) {
            ExistingChunks.Page page = existing.page(layout, next, chunks);
            found.addAll(page.indices());
            next = page.next();
        }
        return found;
    }

    private void resize(long size) {
        fs.setAttributes(Caller.ROOT, target.ino(), AttributeChange.NONE.withSize(size));
        targetSize = size;
    }

    private ChunkPlace place(long index) {
        synchronized (source.state()) {
            return source.state().source(index).place();
        }
    }

    private void copy(long from, long end) {
        for (long at = from; at < end; ) {
            piece.clear().limit((int) Math.min(PIECE_BYTES, end - at));
            int count = source.read(at, piece);
            if (count == 0) {
                // Cut off meanwhile: the next round knows.
                return;
            }
            piece.flip();
            if (!Zeros.isZero(piece)) {
                target.write(at, piece);
                targetSize = Math.max(targetSize, at + count);
            }
            at += count;
        }
    }
}
