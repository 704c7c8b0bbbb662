package io.cairn.metadata;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.Name;
import io.cairn.metadata.content.ObjectLedger;
import io.cairn.metadata.content.ObjectUses;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The snapshots of a random history: what each of them has to show as long as it lives. */
final class PastImages {
    private static final int MAX = 4;

    private final ModelRun run;
    private final List<PastImage> images = new ArrayList<>();
    private int names;

    PastImages(ModelRun run) {
        this.run = run;
    }

    /** Takes a snapshot of the root, beside other operations. */
    void take() {
        if (images.size() >= MAX) {
            drop(0);
        }
        run.flush();
        long firstOid = run.tree.nextOid + (1 << 24);
        run.leader(new SnapshotMutation.BeginSnapshot(1, Name.of("s" + names++)));
        run.flush();
        SnapshotRecord begun = run.namespace().snapshotStatus().begun();
        assertEquals(firstOid, begun == null ? 0 : begun.firstOid());
        int number = begun == null ? 0 : begun.number();
        run.leader(new SnapshotMutation.FinishSnapshot(number));
        run.tree.nextOid = firstOid;
        run.flush();
        images.add(PastImage.of(run.namespace(), number, lastIno()));
    }

    private long lastIno() {
        return run.tree.nodes.keySet().stream().mapToLong(ino -> ino).max().orElse(1);
    }

    /** Drops one of them, whatever is swept then. */
    void drop(int choice) {
        if (!images.isEmpty()) {
            run.leader(
                    new SnapshotMutation.DropSnapshot(
                            images.remove(choice % images.size()).snapshot()));
        }
    }

    /** Sweeps some records. */
    void sweep(int max) {
        run.leader(new SnapshotMutation.SweepHistory(max));
    }

    /** Every one shows what it showed at first, and nothing of it was ever given up. */
    void compare(Namespace namespace, Set<List<Long>> everGarbage) {
        for (PastImage image : images) {
            image.compare(namespace);
            for (long ino = 1; ino <= lastIno(); ino++) {
                Reply reply =
                        namespace.read(1, new Query.GetInode(PastInode.of(image.snapshot(), ino)));
                if (reply instanceof Reply.EntryReply entry) {
                    requireKept(entry.inode(), everGarbage);
                }
            }
        }
    }

    private static void requireKept(Inode inode, Set<List<Long>> everGarbage) {
        if (inode.inline() != null) {
            return;
        }
        for (ObjectUses.Use use : ObjectUses.of(inode)) {
            for (long i = use.fromChunk(); i < Math.min(NodeModel.CHUNKS, use.endChunk()); i++) {
                assertFalse(everGarbage.contains(List.of(use.oid(), i)), "shown and deleted");
            }
        }
    }

    /** What is held for them. */
    static Set<List<Long>> held(MemoryStore store) {
        Set<List<Long>> held = new HashSet<>();
        byte[] all = {};
        store.scan(
                Family.HELD,
                all,
                all,
                (key, value) -> {
                    GarbageTask task = ObjectLedger.decodeHeld(key, value);
                    for (long i = task.fromChunk();
                            i < Math.min(NodeModel.CHUNKS, task.endChunk());
                            i++) {
                        held.add(List.of(task.oid(), i));
                    }
                    return true;
                });
        return held;
    }

    /** Drops all and sweeps: nothing is left. */
    void finish() {
        while (!images.isEmpty()) {
            drop(0);
        }
        run.flush();
        for (int i = 0; i < 10_000 && run.namespace().snapshotStatus().isSweeping(); i++) {
            sweep(1000);
            run.flush();
        }
        assertEquals(0, run.store.size(Family.HISTORY));
        assertEquals(0, run.store.size(Family.HELD));
        assertEquals(0, run.store.size(Family.SNAPSHOT));
    }
}
