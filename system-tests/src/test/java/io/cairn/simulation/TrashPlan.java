package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.metadata.trash.TrashQueries;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.LeaderMutation.TrashMutation.RestoreTrash;
import io.cairn.wire.master.LeaderMutation.TrashMutation.SetRetention;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * Keeps removed files for some seconds in some seeds, and brings a few of them back: they are as
 * they were. What nobody brings back goes by itself.
 */
final class TrashPlan {
    private static final int LEAST_PAUSE_MS = 300;
    private static final int MOST_PAUSE_MS = 3_000;
    private static final int MOST_KEPT_S = 8;
    private static final int PAGE = 50;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;
    private final boolean any;

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    TrashPlan(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.seed() * 0xbf58476d1ce4e5b9L);
        any = random.nextInt(3) == 0;
    }

    /** Begins, if there is a trash in this seed. */
    void begin() {
        if (any && cluster.masters.leader() != null) {
            int seconds = 1 + random.nextInt(MOST_KEPT_S);
            cluster.history.fault("removed files are kept for " + seconds + " s");
            var _ =
                    cluster.masters
                            .service()
                            .submit(new SetRetention(FileSystem.ROOT_INO, seconds));
            later();
        }
    }

    private void later() {
        time.schedule(this::restore, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    private void restore() {
        later();
        if (cluster.masters.leader() == null) {
            return;
        }
        List<TrashRecord> found =
                cluster
                        .masters
                        .namespace()
                        .trash(TrashQueries.Position.BEGIN, PAGE)
                        .records()
                        .stream()
                        .filter(record -> oracle.trashed.containsKey(record.ino()))
                        .toList();
        if (found.isEmpty()) {
            return;
        }
        long ino = Oracle.pick(random, found).ino();
        FileModel model = Objects.requireNonNull(oracle.trashed.remove(ino));
        cluster.history.note("restore " + model.name);
        // Whether it is there again is unknown until the answer is.
        oracle.removed.remove(model.name);
        var _ =
                cluster.masters
                        .service()
                        .submit(new RestoreTrash(new long[] {model.ino}))
                        .whenComplete((reply, _) -> told(model, reply));
    }

    private void told(FileModel model, @Nullable Reply reply) {
        if (reply instanceof Reply.TrashReply trash && !trash.made().isEmpty()) {
            cluster.history.note(model.name + " is back");
            oracle.files.add(model);
        }
    }

    /** Nothing is brought back any more. */
    void end() {
        time.stop();
    }

    /** Whether nothing is left in the trash. */
    boolean isEmpty() {
        return cluster.masters.leader() != null
                && cluster.masters.namespace().trashSums().files() == 0;
    }
}
