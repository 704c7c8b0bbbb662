package io.cairn.master.check;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.fs.Attributes;
import io.cairn.master.check.ChunkFault.Kind;
import io.cairn.master.check.GroupChunks.Held;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.content.ObjectUseScan;
import io.cairn.metadata.content.ObjectUses;
import io.cairn.metadata.content.ObjectUses.Use;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.InodeCache;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.metadata.state.View;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One look at the chunks that chunk servers hold, against the layouts of a snapshot. Objects are
 * looked at in ranges, so that memory is bounded. For one thread; use each object once.
 */
public final class ChunkCheck {
    /** Uses of objects that are looked at together: some 50 MB. */
    private static final int WINDOW = 1 << 18;

    /** Faults that are kept; a look that finds more ends there. */
    static final int MAX_FAULTS = 100_000;

    private static final int TRIES = 4;
    private static final long PAUSE_MS = 250;
    private static final long BLOCK_BYTES = 4096;

    private final View view;
    private final Supplier<ClusterMap> maps;
    private final Pages pages;
    private final Runnable step;
    private final int window;
    private final long nextOid;
    private final List<ChunkFault> faults = new ArrayList<>();

    /** Groups that could not be listed, and why. */
    private final Map<Integer, String> unlisted = new TreeMap<>();

    private final Set<Integer> unlistedPools = new HashSet<>();

    /** Asks a target for a page of a group behind a key. */
    @FunctionalInterface
    public interface Pages {
        /** Fails with an {@code FsException} when the target cannot be asked. */
        ListReply page(
                ClusterMap map, PlacementGroup group, int target, long afterOid, long afterIndex);
    }

    /** A range of objects, with what is to be deleted of them. */
    private record Range(
            ObjectUses uses, long afterOid, long lastOid, Map<Long, List<GarbageTask>> garbage) {
        List<Use> all() {
            return uses.all().stream().filter(use -> use.oid() <= lastOid).toList();
        }

        boolean isGivenUp(int pool, ChunkState chunk) {
            return garbage.getOrDefault(chunk.oid(), List.of()).stream()
                    .anyMatch(
                            task ->
                                    task.poolId() == pool
                                            && task.fromChunk() <= chunk.index()
                                            && chunk.index() < task.endChunk());
        }
    }

    /** The findings in one group. */
    private static final class Found {
        final List<ChunkFault> faults = new ArrayList<>();
        final Map<Long, Long> roomBytes = new HashMap<>();
    }

    /**
     * A look.
     *
     * @param state a snapshot
     * @param maps tells the map now: groups change meanwhile
     * @param step runs for each chunk
     */
    public ChunkCheck(StoredState state, Supplier<ClusterMap> maps, Pages pages, Runnable step) {
        this(state, maps, pages, step, WINDOW);
    }

    ChunkCheck(
            StoredState state, Supplier<ClusterMap> maps, Pages pages, Runnable step, int window) {
        this.view = new View(state, new InodeCache());
        this.maps = maps;
        this.pages = pages;
        this.step = step;
        this.window = window;
        nextOid = Counters.load(view).nextOid();
    }

    /** Looks, and tells what seems to be wrong. */
    public List<ChunkFault> look() {
        ObjectUseScan scan = new ObjectUseScan(view);
        long after = 0;
        while (after < nextOid && faults.size() < MAX_FAULTS) {
            ObjectUses uses = scan.after(after, window);
            Range range = range(uses, after);
            look(range);
            after = range.lastOid;
        }
        return List.copyOf(faults);
    }

    /** Groups that could not be listed, with reasons. */
    Map<Integer, String> unlisted() {
        return unlisted;
    }

    /** Shorter than that of the uses when more objects than these are to be deleted. */
    private Range range(ObjectUses uses, long after) {
        NavigableMap<Long, List<GarbageTask>> found = new TreeMap<>();
        long[] last = {uses.lastOid()};
        view.each(
                Family.GC,
                (key, value) -> {
                    GarbageTask task = ObjectLedger.decode(key, value);
                    if (task.oid() > after && task.oid() <= last[0]) {
                        found.computeIfAbsent(task.oid(), _ -> new ArrayList<>(1)).add(task);
                        if (found.size() > window) {
                            found.pollLastEntry();
                            last[0] = found.lastKey();
                        }
                    }
                });
        return new Range(uses, after, last[0], found);
    }

    private void look(Range range) {
        Map<Long, Long> stored = new HashMap<>();
        for (PlacementGroup group : maps.get().groups()) {
            if (unlisted.containsKey(group.id())) {
                continue;
            }
            Found found = list(group, range);
            if (found != null) {
                faults.addAll(found.faults);
                found.roomBytes.forEach((oid, bytes) -> stored.merge(oid, bytes, Long::sum));
            }
        }
        for (Use use : range.all()) {
            checkBytes(use, stored.getOrDefault(use.oid(), 0L));
        }
    }

