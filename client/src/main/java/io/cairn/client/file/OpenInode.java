package io.cairn.client.file;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkClones;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkRenewals;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.chunk.WriteBack;
import io.cairn.client.chunk.WriteOwner;
import io.cairn.client.chunk.WritePermit;
import io.cairn.client.lock.FileLocks;
import io.cairn.client.session.Allowance;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileWatch;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.master.Reply;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One regular file as all its open files in this mount see it, so that every write is seen at once
 * by every reader of the mount. The one owner of its {@link FileState}: whoever has news of the
 * file tells it here, under the one lock that there is, which is never held while waiting for an
 * answer. The classes that ask masters and chunk servers for it ({@link Commits}, {@link Appends},
 * {@link Growth}, {@link Detour}, {@link Doubt}, {@link Standstill}) have no other access.
 */
public final class OpenInode implements WriteOwner {
    private final Object lock = new Object();
    private final long ino;
    private final Mount mount;
    private final Commits commits;
    private final Appends appends;
    private final Growth growth;
    private final Detour detour;
    private final Doubt doubts;
    private final ChunkRenewals renewals;

    @GuardedBy("lock")
    private final FileState state;

    @GuardedBy("lock")
    private final LayoutLatch gate;

    /** The inode whose attributes the cache has. */
    @GuardedBy("lock")
    private Inode cached;

    /** Whether the mount lists it among those that have something to commit. */
    @GuardedBy("lock")
    private boolean listed;

    OpenInode(Inode inode, Mount mount, FileLocks locks) {
        this.ino = inode.ino();
        this.mount = mount;
        this.cached = inode;
        WriteBack chunks = new WriteBack(this, mount.chunks(), mount.pool());
        ChunkClones clones = new ChunkClones(this, mount.chunks());
        this.state = new FileState(inode, mount, locks, chunks, clones);
        this.gate = new LayoutLatch(lock, mount.timeoutMs());
        this.commits = new Commits(this, mount);
        this.appends = new Appends(this, mount, locks, state.token().owner());
        this.growth = new Growth(this, mount);
        this.detour = new Detour(this, mount);
        this.doubts = new Doubt(this, mount);
        this.renewals = commits.renewals(this::adopt);
    }

    // ---- the lock

    /** Tells the state what happened, and follows up what is due then. Never blocks. */
    <T extends @Nullable Object> T with(Function<FileState, T> event) {
        synchronized (lock) {
            try {
                return event.apply(state);
            } finally {
                followUp();
            }
        }
    }

    /** As {@link #with}, when there is nothing to do about it. */
    void tell(Consumer<FileState> event) {
        synchronized (lock) {
            try {
                event.accept(state);
            } finally {
                followUp();
            }
        }
    }

    @Override
    public <T> T locked(Supplier<T> event) {
        return with(_ -> event.get());
    }

    @GuardedBy("lock")
    @SuppressWarnings("ReferenceEquality") // Each answer of the master is another object.
    private void followUp() {
        Inode known = state.inode();
        if (known != cached) {
            cached = known;
            mount.cache().put(known.attributes());
        }
        boolean isDirty = state.isDirty();
        if (isDirty != listed) {
            listed = isDirty;
            if (isDirty) {
                mount.dirty().add(this);
            } else {
                mount.dirty().remove(this);
            }
        }
        List<ReadAhead.Segment> unused = state.unused();
        if (!unused.isEmpty()) {
            unused.forEach(segment -> segment.release(mount.pool()));
            unused.clear();
        }
    }

    // ---- what is known

    public long ino() {
        return ino;
    }

    Mount mount() {
        return mount;
    }

    public Inode inode() {
        return with(FileState::inode);
    }

    /** The length as every reader of this mount sees it, in bytes. */
    public long size() {
        return with(FileState::size);
    }

    Allowance allowance() {
        return commits.allowance();
    }

    /** The attributes with the effects of what is not committed yet. */
    public Attributes attributes() {
        return with(FileState::attributes);
    }

    /** The younger of what is known and given, with what is not committed yet. */
    Attributes over(Attributes given) {
        synchronized (lock) {
            Attributes known = state.inode().attributes();
            return state.uncommitted().over(given.version() > known.version() ? given : known);
        }
    }

    /** The last version that others made, or that may hold changes of theirs. */
    public long foreignVersion() {
        return with(s -> s.ownChanges().foreignVersion());
    }

    /** As {@link io.cairn.fs.OpenFile#watch}. */
    public FileWatch watch() {
        return new InodeWatch(this);
    }

