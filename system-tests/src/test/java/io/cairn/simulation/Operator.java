package io.cairn.simulation;

import io.cairn.metadata.job.JobRecord;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Reply;
import java.util.Random;

/**
 * Orders jobs for the trees that are ready, as the admin API of the leader does; without an answer
 * the same order again, until there is one.
 */
final class Operator {
    private static final long LOOK_MS = 300;

    private final SimulatedCluster cluster;
    private final Oracle oracle;
    private final SimulatedScheduler time;
    private final Random random;

    Operator(SimulatedCluster cluster, Oracle oracle) {
        this.cluster = cluster;
        this.oracle = oracle;
        time = new SimulatedScheduler(cluster.simulation);
        random = new Random(cluster.simulation.random().nextLong());
    }

    /** Looks around from now on. */
    void begin() {
        time.schedule(this::look, LOOK_MS);
    }

    /** Orders nothing any more. */
    void end() {
        time.stop();
    }

    private void look() {
        for (JobModel model : oracle.jobs) {
            boolean isDue = model.isOrdered() || oracle.isStopping() || random.nextInt(5) == 0;
            if (model.isReady() && model.job() == 0 && isDue && cluster.masters.leader() != null) {
                order(model);
            }
        }
        begin();
    }

    private void order(JobModel model) {
        if (!model.isOrdered()) {
            cluster.history.note("a job for " + model.name + ": " + model.kind);
        }
        model.ordered();
        var _ =
                cluster.masters
                        .service()
                        .submit(new JobMutation.Submit(model.request, model.order()))
                        .thenAccept(reply -> told(model, reply));
    }

    private void told(JobModel model, Reply reply) {
        if (reply instanceof Reply.JobReply taken) {
            model.taken(taken.job());
        } else {
            cluster.history.violate("I3 the job for " + model.name + " is refused: " + reply);
        }
    }

    /** Whether every tree that is ready has been worked on by a job to its end. */
    boolean isDone() {
        return cluster.masters.leader() != null
                && oracle.jobs.stream().filter(JobModel::isReady).allMatch(this::isDone);
    }

    private boolean isDone(JobModel model) {
        JobRecord record = cluster.masters.namespace().job(model.job());
        return record != null && record.state().isFinished() && record.isSwept();
    }
}
