package io.cairn.metadata.content;

import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.History;
import io.cairn.metadata.state.HistoryKeys;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.metadata.state.View;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.List;
import java.util.function.Consumer;

/**
 * The parts of objects that only snapshots need. What files have released and a snapshot may show
 * is held; inodes that mutations have replaced tell exactly what is shown.
 */
final class HeldObjects {
    private HeldObjects() {}

    /** All of them: those that inodes of snapshots need, and whatever is held. */
    static void each(View view, Consumer<ObjectUses.Use> visitor) {
        List<History.Point> points = points(view);
        byte[] inodes = HistoryKeys.prefix(Family.INODE, new byte[0]);
        view.scan(
                Family.HISTORY,
                inodes,
                inodes,
                (key, value) -> {
                    long from = Keys.versionOf(value);
                    long end = HistoryKeys.end(key);
                    if (points.stream().anyMatch(point -> point.shows(from, end))) {
                        Inode inode = Transaction.decodeInode(value);
                        if (inode.inline() == null) {
                            ObjectUses.of(PastInode.in(PastInode.MIN_SNAPSHOT, inode))
                                    .forEach(visitor);
                        }
                    }
                    return true;
                });
        view.each(
                Family.HELD,
                (key, value) -> {
                    GarbageTask task = ObjectLedger.decodeHeld(key, value);
                    visitor.accept(
                            new ObjectUses.Use(
                                    task.oid(),
                                    0,
                                    task.poolId(),
                                    task.fromChunk(),
                                    task.endChunk()));
                });
    }

    private static List<History.Point> points(View view) {
        return SnapshotRecord.all(view).stream()
                .filter(SnapshotRecord::isLive)
                .map(SnapshotRecord::point)
                .toList();
    }
}
