package io.cairn.client.tree;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Stripe;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply.IndicesReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;

/**
 * Which chunks of a file may hold bytes. The heads of its groups are asked, each once for many
 * chunks, so that a hole costs nothing however large it is. Thread-safe; blocks.
 */
public final class ExistingChunks {
    /** So few chunks are looked at one by one. */
    static final int FEW = 16;

    /** Runs asked about in one request. */
    private static final int MAX_RANGES = 256;

    private static final int MAX_FOUND = 1024;

    private final Mount mount;

    public ExistingChunks(Mount mount) {
        this.mount = mount;
    }

    /**
     * A part of the answer.
     *
     * @param indices chunks that may hold bytes, in order
     * @param next all chunks before it are among them, or hold nothing
     */
    public record Page(List<Long> indices, long next) {}

    /** The first chunks of [from, end) that may hold bytes; only {@code end} as next is the end. */
    public Page page(Layout layout, long from, long end) {
        if (end - from <= FEW) {
            List<Long> all = new ArrayList<>();
            for (long index = from; index < end; index++) {
                all.add(index);
            }
            return new Page(all, end);
        }
        TreeSet<Long> found = new TreeSet<>();
        List<ChunkRange> ranges = new ArrayList<>();
        long next = ranges(layout, from, end, ranges, found);
        List<CompletableFuture<IndicesReply>> asked = new ArrayList<>();
        long groups = Math.min(groups(layout, from), next - from);
        for (long i = 0; i < groups; i++) {
            ChunkPlace place = new ChunkPlace(layout, layout.runOf(from).oid(), from + i);
            asked.add(mount.chunks().find(place, ranges, MAX_FOUND));
        }
        for (CompletableFuture<IndicesReply> each : asked) {
            IndicesReply reply = Await.get(each, mount.timeoutMs());
            for (long index : reply.indices()) {
                found.add(index);
            }
            if (!reply.end()) {
                next = Math.min(next, reply.indices()[reply.indices().length - 1] + 1);
            }
        }
        return new Page(List.copyOf(found.headSet(next)), next);
    }

    /**
     * Collects the runs there that share their groups, and the chunks that are still to be cloned;
     * where they end.
     */
    static long ranges(
            Layout layout, long from, long end, List<ChunkRange> ranges, Set<Long> pending) {
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            Layout.Run run = runs.get(i);
            long runEnd = i + 1 < runs.size() ? runs.get(i + 1).firstChunk() : end;
            long first = Math.max(from, run.firstChunk());
            long last = Math.min(end, runEnd);
            if (first >= last) {
                continue;
            }
            if (ranges.size() == MAX_RANGES || !run.sharesGroups(layout.runOf(from))) {
                return first;
            }
            ranges.add(new ChunkRange(run.oid(), first, last));
            if (run.sourceOid() != 0 && first == run.firstChunk()) {
                pending.add(first);
            }
        }
        return end;
    }

    /** How many groups the chunks are spread over; consecutive ones are in different groups. */
    private long groups(Layout layout, long chunk) {
        int poolId = layout.runOf(chunk).poolId();
        Pool pool = mount.chunks().map().pool(poolId);
        if (pool == null) {
            pool = Await.get(mount.chunks().refresh(), mount.timeoutMs()).pool(poolId);
        }
        if (pool == null) {
            throw new FsException(Errno.EIO, "the cluster map does not know the pool of the file");
        }
        return Stripe.width(layout, pool);
    }
}
