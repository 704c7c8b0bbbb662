package io.cairn.simulation;

import io.cairn.cluster.Target;
import io.cairn.cluster.TargetState;
import io.cairn.master.cluster.move.MoveLimits;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.StorageMutation.SetTargetState;
import io.cairn.wire.master.RecordChange;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;

/**
 * Lets members of groups move in some seeds: copies of a server that is away for some seconds are
 * made anew on others, an empty server joins, targets are drained and taken back. In some of them
 * servers have a second directory once they start again. No promise is voided by it, and in the end
 * no server holds what it left.
 */
final class MovePlan {
    private static final int LEAST_PAUSE_MS = 500;
    private static final int MOST_PAUSE_MS = 6_000;
    private static final int MOST_GRACE_MS = 6_000;

    private final SimulatedCluster cluster;
    private final SimulatedScheduler time;
    private final Random random;
    private final boolean any;

    /** The plan of a seed; it draws nothing from the simulation's own numbers. */
    MovePlan(SimulatedCluster cluster) {
        this.cluster = cluster;
        this.time = new SimulatedScheduler(cluster.simulation);
        this.random = new Random(cluster.simulation.seed() * 0xd1342543de82ef95L);
        this.any = random.nextInt(3) == 0;
    }

    /** Begins, if members move in this seed. */
    void begin() {
        if (any) {
            int graceMs = 500 + random.nextInt(MOST_GRACE_MS);
            cluster.history.fault("members move, after " + graceMs + " ms");
            String limits = "{\"%s\":%d}".formatted(MoveLimits.GRACE, graceMs);
            byte[] value = limits.getBytes(StandardCharsets.UTF_8);
            submit(
                    new LeaderMutation.ChangeRecords(
                            List.of(new RecordChange(MoveLimits.RECORD, 0, value))));
            later(this::join);
            later(this::drain);
            if (random.nextBoolean()) {
                cluster.history.fault("servers that start again have another directory");
                cluster.servers.forEach(SimulatedServer::addDirectory);
            }
        }
    }

    private void later(Runnable task) {
        time.schedule(task, LEAST_PAUSE_MS + random.nextInt(MOST_PAUSE_MS));
    }

    private void join() {
        SimulatedServer fresh =
                new SimulatedServer(
                        cluster.simulation,
                        cluster.network,
                        cluster.masters.endpoints(),
                        "c" + (cluster.servers.size() + 1));
        cluster.history.fault(fresh.node() + " joins");
        cluster.servers.add(fresh);
        fresh.start();
    }

    private void drain() {
        later(this::drain);
        if (cluster.masters.leader() != null) {
            List<Target> targets =
                    cluster.masters.namespace().clusterMap().targets().stream().toList();
            Target target = Oracle.pick(random, targets);
            TargetState next = target.isDraining() ? TargetState.IN_USE : TargetState.DRAINING;
            boolean another = targets.stream().anyMatch(Target::isDraining);
            if (target.isDraining() || !another) {
                cluster.history.fault("target " + target.id() + " is " + next);
                submit(new SetTargetState(new int[] {target.id()}, next));
            }
        }
    }

    private void submit(LeaderMutation mutation) {
        if (cluster.masters.leader() != null) {
            var _ = cluster.masters.service().submit(mutation);
        }
    }

    /** Nothing is drained any more. */
    void end() {
        time.stop();
    }
}
