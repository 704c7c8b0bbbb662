package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.snapshot.SnapshotKeeper;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.snapshot.SnapshotRecord.State;
import io.cairn.metadata.snapshot.SnapshotStatus;
import io.cairn.testkit.simulated.SimulatedScheduler;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Takes and drops snapshots of the whole tree in some seeds, while files are written, servers fail
 * and masters change. In the end all are dropped, and nothing of them is left.
 */
final class SnapshotPlan {
    private static final int LEAST_PAUSE_MS = 300;
    private static final int MOST_PAUSE_MS = 5_000;
    private static final int MOST_LIVE = 4;
    private static final int MOST_BACK = 6;
    private static final long LOOK_MS = 50;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;
    private final Random backRandom;
    private final boolean any;
    private final Set<Integer> leaving = new HashSet<>();
    private @Nullable SnapshotModel asked;
    private boolean answered;
    private int last;

    /**
     * A clone of a file in a snapshot, which somebody asked for.
     *
     * @param name in the root directory
     */
    record Back(String name, SnapshotModel snapshot, FileModel file) {}

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    SnapshotPlan(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.seed() * 0x9e3779b97f4a7c15L);
        any = random.nextInt(3) == 0;
        backRandom = new Random(random.nextLong());
    }

    /** Begins, if there are snapshots in this seed. */
    void begin() {
        if (any) {
            cluster.history.fault("snapshots are taken");
            later(this::take);
            later(this::drop);
            laterBack();
            time.schedule(this::look, LOOK_MS);
        }
    }

    private void later(Runnable task) {
        time.schedule(task, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    private SnapshotKeeper keeper() {
        return cluster.masters.service().snapshots();
    }

    private void take() {
        later(this::take);
        long live = oracle.snapshots.stream().filter(SnapshotModel::isLive).count();
        if (asked == null && live < MOST_LIVE && cluster.masters.leader() != null) {
            SnapshotModel model = new SnapshotModel("s" + ++last, oracle);
            asked = model;
            answered = false;
            cluster.history.note("snapshot " + model.name);
            var _ =
                    keeper().take(FileSystem.ROOT_INO, Name.of(model.name))
                            .whenComplete((_, error) -> told(model, error));
        }
    }

    /** An error does not say that it will not be there: another master may take it over. */
    private void told(SnapshotModel model, @Nullable Throwable error) {
        cluster.history.note("snapshot " + model.name + ": " + (error == null ? "taken" : error));
        answered |= asked == model;
    }

    private @Nullable SnapshotRecord record(SnapshotModel model) {
        return cluster.masters.namespace().snapshots().stream()
                .filter(each -> each.name().equals(Name.of(model.name)))
                .findFirst()
                .orElse(null);
    }

    private void look() {
        time.schedule(this::look, LOOK_MS);
        SnapshotModel model = asked;
        if (model == null) {
            return;
        }
        SnapshotRecord record = record(model);
        if (record != null && record.isLive()) {
            model.live(record.number(), oracle);
            oracle.snapshots.add(model);
            cluster.history.note("snapshot " + model.name + " can be read");
            asked = null;
        } else if (answered && (record == null || record.state() == State.DROPPED)) {
            asked = null;
        }
    }

    private void laterBack() {
        time.schedule(this::bringBack, LEAST_PAUSE_MS + backRandom.nextInt(MOST_PAUSE_MS));
    }

    /** Clones a file of a snapshot; an error does not say that it will not be there. */
    private void bringBack() {
        laterBack();
        List<SnapshotModel> live =
                oracle.snapshots.stream()
                        .filter(each -> each.isLive() && !each.files().isEmpty())
                        .toList();
        if (live.isEmpty()
                || oracle.backs.size() >= MOST_BACK
                || cluster.masters.leader() == null) {
            return;
        }
        SnapshotModel snapshot = Oracle.pick(backRandom, live);
        FileModel file = Oracle.pick(backRandom, snapshot.files());
        Back back = new Back("back" + oracle.backs.size(), snapshot, file);
        oracle.backs.add(back);
        String title = back.name + ": " + file.name + " of snapshot " + snapshot.name;
        cluster.history.note(title);
        var _ =
                keeper().cloneFile(snapshot.in(file.ino), FileSystem.ROOT_INO, Name.of(back.name))
                        .whenComplete(
                                (_, error) ->
                                        cluster.history.note(
                                                title + (error == null ? "" : ": " + error)));
    }

    private void drop() {
        later(this::drop);
        List<SnapshotModel> live = oracle.snapshots.stream().filter(SnapshotModel::isLive).toList();
        if (live.size() > 1) {
            SnapshotModel model = Oracle.pick(random, live);
            SnapshotRecord record = record(model);
            if (record != null && cluster.masters.leader() != null) {
                cluster.history.note("drop " + model.name);
                model.drop();
                var _ = keeper().drop(record);
            }
        }
    }

    /** No more are taken, and none is dropped. */
    void end() {
        time.stop();
    }

    /** Drops what is left, whenever it is asked; whether nothing of any snapshot is there now. */
    boolean isGone() {
        if (cluster.masters.leader() == null) {
            return false;
        }
        Namespace namespace = cluster.masters.namespace();
        for (SnapshotRecord record : namespace.snapshots()) {
            int number = record.number();
            if (record.isLive() && leaving.add(number)) {
                var _ = keeper().drop(record).whenComplete((_, error) -> left(number, error));
            }
        }
        SnapshotStatus status = namespace.snapshotStatus();
        return namespace.snapshots().isEmpty() && !status.isSweeping() && !status.isFenceIdle();
    }

    /** What was not dropped is dropped again. */
    private void left(int number, @Nullable Throwable error) {
        if (error != null) {
            leaving.remove(number);
        }
    }
}
