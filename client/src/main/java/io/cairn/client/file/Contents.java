package io.cairn.client.file;

import io.cairn.base.FsException;
import io.cairn.client.chunk.HeldBytes;
import io.cairn.client.chunk.WriteBack;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.Patch;
import io.cairn.wire.master.Mutation;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Where the contents of one inode are, with what was written here on top:
 *
 * <pre>
 *   INLINE ----- grows, or chunks are wanted -----> MOVING ---- told ----> CHUNKS
 *      ^                                               ^                      |
 *      +---- emptied ---- (buffered bytes left: -------+) --------------------+
 * </pre>
 *
 * While moving, reads and writes use the chunks already; {@link Spilling} keeps what has to go
 * along. Guarded by the lock of the inode.
 */
final class Contents {
    /** Where the contents are. */
    sealed interface Place {}

    /** In the inode. */
    record Inline(InlineContents bytes) implements Place {}

    /** On their way out of the inode. */
    record Moving(Spilling spill) implements Place {}

    /** In chunks. */
    record Chunked() implements Place {}

    private final WriteBack chunks;
    private Place place;

    /** The youngest extent with bytes that came into the chunks because the contents moved. */
    private long moveMark;

    /**
     * Contents as the master tells them.
     *
     * @param master the bytes in the inode, null when they are in chunks
     */
    Contents(WriteBack chunks, byte @Nullable [] master) {
        this.chunks = chunks;
        this.place = told(master);
    }

    private static Place told(byte @Nullable [] master) {
        return master == null ? new Chunked() : new Inline(new InlineContents(master));
    }

    /** The bytes in the inode, or null when the chunks have to be asked. */
    @Nullable InlineContents inline() {
        return place instanceof Inline(InlineContents bytes) ? bytes : null;
    }

    private @Nullable Spilling spill() {
        return place instanceof Moving(Spilling spill) ? spill : null;
    }

    boolean isMoving() {
        return place instanceof Moving;
    }

    /**
     * Takes over what the master has now.
     *
     * @param master the bytes in the inode, null when they are in chunks
     * @param last the last run of the layout
     * @return whether the file was emptied, so that what was stored in chunks is cut off
     */
    boolean adopt(byte @Nullable [] master, Layout.Run last) {
        switch (place) {
            case Moving(Spilling spill) -> adoptMoving(spill, master, last);
            case Inline(InlineContents mine) -> adoptInline(mine, master);
            case Chunked _ -> {
                if (master != null) {
                    place = told(master);
                    if (chunks.end() > 0) {
                        move(last, master);
                    }
                    return true;
                }
            }
        }
        return false;
    }

    private void adoptInline(InlineContents mine, byte @Nullable [] master) {
        if (master == null) {
            place = new Chunked();
            if (mine.isDirty()) {
                put(mine.beginTelling());
            }
        } else if (mine.isDirty()) {
            mine.rebase(master);
        } else {
            place = told(master);
        }
    }

    /** The file was cut to a length: what was written beyond it is forgotten. */
    void cut(long lengthBytes) {
        chunks.cut(lengthBytes);
        int from = (int) Math.min(lengthBytes, Limits.MAX_INLINE_BYTES);
        switch (place) {
            case Inline(InlineContents bytes) -> bytes.cut(from);
            case Moving(Spilling spill) -> spill.cut(from);
            case Chunked _ -> {
                // All of it is in the chunks.
            }
        }
    }

    /** The mutation that tells the master of uncommitted bytes. */
    Mutation toTell(Inode inode, Uncommitted uncommitted) {
        boolean drained = chunks.isEmpty();
        uncommitted.beginTelling(drained);
        long timeNs = uncommitted.mtimeNs(inode.attributes().mtimeNs());
        long delta = uncommitted.usedDeltaBytes();
        return switch (place) {
            case Inline(InlineContents bytes) ->
                    new ContentMutation.WriteInline(
                            inode.ino(),
                            inode.cuts(),
                            bytes.beginTelling(),
                            uncommitted.end(),
                            timeNs);
            case Moving _ ->
                    new ContentMutation.Spill(
                            inode.ino(),
                            inode.attributes().version(),
                            Math.max(inode.attributes().size(), uncommitted.end(drained)),
                            timeNs,
                            Math.max(0, delta));
            case Chunked _ ->
                    new ContentMutation.CommitSize(
                            inode.ino(),
                            Objects.requireNonNull(inode.layout()).lastOid(),
                            uncommitted.end(drained),
                            timeNs,
                            delta);
        };
    }

