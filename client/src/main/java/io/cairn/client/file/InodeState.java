package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.chunk.HeldBytes;
import io.cairn.client.chunk.WriteBack;
import io.cairn.client.chunk.WriteOwner;
import io.cairn.client.chunk.WritePermit;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * One regular file as all its open files in this mount see it: the inode as the master last told
 * it, and on top of it what was written here and is not committed yet. One per inode, so that every
 * write is seen at once by every reader of the mount.
 *
 * <p>The contents are in one of three places: in the inode ({@code inline} is set); in chunks; or
 * moving from one to the other ({@code spill} is set). While they move, reads and writes use the
 * chunks already, and the next commit tells the master. Its own monitor guards everything; it is
 * never held while waiting for an answer.
 */
public final class InodeState implements WriteOwner {
    private final Mount mount;
    private final WriteBack chunks;
    private final Committer committer;
    private final AppendToken appendToken;
    private final FileTail tail;
    private final FileLocks locks;
    private final ChunkClones clones;
    private final Gate gate;
    private final Doubt doubts;
    private final OwnChanges ownChanges;
    private final WriteErrors errors = new WriteErrors();
    private final Uncommitted uncommitted = new Uncommitted();
    private final Readers readers = new Readers();
    private Inode inode;
    private long validatedMs;
    private final Contents contents;

    InodeState(Inode inode, Mount mount, FileLocks locks) {
        this.mount = mount;
        this.inode = inode;
        this.ownChanges = new OwnChanges(this, inode.attributes());
        this.validatedMs = mount.nowMs();
        this.chunks = new WriteBack(this, this, mount.chunks(), mount.pool());
        this.contents = new Contents(chunks, inode.inline());
        this.clones = new ChunkClones(this, mount.chunks());
        this.gate = new Gate(this, mount.timeoutMs());
        this.committer = new Committer(this, mount);
        this.appendToken = new AppendToken(this, mount, locks);
        this.tail = new FileTail(this, mount, uncommitted);
        this.doubts = new Doubt(this, mount);
        this.locks = locks;
    }

    public long ino() {
        return inode.ino();
    }

    public synchronized Inode inode() {
        return inode;
    }

    Mount mount() {
        return mount;
    }

    public OwnChanges ownChanges() {
        return ownChanges;
    }

    public AppendToken appendToken() {
        return appendToken;
    }

    public FileTail tail() {
        return tail;
    }

    /** The length as every reader of this mount sees it, in bytes. */
    public synchronized long size() {
        return Math.max(inode.attributes().size(), uncommitted.end());
    }

    /** The attributes with the effects of what is not committed yet. */
    public synchronized Attributes attributes() {
        return uncommitted.over(inode.attributes());
    }

    /** The younger of what is known and given, with what is not committed yet. */
    synchronized Attributes over(Attributes given) {
        Attributes known = inode.attributes();
        return uncommitted.over(given.version() > known.version() ? given : known);
    }

    /** Whether the master has been asked within the attribute TTL. */
    public synchronized boolean isFresh() {
        return mount.nowMs() - validatedMs < mount.settings().attributeTtlMs();
    }

    /** The master says that this has changed. */
    public synchronized void expire() {
        validatedMs = mount.nowMs() - mount.settings().attributeTtlMs() - 1;
    }

    public Doubt doubts() {
        return doubts;
    }

    @Override
    public CompletableFuture<?> look() {
        return doubts.ask();
    }

    /** Takes over what the master says, unless it is older than what is known. */
    public synchronized void adopt(Inode fresh) {
        mount.cache().put(fresh.attributes());
        validatedMs = mount.nowMs();
        if (fresh.attributes().version() < inode.attributes().version()) {
            return;
        }
        ownChanges.adopted(inode.attributes(), fresh.attributes());
        Layout before = inode.layout();
        boolean cut = fresh.cuts() > inode.cuts();
        inode = fresh;
        Layout after = fresh.layout();
        if (cut) {
            cutOff(fresh.attributes().size());
        }
        if (after != null && before != null && !after.equals(before)) {
            if (fresh.inline() == null || contents.isMoving()) {
                contents.leave(before, after, uncommitted, errors);
            }
            readers.forget(0, Long.MAX_VALUE);
            if (after.chunkSizeLog2() != before.chunkSizeLog2()) {
                chunks.rechunk();
            }
        }
        if (after != null && contents.adopt(fresh.inline(), after.lastOid())) {
            uncommitted.cutOff(chunks.end());
        }
    }

