package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkIo;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.client.chunk.WritePermit;
import io.cairn.client.file.ContentWriter;
import io.cairn.client.file.Mount;
import io.cairn.client.file.OpenInode;
import io.cairn.client.session.Await;
import io.cairn.client.session.Promises;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.runtime.PendingRequest;
import io.cairn.runtime.WaitCause;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongConsumer;

/**
 * Changes of contents other than writes: truncation, fallocate, and the search for holes. They
 * drain and commit what is buffered first, and keep writers of this mount out meanwhile. Blocking.
 */
public final class FileContents {
    private static final int KEEP_SIZE = 1;
    private static final int PUNCH_HOLE = 2;
    private static final int ZERO_RANGE = 16;
    private static final int MAX_PARALLEL = 16;
    private static final int MAX_TRIES = 20;

    /** A young cluster has no place for chunks until its servers have come together. */
    private static final long STORAGE_MS = 5000;

    private static final long STORAGE_RETRY_MS = 100;

    private final Mount mount;
    private final ExistingChunks existing;
    private final LongConsumer whole;

    /** Contents of files; {@code whole} makes a file whole that has too many runs. */
    public FileContents(Mount mount, LongConsumer whole) {
        this.mount = mount;
        this.whole = whole;
        this.existing = new ExistingChunks(mount);
    }

    /** EISDIR or EINVAL when nobody can give it a size, whatever his rights (truncate(2)). */
    static void requireSizable(Attributes inode, long sizeBytes) {
        if (inode.isDirectory()) {
            throw new FsException(Errno.EISDIR);
        }
        if (!inode.isFile() || sizeBytes < 0) {
            throw new FsException(Errno.EINVAL);
        }
    }

    /** EISDIR, EINVAL or EFBIG when something cannot have a size. */
    static void requireSize(Attributes inode, long sizeBytes) {
        requireSizable(inode, sizeBytes);
        if (sizeBytes > FileSystem.MAX_FILE_BYTES) {
            throw new FsException(Errno.EFBIG);
        }
    }