    /** Whether the master has been asked within the attribute TTL. */
    public boolean isFresh() {
        return with(FileState::isFresh);
    }

    /** The master says that this has changed. */
    public void expire() {
        tell(FileState::expire);
    }

    /** Takes over what the master says, unless it is older than what is known. */
    public void adopt(Inode fresh) {
        mount.cache().put(fresh.attributes());
        tell(s -> s.adopt(fresh));
    }

    /** As {@link #adopt(Inode)} of the inode in a reply; throws what failed. */
    public void adopt(Reply reply) {
        adopt(Await.expect(reply, Reply.EntryReply.class).inode());
    }

    /** Whether at least a version is known here, which the master has just told; 0 for none. */
    public boolean isConfirmed(long version) {
        synchronized (lock) {
            Attributes known = state.inode().attributes();
            if (version == 0 || known.version() < version) {
                return false;
            }
            state.confirm();
            mount.cache().put(known);
            return true;
        }
    }

    /** Whether others may have changed it, and the way to find out. */
    public Doubt doubts() {
        return doubts;
    }

    /** Whether anything is not at the master yet. */
    public boolean isDirty() {
        return with(FileState::isDirty);
    }

    /** Pieces that were read ahead are not believed any more. */
    public void forgetReadAhead() {
        tell(s -> s.forgetReadAhead(0, Long.MAX_VALUE));
    }

    @Override
    public Layout layout() {
        return with(FileState::layout);
    }

    /** Whether the contents are in the inode. */
    public boolean isInline() {
        return with(s -> s.contents().inline() != null);
    }

    /** How many errors of writes that were buffered there were. */
    public long errorCount() {
        return with(FileState::errorCount);
    }

    /** The last of these errors, which each open file reports once. */
    public FsException lastError() {
        return with(FileState::lastError);
    }

    // ---- the gate

    /** Waits until no change of the size is under way, and keeps writers out from then on. */
    public void closeGate() {
        synchronized (lock) {
            gate.close();
        }
    }

    /** Lets writers in again. */
    public void openGate() {
        synchronized (lock) {
            gate.open();
        }
    }

    // ---- writing

    /** From now on the contents are in chunks here; the next commit moves them at the master. */
    public void moveToChunks() {
        tell(FileState::moveToChunks);
    }

    /**
     * Buffers bytes of a source, as many as there is room for at once; waits while the layout
     * changes.
     *
     * @return bytes taken; 0 when everything buffered is on its way and there is no room yet
     */
    int take(long offset, ByteBuffer source) {
        return with(s -> buffer(s, offset, source));
    }

    /**
     * As {@link #take} at the end of the file, wherever that is now.
     *
     * @param next behind the last bytes of the same record: the end may be nearer when others have
     *     cut the file meanwhile
     * @return the offset behind the bytes taken; as its complement when none were
     * @throws FsException EIO when the APPEND token was lost
     */
    long append(long next, ByteBuffer source) {
        return with(
                s -> {
                    pass();
                    long at = Math.min(next, s.size());
                    if (!s.token().isHeld() || !s.token().isFenced()) {
                        throw Appends.lost();
                    }
                    int taken = buffer(s, at, source);
                    return taken == 0 ? ~at : at + taken;
                });
    }

    private int buffer(FileState s, long offset, ByteBuffer source) {
        pass();
        ContentWriter.requireRoomFor(offset, source.remaining());
        int taken = s.buffer(offset, source);
        if (taken == 0) {
            s.chunks().sendAll();
        }
        return taken;
    }

    private void pass() {
        synchronized (lock) {
            gate.pass();
        }
    }

    /** The file is at least this long from now on; for fallocate. Bytes were not written. */
    public void extendTo(long size) {
        tell(
                s -> {
                    pass();
                    s.extendTo(size);
                });
    }

    /** Makes a range zeros if the contents are in the inode; false when they are in chunks. */
    public boolean zeroInline(long from, long to) {
        return with(s -> s.zeroInline(from, to));
    }

    /** Contents were changed at the chunk servers directly, as by punching a hole. */
    public void changed(ChunkPlace place, long from, long to, WriteReply reply) {
        tell(s -> s.changed(place, from, to, reply));
    }

    /** Forgets what is buffered beyond an offset: it is being cut off. */
    public void discardFrom(long offset) {
        tell(s -> s.chunks().discardFrom(offset));
    }

    // ---- the chunks' side

    /** Where a chunk is read: one that still has to be cloned from the source of its clone. */
    public ChunkSource source(long index) {
        return with(s -> s.clones().source(s.layout(), index));
    }

