package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.fs.FileType;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.inode.InodeTable;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation.MoveChunks;
import io.cairn.wire.master.Reply.EntryReply;
import java.util.ArrayList;
import java.util.List;

/**
 * Moves chunks with bytes off disks that are full. Belongs to the apply thread.
 *
 * <p>The client copies them, and what it writes has to belong to a file from the beginning: else
 * nobody would delete it when the client is lost. So the first step makes a file without a name,
 * whose object holds the copies. The second one lets the file go on with that object and releases
 * the old chunks, if the file is still as the client saw it. A client that is lost between the two
 * leaves a file that nobody holds open. That is purged as any other one, and its object with it.
 *
 * <p>Each move has an object of its own: it holds no chunks but those that move.
 */
final class ChunkMove {
    private final Transaction transaction;
    private final InodeTable inodes;
    private final ObjectLedger ledger;
    private final LayoutChoice layouts;

    ChunkMove(
            Transaction transaction, InodeTable inodes, ObjectLedger ledger, LayoutChoice layouts) {
        this.transaction = transaction;
        this.inodes = inodes;
        this.ledger = ledger;
        this.layouts = layouts;
    }

    EntryReply apply(MoveChunks m) {
        transaction.history().requireNoneTaken();
        Inode inode = inodes.file(m.ino());
        if (inode.attributes().version() != m.version()) {
            throw new FsException(
                    Errno.ESTALE,
                    "inode %d has changed since version %d".formatted(m.ino(), m.version()));
        }
        Layout layout = inode.layout();
        if (layout == null || m.chunks().length == 0) {
            throw new FsException(Errno.EINVAL, "no chunks to be moved");
        }
        ChunkRenewal.requireOrder(m.chunks(), layout);
        Inode told =
                m.isFirstStep()
                        ? makeCopy(inode, layout, m.chunks()[0])
                        : move(inode, layout, inodes.file(m.copyIno()), m.chunks());
        return new EntryReply(told, null, null, null);
    }

    private Inode makeCopy(Inode inode, Layout layout, long chunk) {
        requireFewObjects(layout.objectCount() + 1);
        transaction.counters().requireRoom();
        long oid = transaction.counters().nextOid();
        Run place = layouts.roomFor(layout, layout.runOf(chunk), oid);
        if (place == null) {
            throw new FsException(Errno.ENOSPC, "no other disks of this kind have room");
        }
        transaction.counters().takeOid();
        InodeDraft copy =
                new InodeDraft(
                        transaction.counters().takeIno(), FileType.FILE, transaction.nowNs());
        copy.mode = 0;
        copy.uid = inode.attributes().uid();
        copy.gid = inode.attributes().gid();
        copy.policy = inode.policy();
        copy.exclusiveVerifier = inode.ino();
        copy.layout =
                new Layout(
                        layout.chunkSizeLog2(),
                        layout.stripeWidth(),
                        layout.seed(),
                        List.of(place));
        return inodes.putUnnamed(copy, false);
    }

    /** Whether an inode was made for copies of chunks of another one, and still has them. */
    private static boolean isCopyOf(Inode inode, Inode copy) {
        Layout layout = inode.layout();
        Layout there = copy.layout();
        return layout != null
                && there != null
                && copy.inline() == null
                && copy.attributes().nlink() == 0
                && copy.attributes().size() == 0
                && copy.exclusiveVerifier() == inode.ino()
                && there.isWhole()
                && there.chunkSizeLog2() == layout.chunkSizeLog2()
                && there.stripeWidth() == layout.stripeWidth()
                && there.seed() == layout.seed();
    }

    private Inode move(Inode inode, Layout layout, Inode copy, long[] chunks) {
        Layout there = copy.layout();
        if (there == null || !isCopyOf(inode, copy)) {
            throw new FsException(
                    Errno.ESTALE,
                    "inode %d has no copies for inode %d".formatted(copy.ino(), inode.ino()));
        }
        Run place = there.lastRun();
        List<Run> runs = new ArrayList<>(layout.runs());
        for (long chunk : chunks) {
            if (!layouts.isAlike(layout.runOf(chunk).poolId(), place.poolId())) {
                throw new FsException(Errno.EINVAL, "chunk " + chunk + " is in another pool");
            }
            ChunkRenewal.replace(runs, place.beside(chunk, place.oid()));
        }
        InodeDraft draft = new InodeDraft(inode);
        Layout moved = layout.withRuns(Layout.joined(runs));
        draft.layout = moved;
        requireFewObjects(moved.objectCount());
        if (moved.runs().size() > Layout.MAX_RUNS) {
            throw new FsException(Errno.E2BIG, "the chunks of the file are in too many places");
        }
        for (long chunk : chunks) {
            ledger.release(inode.ino(), layout, chunk, chunk + 1);
            if (layout.isPending(chunk, layout.runOf(chunk).oid())) {
                ledger.releaseSource(inode.ino(), layout.runOf(chunk));
            }
        }
        empty(copy);
        return inodes.put(draft);
    }

    /** The object is that of the other file now. */
    private void empty(Inode copy) {
        InodeDraft draft = new InodeDraft(copy);
        draft.setInline(new byte[0]);
        draft.layout = layouts.fresh(copy.ino(), copy.policy());
        inodes.put(draft);
    }

    private static void requireFewObjects(int objects) {
        if (objects > Layout.MAX_OBJECTS) {
            throw new FsException(
                    Errno.E2BIG, "the chunks of the file are in too many places: copy the file");
        }
    }
}
