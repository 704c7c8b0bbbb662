package io.cairn.client;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import io.cairn.fs.Errno;
import io.cairn.fs.FsException;
import io.cairn.wire.ContentMutation;
import io.cairn.wire.ContentMutation.Patch;
import io.cairn.wire.Limits;
import io.cairn.wire.Mutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One regular file as all its open files in this mount see it: the inode as the master last told
 * it, and on top of it what was written here and is not committed yet. One per inode, so that every
 * write is seen at once by every reader of the mount.
 *
 * <p>The contents are in one of three places: in the inode ({@code inline} is set); in chunks; or
 * moving from one to the other ({@code spill} is set): then reads and writes use the chunks
 * already, and the next commit tells the master. Its own monitor guards everything; it is never
 * held while waiting for an answer.
 */
final class InodeState implements WriteBack.Owner {
    private final Mount mount;
    private final WriteBack chunks;
    private final Committer committer;
    private final AppendToken appendToken;
    private final ChunkClones clones;
    private final Gate gate;
    private final WriteErrors errors = new WriteErrors();
    private final Uncommitted uncommitted = new Uncommitted();
    private final List<ReadAhead> readers = new ArrayList<>(1);
    private Inode inode;
    private long validatedMs;
    private @Nullable InlineContents inline;
    private @Nullable Spilling spill;

    InodeState(Inode inode, Mount mount, FileLocks locks) {
        this.mount = mount;
        this.inode = inode;
        this.validatedMs = mount.nowMs();
        this.inline = inode.inline() == null ? null : new InlineContents(inode.inline());
        this.chunks = new WriteBack(this, this, mount.chunks(), mount.pool());
        this.clones = new ChunkClones(this, mount.chunks());
        this.gate = new Gate(this, mount.timeoutMs());
        this.committer = new Committer(this, mount);
        this.appendToken = new AppendToken(this, mount, locks);
    }

    long ino() {
        return inode.ino();
    }

    synchronized Inode inode() {
        return inode;
    }

    Mount mount() {
        return mount;
    }

    AppendToken appendToken() {
        return appendToken;
    }

    /** The length as every reader of this mount sees it, in bytes. */
    synchronized long size() {
        return Math.max(inode.attributes().size(), uncommitted.end());
    }

    /** The attributes with the effects of what is not committed yet. */
    synchronized Attributes attributes() {
        return uncommitted.over(inode.attributes());
    }

    /** The younger of what is known and given, with what is not committed yet. */
    synchronized Attributes over(Attributes given) {
        Attributes known = inode.attributes();
        return uncommitted.over(given.version() > known.version() ? given : known);
    }

    /** Whether the master has been asked within the attribute TTL. */
    synchronized boolean isFresh() {
        return mount.nowMs() - validatedMs < mount.settings().attributeTtlMs();
    }

    /** The master says that this has changed. */
    synchronized void expire() {
        validatedMs = mount.nowMs() - mount.settings().attributeTtlMs() - 1;
    }

    /** Takes over what the master says, unless it is older than what is known. */
    synchronized void adopt(Inode fresh) {
        mount.cache().put(fresh.attributes());
        validatedMs = mount.nowMs();
        if (fresh.attributes().version() < inode.attributes().version()) {
            return;
        }
        Layout before = inode.layout();
        inode = fresh;
        Layout after = fresh.layout();
        if (after != null && before != null && !after.equals(before)) {
            if (fresh.inline() == null || spill != null) {
                uncommitted.requireSamePlace(before, after, errors);
            }
            readers.forEach(reader -> reader.forget(0, Long.MAX_VALUE));
            if (after.chunkSizeLog2() != before.chunkSizeLog2()) {
                chunks.rechunk();
            }
        }
        byte[] contents = fresh.inline();
        if (spill != null) {
            if (contents == null) {
                spill = null;
            } else {
                rebaseSpill(spill, contents);
            }
        } else if (contents == null) {
            leaveInlineForChunks();
        } else if (inline == null) {
            inline = new InlineContents(contents);
            uncommitted.cutOff(chunks.end());
            if (!chunks.isEmpty()) {
                beginSpill();
            }
        } else if (inline.isDirty()) {
            inline.rebase(contents);
        } else {
            inline = new InlineContents(contents);
        }
    }

    /**
     * Another client changed the inline contents that are moving out here: takes its bytes over.
     */
    private void rebaseSpill(Spilling old, byte[] contents) {
        long oid = layout().lastOid();
        putPatches(old.foreign(contents, oid == old.oid()));
        spill = new Spilling(oid, contents, old.mine());
    }

    /** The contents live in chunks although bytes were written into the inode's: moves those. */
    private void leaveInlineForChunks() {
        InlineContents mine = inline;
        inline = null;
        if (mine != null && mine.isDirty()) {
            putPatches(mine.beginTelling());
        }
    }

    private void putPatches(List<Patch> patches) {
        patches.forEach(patch -> putAll(patch.offsetBytes(), ByteBuffer.wrap(patch.bytes())));
    }

