package io.cairn.master.job;

import io.cairn.master.cluster.LogWriter;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.Reply;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives tree jobs their turns, while this master leads. The work of a job and its progress are in
 * the replicated state; here is only the pace. One step of a job is in the log at a time, with at
 * most as many names a second as the job may. After each step there is a pause as long as the step
 * took, so that a job takes less of a busy log. A new leader just goes on. Thread-safe.
 */
public final class JobRunner {
    private static final Logger LOG = LoggerFactory.getLogger(JobRunner.class);

    /** Steps a second that a job makes at its pace, when that is not too much for one step. */
    private static final int STEPS_PER_SECOND = 20;

    /** Names that one step goes through: a millisecond or two of the apply thread. */
    private static final int MAX_STEP_NAMES = 128;

    private static final long RETRY_MS = 1000;
    private static final long KEPT_NS = TimeUnit.DAYS.toNanos(7);
    private static final long LOOK_MS = 60_000;

    private final Supplier<Namespace> namespace;
    private final LogWriter log;
    private final LongConsumer namesChanged;
    private final LongConsumer relaid;
    private final Clock clock;
    private final Scheduler scheduler;
    private final Map<Long, Turns> turns = new ConcurrentHashMap<>();
    private long lookedMs = Long.MIN_VALUE / 2;

    /** The turns of one job. Guarded by itself. */
    private static final class Turns {
        private final long job;
        private double tokens;
        private long filledNs;
        private long sampledNs;
        private long sampledNames;
        private double perSecond;

        Turns(long job, long nowNs, long names) {
            this.job = job;
            filledNs = nowNs;
            sampledNs = nowNs;
            sampledNames = names;
        }

        private synchronized void sample(long nowNs, long names) {
            double seconds = (nowNs - sampledNs) / 1e9;
            if (seconds >= 1) {
                perSecond = Math.max(0, names - sampledNames) / seconds;
                sampledNs = nowNs;
                sampledNames = names;
            }
        }

        /** Takes a step's worth of tokens, or tells how many milliseconds to wait for them. */
        private synchronized long take(int wanted, int maxPerSecond, long nowNs) {
            tokens += (nowNs - filledNs) / 1e9 * maxPerSecond;
            filledNs = nowNs;
            tokens = Math.min(tokens, 2.0 * wanted);
            if (tokens < wanted) {
                return Math.max(1, (long) Math.ceil((wanted - tokens) * 1000 / maxPerSecond));
            }
            tokens -= wanted;
            return 0;
        }
    }

    /**
     * A runner.
     *
     * @param namesChanged is told the directories whose names a step has changed
     * @param relaid is told the files in their inodes that a step has given another layout
     */
    public JobRunner(
            Supplier<Namespace> namespace,
            LogWriter log,
            LongConsumer namesChanged,
            LongConsumer relaid,
            Clock clock,
            Scheduler scheduler) {
        this.namespace = namespace;
        this.log = log;
        this.namesChanged = namesChanged;
        this.relaid = relaid;
        this.clock = clock;
        this.scheduler = scheduler;
    }

    /** Begins to give turns to jobs that need them. Called by one thread while this one leads. */
    public void tick() {
        boolean looks = clock.millis() - lookedMs >= LOOK_MS;
        for (JobRecord record : namespace.get().jobs()) {
            if (record.needsSteps()) {
                begin(record);
            } else if (looks && isOld(record)) {
                var _ =
                        log.submit(
                                new JobMutation.Control(
                                        record.job(),
                                        record.serial(),
                                        JobMutation.Action.FORGET,
                                        0));
            }
        }
        if (looks) {
            lookedMs = clock.millis();
        }
    }

    private boolean isOld(JobRecord record) {
        return record.state().isFinished()
                && clock.wallNs() - record.times().finishedNs() > KEPT_NS;
    }

    private void begin(JobRecord record) {
        Turns fresh = new Turns(record.job(), clock.nanoTime(), record.totals().get(Count.NAMES));
        if (turns.putIfAbsent(record.job(), fresh) == null) {
            turn(fresh);
        }
    }

    /** Names that a job went through in a second, lately; 0 when it does not run here. */
    public double namesPerSecond(long job) {
        Turns of = turns.get(job);
        if (of == null) {
            return 0;
        }
        synchronized (of) {
            return of.perSecond;
        }
    }

    private void turn(Turns of) {
        JobRecord record = namespace.get().job(of.job);
        if (record == null || !record.needsSteps()) {
            turns.remove(of.job);
            return;
        }
        long nowNs = clock.nanoTime();
        of.sample(nowNs, record.totals().get(Count.NAMES));
        int maxPerSecond = record.order().maxPerSecond();
        int names = Math.clamp(maxPerSecond / STEPS_PER_SECOND, 1, MAX_STEP_NAMES);
        long waitMs = of.take(names, maxPerSecond, nowNs);
        if (waitMs > 0) {
            scheduler.schedule(() -> turn(of), waitMs);
            return;
        }
        var _ =
                log.submit(new JobMutation.Step(of.job, record.steps(), names))
                        .whenComplete((reply, error) -> stepped(of, nowNs, reply, error));
    }

    private void stepped(Turns of, long beganNs, @Nullable Reply reply, @Nullable Throwable error) {
        if (error != null || !(reply instanceof Reply.JobReply done)) {
            // Not the leader any more, or no majority: whoever leads goes on.
            LOG.info("job {} pauses: {}", of.job, error == null ? reply : error.getMessage());
            scheduler.schedule(() -> turns.remove(of.job), RETRY_MS);
            return;
        }
        for (long ino : done.directories()) {
            namesChanged.accept(ino);
        }
        for (long ino : done.relaid()) {
            relaid.accept(ino);
        }
        JobRecord record = namespace.get().job(of.job);
        if (record != null && record.state().isFinished()) {
            tellEnd(record);
        }
        long tookMs = (clock.nanoTime() - beganNs) / 1_000_000;
        scheduler.schedule(() -> turn(of), Math.max(1, tookMs));
    }

    private static void tellEnd(JobRecord record) {
        if (record.isSwept()) {
            LOG.info(
                    "job {} has ended: {}, {} names, {} errors{}",
                    record.job(),
                    record.state(),
                    record.totals().get(Count.NAMES),
                    record.totals().get(Count.ERRORS),
                    record.message().isEmpty() ? "" : ": " + record.message());
        }
    }
}
