package io.cairn.metadata.content;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.master.ContentMutation;
import java.util.ArrayList;
import java.util.List;

/**
 * Gives chunks of a file a new object because a snapshot or another file has the old one. They have
 * to be cloned from the old one, which is released when that is done.
 *
 * <p>All chunks that change between two snapshots get the same object as far as possible, so that
 * neighbours become one run. That is the youngest object of the file, if it may be changed. The
 * objects that a chunk has had only ever grow: truncations and renewals alike give it a younger one
 * than all that it had. So a chunk whose object is older has never been in the youngest one, and
 * nothing of it was released there. That holds for objects of this history: one from before a
 * recovery may have had the chunk in what was lost, and is not used again.
 */
final class ChunkRenewal {
    /** Chunks of one mutation: clients have some dozens of writes under way. */
    private static final int MAX_CHUNKS = 4096;

    private final Transaction transaction;

    /** Objects for the chunks of one mutation: in each place of the cluster one. */
    private final List<Run> fresh = new ArrayList<>();

    ChunkRenewal(Transaction transaction) {
        this.transaction = transaction;
    }

    /** EINVAL unless the chunks are in order, in a file of the largest size, and not too many. */
    static void requireOrder(ContentMutation.RenewChunks m, Layout layout) {
        requireOrder(m.indices(), layout);
        if (m.indices().length != m.oids().length) {
            throw new FsException(Errno.EINVAL, "not as many objects as chunks");
        }
    }

    /** EINVAL unless chunks are in order, in a file of the largest size, and not too many. */
    static void requireOrder(long[] chunks, Layout layout) {
        long last = layout.chunkOf(FileSystem.MAX_FILE_BYTES);
        boolean isOrdered = chunks.length <= MAX_CHUNKS;
        for (int i = 0; isOrdered && i < chunks.length; i++) {
            isOrdered = chunks[i] >= (i == 0 ? 0 : chunks[i - 1] + 1) && chunks[i] <= last;
        }
        if (!isOrdered) {
            throw new FsException(
                    Errno.EINVAL, "the chunks are not in order, or more than " + MAX_CHUNKS);
        }
    }

    /** The layout with a new object for those chunks that are where the client thinks. */
    Layout renewed(Layout layout, ContentMutation.RenewChunks m) {
        Run youngest = youngest(layout);
        boolean isFree =
                youngest.oid() >= transaction.counters().firstSureOid()
                        && !transaction.history().isFenced(youngest.oid());
        List<Run> parts = new ArrayList<>(layout.runs());
        boolean isChanged = false;
        for (int i = 0; i < m.indices().length; i++) {
            long chunk = m.indices()[i];
            Run run = layout.runOf(chunk);
            if (run.oid() == m.oids()[i] && !layout.isPending(chunk, run.oid())) {
                boolean isFit = isFree && youngest.oid() > run.oid() && youngest.sharesGroups(run);
                long oid = isFit ? youngest.oid() : freshFor(run);
                renew(parts, chunk, layout.chunkSizeBytes(), oid);
                isChanged = true;
            }
        }
        if (!isChanged) {
            return layout;
        }
        List<Run> runs = Layout.joined(parts);
        if (runs.size() > Layout.MAX_RUNS && runs.size() > layout.runs().size()) {
            throw new FsException(
                    Errno.E2BIG,
                    ("the file was changed in %d places since a snapshot: copy it to make it whole,"
                                    + " or drop the snapshot and give its directory larger chunks")
                            .formatted(runs.size() / 2));
        }
        fresh.forEach(_ -> transaction.counters().takeOid());
        return layout.withRuns(runs);
    }

    private static Run youngest(Layout layout) {
        Run youngest = layout.lastRun();
        for (Run run : layout.runs()) {
            youngest = run.oid() > youngest.oid() ? run : youngest;
        }
        return youngest;
    }

    private long freshFor(Run run) {
        for (Run known : fresh) {
            if (known.sharesGroups(run)) {
                return known.oid();
            }
        }
        // Taken when it is sure that the mutation succeeds.
        fresh.add(run.beside(0, transaction.counters().nextOid() + fresh.size()));
        return fresh.getLast().oid();
    }

    private static void renew(List<Run> runs, long chunk, long chunkSizeBytes, long oid) {
        Run old = runs.get(Layout.placeOf(runs, chunk));
        replace(runs, old.beside(chunk, oid).cloning(old.oid(), chunkSizeBytes));
    }

    /** Puts one chunk, the first one of a run, there; those around it stay where they are. */
    static void replace(List<Run> runs, Run now) {
        long chunk = now.firstChunk();
        int at = Layout.placeOf(runs, chunk);
        Run old = runs.get(at);
        long end = at + 1 < runs.size() ? runs.get(at + 1).firstChunk() : ObjectLedger.TO_END;
        if (chunk + 1 < end) {
            runs.add(at + 1, old.beside(chunk + 1, old.oid()));
        }
        if (old.firstChunk() == chunk) {
            runs.set(at, now);
        } else {
            runs.add(at + 1, now);
        }
    }
}