    /** From now on the contents are in chunks here; the next commit moves them at the master. */
    private void beginSpill() {
        InlineContents contents = inline;
        if (contents == null) {
            return;
        }
        byte[] base = inode.inline();
        BitSet mine = contents.written();
        inline = null;
        spill = new Spilling(layout().lastOid(), base == null ? new byte[0] : base, mine);
        if (base == null || base.length == 0) {
            // Only what was written: another client may be writing the bytes between.
            putPatches(contents.beginTelling());
        } else {
            int size = (int) Math.min(size(), Limits.MAX_INLINE_BYTES);
            ByteBuffer bytes = ByteBuffer.wrap(contents.copy(size));
            for (WriteBack.Held held : chunks.held(0, size)) {
                held.overlay(0, bytes, 0, size);
                held.data().release();
            }
            putAll(0, bytes);
        }
        touch();
    }

    private void putAll(long offset, ByteBuffer source) {
        long at = offset;
        while (source.hasRemaining()) {
            at += chunks.put(at, source, true);
        }
    }

    // ---- writing

    /**
     * Whether contents that the master has in the inode would move to chunks when the file is
     * written up to an offset. One client at a time does that: the bytes that it moves along must
     * not come down on what another one writes there already.
     */
    synchronized boolean needsTokenToReach(long end) {
        byte[] base = inode.inline();
        return inline != null
                && base != null
                && base.length > 0
                && end > mount.master().session().inlineLimitBytes()
                && !appendToken.isMine();
    }

    /**
     * Buffers bytes of a source, as many as there is room for at once; waits while the layout
     * changes.
     *
     * @return bytes taken; 0 when everything buffered is on its way and there is no room yet
     */
    synchronized int take(long offset, ByteBuffer source) {
        gate.pass();
        int taken = buffer(offset, source);
        if (taken == 0) {
            chunks.sendAll();
        }
        return taken;
    }

    private int buffer(long offset, ByteBuffer source) {
        int length = source.remaining();
        InlineContents contents = inline;
        if (contents != null) {
            if (offset + length <= mount.master().session().inlineLimitBytes()) {
                contents.write((int) offset, source);
                wrote(offset, offset + length);
                return length;
            }
            requireStorage();
            beginSpill();
        }
        int taken = chunks.put(offset, source, false);
        if (taken > 0) {
            if (spill != null) {
                spill.wrote(offset, offset + taken);
            }
            wrote(offset, offset + taken);
        }
        return taken;
    }

    private void requireStorage() {
        if (!ChunkIo.canStore(inode.layout())) {
            throw new FsException(Errno.ENOSPC, "no chunk server has registered yet");
        }
    }

    private void wrote(long from, long to) {
        uncommitted.extend(to);
        for (int i = 0; i < readers.size(); i++) {
            readers.get(i).forget(from, to);
        }
        touch();
    }

    private void touch() {
        if (uncommitted.touch(mount.nowMs(), mount.runtime().clock().wallNs())) {
            mount.dirty().add(this);
        }
    }

    /** The file is at least this long from now on; for fallocate. Bytes were not written. */
    synchronized void extendTo(long size) {
        if (inline != null && size > mount.master().session().inlineLimitBytes()) {
            requireStorage();
            beginSpill();
        }
        uncommitted.extend(size);
        touch();
    }

    /** Moves inline contents to chunks with the next commit, whatever their size. */
    synchronized void moveToChunks() {
        if (inline != null) {
            requireStorage();
            beginSpill();
        }
    }

    /** Makes a range zeros if the contents are in the inode; false when they are in chunks. */
    synchronized boolean zeroInline(long from, long to) {
        if (inline == null) {
            return false;
        }
        if (from < to) {
            inline.zero((int) from, (int) (to - from));
            touch();
        }
        return true;
    }

    /** Contents were changed at the chunk servers directly, as by punching a hole. */
    synchronized void changed(ChunkPlace place, long from, long to, int allocatedDelta) {
        uncommitted.stored(0, allocatedDelta);
        mount.unsynced().add(ino(), place);
        for (ReadAhead reader : readers) {
            reader.forget(from, to);
        }
        touch();
    }

    // ---- the chunks' side

    @Override
    public synchronized Layout layout() {
        Layout layout = inode.layout();
        if (layout == null) {
            throw new FsException(Errno.EINVAL, "inode " + ino() + " has no contents");
        }
        return layout;
    }

    /**
     * The place of a chunk for reading: a chunk that still has to be cloned is read from the source
     * of its clone.
     */
    synchronized ChunkSource source(long index) {
        return clones.source(layout(), index);
    }

    @Override
    public synchronized CompletableFuture<Void> prepare(ChunkPlace place) {
        return clones.prepare(place);
    }

    @Override
    public synchronized void written(ChunkPlace place, long end, int allocatedDeltaBytes) {
        uncommitted.stored(end, allocatedDeltaBytes);
        mount.unsynced().add(ino(), place);
    }

