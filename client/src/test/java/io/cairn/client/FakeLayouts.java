package io.cairn.client;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import java.util.ArrayList;
import java.util.List;

/** The layouts of a {@link FakeNamespace}, and the numbers of its objects. */
final class FakeLayouts {
    private final int chunkSizeLog2;
    private final FakeNamespace.Garbage garbage;
    private long lastOid = 100;
    private long firstSureOid;

    FakeLayouts(int chunkSizeLog2, FakeNamespace.Garbage garbage) {
        this.chunkSizeLog2 = chunkSizeLog2;
        this.garbage = garbage;
    }

    /** Counts a size that was set. */
    static Inode counted(Inode before, Inode after) {
        return new Inode(
                after.attributes(),
                after.parentIno(),
                after.nameCookie(),
                after.policy(),
                after.layout(),
                after.inline(),
                after.entryCount(),
                after.exclusiveVerifier(),
                before.nameChanges() + 1);
    }

    Layout fresh(int poolId, long seed) {
        return new Layout(chunkSizeLog2, 0, seed, List.of(Layout.Run.of(0, poolId, ++lastOid)));
    }

    /** A lost client may have written to every object there is. */
    void doubt() {
        firstSureOid = lastOid + 1;
    }

    boolean isDoubtful(Layout layout) {
        return layout.lastOid() < firstSureOid;
    }

    /** The layout after truncation to a size that is not 0. */
    Layout cut(Layout layout, long size) {
        long boundary = layout.chunkOf(size);
        long kept = size & (layout.chunkSizeBytes() - 1);
        Layout.Run at = layout.runOf(boundary);
        List<Layout.Run> runs = new ArrayList<>();
        for (Layout.Run run : layout.runs()) {
            if (run.firstChunk() < boundary) {
                runs.add(run);
            } else {
                garbage.delete(run.oid(), boundary + 1, Long.MAX_VALUE);
            }
        }
        garbage.delete(at.oid(), boundary + 1, Long.MAX_VALUE);
        boolean pending = at.sourceOid() != 0 && at.firstChunk() == boundary;
        if (kept == 0) {
            runs.add(at.beside(boundary, ++lastOid));
        } else if (pending) {
            runs.add(
                    at.beside(boundary, ++lastOid)
                            .cloning(at.sourceOid(), Math.min(at.sourceLengthBytes(), kept)));
        } else {
            runs.add(at.beside(boundary, ++lastOid).cloning(at.oid(), kept));
        }
        return layout.withRuns(runs);
    }
}
