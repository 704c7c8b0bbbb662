package io.cairn.client.file;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.WriteBack;
import io.cairn.client.lock.FileLocks;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Mutation;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The knowledge of a mount about one regular file that is open: the inode as the master last told
 * it, and on top of it the bytes that were written here and are not committed yet. The parts below
 * are told events, and say what is to be done; only {@link OpenInode} has it, and calls it with its
 * lock held. Nothing here waits, asks, or takes a lock.
 */
final class FileState {
    private final Mount mount;
    private final FileLocks locks;
    private final WriteBack chunks;
    private final Contents contents;
    private final ChunkClones clones;
    private final Uncommitted uncommitted = new Uncommitted();
    private final Committer committer = new Committer();
    private final AppendToken token;
    private final FileTail tail;
    private final OwnChanges ownChanges;
    private final List<ReadAhead> readers = new ArrayList<>(1);
    private final List<ReadAhead.Segment> unused = new ArrayList<>(0);
    private Inode inode;
    private long validatedMs;
    private long errorCount;
    private FsException lastError = new FsException(Errno.EIO);
    private long doubt;
    private long settledDoubt;
    private boolean isAmended;

    FileState(Inode inode, Mount mount, FileLocks locks, WriteBack chunks, ChunkClones clones) {
        this.mount = mount;
        this.locks = locks;
        this.chunks = chunks;
        this.clones = clones;
        this.inode = inode;
        this.validatedMs = mount.nowMs();
        this.contents = new Contents(chunks, inode.inline());
        this.token = new AppendToken(locks.newOwner());
        this.tail = new FileTail(mount.settings().attributeTtlMs());
        this.ownChanges = new OwnChanges(inode.attributes());
    }

    long ino() {
        return inode.ino();
    }

    Inode inode() {
        return inode;
    }

    WriteBack chunks() {
        return chunks;
    }

    Contents contents() {
        return contents;
    }

    ChunkClones clones() {
        return clones;
    }

    Uncommitted uncommitted() {
        return uncommitted;
    }

    Committer committer() {
        return committer;
    }

    AppendToken token() {
        return token;
    }

    FileTail tail() {
        return tail;
    }

    OwnChanges ownChanges() {
        return ownChanges;
    }

    /** How many errors befell data after its writer was told that all is well. */
    long errorCount() {
        return errorCount;
    }

    /** The last of these errors. */
    FsException lastError() {
        return lastError;
    }

    /** Another such error. Each open file remembers how many it has reported. */
    void note(FsException error) {
        errorCount++;
        lastError = error;
    }

    /** Those who read ahead, and have to forget what is changed. */
    List<ReadAhead> readers() {
        return readers;
    }

    /**
     * Pieces that were read ahead and are not needed any more: to be released, and removed from
     * here.
     */
    List<ReadAhead.Segment> unused() {
        return unused;
    }

    /** Forgets what was read ahead of a range that is not what it was. */
    void forgetReadAhead(long from, long to) {
        for (int i = 0; i < readers.size(); i++) {
            readers.get(i).forget(from, to);
        }
    }

    // ---- what is known

    /** The length as every reader of this mount sees it, in bytes. */
    long size() {
        return Math.max(inode.attributes().size(), uncommitted.end());
    }

    /** The attributes with the effects of what is not committed yet. */
    Attributes attributes() {
        return uncommitted.over(inode.attributes());
    }

    /** Whether anything is not at the master yet. */
    boolean isDirty() {
        return uncommitted.isDirty();
    }

    Layout layout() {
        Layout layout = inode.layout();
        if (layout == null) {
            throw new FsException(Errno.EINVAL, "inode " + ino() + " has no contents");
        }
        return layout;
    }

    /**
     * The session under whose locks or APPEND token the contents are changed now; 0 when there are
     * none, negative when it ended just now.
     */
    long lockingSession() {
        if (!token.mayBeOurs() && !locks.mayHold(ino())) {
            return 0;
        }
        long session = mount.master().session().session();
        return session == 0 ? -1 : session;
    }

    /** Whether the master has been asked within the attribute TTL. */
    boolean isFresh() {
        return mount.nowMs() - validatedMs < mount.settings().attributeTtlMs();
    }

