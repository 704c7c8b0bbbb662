package io.cairn.simulation;

import io.cairn.testkit.simulated.NetworkFaults;
import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** One seed from the first start to the last comparison. */
final class SimulationRun {
    private static final long MAX_STEPS = 1_000_000;
    private static final long MAX_WORK_MS = 30_000;
    private static final long MIN_WORK_MS = 8_000;
    private static final long WHOLE_LIMIT_MS = 60_000;
    private static final long LOOK_MS = 20;

    private final long seed;
    private final boolean faulty;
    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final History history;
    private final Oracle oracle;
    private final PackPlan packing;
    private final QuotaPlan quotas;
    private final List<ClientWork> work = new ArrayList<>();

    /**
     * Prepares.
     *
     * @param faulty whether anything goes wrong
     */
    SimulationRun(long seed, boolean faulty) {
        this.seed = seed;
        this.faulty = faulty;
        this.cluster = new SimulatedCluster(seed);
        this.simulation = cluster.simulation;
        this.history = cluster.history;
        this.oracle = new Oracle(simulation, history);
        this.packing = new PackPlan(cluster);
        this.quotas = new QuotaPlan(cluster, oracle);
    }

    /** What came of it. */
    record Result(
            long seed,
            @Nullable String violation,
            String report,
            long digest,
            int successes,
            int failures,
            long steps,
            Coverage coverage) {}

    /**
     * What it tried of what only some seeds have.
     *
     * @param clones clones and copies of files that were read
     * @param trees clones of directories that were made
     * @param packedBlobs blobs that the last processes of servers packed
     * @param refusals calls that quotas refused
     * @param earlyNames names that were made or taken away before the masters knew
     */
    record Coverage(long clones, long trees, long packedBlobs, long refusals, long earlyNames) {
        static final Coverage NONE = new Coverage(0, 0, 0, 0, 0);

        Coverage plus(Coverage other) {
            return new Coverage(
                    clones + other.clones,
                    trees + other.trees,
                    packedBlobs + other.packedBlobs,
                    refusals + other.refusals,
                    earlyNames + other.earlyNames);
        }
    }

    /** Runs to the end, or to the first violation. */
    Result run() {
        try {
            play();
        } catch (RuntimeException | Error e) {
            history.violate("the simulation failed: " + SimulatedClient.trace(e));
        }
        if (history.violation() != null) {
            history.note(cluster.state());
            if (cluster.isRunning()) {
                new FinalCheck(cluster, oracle, this::runUntil)
                        .differences()
                        .forEach(history::note);
            }
        }
        return new Result(
                seed,
                history.violation(),
                history.report(),
                history.digest(),
                oracle.successes(),
                oracle.failures(),
                simulation.stepCount(),
                coverage());
    }

    private Coverage coverage() {
        return new Coverage(
                oracle.clones.stream().filter(CloneModel::isRead).count(),
                oracle.cloneTrees.stream().filter(tree -> tree.ino() != 0).count(),
                packing.packedBlobs(),
                oracle.quotas == null ? 0 : oracle.quotas.refusals(),
                oracle.earlyNames());
    }

    private void play() {
        cluster.begin();
        if (isOver()) {
            return;
        }
        for (SimulatedClient client : cluster.clients) {
            startWork(client);
        }
        long workMs = MIN_WORK_MS + simulation.random().nextLong(MAX_WORK_MS - MIN_WORK_MS);
        Operator operator = new Operator(cluster, oracle);
        operator.begin();
        FaultPlan faults = new FaultPlan(cluster, oracle, this::startWork);
        MovePlan moves = new MovePlan(cluster);
        SnapshotPlan snapshots = new SnapshotPlan(cluster, oracle);
        snapshots.begin();
        TrashPlan trash = new TrashPlan(cluster, oracle);
        trash.begin();
        quotas.begin(trash.hasTrash());
        ClonePlan clones = new ClonePlan(cluster, oracle);
        clones.begin();
        packing.begin();
        if (faulty) {
            faults.begin();
            moves.begin();
        }
        runUntil(() -> false, workMs);
        moves.end();
        snapshots.end();
        trash.end();
        quotas.end();
        clones.end();
        packing.end();
        faults.end();
        cluster.network.setFaults(NetworkFaults.NONE);
        oracle.calm();
        history.note("calm");
        oracle.stop();
        finish("work");
        if (!isOver() && !runUntil(operator::isDone, WHOLE_LIMIT_MS)) {
            history.violate("L1 jobs do not end: " + cluster.jobs());
        }
        operator.end();
        if (!isOver() && !runUntil(clones::isDone, WHOLE_LIMIT_MS)) {
            history.violate("L1 jobs of clones do not end: " + cluster.jobs());
        }
        clones.stop();
        if (!isOver() && !runUntil(cluster::isWhole, WHOLE_LIMIT_MS)) {
            history.violate("L1 redundancy does not return: " + cluster.state());
        }
        if (!isOver()) {
            history.note("whole");
            lookAgain(snapshots, trash);
        }
    }

    /** The last look of a client, and what has to be gone by then. */
    private void lookAgain(SnapshotPlan snapshots, TrashPlan trash) {
        SimulatedClient reader = cluster.client("reader");
        reader.start(new FinalWork(oracle, call(reader), quotas), 0);
        cluster.clients.add(reader);
        finish("the last look");
        if (!isOver() && !runUntil(snapshots::isGone, WHOLE_LIMIT_MS)) {
            history.violate("I11 snapshots stay: " + cluster.masters.namespace().snapshots());
        }
        if (!isOver() && !runUntil(trash::isEmpty, WHOLE_LIMIT_MS)) {
            history.violate("I11 trash stays: " + cluster.masters.namespace().trashSums());
        }
        new FinalCheck(cluster, oracle, this::runUntil).run();
    }

    private Call call(SimulatedClient client) {
        return new Call(client.node(), oracle);
    }

    private void startWork(SimulatedClient client) {
        Random random = new Random(simulation.random().nextLong());
        ClientWork some = new ClientWork(client.node(), oracle, random, seed % 3 == 0);
        work.add(some);
        int ttlMs = random.nextBoolean() ? 1000 : 0;
        client.start(some, ttlMs);
    }

    private boolean isOver() {
        return history.violation() != null;
    }

    /** All clients end within the time that the calm allows for one call and the end. */
    private void finish(String what) {
        boolean ended =
                runUntil(
                        () -> cluster.clients.stream().allMatch(SimulatedClient::isDone),
                        4 * Call.CALM_LIMIT_MS);
        if (!ended && !isOver()) {
            StringBuilder calls = new StringBuilder();
            work.forEach(each -> calls.append(" [").append(each.current()).append(']'));
            history.violate("L1 " + what + " does not end:" + calls + "; " + cluster.state());
        }
    }

    private boolean spins() {
        return simulation.stepCount() > MAX_STEPS;
    }

    /** Runs until something holds or a promise is broken; false when the time was over before. */
    private boolean runUntil(BooleanSupplier condition, long limitMs) {
        long endMs = simulation.millis() + limitMs;
        while (!isOver()) {
            if (condition.getAsBoolean()) {
                return true;
            }
            long leftMs = endMs - simulation.millis();
            if (leftMs <= 0) {
                return false;
            }
            // Looking after every step would cost more than the steps.
            simulation.runUntil(this::spins, Math.min(leftMs, LOOK_MS));
            if (spins()) {
                history.violate("more than " + MAX_STEPS + " steps: something spins");
            }
        }
        return false;
    }
}
