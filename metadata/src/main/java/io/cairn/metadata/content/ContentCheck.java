package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.metadata.content.ObjectUses.Use;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.state.Counters;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Checks contents: sizes and sums of each inode, the shape of its layout, and that no object
 * belongs to two files that do not share it, or is both in use and garbage (I10).
 */
public final class ContentCheck {
    /** Uses of objects that are looked at together: some 30 MB. */
    private static final int WINDOW = 1 << 18;

    private final View view;
    private final Consumer<String> violated;
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
            checkRuns(inode, layout.runs());
        }
    }

    private void checkRuns(Inode inode, List<Layout.Run> runs) {
        for (int i = 0; i < runs.size(); i++) {
            long first = runs.get(i).firstChunk();
            boolean isLast = i == runs.size() - 1;
            if ((i == 0 && first != 0) || (!isLast && first >= runs.get(i + 1).firstChunk())) {
                tell(inode, "has runs out of order: " + runs);
            }
        }
    }

    /** Checks that each object has one user and is not given up meanwhile. */
    private void checkObjects() {
        ObjectUseScan scan = new ObjectUseScan(view);
        long after = Long.MIN_VALUE;
        while (after != Long.MAX_VALUE) {
            ObjectUses uses = scan.after(after, WINDOW);
            Use before = null;
            for (Use use : uses.all()) {
                if (use.isOfSnapshots()) {
                    continue;
                }
                if (before != null && isForeign(before, use)) {
                    violated.accept(
                            "I11 object %d belongs to inode %d and to inode %d"
                                    .formatted(use.oid(), before.ino(), use.ino()));
                }
                before = use;
            }
            view.each(Family.GC, (key, value) -> check(ObjectLedger.decode(key, value), uses));
            after = uses.lastOid();
        }
    }

    /** Whether two inodes need an object that they do not share. */
    private boolean isForeign(Use one, Use other) {
        return one.oid() == other.oid()
                && one.ino() != other.ino()
                && !(isSharing(one) && isSharing(other));
    }

    private boolean isSharing(Use use) {
        return view.get(Family.SHARED, Keys.of(use.oid(), use.ino())) != null;
    }

    /** Checks that the files of shared objects name them. */
    private void checkShared() {
        long[] count = new long[1];
        view.each(
                Family.SHARED,
                (key, _) -> {
                    count[0]++;
                    long oid = Keys.numberAt(key, 0);
                    Inode inode = view.inode(Keys.numberAt(key, Long.BYTES));
                    if (inode == null || !SharedObjects.named(inode.layout()).contains(oid)) {
                        violated.accept(
                                "I11 inode %d shares object %d and does not name it"
                                        .formatted(Keys.numberAt(key, Long.BYTES), oid));
                    }
                });
        byte[] value = view.get(Family.META, Keys.shared());
        long counted = value == null ? 0 : Keys.open(Family.META, value).i64();
        if (count[0] != counted) {
            violated.accept(
                    "I11 %d users of shared objects, counted %d".formatted(count[0], counted));
        }
    }

    /** Checks the objects that clones of files in snapshots have brought back. */
    private void checkRevived() {
        long nextOid = Counters.load(view).nextOid();
        byte[] prefix = Keys.revived();
        view.scan(
                Family.META,
                prefix,
                prefix,
                (key, value) -> {
                    long oid = Keys.revivedOf(key);
                    if (oid >= nextOid || RevivedObjects.Times.decode(value).revivedAt() <= 0) {
                        violated.accept(
                                "I11 object %d is listed as from a snapshot and is not"
                                        .formatted(oid));
                    }
                    return true;
                });
    }

    private void usePool(int pool) {
        if (pool != 0) {
            poolUses.merge(pool, 1L, Long::sum);
        }
    }

    /** Checks released objects and files with objects in doubt; after all inodes. */
    public void check() {
        checkObjects();
        checkShared();
        checkRevived();
        view.each(Family.GC, (key, value) -> usePool(ObjectLedger.decode(key, value).poolId()));
        view.each(
                Family.HELD, (key, value) -> usePool(ObjectLedger.decodeHeld(key, value).poolId()));
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
    private void check(GarbageTask task, ObjectUses uses) {
        for (Use use : uses.of(task.oid())) {
            if (use.isExact()
                    && use.poolId() == task.poolId()
                    && use.fromChunk() < task.endChunk()
                    && task.fromChunk() < use.endChunk()) {
                violated.accept("I10 inode " + use.ino() + " needs what " + task + " deletes");
            }
        }
    }

    private void tell(Inode inode, String what) {
        violated.accept("I11 inode " + inode.ino() + " " + what);
    }
}