    /**
     * The file has another layout. Bytes that {@link Spilling} keeps are put there once more.
     *
     * @return the error to tell when others that were stored since the last commit are lost
     */
    @Nullable FsException leave(Layout before, Layout after, Uncommitted uncommitted) {
        long keptEnd = isMoving() ? Limits.MAX_INLINE_BYTES : 0;
        FsException loss = uncommitted.lossOf(before, after, keptEnd);
        if (loss != null) {
            uncommitted.cutOff(Math.max(chunks.end(), keptEnd));
        }
        return loss;
    }

    private void adoptMoving(Spilling moving, byte @Nullable [] master, Layout.Run last) {
        if (master == null) {
            // Another client has moved the contents, and may have put older bytes over ours.
            place = new Chunked();
            put(moving.own());
            return;
        }
        if (moving.see(master, last)) {
            put(moving.own());
        }
    }

    /**
     * From now on the contents are in chunks here.
     *
     * @param last the run that takes them
     * @param master what they are at the master
     */
    void move(Layout.Run last, byte[] master) {
        InlineContents contents = inline();
        if (contents == null) {
            return;
        }
        Spilling moving = new Spilling(last, master);
        place = new Moving(moving);
        for (HeldBytes held : chunks.held(0, Limits.MAX_INLINE_BYTES)) {
            moving.wrote(held.offset(), held.data().nioBuffer());
            held.data().release();
        }
        List<Patch> patches = contents.beginTelling();
        for (Patch patch : patches) {
            moving.wrote(patch.offsetBytes(), patch.bytes());
        }
        put(patches);
    }

    /** Buffers bytes for the chunks; how many, 0 when there is no room. */
    int buffer(long offset, ByteBuffer source) {
        ByteBuffer bytes = source.duplicate();
        int taken = chunks.put(offset, source, false);
        Spilling spill = spill();
        if (spill != null && taken > 0) {
            spill.wrote(offset, bytes.limit(bytes.position() + taken));
        }
        return taken;
    }

    /** Moves bytes to the chunks: a commit has to wait for them, although it began before. */
    private void put(List<Patch> patches) {
        patches.forEach(this::put);
        moveMark = chunks.lastNumber();
    }

    private void put(Patch patch) {
        ByteBuffer source = patch.bytes().duplicate();
        while (source.hasRemaining()) {
            chunks.put(patch.offsetBytes() + source.position(), source, true);
        }
    }

    /** Whether bytes of others still have to go along, which needs the APPEND lock. */
    boolean hasForeign() {
        Spilling spill = spill();
        return spill != null && !spill.foreign().isEmpty();
    }

    /** Puts the bytes of others into the chunks. */
    void moveForeign() {
        Spilling spill = spill();
        if (spill != null) {
            put(spill.foreign());
            spill.foreignMoved();
        }
    }

    /** Whether bytes that moved are still here, so that the master must not be told yet. */
    boolean isMoveBuffered() {
        return !chunks.isDrained(moveMark);
    }

    /** The master knows that the contents are in chunks. */
    void moved() {
        if (isMoving()) {
            place = new Chunked();
        }
    }

    /** Forgets what was written and not told. */
    void reset(byte @Nullable [] master) {
        place = told(master);
    }

    /** Bytes of a range that the chunk servers may not have, oldest first; to be released. */
    List<HeldBytes> held(long from, long to) {
        List<HeldBytes> buffered = chunks.held(from, to);
        Spilling spill = spill();
        if (spill == null || from >= Limits.MAX_INLINE_BYTES) {
            return buffered;
        }
        List<HeldBytes> held = new ArrayList<>();
        for (Patch patch : spill.foreign()) {
            held.add(new HeldBytes(patch.offsetBytes(), Unpooled.wrappedBuffer(patch.bytes())));
        }
        held.addAll(buffered);
        return held;
    }

    /**
     * Whether a write leaves others before it that only chunks can show as zeros.
     *
     * @param master the bytes in the inode at the master, null when they are in chunks
     * @param size the size before
     * @param fits whether the contents stay in the inode
     */
    boolean leavesGap(byte @Nullable [] master, long offset, long size, boolean fits) {
        InlineContents inline = inline();
        if (inline == null || master == null) {
            return offset > size;
        }
        return !fits && (offset > size || inline.hasGap(master.length, size));
    }

    /** Whether the chunk servers may not have all of a range. */
    boolean holds(long from, long to) {
        return chunks.holds(from, to) || (isMoving() && from < Limits.MAX_INLINE_BYTES);
    }
}
