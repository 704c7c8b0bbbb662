package io.cairn.metadata.content;

import io.cairn.cluster.Layout;
import java.util.ArrayList;
import java.util.List;

/** The layout of a file from whose end on everything is new. */
final class LayoutCut {
    private LayoutCut() {}

    /**
     * The layout after a cut at a size that is not 0. The chunk with the new end, or the first one
     * beyond it, and all after it come under a new object. When the end is inside a chunk, what is
     * left of this chunk has still to be cloned.
     */
    static Layout at(Layout layout, long sizeBytes, long newOid) {
        long boundary = layout.chunkOf(sizeBytes);
        long keptBytes = keptBytes(layout, sizeBytes);
        Layout.Run cut = layout.runOf(boundary);
        Layout.Run next = cut.beside(boundary, newOid);
        if (keptBytes > 0 && isPending(cut, boundary)) {
            next = next.cloning(cut.sourceOid(), Math.min(cut.sourceLengthBytes(), keptBytes));
        } else if (keptBytes > 0) {
            next = next.cloning(cut.oid(), keptBytes);
        }
        List<Layout.Run> runs = new ArrayList<>();
        for (Layout.Run run : layout.runs()) {
            if (run.firstChunk() < boundary) {
                runs.add(run);
            }
        }
        runs.add(next);
        return layout.withRuns(runs);
    }

    /** The bytes that are left of the chunk with the end. */
    static long keptBytes(Layout layout, long sizeBytes) {
        return sizeBytes & (layout.chunkSizeBytes() - 1);
    }

    /** Whether a chunk of a run has still to be cloned. */
    static boolean isPending(Layout.Run run, long chunk) {
        return run.sourceOid() != 0 && run.firstChunk() == chunk;
    }
}
