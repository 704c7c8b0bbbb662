package io.cairn.simulation;

import io.cairn.cluster.PastInode;
import io.cairn.fs.FileSystem;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Clones directories in some seeds, as the admin API does: a snapshot is taken, or one that is
 * there is used, and a job is ordered, the same again until there is an answer. The files of the
 * clone are read and written as those of clones of files are.
 */
final class CloneTreePlan {
    private static final int LEAST_PAUSE_MS = 500;
    private static final int MOST_PAUSE_MS = 8_000;
    private static final int MOST_TREES = 3;
    private static final long LOOK_MS = 200;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final SimulatedScheduler looks;
    private final Random random;
    private final boolean any;

    /** The plan of a seed. */
    CloneTreePlan(SimulatedCluster cluster, Oracle oracle, Random random) {
        this.cluster = cluster;
        this.oracle = oracle;
        this.random = random;
        time = new SimulatedScheduler(cluster.simulation);
        looks = new SimulatedScheduler(cluster.simulation);
        any = random.nextInt(4) == 0;
    }

    /** Begins, if directories are cloned in this seed. */
    void begin() {
        if (any) {
            cluster.history.fault("directories are cloned");
            later();
            look();
        }
    }

    private void later() {
        time.schedule(this::next, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    private void next() {
        later();
        if (cluster.masters.leader() == null
                || oracle.cloneTrees.size() >= MOST_TREES
                || oracle.files.isEmpty()) {
            return;
        }
        String name = oracle.newName("t");
        long request = random.nextLong();
        List<SnapshotModel> live =
                oracle.snapshots.stream()
                        .filter(each -> each.isLive() && !each.files().isEmpty())
                        .toList();
        if (!live.isEmpty() && random.nextInt(3) > 0) {
            SnapshotModel snapshot = Oracle.pick(random, live);
            boolean isOfNames = !snapshot.trees().isEmpty() && random.nextInt(3) == 0;
            TreeModel tree = isOfNames ? Oracle.pick(random, snapshot.trees()) : null;
            long files = ClonePlan.files(cluster);
            add(new CloneTree(name, request, snapshot, tree, files), "snapshot " + snapshot.name);
        } else if (!oracle.trees.isEmpty() && random.nextInt(3) == 0) {
            TreeModel tree = Oracle.pick(random, oracle.trees);
            take(add(new CloneTree(name, request, tree), tree.name), tree.ino);
        } else {
            CloneTree tree = add(new CloneTree(name, request, oracle), ClientWork.FILES);
            take(tree, ClonePlan.files(cluster));
        }
    }

    private CloneTree add(CloneTree tree, String what) {
        cluster.history.note("clone of a directory " + tree.name + ": " + what);
        oracle.cloneTrees.add(tree);
        return tree;
    }

    private void take(CloneTree tree, long ino) {
        var _ =
                cluster.masters
                        .service()
                        .snapshots()
                        .take(ino, SnapshotRecord.forClone(tree.request))
                        .whenComplete((record, error) -> taken(tree, ino, record, error));
    }

    private void taken(
            CloneTree tree, long ino, @Nullable SnapshotRecord record, @Nullable Throwable error) {
        if (record == null) {
            cluster.history.note("clone " + tree.name + " is given up: " + error);
            tree.end();
            return;
        }
        cluster.history.note("clone " + tree.name + " is snapshot " + record.number());
        tree.taken(PastInode.of(record.number(), ino), oracle);
    }

    private void look() {
        looks.schedule(this::look, LOOK_MS);
        for (CloneTree tree : oracle.cloneTrees) {
            if (!tree.isOver() && cluster.masters.leader() != null) {
                goOn(tree);
            }
        }
    }

    private void goOn(CloneTree tree) {
        if (tree.job() == 0) {
            if (tree.isTaken()) {
                order(tree);
            }
            return;
        }
        JobRecord record = cluster.masters.namespace().job(tree.job());
        if (record != null && record.state().isFinished() && record.isSwept()) {
            ended(tree, record);
        }
    }

    private void order(CloneTree tree) {
        var _ =
                cluster.masters
                        .service()
                        .submit(new JobMutation.Submit(tree.request, tree.order()))
                        .thenAccept(reply -> told(tree, reply));
    }

    private void told(CloneTree tree, Reply reply) {
        if (reply instanceof Reply.JobReply taken) {
            tree.ordered(taken.job());
        } else {
            failed(tree, "is refused: " + reply);
        }
    }

    /** Only a snapshot that somebody drops explains it. */
    private void failed(CloneTree tree, String how) {
        cluster.history.note("the job for clone " + tree.name + " " + how);
        if (!tree.isOver() && (tree.snapshot == null || tree.snapshot.isLive())) {
            cluster.history.violate("I3 the job for clone " + tree.name + " " + how);
        }
        tree.end();
    }

    private void ended(CloneTree tree, JobRecord record) {
        boolean isDone = record.state() == JobRecord.State.DONE;
        if (!isDone || record.totals().get(Count.ERRORS) != 0) {
            failed(tree, "is " + record.state() + ": " + record.message() + record.totals());
            return;
        }
        long ino = ClonePlan.find(cluster, FileSystem.ROOT_INO, tree.name);
        cluster.history.note("clone " + tree.name + " is inode " + ino);
        tree.made(ino);
        for (CloneModel clone : tree.files) {
            long file = ClonePlan.find(cluster, ino, clone.leaf());
            if (file == 0) {
                cluster.history.violate("I3 there is no " + clone.name);
                return;
            }
            clone.live(ino, file);
            clone.promise();
            oracle.clones.add(clone);
        }
    }

    /** No more are begun. */
    void end() {
        time.stop();
    }

    /** Whether all jobs have ended; a master that stops gives no answer about its snapshot. */
    boolean isDone() {
        return oracle.cloneTrees.stream().allMatch(tree -> tree.isOver() || !tree.isTaken());
    }

    /** Nothing is looked at any more. */
    void stop() {
        looks.stop();
    }
}