    private @Nullable Found list(PlacementGroup known, Range range) {
        String why = "";
        for (int i = 0; i < TRIES; i++) {
            ClusterMap map = maps.get();
            PlacementGroup group = map.group(known.id());
            if (group == null) {
                return new Found();
            }
            try {
                return list(map, group, range);
            } catch (FsException e) {
                if (e.errno() == Errno.EINTR) {
                    throw e;
                }
                why = Wording.of(e);
                pause();
            }
        }
        unlisted.put(known.id(), why);
        unlistedPools.add(known.poolId());
        return null;
    }

    private static void pause() {
        try {
            TimeUnit.MILLISECONDS.sleep(PAUSE_MS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "the check was ended", e);
        }
    }

    private Found list(ClusterMap map, PlacementGroup group, Range range) {
        GroupChunks chunks =
                new GroupChunks(
                        group,
                        (target, oid, index) -> pages.page(map, group, target, oid, index),
                        range.afterOid,
                        Long.MAX_VALUE);
        if (chunks.serving() == 0) {
            throw new FsException(Errno.NOT_READY, "no member of the group serves");
        }
        Found found = new Found();
        long last = Math.min(range.lastOid, nextOid - 1);
        for (Held held = chunks.next(); held != null; held = chunks.next()) {
            if (held.state().oid() > last) {
                break;
            }
            step.run();
            check(map, group, held, range, found);
        }
        return found;
    }

    private void check(ClusterMap map, PlacementGroup group, Held held, Range range, Found found) {
        ChunkState chunk = held.state();
        int pool = group.poolId();
        if (range.isGivenUp(pool, chunk) || found.faults.size() >= MAX_FAULTS) {
            return;
        }
        List<Use> uses = range.uses.of(chunk.oid());
        Use use = null;
        boolean isHeld = false;
        for (Use each : uses) {
            boolean covers = each.covers(pool, chunk.index());
            isHeld |= covers && each.isOfSnapshots();
            use = covers && !each.isOfSnapshots() && use == null ? each : use;
        }
        if (use == null && isHeld) {
            return; // where it was when the file had it
        }
        if (use == null) {
            found.faults.add(fault(Kind.UNREFERENCED, 0, group, chunk, 0));
            return;
        }
        Inode inode = view.inode(use.ino());
        Layout layout = inode == null ? null : inode.layout();
        PlacementGroup wanted = layout == null ? null : map.groupOf(layout, chunk.index());
        if (inode == null || layout == null || wanted == null || wanted.id() != group.id()) {
            found.faults.add(fault(Kind.MISPLACED, use.ino(), group, chunk, 0));
            return;
        }
        found.roomBytes.merge(chunk.oid(), roomBytes(inode, layout, chunk.index()), Long::sum);
        for (int target : held.lacking()) {
            found.faults.add(fault(Kind.COPY_MISSING, use.ino(), group, chunk, target));
        }
    }

    /** The most that a chunk of a file holds. */
    private static long roomBytes(Inode inode, Layout layout, long index) {
        long chunkBytes = 1L << layout.chunkSizeLog2();
        long left = inode.attributes().size() - index * chunkBytes;
        return left <= 0 ? chunkBytes : Math.min(chunkBytes, roundUp(left));
    }

    private static long roundUp(long bytes) {
        return (bytes + BLOCK_BYTES - 1) / BLOCK_BYTES * BLOCK_BYTES;
    }

    private static ChunkFault fault(
            Kind kind, long ino, PlacementGroup group, ChunkState chunk, int target) {
        return new ChunkFault(
                kind,
                ino,
                group.poolId(),
                group.id(),
                chunk.oid(),
                chunk.index(),
                target,
                chunk.lengthBytes());
    }

    /**
     * A file that was never cut has one object, and says how many bytes of it are in use: some more
     * after a write that was repeated. Chunks are gone when those that are there cannot hold them.
     */
    private void checkBytes(Use use, long roomBytes) {
        Inode inode = view.inode(use.ino());
        Layout layout = inode == null ? null : inode.layout();
        if (inode == null
                || layout == null
                || inode.inline() != null
                || !layout.isWhole()
                || unlistedPools.contains(use.poolId())) {
            return;
        }
        Attributes a = inode.attributes();
        long lost = Math.min(a.usedBytes(), roundUp(a.size())) - roomBytes;
        if (lost > 0) {
            faults.add(
                    new ChunkFault(
                            Kind.MISSING, use.ino(), use.poolId(), 0, use.oid(), -1, 0, lost));
        }
    }
}