    /** The master says that this has changed. */
    void expire() {
        validatedMs = mount.nowMs() - mount.settings().attributeTtlMs() - 1;
    }

    /** The master has just said that the inode is as it is known. */
    void confirm() {
        validatedMs = mount.nowMs();
    }

    /** The master's news may not have arrived. */
    void beginDoubt() {
        doubt++;
        expire();
    }

    /** Whether the master does not know the file yet. */
    boolean isYoung() {
        return inode.attributes().version() == 0;
    }

    /** As {@link OpenInode#amend}, with a change that {@link AttributeChange#fitsWrite}. */
    @Nullable Attributes amend(AttributeChange change) {
        Attributes known = inode.attributes();
        long nowNs = mount.fileTimeNs(known);
        long mtimeNs = change.has(AttributeChange.MTIME_NOW) ? nowNs : change.mtimeNs();
        boolean isOdd = change.has(AttributeChange.MTIME) && (mtimeNs == 0 || mtimeNs > nowNs);
        if (!isYoung() || committer.isBusy() || isOdd) {
            return null;
        }
        if (change.has(AttributeChange.MTIME)) {
            uncommitted.setTime(mtimeNs);
        }
        inode = inode.withAttributes(change.appliedTo(known, nowNs));
        isAmended = true;
        return attributes();
    }

    /** What {@link #amend} has made of the attributes; null when it has not. */
    @Nullable AttributeChange amendment() {
        return isYoung() && isAmended ? AttributeChange.toBecome(inode.attributes()) : null;
    }

    /** This mount has just made the file: nobody else can have written beyond its end. */
    void made() {
        tail.makeSure(mount.nowMs());
        if (isYoung()) {
            touch();
        }
    }

    /** The number of the last doubt. */
    long doubt() {
        return doubt;
    }

    /** Whether others may have cut or lengthened the file without our being told. */
    boolean isDoubtful() {
        return doubt != settledDoubt || !mount.master().session().hearsOfChanges();
    }

    /** The master was asked after a doubt. */
    void settled(long number, Inode fresh) {
        adopt(fresh);
        settledDoubt = Math.max(settledDoubt, number);
    }

    /** Takes over what the master says, unless it is older than what is known. */
    void adopt(Inode fresh) {
        confirm();
        if (fresh.attributes().version() < inode.attributes().version()) {
            return;
        }
        if (ownChanges.isForeign(inode.attributes(), fresh.attributes())) {
            // What was fetched before others changed it is not read any more.
            forgetReadAhead(0, Long.MAX_VALUE);
        }
        Layout before = inode.layout();
        boolean cut = fresh.cuts() > inode.cuts();
        inode = fresh;
        Layout after = fresh.layout();
        if (cut) {
            cutOff(fresh.attributes().size());
        }
        if (after != null && before != null && !after.equals(before)) {
            if (fresh.inline() == null || contents.isMoving()) {
                FsException loss = contents.leave(before, after, uncommitted);
                if (loss != null) {
                    note(loss);
                }
            }
            forgetReadAhead(0, Long.MAX_VALUE);
            if (after.chunkSizeLog2() != before.chunkSizeLog2()) {
                chunks.rechunk();
            }
        }
        if (after != null && contents.adopt(fresh.inline(), after.lastRun())) {
            uncommitted.cutOff(chunks.end());
        }
    }

    /**
     * Others have cut the file to a length: what is not committed was written before that, unless
     * nobody knows.
     */
    private void cutOff(long size) {
        contents.cut(size);
        if (uncommitted.cutTo(size, layout().chunkSizeBytes())) {
            if (isDoubtful()) {
                note(Uncommitted.cutUnheard());
            }
            if (contents.isMoving()) {
                // It is in an object that the file still has.
                tail.leave();
            }
        }
    }

    // ---- writing

    /** Whether contents in the inode may stay there with bytes up to an end. */
    boolean fitsInline(long end) {
        int standard = mount.master().session().inlineLimitBytes();
        return Math.max(end, size()) <= inode.policy().inlineLimitBytes(standard);
    }

    /** From now on the contents are in chunks here; the next commit moves them at the master. */
    void moveToChunks() {
        byte[] master = inode.inline();
        if (master == null || contents.inline() == null) {
            return;
        }
        if (!ChunkIo.canStore(inode.layout())) {
            throw new FsException(
                    Errno.ENOSPC,
                    "no chunk server has registered yet, or none with the labels of the class");
        }
        contents.move(layout().lastRun(), master);
        touch();
    }

