package io.cairn.client.file;

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
public final class Contents {
    private final WriteBack chunks;
    private @Nullable InlineContents inline;
    private @Nullable Spilling spill;

    /** The youngest extent with bytes that came into the chunks because the contents moved. */
    private long moveMark;

    /**
     * Contents as the master tells them.
     *
     * @param master the bytes in the inode, null when they are in chunks
     */
    Contents(WriteBack chunks, byte @Nullable [] master) {
        this.chunks = chunks;
        this.inline = master == null ? null : new InlineContents(master);
    }

    /** The bytes in the inode, or null when the chunks have to be asked. */
    @Nullable InlineContents inline() {
        return inline;
    }

    /** Data on its way to the chunk servers. */
    WriteBack chunks() {
        return chunks;
    }

    boolean isMoving() {
        return spill != null;
    }

    /**
     * Takes over what the master has now.
     *
     * @param master the bytes in the inode, null when they are in chunks
     * @param lastOid the last object of the layout
     * @return whether the file was emptied, so that what was stored in chunks is cut off
     */
    boolean adopt(byte @Nullable [] master, long lastOid) {
        if (spill != null) {
            adoptMoving(spill, master, lastOid);
        } else if (master == null) {
            InlineContents mine = inline;
            inline = null;
            if (mine != null && mine.isDirty()) {
                put(mine.beginTelling());
            }
        } else if (inline == null) {
            inline = new InlineContents(master);
            if (chunks.end() > 0) {
                move(lastOid, master);
            }
            return true;
        } else if (inline.isDirty()) {
            inline.rebase(master);
        } else {
            inline = new InlineContents(master);
        }
        return false;
    }

    /** The file was cut to a length: what was written beyond it is forgotten. */
    void cut(long lengthBytes) {
        chunks.cut(lengthBytes);
        int from = (int) Math.min(lengthBytes, Limits.MAX_INLINE_BYTES);
        if (inline != null) {
            inline.cut(from);
        }
        if (spill != null) {
            spill.cut(from);
        }
    }

    /** What has to be told the master of what is not committed. */
    Mutation toTell(Inode inode, Uncommitted uncommitted) {
        boolean drained = chunks.isEmpty();
        uncommitted.beginTelling(drained);
        long timeNs = uncommitted.mtimeNs(inode.attributes().mtimeNs());
        long delta = uncommitted.usedDeltaBytes();
        if (inline != null) {
            return new ContentMutation.WriteInline(
                    inode.ino(), inode.cuts(), inline.beginTelling(), uncommitted.end(), timeNs);
        }
        if (isMoving()) {
            return new ContentMutation.Spill(
                    inode.ino(),
                    inode.attributes().version(),
                    Math.max(inode.attributes().size(), uncommitted.end(drained)),
                    timeNs,
                    Math.max(0, delta));
        }
        long oid = Objects.requireNonNull(inode.layout()).lastOid();
        return new ContentMutation.CommitSize(
                inode.ino(), oid, uncommitted.end(drained), timeNs, delta);
    }

    /**
     * The file has another layout: notes an error when what was stored since the last commit did
     * not go along. What {@link Spilling} keeps is put there once more.
     */
    void leave(Layout before, Layout after, Uncommitted uncommitted, WriteErrors errors) {
        long keptEnd = isMoving() ? Limits.MAX_INLINE_BYTES : 0;
        if (uncommitted.isElsewhere(before, after, keptEnd, errors)) {
            uncommitted.cutOff(Math.max(chunks.end(), keptEnd));
        }
    }

    private void adoptMoving(Spilling moving, byte @Nullable [] master, long lastOid) {
        if (master == null) {
            // Another client has moved the contents, and may have put older bytes over ours.
            spill = null;
            put(moving.own());
            return;
        }
        if (moving.see(master, lastOid)) {
            put(moving.own());
        }
    }

    /**
     * From now on the contents are in chunks here.
     *
     * @param lastOid the object that takes them
     * @param master what they are at the master
     */
    void move(long lastOid, byte[] master) {
        InlineContents contents = inline;
        if (contents == null) {
            return;
        }
        inline = null;
        Spilling moving = new Spilling(lastOid, master);
        spill = moving;
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
        return spill != null && !spill.foreign().isEmpty();
    }

    /** Puts the bytes of others into the chunks. */
    void moveForeign() {
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
        spill = null;
    }

    /** Forgets what was written and not told. */
    void reset(byte @Nullable [] master) {
        inline = master == null ? null : new InlineContents(master);
        spill = null;
    }

    /** Bytes of a range that the chunk servers may not have, oldest first; to be released. */
    List<HeldBytes> held(long from, long to) {
        List<HeldBytes> buffered = chunks.held(from, to);
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
        if (inline == null || master == null) {
            return offset > size;
        }
        return !fits && (offset > size || inline.hasGap(master.length, size));
    }

    /** Whether the chunk servers may not have all of a range. */
    boolean holds(long from, long to) {
        return chunks.holds(from, to) || (spill != null && from < Limits.MAX_INLINE_BYTES);
    }
}
