package io.cairn.master.check;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.CopiesReply;
import io.cairn.wire.chunk.HeadRequest.VerifyCopies;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Has the heads of the groups of a file verify the copies of its chunks. Each is asked about a
 * whole run of the layout, so a hole costs nothing however large it is. Thread-safe; blocks its
 * callers.
 */
final class CopyVerification {
    private static final int TRIES = 8;
    private static final long PAUSE_MS = 250;

    private final Supplier<ClusterMap> maps;
    private final Heads heads;
    private final BooleanSupplier goesOn;

    /** Asks the head of a group. */
    @FunctionalInterface
    interface Heads {
        /** Fails with an {@code FsException} when the head cannot be asked. */
        CopiesReply verify(ClusterMap map, PlacementGroup group, VerifyCopies request);
    }

    /**
     * What was found.
     *
     * @param missed why not everything could be looked at; null when it could
     */
    record Outcome(CopiesReply found, @Nullable String missed) {}

    /** The chunks of an object from an index up to another one. */
    private record Part(long oid, long from, long end) {}

    /** Sums of a file. */
    private static final class Sum {
        private CopiesReply found = new CopiesReply(0, 0, 0, 0, 0, 0);
        private @Nullable String missed;
    }

    /**
     * With the means to ask.
     *
     * @param maps tells the map now: groups change meanwhile
     * @param goesOn looked at before each request: when it is false no more are made
     */
    CopyVerification(Supplier<ClusterMap> maps, Heads heads, BooleanSupplier goesOn) {
        this.maps = maps;
        this.heads = heads;
        this.goesOn = goesOn;
    }

    /** Verifies all copies of a file. */
    Outcome verify(Inode file) {
        Sum sum = new Sum();
        Layout layout = file.layout();
        if (layout != null) {
            long behind = layout.chunkBehind(file.attributes().size());
            List<Run> runs = layout.runs();
            for (int i = 0; i < runs.size(); i++) {
                Run run = runs.get(i);
                long end = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : behind;
                long from = run.firstChunk();
                verify(layout, new Part(run.oid(), from, Math.min(end, behind)), sum);
                if (run.sourceOid() != 0 && from < behind) {
                    verify(layout, new Part(run.sourceOid(), from, from + 1), sum);
                }
            }
        }
        return new Outcome(sum.found, sum.missed);
    }

    private void verify(Layout layout, Part part, Sum sum) {
        Set<Integer> asked = new HashSet<>();
        ClusterMap map = maps.get();
        Pool pool = map.pool(layout.runOf(part.from).poolId());
        if (pool == null) {
            return;
        }
        // After as many chunks as the pool has groups they are the same again.
        long last = Math.min(part.end, part.from + pool.groupCount());
        for (long chunk = part.from; chunk < last; chunk++) {
            PlacementGroup group = map.groupOf(layout, chunk);
            if (group != null && asked.add(group.id())) {
                verify(group.id(), layout, part, sum);
            }
        }
    }

    private void verify(int group, Layout layout, Part part, Sum sum) {
        long next = part.from;
        int tries = 0;
        while (next < part.end) {
            if (!goesOn.getAsBoolean()) {
                sum.missed = "the verification was ended";
                return;
            }
            try {
                CopiesReply found = ask(group, layout, new Part(part.oid, next, part.end));
                sum.found = sum.found.plus(found);
                next = Math.max(next + 1, found.nextIndex());
                tries = 0;
            } catch (FsException e) {
                tries++;
                if (tries >= TRIES || e.errno() == Errno.EINTR) {
                    sum.missed = "group " + group + ": " + Wording.of(e);
                    return;
                }
                pause();
            }
        }
    }

    private CopiesReply ask(int id, Layout layout, Part part) {
        ClusterMap map = maps.get();
        PlacementGroup group = map.group(id);
        if (group == null) {
            throw new FsException(Errno.ESTALE, "the group is no longer in the cluster map");
        }
        ChunkAddress first =
                new ChunkAddress(id, group.epoch(), part.oid, part.from, layout.chunkSizeLog2());
        return heads.verify(map, group, new VerifyCopies(first, part.end));
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "the verification was ended", e);
        }
    }
}
