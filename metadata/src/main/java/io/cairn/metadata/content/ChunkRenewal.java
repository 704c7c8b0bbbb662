package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.metadata.state.Counters;
import io.cairn.wire.master.ContentMutation;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives chunks of a file new objects because a snapshot keeps the old ones. Each new object holds
 * one chunk, which has to be cloned from the old one; the old one is released when that is done.
 */
final class ChunkRenewal {
    /** Runs that a layout may have behind a renewal: some 180 KB. */
    static final int MAX_RUNS = 4 * Layout.MAX_RUNS;

    private ChunkRenewal() {}

    /** EINVAL unless the chunks are in order. */
    static void requireOrder(ContentMutation.RenewChunks m) {
        boolean isOrdered = m.indices().length == m.oids().length;
        for (int i = 0; isOrdered && i < m.indices().length; i++) {
            isOrdered = m.indices()[i] >= 0 && (i == 0 || m.indices()[i - 1] < m.indices()[i]);
        }
        if (!isOrdered) {
            throw new FsException(Errno.EINVAL, "the chunks to renew are not in order");
        }
    }

    /** The layout with new objects for those chunks that are where the client thinks. */
    static Layout renewed(Layout layout, ContentMutation.RenewChunks m, Counters counters) {
        List<Run> runs = new ArrayList<>(layout.runs());
        List<Integer> due = new ArrayList<>();
        for (int i = 0; i < m.indices().length; i++) {
            Run run = layout.runOf(m.indices()[i]);
            boolean isPending = run.sourceOid() != 0 && run.firstChunk() == m.indices()[i];
            if (run.oid() == m.oids()[i] && !isPending) {
                due.add(i);
            }
        }
        if (runs.size() + 2 * due.size() > MAX_RUNS) {
            throw new FsException(
                    Errno.E2BIG,
                    "the file was changed in %d places since a snapshot: copy it to make it whole"
                            .formatted(runs.size()));
        }
        for (int i : due) {
            renew(runs, m.indices()[i], layout.chunkSizeBytes(), counters.takeOid());
        }
        return due.isEmpty() ? layout : layout.withRuns(runs);
    }

    private static void renew(List<Run> runs, long chunk, long chunkSizeBytes, long oid) {
        int at = runs.size() - 1;
        while (runs.get(at).firstChunk() > chunk) {
            at--;
        }
        Run old = runs.get(at);
        long end = at + 1 < runs.size() ? runs.get(at + 1).firstChunk() : ObjectLedger.TO_END;
        if (chunk + 1 < end) {
            runs.add(at + 1, old.beside(chunk + 1, old.oid()));
        }
        Run renewed = old.beside(chunk, oid).cloning(old.oid(), chunkSizeBytes);
        if (old.firstChunk() == chunk) {
            runs.set(at, renewed);
        } else {
            runs.add(at + 1, renewed);
        }
    }
}
