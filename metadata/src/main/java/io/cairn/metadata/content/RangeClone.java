package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeProtection;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;

/**
 * Lets a file go on with chunks of another one, as {@link ContentClone} does for a new file. They
 * keep their index, as it decides about their place. The chunks of the file behind its end are
 * released, as by a cut there. The rest comes under an object that is younger than all that the
 * file had. {@link ChunkRenewal} needs that: a shared chunk may be of an older object than the one
 * that the file had there. Belongs to the apply thread.
 */
public final class RangeClone {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final ObjectLedger ledger;
    private final SharedObjects shared;
    private final DoubtfulObjects doubtful;

    public RangeClone(
            Transaction transaction,
            InodeTable inodes,
            ObjectLedger ledger,
            SharedObjects shared,
            DoubtfulObjects doubtful) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.ledger = ledger;
        this.shared = shared;
        this.doubtful = doubtful;
    }

    /** Performs the mutation. */
    public Reply share(ShareChunks m) {
        transaction.history().requireNoneTaken();
        Inode inode = inodes.file(m.ino());
        Inode source = inodes.file(m.sourceIno());
        InodeProtection.requireGrowing(inode);
        Layout layout = layout(inode);
        Layout model = layout(source);
        long endBytes = endBytes(m, source, model);
        requireKind(inode, source, m.offsetBytes());
        long freshOid = transaction.counters().nextOid();
        long first = model.chunkOf(m.offsetBytes());
        Layout part = part(model, first, endBytes, freshOid);
        requirePool(part, layout);
        shared.requireRoom(part, m.ino());
        transaction.counters().requireRoom();
        InodeDraft draft = new InodeDraft(inode);
        draft.inline = null;
        draft.layout = joined(layout, part, first);
        draft.sizeBytes = endBytes;
        draft.usedBytes += usedBytes(source, endBytes - m.offsetBytes());
        draft.mtimeNs = transaction.nowNs();
        draft.ctimeNs = transaction.nowNs();
        requireRoom(inode, draft);
        requireFenced(part, freshOid);
        if (m.version() == 0) {
            return new Reply.Done();
        }
        requireVersion(inode, m.version());
        transaction.counters().takeOid();
        shared.fence(transaction.history().fenceOid());
        shared.share(source, m.ino(), part, freshOid);
        ledger.release(m.ino(), layout, first);
        doubtful.remove(m.ino());
        return new Reply.EntryReply(inodes.put(draft), null, null, null);
    }

    private static Layout layout(Inode file) {
        Layout layout = file.layout();
        if (layout == null || !layout.hasPool()) {
            throw impossible("inode " + file.ino() + " has no place for chunks");
        }
        return layout;
    }

    private static FsException impossible(String why) {
        return new FsException(Errno.EOPNOTSUPP, why + ": copy the bytes");
    }

    private static long endBytes(ShareChunks m, Inode source, Layout model) {
        long sizeBytes = source.inline() == null ? source.attributes().size() : 0;
        boolean isRange =
                m.ino() != m.sourceIno()
                        && m.lengthBytes() > 0
                        && m.offsetBytes() >= 0
                        && m.offsetBytes() < sizeBytes;
        if (!isRange) {
            throw impossible("no chunks there in another file");
        }
        long leftBytes = sizeBytes - m.offsetBytes();
        long endBytes =
                m.lengthBytes() >= leftBytes
                        ? sizeBytes
                        : (m.offsetBytes() + m.lengthBytes()) & -model.chunkSizeBytes();
        if (endBytes <= m.offsetBytes() || LayoutCut.keptBytes(model, m.offsetBytes()) != 0) {
            throw impossible("not a range of whole chunks");
        }
        return endBytes;
    }

    /** The file must end where the range begins; an empty one takes on the way of the other. */
    private static void requireKind(Inode inode, Inode source, long offsetBytes) {
        Layout own = layout(inode);
        Layout model = layout(source);
        boolean isEmpty = inode.inline() != null && inode.attributes().size() == 0;
        boolean fits =
                inode.attributes().size() == offsetBytes
                        && inode.policy().equals(source.policy())
                        && own.chunkSizeLog2() == model.chunkSizeLog2()
                        && own.stripeWidth() == model.stripeWidth()
                        && (isEmpty || inode.inline() == null && own.seed() == model.seed());
        if (!fits) {
            throw impossible("the chunks of the two files are not of one kind");
        }
    }

    /** The runs of the other file from a chunk on, with a new object from the end on. */
    private static Layout part(Layout model, long first, long endBytes, long freshOid) {
        List<Run> runs = new ArrayList<>();
        Layout cut = ContentClone.cloned(model, endBytes, freshOid);
        Run begin = cut.runOf(first);
        if (begin.firstChunk() < first) {
            runs.add(begin.beside(first, begin.oid()));
        }
        for (Run run : cut.runs()) {
            if (run.firstChunk() >= first) {
                runs.add(run);
            }
        }
        return cut.withRuns(runs);
    }

    private static void requirePool(Layout part, Layout own) {
        for (Run run : part.runs()) {
            if (run.poolId() != own.lastRun().poolId()) {
                throw impossible("the files are in different pools");
            }
        }
    }

    private void requireFenced(Layout part, long freshOid) {
        for (long oid : SharedObjects.named(part)) {
            if (oid != freshOid && !transaction.history().isFenced(oid)) {
                throw new FsException(
                        Errno.EAGAIN, "chunk servers may change object %x".formatted(oid));
            }
        }
    }

    private static void requireVersion(Inode inode, long version) {
        if (inode.attributes().version() != version) {
            throw new FsException(
                    Errno.ESTALE,
                    "inode %d has changed since version %d".formatted(inode.ino(), version));
        }
    }

    private static Layout joined(Layout own, Layout part, long first) {
        List<Run> runs = new ArrayList<>();
        for (Run run : own.runs()) {
            if (run.firstChunk() < first) {
                runs.add(run);
            }
        }
        runs.addAll(part.runs());
        List<Run> joined = Layout.joined(runs);
        if (joined.size() > Layout.MAX_RUNS) {
            throw new FsException(Errno.E2BIG, "the files were changed in too many places");
        }
        return new Layout(
                part.chunkSizeLog2(), part.stripeWidth(), part.seed(), joined, own.lastOid());
    }

    /** Nobody knows where the holes of the other file are: they are spread evenly. */
    private static long usedBytes(Inode source, long lengthBytes) {
        long used = source.attributes().usedBytes();
        long sizeBytes = source.attributes().size();
        return lengthBytes == sizeBytes
                ? used
                : Math.min(used, (long) ((double) used * lengthBytes / sizeBytes));
    }

    private void requireRoom(Inode inode, InodeDraft draft) {
        Sums more =
                new Sums(
                        0,
                        draft.sizeBytes - inode.attributes().size(),
                        draft.usedBytes - inode.attributes().usedBytes());
        inodes.quotas().requireChange(inode, draft.uid, draft.gid, more);
    }
}