    /**
     * Others have cut the file to a length: what is not committed was written before that, unless
     * nobody knows.
     */
    private void cutOff(long size) {
        contents.cut(size);
        if (uncommitted.cutTo(size)) {
            if (doubts.isOpen()) {
                errors.note(Uncommitted.cutUnheard());
            }
            if (contents.isMoving()) {
                // It is in an object that the file still has.
                tail.leave();
            }
        }
    }

    /** From now on the contents are in chunks here; the next commit moves them at the master. */
    public synchronized void moveToChunks() {
        byte[] master = inode.inline();
        if (master == null || contents.inline() == null) {
            return;
        }
        requireStorage();
        contents.move(layout().lastOid(), master);
        touch();
    }

    // ---- writing

    /**
     * Buffers bytes of a source, as many as there is room for at once; waits while the layout
     * changes.
     *
     * @param append whether the APPEND token is needed; EIO when it was lost
     * @return bytes taken; 0 when everything buffered is on its way and there is no room yet
     */
    synchronized int take(long offset, ByteBuffer source, boolean append) {
        gate.pass();
        if (append) {
            appendToken.requireHeld();
        }
        int taken = buffer(offset, source);
        if (taken == 0) {
            chunks.sendAll();
        }
        return taken;
    }

    private int buffer(long offset, ByteBuffer source) {
        int length = source.remaining();
        InlineContents inline = contents.inline();
        if (inline != null) {
            if (offset + length <= mount.master().session().inlineLimitBytes()) {
                inline.write((int) offset, source);
                wrote(offset, offset + length);
                return length;
            }
            moveToChunks();
        }
        int taken = contents.buffer(offset, source);
        if (taken > 0) {
            wrote(offset, offset + taken);
        }
        return taken;
    }

    /** Whether bytes at an offset leave others before them that only chunks can show as zeros. */
    synchronized boolean leavesGap(long offset, long end) {
        boolean fits = end <= mount.master().session().inlineLimitBytes();
        return contents.leavesGap(inode.inline(), offset, size(), fits);
    }

    private void requireStorage() {
        if (!ChunkIo.canStore(inode.layout())) {
            throw new FsException(Errno.ENOSPC, "no chunk server has registered yet");
        }
    }

    private void wrote(long from, long to) {
        uncommitted.extend(to);
        readers.forget(from, to);
        touch();
    }

    private void touch() {
        if (uncommitted.touch(mount.nowMs(), mount.fileTimeNs(inode.attributes()))) {
            mount.dirty().add(this);
        }
    }

    /** The file is at least this long from now on; for fallocate. Bytes were not written. */
    public synchronized void extendTo(long size) {
        gate.pass();
        if (size > mount.master().session().inlineLimitBytes()) {
            moveToChunks();
        }
        uncommitted.extend(size);
        uncommitted.stored(size, 0);
        touch();
    }

