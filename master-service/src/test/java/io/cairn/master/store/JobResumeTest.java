package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.Name;
import io.cairn.master.job.JobRunner;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Jobs whose runner is killed at any step, with its process or without, before the step was logged
 * or after: they end as if nothing had happened, and have counted the same.
 */
class JobResumeTest {
    /** What happens to the runner's submissions. */
    private enum Fate {
        /** It is logged and answered. */
        FINE,
        /** It is never logged, and the runner dies. */
        LOST,
        /** It is logged, and the runner dies before it hears of it. */
        UNHEARD,
        /** It is logged twice. */
        TWICE,
        /** It is logged, but the runner is told that nobody knows; it tries again. */
        UNKNOWN
    }

    /** A master that can be killed, over a store that survives. */
    private static final class World {
        final Bench bench = Bench.withPools(1, 2);
        final JobBench jobs = new JobBench(bench);
        final List<Inode> directories = new ArrayList<>();
        final List<Fate> fates = new ArrayList<>();
        final Random random;
        private final Simulation simulation = new Simulation(1);
        private SimulatedScheduler scheduler = new SimulatedScheduler(simulation);
        private JobRunner runner = start();
        private int submissions;

        World(long seed) {
            random = new Random(seed);
            plant();
        }

        private void plant() {
            directories.add(bench.mkdir(Bench.ROOT, "t"));
            for (int i = 0; i < 40; i++) {
                Inode parent = directories.get(random.nextInt(directories.size()));
                String name = "n" + i;
                switch (random.nextInt(4)) {
                    case 0 -> directories.add(bench.mkdir(parent.ino(), name));
                    case 1 -> {
                        Inode file = bench.create(parent.ino(), name, "x".repeat(i * 50));
                        Inode other = directories.get(random.nextInt(directories.size()));
                        bench.ok(
                                new TreeMutation.Link(
                                        file.ino(), other.ino(), Name.of(name + "l")));
                    }
                    default -> bench.create(parent.ino(), name, "x".repeat(i * 50));
                }
            }
        }

        private JobRunner start() {
            return new JobRunner(
                    () -> bench.namespace,
                    this::submit,
                    ino -> {},
                    ino -> {},
                    simulation,
                    scheduler);
        }

        private CompletableFuture<Reply> submit(LeaderMutation mutation) {
            int number = submissions++;
            Fate fate = number < fates.size() ? fates.get(number) : Fate.FINE;
            if (fate == Fate.LOST) {
                scheduler.stop();
                return new CompletableFuture<>();
            }
            bench.nowNs += 1000;
            Reply reply = bench.leader(mutation);
            if (fate == Fate.TWICE) {
                reply = bench.leader(mutation);
            }
            if (fate == Fate.UNHEARD) {
                scheduler.stop();
                return new CompletableFuture<>();
            }
            return fate == Fate.UNKNOWN
                    ? CompletableFuture.failedFuture(new FsException(Errno.NOT_READY, "no word"))
                    : CompletableFuture.completedFuture(reply);
        }

        /** The runner, and the process around it, are gone; another one goes on. */
        private void restart() {
            scheduler.stop();
            bench.reopen();
            scheduler = new SimulatedScheduler(simulation);
            runner = start();
        }

        JobRecord run(long job) {
            for (int round = 0; jobs.record(job).needsSteps(); round++) {
                assertTrue(round < 500, "the job does not end");
                runner.tick();
                simulation.run(2000);
                if (jobs.record(job).needsSteps() && round % 2 == 1) {
                    restart();
                }
            }
            return jobs.record(job);
        }
    }

    /** What a job has done. */
    private record Outcome(State state, JobTotals totals, SortedMap<String, String> tree) {}

    private static InodeEdit edit(Kind kind) {
        return switch (kind) {
            case CHOWN -> InodeEdit.owner(7, 8);
            case CHMOD -> JobBench.mode("u+x,g=u");
            case POLICY -> JobBench.replicas(1);
            case REMOVE, USAGE, CLASS, CLONE -> InodeEdit.NONE;
        };
    }

