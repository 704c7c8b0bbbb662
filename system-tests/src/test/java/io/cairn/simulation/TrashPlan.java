package io.cairn.simulation;

import io.cairn.fs.FileSystem;
import io.cairn.metadata.trash.TrashQueries;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.LeaderMutation.TrashMutation.PurgeTrash;
import io.cairn.wire.master.LeaderMutation.TrashMutation.RestoreTrash;
import io.cairn.wire.master.LeaderMutation.TrashMutation.SetRetention;
import io.cairn.wire.master.Reply;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keeps removed files for some seconds in some seeds, brings a few of them back, and takes others
 * out for good. What was brought back is as it was. What nobody brings back or takes out stays
 * until its time, and then goes by itself.
 */
final class TrashPlan {
    private static final int LEAST_PAUSE_MS = 300;
    private static final int MOST_PAUSE_MS = 3_000;
    private static final int MOST_KEPT_S = 8;
    private static final int PAGE = 50;
    private static final long LOOK_MS = 100;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;
    private final Random purgeRandom;
    private final boolean any;

    /** When files go by themselves that were seen in the trash. */
    private final Map<Long, Long> endsNs = new TreeMap<>();

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    TrashPlan(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.seed() * 0xbf58476d1ce4e5b9L);
        any = random.nextInt(3) == 0;
        purgeRandom = new Random(cluster.simulation.seed() * 0xff51afd7ed558ccdL);
    }

    /** Whether there is a trash in this seed. */
    boolean hasTrash() {
        return any;
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
            laterPurge();
            time.schedule(this::look, LOOK_MS);
        }
    }

    /** The files in the trash that may be brought back, those first that go first. */
    private List<TrashRecord> found() {
        return page().stream().filter(record -> oracle.trashed.containsKey(record.ino())).toList();
    }

    private List<TrashRecord> page() {
        return cluster.masters.namespace().trash(TrashQueries.Position.BEGIN, PAGE).records();
    }

    /** What nobody took out of the trash is there until its time. */
    private void look() {
        time.schedule(this::look, LOOK_MS);
        if (cluster.masters.leader() == null) {
            return;
        }
        // Files that nobody brings back take places in the page, too.
        boolean isFull = page().size() >= PAGE;
        Map<Long, Long> present = new TreeMap<>();
        found().forEach(record -> present.put(record.ino(), record.expiresNs()));
        endsNs.keySet().removeAll(present.keySet());
        endsNs.forEach(
                (ino, endNs) -> {
                    FileModel model = oracle.trashed.get(ino);
                    if (model != null && !isFull && endNs > cluster.simulation.wallNs()) {
                        cluster.history.violate(
                                "I11 " + model.name + " left the trash before its time");
                    }
                });
        endsNs.clear();
        endsNs.putAll(present);
    }

    private void laterPurge() {
        time.schedule(this::purge, LEAST_PAUSE_MS + purgeRandom.nextInt(MOST_PAUSE_MS));
    }

    /** Takes a file out for good. */
    private void purge() {
        laterPurge();
        List<TrashRecord> found = cluster.masters.leader() == null ? List.of() : found();
        if (found.isEmpty()) {
            return;
        }
        long ino = Oracle.pick(purgeRandom, found).ino();
        FileModel model = Objects.requireNonNull(oracle.trashed.remove(ino));
        cluster.history.note("purge " + model.name);
        var _ =
                cluster.masters
                        .service()
                        .submit(new PurgeTrash(new long[] {ino}))
                        .thenAccept(reply -> purged(model, reply));
    }

    /** Afterwards the master that answered shows it nowhere. */
    private void purged(FileModel model, Reply reply) {
        boolean isLeft = cluster.masters.namespace().trashed(model.ino) != null;
        if (!(reply instanceof Reply.Done) || isLeft) {
            cluster.history.violate(
                    "I11 " + model.name + " stays in the trash though it was purged: " + reply);
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
        List<TrashRecord> found = found();
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