    /** Buffers bytes of a source; how many, 0 when there is no room. */
    int buffer(long offset, ByteBuffer source) {
        int length = source.remaining();
        InlineContents inline = contents.inline();
        if (inline != null) {
            if (fitsInline(offset + length)) {
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
    boolean leavesGap(long offset, long end) {
        return contents.leavesGap(inode.inline(), offset, size(), fitsInline(end));
    }

    private void wrote(long from, long to) {
        uncommitted.extend(to);
        forgetReadAhead(from, to);
        touch();
    }

    private void touch() {
        uncommitted.touch(mount.nowMs(), mount.fileTimeNs(inode.attributes()));
    }

    /** The file is at least this long from now on; for fallocate. Bytes were not written. */
    void extendTo(long size) {
        if (!fitsInline(size)) {
            moveToChunks();
        }
        uncommitted.extend(size);
        uncommitted.stored(size, 0);
        touch();
    }

    /** Makes a range zeros if the contents are in the inode; false when they are in chunks. */
    boolean zeroInline(long from, long to) {
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
    void changed(ChunkPlace place, long from, long to, WriteReply reply) {
        uncommitted.storedIn(place.index());
        written(place, 0, reply);
        forgetReadAhead(from, to);
        touch();
    }

    /** Bytes up to an offset are at the chunk servers. */
    void written(ChunkPlace place, long end, WriteReply reply) {
        uncommitted.stored(end, reply.allocatedDeltaBytes());
        if (end > 0) {
            uncommitted.storedIn(place.index());
        }
        mount.unsynced().add(ino(), place, reply);
    }

    /** Bytes that were buffered are lost. */
    void lost(FsException error) {
        note(error);
        tail.leave();
        if (contents.isMoving()) {
            // The master has the contents as they were, perhaps synced: holes must not replace
            // them.
            chunks.discardFrom(0);
            contents.reset(inode.inline());
            uncommitted.clear();
        } else {
            uncommitted.lost(chunks.end());
        }
    }

    /**
     * Locks or the token under which it was written are lost: nothing that is not committed is
     * stored or told any more, and each open file hears of it once.
     */
    void giveUp(FsException error) {
        note(error);
        chunks.abandon();
        contents.reset(inode.inline());
        uncommitted.clear();
        forgetReadAhead(0, Long.MAX_VALUE);
    }

    /** What cannot be committed is given up. */
    void giveUpIfDirty(FsException error) {
        if (isDirty()) {
            giveUp(error);
            tail.leave();
        }
    }

    // ---- commits

    /**
     * Keeps here all that is buffered until {@link WriteBack#resume}: then it goes to where the
     * file is. Only for new chunks.
     *
     * @return false, and nothing was done, when anything is stored that is not committed, or is on
     *     its way to a chunk that may have bytes
     */
    boolean keepHere() {
        long presentEnd =
                inode.inline() != null
                        ? 0
                        : layout().chunkBehind(inode.attributes().size())
                                << layout().chunkSizeLog2();
        if (uncommitted.storedEnd() > 0 || clones.hasUntold() || chunks.holds(0, presentEnd)) {
            return false;
        }
        chunks.pause(presentEnd);
        return true;
    }

    /**
     * The mutation to be told to the master now, everything being drained; null when there is none.
     */
    @Nullable Mutation nextMutation() {
        return isDirty() ? contents.toTell(inode, uncommitted) : null;
    }

    /** The master has done the last mutation. Meanwhile the contents may have begun to spill. */
    void committed(Mutation mutation, Inode fresh) {
        uncommitted.told();
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
    void rejected(Mutation mutation, Errno errno) {
        if (mutation instanceof ContentMutation.WriteInline && errno == Errno.EFBIG) {
            moveToChunks();
        }
    }

    /** A commit failed for good: what was not told is given up when {@code forget}. */
    void failed(FsException error, boolean forget) {
        note(error);
        if (forget) {
            tail.leave();
            contents.reset(inode.inline());
            uncommitted.clear();
            if (!chunks.isEmpty()) {
                uncommitted.extend(chunks.end());
                touch();
            }
        }
    }
}
