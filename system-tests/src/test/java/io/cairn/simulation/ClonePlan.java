package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.snapshot.SnapshotKeeper;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Clones files, as they are and as snapshots show them, in some seeds, while they are written,
 * servers fail and masters change. An error does not say that a clone will not be there: another
 * master may make it.
 */
final class ClonePlan {
    private static final int LEAST_PAUSE_MS = 300;
    private static final int MOST_PAUSE_MS = 4_000;
    private static final int MOST_CLONES = 8;
    private static final long LOOK_MS = 50;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;
    private final boolean any;
    private final CloneTreePlan trees;
    private int asked;

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    ClonePlan(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.seed() * 0x94d049bb133111ebL);
        any = random.nextInt(3) == 0;
        trees = new CloneTreePlan(cluster, oracle, new Random(random.nextLong()));
    }

    /** Begins, if there are clones in this seed. */
    void begin() {
        if (any) {
            cluster.history.fault("files are cloned");
            later();
            look();
        }
        trees.begin();
    }

    private void later() {
        time.schedule(this::next, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    /** The inode of a name; 0 when it is not there. */
    static long find(SimulatedCluster cluster, long directory, String name) {
        Reply found =
                cluster.masters.namespace().read(0, new Query.Lookup(directory, Name.of(name)));
        return found instanceof Reply.EntryReply entry ? entry.inode().ino() : 0;
    }

    /** The directory of the files that clients write; 0 before it is there. */
    static long files(SimulatedCluster cluster) {
        return find(cluster, FileSystem.ROOT_INO, ClientWork.FILES);
    }

    private void next() {
        later();
        if (cluster.masters.leader() == null
                || asked >= MOST_CLONES
                || !oracle.hasRoomForFile()
                || oracle.files.isEmpty()) {
            return;
        }
        List<SnapshotModel> live =
                oracle.snapshots.stream()
                        .filter(each -> each.isLive() && !each.files().isEmpty())
                        .toList();
        String name = oracle.newName("k");
        if (!live.isEmpty() && random.nextInt(3) == 0) {
            SnapshotModel snapshot = Oracle.pick(random, live);
            FileModel file = Oracle.pick(random, snapshot.files());
            ask(snapshot.clone(name, file), snapshot.in(file.ino), " of snapshot " + snapshot.name);
        } else {
            FileModel file = Oracle.pick(random, oracle.files);
            ask(new CloneModel(name, file), file.ino, "");
        }
    }

    private void ask(CloneModel clone, long source, String where) {
        asked++;
        oracle.clones.add(clone);
        String title = "clone " + clone.name + ": " + clone.source.name + where;
        cluster.history.note(title);
        SnapshotKeeper keeper = cluster.masters.service().snapshots();
        var _ =
                keeper.cloneFile(source, files(cluster), Name.of(clone.name))
                        .whenComplete((_, error) -> told(clone, title, error));
    }

    private void told(CloneModel clone, String title, @Nullable Throwable error) {
        cluster.history.note(title + (error == null ? " is there" : ": " + error));
        if (error == null) {
            find(clone, files(cluster));
            clone.promise();
        }
    }

    private void look() {
        time.schedule(this::look, LOOK_MS);
        findAll();
    }

    private void findAll() {
        long files = files(cluster);
        for (CloneModel clone : oracle.clones) {
            if (!clone.isCopy()) {
                find(clone, files);
            }
        }
    }

    private void find(CloneModel clone, long files) {
        if (!clone.isLive()) {
            long ino = find(cluster, files, clone.name);
            if (ino != 0) {
                cluster.history.note("clone " + clone.name + " is inode " + ino);
                clone.live(files, ino);
            }
        }
    }

    /** No more are asked for. */
    void end() {
        time.stop();
        trees.end();
    }

    /** Whether all jobs that clone trees have ended. */
    boolean isDone() {
        if (any) {
            findAll();
        }
        return trees.isDone();
    }

    /** Nothing is looked at any more. */
    void stop() {
        trees.stop();
    }
}