    /** Makes a range zeros if the contents are in the inode; false when they are in chunks. */
    public synchronized boolean zeroInline(long from, long to) {
        InlineContents inline = contents.inline();
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
    public synchronized void changed(ChunkPlace place, long from, long to, WriteReply reply) {
        uncommitted.stored(0, reply.allocatedDeltaBytes());
        mount.unsynced().add(ino(), place, reply);
        readers.forget(from, to);
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
    public synchronized ChunkSource source(long index) {
        return clones.source(layout(), index);
    }

    @Override
    public synchronized CompletableFuture<Void> prepare(ChunkPlace place) {
        return clones.prepare(place);
    }

    @Override
    public synchronized void written(ChunkPlace place, long end, WriteReply reply) {
        uncommitted.stored(end, reply.allocatedDeltaBytes());
        mount.unsynced().add(ino(), place, reply);
    }

    @Override
    public synchronized void lost(FsException error) {
        errors.note(error);
        tail.leave();
        if (contents.isMoving()) {
            // The master has the contents as they were, perhaps synced: holes must not replace
            // them.
            chunks.discardFrom(0);
            contents.reset(inode.inline());
            uncommitted.clear();
            mount.dirty().remove(this);
        } else {
            uncommitted.lost(chunks.end());
        }
    }

    @Override
    public WritePermit permit() {
        return new WritePermit(mount.master().session(), lockingSession());
    }

    /**
     * The session under whose locks or APPEND token the contents are changed now; 0 when there are
     * none, negative when it ended just now.
     */
    public synchronized long lockingSession() {
        if (!appendToken.mayBeOurs() && !locks.mayHold(ino())) {
            return 0;
        }
        long session = mount.master().session().session();
        return session == 0 ? -1 : session;
    }

    /**
     * Locks or the token under which it was written are lost: nothing that is not committed is
     * stored or told any more, and each open file hears of it once.
     */
    public synchronized void giveUp(FsException error) {
        errors.note(error);
        chunks.abandon();
        contents.reset(inode.inline());
        uncommitted.clear();
        mount.dirty().remove(this);
        readers.forget(0, Long.MAX_VALUE);
    }

    /** Commits before locks are given back; what cannot be committed is given up. Never fails. */
    public CompletableFuture<Void> commitOrGiveUp() {
        return committer.commitOrGiveUp();
    }

    /** Makes durable what is at the chunk servers; each open file hears once of what is lost. */
    public CompletableFuture<Void> flushChunks() {
        return mount.unsynced()
                .flush(ino(), place -> layout().refersTo(place.oid(), place.index()), errors::note);
    }

    /** Whether anything is not at the master yet. */
    public synchronized boolean isDirty() {
        return uncommitted.isDirty();
    }

    /** Drains and commits; done at once when there is nothing to do. */
    public CompletableFuture<Void> commit() {
        return committer.commit();
    }

    /** As {@link #commit} if that is at most one call to the master; else null. */
    public @Nullable CompletableFuture<Void> commitInOneCall() {
        return committer.commitInOneCall();
    }

    /** As {@link #commit} for a thread that is going to wait. */
    public CompletableFuture<Void> commitNow() {
        return committer.commitNow();
    }

    /** Commits in the background what has waited for a while, unless a commit is under way. */
    void commitIfOld(long ageMs) {
        committer.commitIfOld(ageMs);
    }

    /** Since when something is not at the master, in milliseconds of the mount's clock. */
    synchronized long dirtySinceMs() {
        return uncommitted.sinceMs();
    }

    synchronized void sendBuffered() {
        chunks.sendAll();
    }

    public synchronized CompletableFuture<Void> drain() {
        return chunks.drain();
    }

    /** How long to wait for all that is buffered to drain, in milliseconds. */
    public synchronized long drainTimeoutMs() {
        return mount.timeoutMs() * (2 + chunks.count() / WriteBack.MAX_IN_FLIGHT);
    }

    /** Forgets what is buffered beyond an offset: it is being cut off. */
    public synchronized void discardFrom(long offset) {
        chunks.discardFrom(offset);
    }

    ChunkClones clones() {
        return clones;
    }

    /** Where the contents are; to be used with the monitor of this state held. */
    Contents contents() {
        return contents;
    }

    /** What has to be told the master now, everything being drained; null when nothing. */
    synchronized @Nullable Mutation nextMutation() {
        if (!isDirty()) {
            return null;
        }
        return contents.toTell(inode, uncommitted);
    }

    /** The master has done the last mutation. Meanwhile the contents may have begun to spill. */
    synchronized void committed(Mutation mutation, Inode fresh) {
        if (uncommitted.told()) {
            mount.dirty().remove(this);
        }
        InlineContents inline = contents.inline();
        if (inline != null) {
            inline.told();
        }
        if (mutation instanceof ContentMutation.Spill) {
            contents.moved();
        }
        adopt(fresh);
        if (contents.isMoveBuffered()) {
            // Told to the master and put into the chunks when the answer was late.
            touch();
        }
    }

    /** The master refused the last mutation; the inode as it is now was adopted. */
    synchronized void rejected(Mutation mutation, Errno errno) {
        if (mutation instanceof ContentMutation.WriteInline && errno == Errno.EFBIG) {
            moveToChunks();
        }
    }

    /** A commit failed for good: what was not told is given up when {@code forget}. */
    synchronized void failed(FsException error, boolean forget) {
        errors.note(error);
        if (forget) {
            tail.leave();
            contents.reset(inode.inline());
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
    public WriteErrors errors() {
        return errors;
    }

    public Gate gate() {
        return gate;
    }

    /** The inline contents, or null when they are in chunks. */
    public synchronized @Nullable InlineContents inline() {
        return contents.inline();
    }

    /** Buffered bytes of a range. */
    synchronized List<HeldBytes> held(long from, long to) {
        return contents.held(from, to);
    }

    /** Whether the servers do not have all of a range. */
    synchronized boolean holds(long from, long to) {
        return contents.holds(from, to);
    }

    public Readers readers() {
        return readers;
    }
}
