package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks contents: sizes and sums of each inode, the shape of its layout, and that no object
 * belongs to two files or is both in use and garbage (I10).
 */
public final class ContentCheck {
    /** Chunks [fromChunk, endChunk) of an object that a file needs. */
    private record Use(long ino, int poolId, long fromChunk, long endChunk) {}

    private final View view;
    private final Consumer<String> violated;
    private final Map<Long, List<Use>> uses = new HashMap<>();
    private final Map<Integer, Long> poolUses = new HashMap<>();

    public ContentCheck(View view, Consumer<String> violated) {
        this.view = view;
        this.violated = violated;
    }

    /** Checks an inode and remembers which objects it needs. */
    public void check(Inode inode) {
        Attributes a = inode.attributes();
        byte[] inline = inode.inline();
        Layout layout = inode.layout();
        boolean isFile = a.type() == FileType.FILE;
        if (isFile != (layout != null)) {
            tell(inode, "is a " + a.type() + (isFile ? " without" : " with") + " a layout");
        }
        if (inline != null && a.size() != inline.length) {
            tell(inode, "has size " + a.size() + " and holds " + inline.length + " bytes");
        }
        if (isFile && inline != null && a.usedBytes() != InodeDraft.roundUp(a.size(), 512)) {
            tell(inode, "uses " + a.usedBytes() + " bytes for an inline size of " + a.size());
        }
        if (a.size() < 0 || a.usedBytes() < 0 || a.nlink() < 0) {
            tell(inode, "has a negative size, usage or link count");
        }
        if (layout != null) {
            layout.pools().forEach(this::usePool);
            checkRuns(inode, layout);
        }
    }

    private void checkRuns(Inode inode, Layout layout) {
        List<Layout.Run> runs = layout.runs();
        for (int i = 0; i < runs.size(); i++) {
            Layout.Run run = runs.get(i);
            boolean isLast = i == runs.size() - 1;
            long end = isLast ? ObjectLedger.TO_END : runs.get(i + 1).firstChunk();
            if ((i == 0 && run.firstChunk() != 0) || run.firstChunk() >= end) {
                tell(inode, "has runs out of order: " + runs);
            }
            use(run.oid(), new Use(inode.ino(), run.poolId(), run.firstChunk(), end));
            if (run.sourceOid() != 0) {
                long chunk = run.firstChunk();
                use(run.sourceOid(), new Use(inode.ino(), run.poolId(), chunk, chunk + 1));
            }
        }
    }

    private void use(long oid, Use use) {
        List<Use> of = uses.computeIfAbsent(oid, o -> new ArrayList<>(1));
        for (Use other : of) {
            if (other.ino != use.ino) {
                violated.accept(
                        "I11 object "
                                + oid
                                + " belongs to inode "
                                + other.ino
                                + " and to inode "
                                + use.ino);
            }
        }
        of.add(use);
    }

    private void usePool(int pool) {
        if (pool != 0) {
            poolUses.merge(pool, 1L, Long::sum);
        }
    }

    /** Checks released objects and files with objects in doubt; after all inodes. */
    public void check() {
        view.each(Family.GC, (key, value) -> check(ObjectLedger.decode(key, value)));
        byte[] prefix = Keys.doubtful();
        view.scan(
                Family.META,
                prefix,
                prefix,
                (key, value) -> {
                    if (key.length == prefix.length + Long.BYTES) {
                        checkDoubtful(Keys.numberAt(key, prefix.length));
                    }
                    return true;
                });
        Map<Integer, Long> counted = Counters.load(view).poolUses();
        if (!poolUses.equals(counted)) {
            violated.accept("I11 uses of pools are " + poolUses + ", counted " + counted);
        }
    }

    private void checkDoubtful(long ino) {
        Inode inode = view.inode(ino);
        if (inode == null || inode.inline() == null) {
            violated.accept("I11 inode " + ino + " is listed as left inline and is not");
        }
    }

    /** Checks that nobody needs what a garbage entry gives up. */
    private void check(GarbageTask task) {
        usePool(task.poolId());
        for (Use use : uses.getOrDefault(task.oid(), List.of())) {
            if (use.poolId == task.poolId()
                    && use.fromChunk < task.endChunk()
                    && task.fromChunk() < use.endChunk) {
                violated.accept("I10 inode " + use.ino + " needs what " + task + " deletes");
            }
        }
    }

    private void tell(Inode inode, String what) {
        violated.accept("I11 inode " + inode.ino() + " " + what);
    }
}