    /** Changes the size, and perhaps other attributes with it. */
    public Reply.EntryReply resize(Caller caller, OpenInode state, AttributeChange change) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Reply reply = tryResize(caller, state, change);
            if (!hasTooManyRuns(reply)) {
                return Await.expect(reply, Reply.EntryReply.class);
            }
            whole.accept(state.ino());
        }
        throw new FsException(Errno.EFBIG, "others cut the file in many places all the time");
    }

    private Reply tryResize(Caller caller, OpenInode state, AttributeChange change) {
        long session = state.lockingSession();
        if (change.size() > state.size()) {
            state.detour().before(change.size());
        }
        state.closeGate();
        try {
            state.discardFrom(change.size());
            state.commitAndWait();
            if (change.size() > state.size()) {
                state.growth().beforeExtension();
            }
            Mutation mutation =
                    ChangeReport.asked(caller, new TreeMutation.SetAttributes(state.ino(), change));
            Reply reply = mount.master().change(mutation, session);
            if (reply instanceof Reply.Failure failure && failure.errno() == Errno.EFBIG) {
                // An inline file grows out of its inode: the client moves the contents first.
                ensureStorage(state);
                state.moveToChunks();
                state.commitAndWait();
                reply = mount.master().change(mutation, session);
            }
            if (reply instanceof Reply.EntryReply entry) {
                state.adopt(entry.inode());
            }
            return reply;
        } finally {
            state.openGate();
        }
    }

    /** Whether the master wants the file to be made whole first. */
    static boolean hasTooManyRuns(Reply reply) {
        return reply instanceof Reply.Failure failure && failure.errno() == Errno.E2BIG;
    }

    private Reply ask(long ino, AttributeChange change, long session) {
        return mount.master().change(new TreeMutation.SetAttributes(ino, change), session);
    }

    /** Has the master choose a pool for a file that was made before any chunk server came. */
    public void ensureStorage(OpenInode state) {
        if (ChunkIo.canStore(state.layout())) {
            return;
        }
        AttributeChange touch = AttributeChange.NONE.withMtime(state.attributes().mtimeNs());
        long endMs = mount.nowMs() + Math.min(STORAGE_MS, mount.timeoutMs());
        while (true) {
            Reply reply = ask(state.ino(), touch, 0);
            state.adopt(reply);
            if (ChunkIo.canStore(state.layout())) {
                return;
            }
            if (mount.nowMs() - endMs >= 0) {
                throw new FsException(
                        Errno.ENOSPC,
                        "no chunk server has registered yet, or none with the labels of the class");
            }
            pause(STORAGE_RETRY_MS);
        }
    }

    /** Lets time pass. */
    public void pause(long ms) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        mount.runtime().scheduler().schedule(() -> over.complete(null), ms);
        Await.get(over, ms);
    }

    /**
     * As {@code OpenFile.allocate}: space is not reserved, but there must be enough now, on the
     * disks of the file and under quotas.
     */
    public void allocate(OpenInode state, int mode, long offset, long length) {
        if (offset < 0 || length <= 0) {
            throw new FsException(Errno.EINVAL, "offset " + offset + ", length " + length);
        }
        if (offset > FileSystem.MAX_FILE_BYTES - length) {
            throw new FsException(Errno.EFBIG);
        }
        long end = offset + length;
        requireRoom(state, mode, offset, length);
        switch (mode) {
            case 0 -> extend(state, end);
            case KEEP_SIZE -> {}
            case PUNCH_HOLE | KEEP_SIZE, ZERO_RANGE | KEEP_SIZE -> zero(state, offset, end);
            case ZERO_RANGE -> {
                zero(state, offset, end);
                extend(state, end);
            }
            default -> throw unknownMode(mode);
        }
    }

    /** EOPNOTSUPP before anybody is asked for room. */
    private static void requireRoom(OpenInode state, int mode, long offset, long length) {
        switch (mode) {
            case 0, KEEP_SIZE -> ContentWriter.allowAllocation(state, offset, length, false);
            case ZERO_RANGE, ZERO_RANGE | KEEP_SIZE ->
                    ContentWriter.allowAllocation(state, offset, length, true);
            case PUNCH_HOLE | KEEP_SIZE -> {}
            default -> throw unknownMode(mode);
        }
    }

    private static FsException unknownMode(int mode) {
        return new FsException(Errno.EOPNOTSUPP, "fallocate mode " + mode);
    }

    /** The file is at least this long afterwards; what is new is a hole. Fails as a write. */
    public void extendByHole(OpenInode state, long end) {
        long size = state.size();
        if (end > FileSystem.MAX_FILE_BYTES) {
            throw new FsException(Errno.EFBIG);
        }
        if (end > size) {
            ContentWriter.allowHole(state, end);
            extend(state, end);
        }
    }

    private void extend(OpenInode state, long end) {
        if (end <= state.size()) {
            return;
        }
        if (state.growth().outgrowsInode(end)) {
            ensureStorage(state);
        }
        state.growth().beforeWrite(end, end);
        PendingRequest.waited();
        state.extendTo(end);
        state.commitAndWait();
    }

    private void zero(OpenInode state, long offset, long wantedEnd) {
        state.closeGate();
        try {
            state.commitAndWait();
            for (int tries = 1; !zeroOnce(state, offset, wantedEnd, tries); tries++) {
                state.doubts().look();
            }
            state.commitAndWait();
        } finally {
            state.openGate();
        }
    }

    /** False when others have cut the file since, so that some of its chunks are elsewhere. */
    private boolean zeroOnce(OpenInode state, long offset, long wantedEnd, int tries) {
        long end = Math.min(wantedEnd, state.size());
        if (state.zeroInline(offset, end)) {
            return true;
        }
        ArrayDeque<CompletableFuture<Void>> running = new ArrayDeque<>();
        try {
            zeroChunks(state, offset, end, running);
            return true;
        } catch (FsException e) {
            // None of them may come behind what is written later.
            running.forEach(each -> Await.get(each.handle((_, _) -> true), mount.timeoutMs()));
            if (e.errno() == Errno.ESTALE && tries < MAX_TRIES) {
                return false;
            }
            throw e;
        }
    }

    private void zeroChunks(
            OpenInode state, long from, long end, ArrayDeque<CompletableFuture<Void>> running) {
        if (from >= end) {
            return;
        }
        Layout layout = state.layout();
        long chunkBytes = layout.chunkSizeBytes();
        long endChunk = layout.chunkOf(end - 1) + 1;
        for (long next = layout.chunkOf(from); next < endChunk; ) {
            ExistingChunks.Page page = existing.page(layout, next, endChunk);
            for (long index : page.indices()) {
                long at = Math.max(from, index * chunkBytes);
                long to = Math.min(end - chunkBytes, index * chunkBytes) + chunkBytes;
                running.add(zeroChunk(state, layout, at, to));
                if (running.size() == MAX_PARALLEL) {
                    await(running.remove());
                }
            }
            next = page.next();
        }
        running.forEach(this::await);
    }

    private <T> T await(CompletableFuture<T> chunks) {
        return Await.get(chunks, mount.timeoutMs(), WaitCause.CHUNKS);
    }

    /** A chunk still to be cloned is let alone where its source holds nothing. */
    private CompletableFuture<Void> zeroChunk(OpenInode state, Layout layout, long from, long to) {
        long index = layout.chunkOf(from);
        ChunkPlace place = new ChunkPlace(layout, layout.runOf(index).oid(), index);
        if (state.source(index).place().equals(place)) {
            return zeroChunk(state, place, from, to);
        }
        return Promises.then(
                seekInChunk(state, from, true),
                found ->
                        found < 0 || found >= to
                                ? Promises.DONE
                                : zeroChunk(state, place, from, to));
    }

    private CompletableFuture<Void> zeroChunk(
            OpenInode state, ChunkPlace place, long from, long to) {
        Layout layout = place.layout();
        int inChunk = (int) (from & (layout.chunkSizeBytes() - 1));
        WritePermit permit = state.permit();
        return Promises.then(
                        state.prepare(place),
                        _ -> mount.chunks().zero(place, inChunk, (int) (to - from), permit))
                .thenAccept((WriteReply reply) -> state.changed(place, from, to, reply))
                .exceptionallyCompose(
                        thrown -> {
                            FsException refusal = Await.failure(thrown);
                            return refusal.errno() == Errno.EROFS
                                    ? renewed(state, place, refusal)
                                            .thenCompose(now -> zeroChunk(state, now, from, to))
                                    : CompletableFuture.failedFuture(refusal);
                        });
    }

    /** Where a chunk is once it belongs to no snapshot any more. */
    private static CompletableFuture<ChunkPlace> renewed(
            OpenInode state, ChunkPlace place, FsException refusal) {
        return state.look(place, refusal)
                .thenApply(
                        _ -> {
                            Layout layout = state.layout();
                            long oid = layout.runOf(place.index()).oid();
                            if (oid == place.oid()) {
                                throw refusal;
                            }
                            return new ChunkPlace(layout, oid, place.index());
                        });
    }

    /**
     * As {@code OpenFile.seek}. A chunk that was moved away meanwhile looks like a hole, so the
     * answer counts only if the layout is the same afterwards.
     */
    public long seek(OpenInode state, long offset, boolean data) {
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            state.commitAndWait();
            if (!state.isFresh()) {
                state.doubts().look();
            }
            Layout used = state.layout();
            long found = seekOnce(state, offset, data);
            state.doubts().look();
            if (used.equals(state.layout())) {
                if (found < 0) {
                    throw new FsException(Errno.ENXIO, "no data at or after " + offset);
                }
                return found;
            }
        }
        throw new FsException(Errno.EIO, "the file was truncated during each search");
    }

    private long seekOnce(OpenInode state, long offset, boolean data) {
        long size = state.size();
        if (offset < 0 || offset >= size) {
            throw new FsException(Errno.ENXIO, "offset " + offset + " of " + size);
        }
        if (state.isInline()) {
            return data ? offset : size;
        }
        return data ? seekData(state, offset, size) : seekHole(state, offset, size);
    }

    /** The chunk at hand first; then what there is, several at a time. */
    private long seekData(OpenInode state, long offset, long size) {
        Layout layout = state.layout();
        long found = await(seekInChunk(state, offset, true));
        if (found >= 0) {
            return found < size ? found : -1;
        }
        long end = layout.chunkOf(size - 1) + 1;
        for (long next = layout.chunkOf(offset) + 1; next < end; ) {
            ExistingChunks.Page page = existing.page(layout, next, end);
            found = seekData(state, page.indices());
            if (found >= 0) {
                return found < size ? found : -1;
            }
            next = page.next();
        }
        return -1;
    }

    private long seekData(OpenInode state, List<Long> chunks) {
        long chunkBytes = state.layout().chunkSizeBytes();
        ArrayDeque<CompletableFuture<Long>> asked = new ArrayDeque<>();
        for (int i = 0; i < chunks.size() || !asked.isEmpty(); ) {
            while (i < chunks.size() && asked.size() < MAX_PARALLEL) {
                asked.add(seekInChunk(state, chunks.get(i) * chunkBytes, true));
                i++;
            }
            long found = await(asked.remove());
            if (found >= 0) {
                return found;
            }
        }
        return -1;
    }

    private long seekHole(OpenInode state, long offset, long size) {
        Layout layout = state.layout();
        long end = layout.chunkOf(size - 1) + 1;
        for (long index = layout.chunkOf(offset); index < end; index++) {
            // The end of the last chunk there can be is no number.
            long at = Math.max(offset, index * layout.chunkSizeBytes());
            long found = await(seekInChunk(state, at, false));
            if (found >= 0) {
                return Math.min(found, size);
            }
        }
        return size;
    }

    /** The offset in the file of the next data or hole in one chunk; -1 when there is none. */
    private CompletableFuture<Long> seekInChunk(OpenInode state, long at, boolean data) {
        Layout layout = state.layout();
        long index = layout.chunkOf(at);
        long base = index * layout.chunkSizeBytes();
        int inChunk = (int) (at - base);
        ChunkSource source = state.source(index);
        CompletableFuture<Integer> found = mount.chunks().seek(source.place(), inChunk, data);
        if (data) {
            return found.thenApply(hit -> hit < 0 || hit >= source.lengthBytes() ? -1 : base + hit);
        }
        // What lies beyond the end of the stored chunk is a hole, too.
        return Promises.then(
                found,
                hit ->
                        hit >= 0
                                ? CompletableFuture.completedFuture(
                                        base + Math.min(hit, source.lengthBytes()))
                                : mount.chunks()
                                        .stat(source.place())
                                        .thenApply(
                                                reply ->
                                                        holeAfter(
                                                                reply.state().lengthBytes(),
                                                                inChunk,
                                                                base,
                                                                source,
                                                                layout)));
    }

    private static long holeAfter(
            int storedBytes, int inChunk, long base, ChunkSource source, Layout layout) {
        long end = Math.max(inChunk, Math.min(storedBytes, source.lengthBytes()));
        return end < layout.chunkSizeBytes() ? base + end : -1;
    }
}