    @Override
    public synchronized void lost(FsException error) {
        errors.note(error);
        uncommitted.lost(chunks.end());
    }

    /** Whether anything is not at the master yet. */
    synchronized boolean isDirty() {
        return uncommitted.isDirty();
    }

    /** Drains and commits; done at once when there is nothing to do. */
    CompletableFuture<Void> commit() {
        return committer.commit();
    }

    /** Commits in the background what has waited for a while. */
    void commitIfOld(long ageMs) {
        synchronized (this) {
            if (!isDirty() || mount.nowMs() - uncommitted.sinceMs() < ageMs || gate.isClosed()) {
                return;
            }
        }
        Promises.whenDone(committer.commit(), (_, _) -> {});
    }

    synchronized void sendBuffered() {
        chunks.sendAll();
    }

    synchronized CompletableFuture<Void> drain() {
        return chunks.drain();
    }

    /** How long to wait for all that is buffered to drain, in milliseconds. */
    synchronized long drainTimeoutMs() {
        return mount.timeoutMs() * (2 + chunks.count() / WriteBack.MAX_IN_FLIGHT);
    }

    /** Forgets what is buffered beyond an offset: it is being cut off. */
    synchronized void discardFrom(long offset) {
        chunks.discardFrom(offset);
    }

    /** Objects whose first chunk was cloned here, which the master does not know yet. */
    synchronized Set<Long> untoldClones() {
        return clones.untold();
    }

    /** The master knows of a clone. */
    synchronized void toldClone(long oid) {
        clones.told(oid);
    }

    /** What has to be told the master now, everything being drained; null when nothing. */
    synchronized @Nullable Mutation nextMutation() {
        if (!isDirty()) {
            return null;
        }
        uncommitted.beginTelling();
        long timeNs = uncommitted.mtimeNs(inode.attributes().mtimeNs());
        long delta = uncommitted.usedDeltaBytes();
        if (inline != null) {
            return new ContentMutation.WriteInline(
                    ino(), inline.beginTelling(), uncommitted.end(), timeNs);
        }
        if (spill != null) {
            return new ContentMutation.Spill(
                    ino(), inode.attributes().version(), size(), timeNs, Math.max(0, delta));
        }
        return new ContentMutation.CommitSize(
                ino(), layout().lastOid(), uncommitted.end(), timeNs, delta);
    }

    /** The master has done the last mutation. Meanwhile the contents may have begun to spill. */
    synchronized void committed(Mutation mutation, Inode fresh) {
        if (uncommitted.told()) {
            mount.dirty().remove(this);
        }
        if (inline != null) {
            inline.told();
        }
        if (mutation instanceof ContentMutation.Spill) {
            spill = null;
        }
        adopt(fresh);
    }

    /**
     * The master refused the last mutation with ESTALE; the inode as it is now was adopted. When it
     * was truncated meanwhile, what had been written before counts as cut off.
     */
    synchronized void rejected(Mutation mutation) {
        if (mutation instanceof ContentMutation.CommitSize commit
                && (inline != null || layout().lastOid() != commit.oid())) {
            uncommitted.cutOff(chunks.end());
            if (chunks.isEmpty() && uncommitted.isAsTold()) {
                uncommitted.clear();
                mount.dirty().remove(this);
            }
        } else if (mutation instanceof ContentMutation.WriteInline && inline != null) {
            requireStorage();
            beginSpill();
        }
    }

    /** A commit failed for good: what was not told is given up when {@code forget}. */
    synchronized void failed(FsException error, boolean forget) {
        errors.note(error);
        if (forget) {
            byte[] contents = inode.inline();
            inline = contents == null ? null : new InlineContents(contents);
            spill = null;
            uncommitted.clear();
            if (chunks.isEmpty()) {
                mount.dirty().remove(this);
            } else {
                uncommitted.extend(chunks.end());
                touch();
            }
        }
    }

    /** Errors of writes that were buffered, each reported once to each open file. */
    WriteErrors errors() {
        return errors;
    }

    /** Keeps writers and other holders of the gate out; blocks. */
    synchronized void closeGate() {
        gate.close();
    }

    /** Lets writers in again. */
    synchronized void openGate() {
        gate.open();
    }

    /** The inline contents, or null when they are in chunks. */
    synchronized @Nullable InlineContents inline() {
        return inline;
    }

    /** Buffered bytes of a range. */
    synchronized List<WriteBack.Held> held(long from, long to) {
        return chunks.held(from, to);
    }

    /** Whether a range has buffered bytes, so that the servers do not have all of it. */
    synchronized boolean holds(long from, long to) {
        return chunks.holds(from, to);
    }

    synchronized void addReader(ReadAhead reader) {
        readers.add(reader);
    }

    synchronized void removeReader(ReadAhead reader) {
        readers.remove(reader);
        reader.forget(0, Long.MAX_VALUE);
    }
}