    @Override
    public CompletableFuture<Void> prepare(ChunkPlace place) {
        return with(s -> s.clones().prepare(place));
    }

    @Override
    public void written(ChunkPlace place, long end, WriteReply reply) {
        tell(s -> s.written(place, end, reply));
    }

    @Override
    public void lost(FsException error) {
        tell(s -> s.lost(error));
    }

    @Override
    public CompletableFuture<?> look(ChunkPlace place, FsException refusal) {
        return switch (refusal.errno()) {
            case EROFS -> renewals.renew(place);
            case ENOSPC -> detour.past(place);
            default -> doubts.ask();
        };
    }

    @Override
    public WritePermit permit() {
        return new WritePermit(mount.master().session(), lockingSession());
    }

    /** As {@link FileState#lockingSession}. */
    public long lockingSession() {
        return with(FileState::lockingSession);
    }

    // ---- commits and what comes before writes

    /** Drains and commits; done at once when there is nothing to do. */
    public CompletableFuture<Void> commit() {
        return commits.commit();
    }

    /** As {@link #commit}, and sets attributes in the same call if it can; whether it has. */
    public CompletableFuture<Boolean> commitWith(AttributeChange change) {
        return commits.commitWith(change);
    }

    /** Sets attributes of a file of which the master does not know yet; null where it must ask. */
    public @Nullable Attributes amend(AttributeChange change) {
        return with(s -> s.amend(change));
    }

    /** Whether a commit now is at most one call to the master. */
    public boolean commitsInOneCall() {
        synchronized (lock) {
            return !state.committer().isBusy()
                    && !state.clones().hasUntold()
                    && (!state.isDirty() || state.contents().inline() != null);
        }
    }

    /** As {@link #commit}; blocks. */
    public void commitAndWait() {
        mount.await(commits.commit(), drainTimeoutMs());
    }

    /** Commits before locks are given back; what cannot be committed is given up. Never fails. */
    public CompletableFuture<Void> commitOrGiveUp() {
        return commits.commitOrGiveUp();
    }

    /** Commits in the background what has waited for a while, unless a commit is under way. */
    void commitIfOld(long ageMs) {
        synchronized (lock) {
            boolean isOld =
                    state.isDirty() && mount.nowMs() - state.uncommitted().sinceMs() >= ageMs;
            if (!isOld || gate.isClosed() || state.committer().isBusy()) {
                return;
            }
        }
        Promises.whenDone(commits.commit(), (_, _) -> {});
    }

    void sendBuffered() {
        tell(s -> s.chunks().sendAll());
    }

    /** Brings to the chunk servers what is buffered. */
    public CompletableFuture<Void> drain() {
        return with(s -> s.chunks().drain());
    }

    /** How long to wait for all that is buffered to drain, in milliseconds. */
    public long drainTimeoutMs() {
        synchronized (lock) {
            return mount.timeoutMs() * (2 + state.chunks().count() / WriteBack.MAX_IN_FLIGHT);
        }
    }

    /** Makes durable what is at the chunk servers; each open file hears once of what is lost. */
    public CompletableFuture<Void> flushChunks() {
        return flushChunks(_ -> true, error -> tell(s -> s.note(error)));
    }

    /** The same for some; chunks that were cut off are forgotten: their pool may be no more. */
    CompletableFuture<Void> flushChunks(Predicate<ChunkPlace> chosen, Consumer<FsException> lost) {
        return mount.unsynced()
                .flush(ino, place -> layout().refersTo(place.oid(), place.index()), chosen, lost);
    }

    /** The right to append. */
    public Appends appends() {
        return appends;
    }

    /** The step before the file grows. */
    public Growth growth() {
        return growth;
    }

    /** The way around servers that are lost. */
    public Detour detour() {
        return detour;
    }

    /** This mount has just made the file: nobody else can have written beyond its end. */
    void created() {
        tell(FileState::made);
    }

    /** Bytes that cannot be committed are given up. */
    void giveUpIfDirty(FsException error) {
        tell(s -> s.giveUpIfDirty(error));
    }

    /**
     * The session ended, and what it held with it: others may have these locks now, so what was
     * written under them is not stored.
     *
     * @param isLocked whether doors had locks on the file
     */
    public void sessionLost(boolean isLocked, FsException error) {
        tell(
                s -> {
                    boolean appended = s.token().dropped() && s.isDirty();
                    if (appended || isLocked) {
                        s.giveUp(error);
                    }
                    s.tail().doubt();
                    s.beginDoubt();
                });
    }
}