    private static void giveClass(Bench bench, long ino) {
        StorageClass single = new StorageClass("single", new Policy(1, 16, -1), 0);
        bench.leader(new ClassMutation.SetClass(single, true));
        bench.leader(new ClassMutation.AssignClass(ino, "single"));
    }

    private static Outcome outcome(Kind kind, long seed, int perSecond, List<Fate> fates) {
        World world = new World(seed);
        world.fates.addAll(fates);
        if (kind == Kind.CLASS) {
            giveClass(world.bench, world.jobs.find(Bench.ROOT, "t").ino());
        }
        long job =
                world.jobs.submit(
                        world.jobs
                                .order(kind, Bench.ROOT, "t", edit(kind))
                                .withMaxPerSecond(perSecond));
        JobRecord record = world.run(job);
        world.bench.verify();
        return new Outcome(record.state(), record.totals(), world.jobs.tree());
    }

    @Example
    void killedAtAnyStepAJobEndsAsIfNothingHadHappened() {
        for (Kind kind : Kind.values()) {
            Outcome calm = outcome(kind, 5, 40, List.of());
            assertEquals(State.DONE, calm.state);
            for (Fate fate : Fate.values()) {
                for (int step = 0; step < 40; step += 3) {
                    List<Fate> fates = new ArrayList<>();
                    for (int i = 0; i < step; i++) {
                        fates.add(Fate.FINE);
                    }
                    fates.add(fate);
                    assertEquals(calm, outcome(kind, 5, 40, fates), kind + " " + fate + step);
                }
            }
        }
    }

    @Property(tries = 60)
    void whateverHappensToTheRunnerTheOutcomeIsTheSame(
            @ForAll Kind kind,
            @ForAll long seed,
            @ForAll @IntRange(min = 1, max = 400) int perSecond) {
        Random random = new Random(seed);
        List<Fate> fates = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            Fate[] all = Fate.values();
            fates.add(random.nextBoolean() ? Fate.FINE : all[random.nextInt(all.length)]);
        }
        assertEquals(
                outcome(kind, seed, perSecond, List.of()), outcome(kind, seed, perSecond, fates));
    }

    private static TreeMutation renaming(long from, Name name, long to, Name other) {
        return new TreeMutation.Rename(from, name, to, other, 0, 0, 0);
    }

    /** Others work in the tree while a job does: all invariants hold, and the job ends. */
    @Property(tries = 60)
    void othersMayDoAnythingMeanwhile(@ForAll Kind kind, @ForAll long seed) {
        World world = new World(seed);
        Random random = world.random;
        long job = world.jobs.submit(kind, "t", edit(kind));
        for (int i = 0; i < 200 && world.jobs.record(job).needsSteps(); i++) {
            Inode from = world.directories.get(random.nextInt(world.directories.size()));
            Inode to = world.directories.get(random.nextInt(world.directories.size()));
            Name name = Name.of("n" + random.nextInt(45));
            Name other = Name.of("n" + random.nextInt(45));
            world.bench.as(
                    1,
                    switch (random.nextInt(6)) {
                        case 0 -> renaming(from.ino(), name, to.ino(), other);
                        case 1 -> renaming(from.ino(), name, Bench.ROOT, other);
                        case 2 -> renaming(Bench.ROOT, other, to.ino(), name);
                        case 3 -> new TreeMutation.Unlink(from.ino(), name);
                        case 4 -> new TreeMutation.Mkdir(to.ino(), name, 0755, 1, 1);
                        default -> new TreeMutation.Rmdir(from.ino(), name);
                    });
            if (random.nextInt(3) == 0) {
                world.jobs.step(job, 1 + random.nextInt(6));
            }
            if (random.nextInt(20) == 0) {
                world.bench.reopen();
            }
            if (i % 10 == 0) {
                world.bench.verify();
            }
        }
        JobRecord record = world.jobs.finish(job, 50);
        world.bench.verify();
        assertTrue(record.state().isFinished());
        if (kind == Kind.REMOVE && record.state() == State.DONE) {
            world.bench.isAbsent(Bench.ROOT, "t");
        }
        assertTrue(record.totals().get(Count.NAMES) > 0 || record.state() != State.DONE);
        world.jobs.ask(job, JobMutation.Action.FORGET);
        world.bench.verify();
    }
}
