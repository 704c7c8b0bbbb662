package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Transaction;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives a new file the contents of another one. Contents in the inode are copied. Chunks are not:
 * both files name the same objects from then on. From the end of the file on the clone has an
 * object of its own, because the other one may hold bytes there that nobody committed. The same
 * holds for chunks that have still to be cloned for the source. The other file may be one that a
 * snapshot shows: no chunk server changes its objects as long as there is that snapshot. Belongs to
 * the apply thread.
 */
public final class ContentClone {
    /** No file has this number: the clone is made later. */
    private static final long NEW_FILE = 0;

    private final Transaction transaction;
    private final LayoutChoice layouts;
    private final SharedObjects shared;
    private final RevivedObjects revived;

    public ContentClone(Transaction transaction, LayoutChoice layouts, SharedObjects shared) {
        this.transaction = transaction;
        this.layouts = layouts;
        this.shared = shared;
        revived = new RevivedObjects(transaction);
    }

    /** Whether the contents of a file are in chunks, so that objects would be shared. */
    public static boolean isShared(Inode source) {
        return source.inline() == null && source.attributes().size() > 0;
    }

    /** EMLINK, E2BIG when a file cannot be cloned. */
    public void require(Inode source) {
        Layout layout = source.layout();
        if (layout == null || !isShared(source)) {
            return;
        }
        long oid = transaction.counters().nextOid();
        if (cloned(layout, source.attributes().size(), oid).runs().size() > Layout.MAX_RUNS) {
            throw new FsException(
                    Errno.E2BIG, "the file was changed in too many places: copy it instead");
        }
        shared.requireRoom(layout, NEW_FILE);
    }

    /**
     * Fills the draft of the clone, which is not stored yet. When chunks are shared no chunk server
     * changes any of the objects that exist.
     *
     * @param isPast whether the source is as a snapshot shows it
     */
    public void fill(InodeDraft clone, Inode source, boolean isPast) {
        Layout layout = source.layout();
        byte[] inline = source.inline();
        clone.policy = source.policy();
        if (layout == null || !isShared(source)) {
            clone.setInline(inline == null ? new byte[0] : inline);
            clone.layout = layouts.fresh(clone.ino, clone.policy);
            return;
        }
        long sizeBytes = source.attributes().size();
        long freshOid = transaction.counters().takeOid();
        Layout cut = cloned(layout, sizeBytes, freshOid);
        Layout own = new Layout(cut.chunkSizeLog2(), cut.stripeWidth(), cut.seed(), cut.runs());
        clone.layout = own;
        clone.sizeBytes = sizeBytes;
        clone.usedBytes = source.attributes().usedBytes();
        Inode living = isPast ? transaction.peek(source.ino()) : source;
        if (isPast && (living == null || !layout.equals(living.layout()))) {
            revive(own, freshOid);
        }
        shared.share(living, clone.ino, own, freshOid);
    }

    /** Of a file that still has all that the snapshot shows, nothing is held for that alone. */
    private void revive(Layout own, long freshOid) {
        for (long oid : SharedObjects.named(own)) {
            if (oid != freshOid) {
                revived.revive(oid);
            }
        }
    }

    /**
     * The layout of a clone. A chunk that has still to be cloned for the source comes under the new
     * object, too: a client of the source may have made that clone, and written to it, and not have
     * told so yet. Then the chunk has something else than what the clone shows.
     */
    static Layout cloned(Layout layout, long sizeBytes, long freshOid) {
        Layout cut = LayoutCut.at(layout, sizeBytes, freshOid);
        List<Layout.Run> runs = new ArrayList<>();
        for (int i = 0; i < cut.runs().size(); i++) {
            Layout.Run run = cut.runs().get(i);
            if (run.sourceOid() == 0 || run.oid() == freshOid) {
                runs.add(run);
                continue;
            }
            // The last run is a new one: there is always another behind.
            long chunk = run.firstChunk();
            long sourceBytes = run.sourceLengthBytes();
            runs.add(run.beside(chunk, freshOid).cloning(run.sourceOid(), sourceBytes));
            if (chunk + 1 < cut.runs().get(i + 1).firstChunk()) {
                runs.add(run.beside(chunk + 1, run.oid()));
            }
        }
        return cut.withRuns(runs);
    }
}
