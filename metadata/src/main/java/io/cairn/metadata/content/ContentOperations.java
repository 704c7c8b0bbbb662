package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.metadata.cluster.Cluster;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.Reply.Done;
import io.cairn.wire.master.Reply.EntryReply;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The mutations of contents: bytes in the inode, sizes, layouts. Belongs to the apply thread.
 *
 * <p>A file's contents live either in the inode ({@code inline}) or in chunks. They move out with
 * Spill and come back with a truncation to nothing. That also gives the file a new object, so that
 * late writes of a client that has not heard of it land where no file refers to.
 */
public final class ContentOperations {
    private static final long BLOCK_BYTES = 4096;

    private final Transaction transaction;
    private final InodeTable inodes;
    private final ObjectLedger ledger;
    private final LayoutChoice layouts;
    private final Cluster cluster;
    private final DoubtfulObjects doubtful;
    private final ChunkMove moves;

    public ContentOperations(
            Transaction transaction,
            InodeTable inodes,
            ObjectLedger ledger,
            LayoutChoice layouts,
            Cluster cluster,
            DoubtfulObjects doubtful) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.ledger = ledger;
        this.layouts = layouts;
        this.cluster = cluster;
        this.doubtful = doubtful;
        this.moves = new ChunkMove(transaction, inodes, ledger, layouts);
    }

    public Reply apply(ContentMutation mutation) {
        return switch (mutation) {
            case ContentMutation.WriteInline m -> writeInline(m);
            case ContentMutation.CommitSize m -> commitSize(m);
            case ContentMutation.Spill m -> spill(m);
            case ContentMutation.CloneDone m -> cloneDone(m);
            case ContentMutation.SwapContents m -> swap(m);
            case ContentMutation.RenewTail m -> renewTail(m);
            case ContentMutation.TakeDetour m -> takeDetour(m.ino(), m.version(), new long[0]);
            case ContentMutation.TakePartialDetour m -> takeDetour(m.ino(), m.version(), m.kept());
            case ContentMutation.RenewChunks m -> renewChunks(m);
            case ContentMutation.MoveChunks m -> moves.apply(m);
        };
    }

    /**
     * Writes into an inode, whose contents the reply does not tell. Quotas were asked before the
     * bytes were taken from an application: what was taken is not refused any more.
     */
    public Reply.WrittenReply writeInline(ContentMutation.WriteInline m) {
        Inode inode = writable(m.ino());
        byte[] old = inode.inline();
        if (old == null) {
            throw stale(m.ino(), "has its contents in chunks");
        }
        if (inode.cuts() != m.cuts()) {
            throw stale(m.ino(), "was truncated");
        }
        requireSize(m.sizeBytes());
        int limit = inode.policy().mostInlineBytes(cluster.inlineLimitBytes(), old.length);
        for (ContentMutation.Patch patch : m.patches()) {
            requireInline(requireSize(patch.offsetBytes()), limit);
        }
        requireInline(m.lengthAfterBytes(old), limit);
        InodeDraft draft = new InodeDraft(inode);
        draft.setInline(m.applyTo(old));
        layouts.settle(draft);
        Inode after = written(draft, m.mtimeNs()).inode();
        return new Reply.WrittenReply(
                inode.attributes().version(), after.withContents(after.layout(), null));
    }

    /** A file that is not immutable: ext4 refuses writes through what was open before, too. */
    private Inode writable(long ino) {
        Inode inode = inodes.file(ino);
        InodeProtection.requireGrowing(inode);
        return inode;
    }

    /**
     * Whether contents in the inode stay there when their size changes.
     *
     * @param presentBytes their size now
     */
    public boolean fitsInline(Policy policy, long presentBytes, long sizeBytes) {
        return sizeBytes <= presentBytes
                || sizeBytes <= policy.inlineLimitBytes(cluster.inlineLimitBytes());
    }

    private EntryReply commitSize(ContentMutation.CommitSize m) {
        Inode inode = writable(m.ino());
        requireSize(m.sizeBytes());
        Layout layout = inode.layout();
        if (inode.inline() != null || layout == null || layout.lastOid() != m.oid()) {
            throw stale(m.ino(), "was truncated: object " + m.oid() + " is not its last one");
        }
        InodeDraft draft = new InodeDraft(inode);
        draft.sizeBytes = Math.max(draft.sizeBytes, m.sizeBytes());
        draft.usedBytes = plus(draft.usedBytes, m.usedDeltaBytes());
        return written(draft, m.mtimeNs());
    }

    /** Never below 0; the largest number instead of overflow. */
    private static long plus(long usedBytes, long deltaBytes) {
        long sum = usedBytes + deltaBytes;
        if (deltaBytes > 0 && sum < usedBytes) {
            return Long.MAX_VALUE;
        }
        return Math.max(0, sum);
    }

    private Reply spill(ContentMutation.Spill m) {
        Inode inode = writable(m.ino());
        requireSize(m.sizeBytes());
        byte[] inline = inode.inline();
        Layout layout = inode.layout();
        if (inline == null || layout == null) {
            throw stale(m.ino(), "has its contents in chunks already");
        }
        if (!layout.hasPool()) {
            return settle(inode);
        }
        if (inode.attributes().version() != m.baseVersion()) {
            throw stale(m.ino(), "has changed since version " + m.baseVersion());
        }
        if (m.sizeBytes() < inline.length || m.usedBytes() < 0) {
            throw new FsException(
                    Errno.EINVAL,
                    "spilling " + inline.length + " bytes cannot leave " + m.sizeBytes());
        }
        InodeDraft draft = new InodeDraft(inode);
        draft.inline = null;
        draft.sizeBytes = m.sizeBytes();
        draft.usedBytes = m.usedBytes();
        doubtful.remove(m.ino());
        return written(draft, m.mtimeNs());
    }

    /** The one failure that changes something: the file has a pool when the client asks again. */
    private Reply settle(Inode inode) {
        InodeDraft draft = new InodeDraft(inode);
        if (!layouts.settle(draft)) {
            throw noPool();
        }
        inodes.put(draft);
        return new Reply.Failure(
                Errno.ESTALE, "inode " + inode.ino() + " has got a pool just now: read it again");
    }

    private static FsException noPool() {
        return new FsException(
                Errno.ENOSPC,
                "no chunk server has registered yet, or none with the labels of the class; start"
                        + " one with 'cairn chunk'");
    }

    private Reply cloneDone(ContentMutation.CloneDone m) {
        Inode inode = inodes.file(m.ino());
        Layout layout = inode.layout();
        if (m.indices().length != m.oids().length) {
            throw new FsException(Errno.EINVAL, "not as many objects as chunks");
        }
        if (layout == null) {
            return new Done();
        }
        Set<Long> done = new HashSet<>();
        for (int i = 0; i < m.indices().length; i++) {
            long chunk = m.indices()[i];
            if (layout.isPending(chunk, m.oids()[i]) && done.add(chunk)) {
                ledger.releaseSource(m.ino(), layout.runOf(chunk));
            }
        }
        if (!done.isEmpty()) {
            InodeDraft draft = new InodeDraft(inode);
            draft.layout = layout.withCloned(m.indices(), m.oids());
            inodes.put(draft);
        }
        return new Done();
    }

    private EntryReply swap(ContentMutation.SwapContents m) {
        if (m.ino() == m.otherIno()) {
            throw new FsException(Errno.EINVAL, "cannot swap inode " + m.ino() + " with itself");
        }
        Inode one = inodes.file(m.ino());
        Inode other = inodes.file(m.otherIno());
        if (one.attributes().version() != m.version()) {
            throw stale(m.ino(), "has changed since version " + m.version());
        }
        if (other.attributes().version() != m.otherVersion()) {
            throw stale(m.otherIno(), "has changed since version " + m.otherVersion());
        }
        InodeDraft draft = withContentsOf(one, other);
        InodeDraft otherDraft = withContentsOf(other, one);
        if (inodes.quotas().version() != 0) {
            inodes.quotas().requireSwap(one, draft.seal(), other, otherDraft.seal());
        }
        doubtful.swap(m.ino(), m.otherIno());
        ledger.swap(one, other);
        Inode changed = inodes.put(draft);
        Inode otherChanged = inodes.put(otherDraft);
        return new EntryReply(changed, null, null, otherChanged.attributes());
    }

    private InodeDraft withContentsOf(Inode inode, Inode other) {
        InodeDraft draft = new InodeDraft(inode);
        draft.inline = other.inline();
        draft.layout = other.layout();
        draft.policy = other.policy();
        draft.sizeBytes = other.attributes().size();
        draft.usedBytes = other.attributes().usedBytes();
        draft.ctimeNs = transaction.nowNs();
        return draft;
    }

    /** Truncates or extends; the caller sets the times and stores the draft. */
    public void resize(InodeDraft draft, long sizeBytes) {
        if (draft.type != FileType.FILE) {
            throw new FsException(
                    draft.type == FileType.DIRECTORY ? Errno.EISDIR : Errno.EINVAL,
                    "inode " + draft.ino + " is not a regular file");
        }
        requireSize(sizeBytes);
        // Somebody may have written beyond the size and not come to commit it: that is cut, too.
        draft.nameChanges++;
        Layout layout = draft.layout;
        byte[] inline = draft.inline;
        if (inline != null) {
            resizeInline(draft, inline, sizeBytes);
        } else if (layout == null) {
            throw new IllegalStateException("file " + draft.ino + " has no layout");
        } else if (sizeBytes == 0) {
            ledger.release(draft.ino, layout);
            draft.setInline(new byte[0]);
            draft.layout = layouts.fresh(draft.ino, draft.policy);
        } else if (sizeBytes >= draft.sizeBytes) {
            if (sizeBytes > draft.sizeBytes && isDoubtful(layout, draft.sizeBytes)) {
                renewTail(draft, layout);
            }
            draft.sizeBytes = sizeBytes;
        } else {
            requireRoomForRun(layout, sizeBytes);
            draft.layout = truncated(draft.ino, layout, sizeBytes);
            draft.sizeBytes = sizeBytes;
            draft.usedBytes = Math.min(draft.usedBytes, InodeDraft.roundUp(sizeBytes, BLOCK_BYTES));
        }
    }

    private void resizeInline(InodeDraft draft, byte[] inline, long sizeBytes) {
        if (fitsInline(draft.policy, inline.length, sizeBytes)) {
            draft.setInline(Arrays.copyOf(inline, (int) sizeBytes));
        } else if (inline.length > 0) {
            throw new FsException(
                    Errno.EFBIG,
                    "the contents of inode " + draft.ino + " have to be spilled first");
        } else {
            Layout layout = draft.layout;
            layouts.settle(draft);
            if (layout == null || draft.layout == null || !draft.layout.hasPool()) {
                throw noPool();
            }
            if (isDoubtful(layout, 0) || layouts.isUnfit(draft.layout)) {
                renewObject(draft, layout);
            }
            draft.inline = null;
            draft.sizeBytes = sizeBytes;
            doubtful.remove(draft.ino);
        }
    }

    /** Whether a client that is no more may have written to an object beyond the end. */
    private boolean isDoubtful(Layout layout, long sizeBytes) {
        return layout.oidAtEnd(sizeBytes) < transaction.counters().firstSureOid();
    }

    private EntryReply renewTail(ContentMutation.RenewTail m) {
        Inode inode = inodes.file(m.ino());
        Layout layout = inode.layout();
        long sizeBytes = inode.attributes().size();
        if (layout == null || layout.lastOid() < m.oid() || layout.oidAtEnd(sizeBytes) > m.oid()) {
            return new EntryReply(inode, null, null, null);
        }
        InodeDraft draft = new InodeDraft(inode);
        if (inode.inline() != null) {
            renewObject(draft, layout);
        } else {
            renewTail(draft, layout);
        }
        return new EntryReply(inodes.put(draft), null, null, null);
    }

    private EntryReply renewChunks(ContentMutation.RenewChunks m) {
        transaction.history().requireNoneTaken();
        Inode inode = inodes.file(m.ino());
        Layout layout = inode.layout();
        if (layout == null || !layout.hasPool()) {
            return new EntryReply(inode, null, null, null);
        }
        ChunkRenewal.requireOrder(m, layout);
        // Chunk by chunk, though the contents are still in the inode: a client that moves them
        // into chunks has stored some of these already.
        InodeDraft draft = new InodeDraft(inode);
        draft.layout = new ChunkRenewal(transaction).renewed(layout, m);
        boolean isChanged = !layout.equals(draft.layout);
        return new EntryReply(isChanged ? inodes.put(draft) : inode, null, null, null);
    }

    private EntryReply takeDetour(long ino, long version, long[] kept) {
        Inode inode = inodes.file(ino);
        if (inode.attributes().version() != version) {
            throw stale(ino, "has changed since version " + version);
        }
        Layout layout = inode.layout();
        if (layout != null) {
            ChunkRenewal.requireOrder(kept, layout);
        }
        InodeDraft draft = new InodeDraft(inode);
        if (layout == null || !layouts.isUnfit(layout) || !takeDetour(draft, layout, kept)) {
            return new EntryReply(inode, null, null, null);
        }
        return new EntryReply(inodes.put(draft), null, null, null);
    }

    private boolean takeDetour(InodeDraft draft, Layout layout, long[] kept) {
        if (draft.inline != null && kept.length == 0) {
            boolean helps = layouts.helps(layout, layouts.choose(draft.ino, draft.policy, 0));
            if (helps) {
                renewObject(draft, layout);
            }
            return helps;
        }
        Layout.Run open = layouts.elsewhere(layout, draft.policy);
        // The chunk before it stays, with its doubt: the client may have stored more in it.
        long first = draft.inline != null ? 0 : layout.chunkBehind(draft.sizeBytes);
        LayoutDetour detour = new LayoutDetour(layout, first, kept);
        if (open == null || !detour.isPossible()) {
            return false;
        }
        // What was to be stored between chunks that stay may be there, or arrive late.
        detour.gaps((from, end) -> ledger.release(draft.ino, layout, from, end));
        long firstByte = detour.behind() << layout.chunkSizeLog2();
        Layout cut = truncated(draft.ino, layout, firstByte);
        draft.layout = layout.withRenewed(detour.runs(cut, open));
        return true;
    }

    /** A client that was lost may have written chunks of these objects: they become garbage. */
    public void renewObjects(LeaderMutation.RenewObjects m) {
        for (LeaderMutation.RenewObjects.Holding holding : m.holdings()) {
            Inode inode = transaction.inode(holding.ino());
            Layout layout = inode == null ? null : inode.layout();
            if (inode != null
                    && layout != null
                    && inode.inline() != null
                    && layout.lastOid() == holding.oid()
                    && doubtful.names(inode.ino())) {
                InodeDraft draft = new InodeDraft(inode);
                renewObject(draft, layout);
                inodes.put(draft);
            }
        }
    }

    /** Contents in the inode: nothing of the object is needed. */
    private void renewObject(InodeDraft draft, Layout layout) {
        ledger.release(draft.ino, layout);
        doubtful.remove(draft.ino);
        Layout now = Objects.requireNonNull(draft.layout);
        if (layouts.isUnfit(now)) {
            draft.layout = layouts.fresh(draft.ino, draft.policy);
        } else {
            long oid = transaction.counters().takeOid();
            draft.layout = now.withRuns(List.of(now.lastRun().beside(0, oid)));
        }
    }

    /** As a truncation to the size that the file has. */
    private void renewTail(InodeDraft draft, Layout layout) {
        draft.layout = layout.withRenewed(truncated(draft.ino, layout, draft.sizeBytes).runs());
        draft.usedBytes =
                Math.min(draft.usedBytes, InodeDraft.roundUp(draft.sizeBytes, BLOCK_BYTES));
    }

    /**
     * The layout after truncation to a size that is not 0 ({@link LayoutCut}). The old objects are
     * released from the new end on. When that is inside a chunk, the old copy of this chunk is kept
     * until what is left of it is cloned.
     */
    private Layout truncated(long ino, Layout layout, long sizeBytes) {
        long boundary = layout.chunkOf(sizeBytes);
        Layout.Run cut = layout.runOf(boundary);
        if (LayoutCut.keptBytes(layout, sizeBytes) == 0) {
            ledger.release(ino, layout, boundary);
        } else if (LayoutCut.isPending(cut, boundary)) {
            long[] isMade = {boundary};
            ledger.release(ino, layout.withCloned(isMade, new long[] {cut.oid()}), boundary);
        } else {
            ledger.release(ino, layout, boundary + 1);
        }
        return LayoutCut.at(layout, sizeBytes, transaction.counters().takeOid());
    }

    /**
     * E2BIG when the layout would have too many objects: the client copies the contents into one. A
     * renewal of the tail, once for each lost client, may go beyond.
     */
    private static void requireRoomForRun(Layout layout, long sizeBytes) {
        long boundary = layout.chunkOf(sizeBytes);
        Set<Long> kept = new HashSet<>();
        for (Layout.Run run : layout.runs()) {
            if (run.firstChunk() < boundary) {
                kept.add(run.oid());
            }
        }
        if (kept.size() >= Layout.MAX_OBJECTS) {
            throw new FsException(
                    Errno.E2BIG,
                    "the file was truncated in %d places: copy it to make it whole"
                            .formatted(kept.size()));
        }
    }

    /** Forgets an inode that has lost its last name, and releases its objects. */
    public void purge(long ino) {
        Inode inode = inodes.require(ino);
        Layout layout = inode.layout();
        if (layout != null && (inode.inline() == null || doubtful.has(ino, layout))) {
            ledger.release(ino, layout);
        }
        doubtful.remove(ino);
        inodes.remove(inode);
    }

    private EntryReply written(InodeDraft draft, long mtimeNs) {
        draft.mtimeNs = mtimeNs;
        draft.ctimeNs = transaction.nowNs();
        return new EntryReply(inodes.put(draft), null, null, null);
    }

    private static long requireSize(long sizeBytes) {
        if (sizeBytes < 0) {
            throw new FsException(Errno.EINVAL, "size " + sizeBytes);
        }
        if (sizeBytes > FileSystem.MAX_FILE_BYTES) {
            throw new FsException(Errno.EFBIG, "size " + sizeBytes);
        }
        return sizeBytes;
    }

    private static void requireInline(long sizeBytes, int limitBytes) {
        if (sizeBytes > limitBytes) {
            throw new FsException(
                    Errno.EFBIG, sizeBytes + " bytes do not fit into the inode; write chunks");
        }
    }

    private static FsException stale(long ino, String why) {
        return new FsException(Errno.ESTALE, "inode " + ino + " " + why);
    }
}
