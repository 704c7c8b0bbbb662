package io.cairn.metadata.job;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobMutation.Action;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class JobTableTest {
    private static final long ROOT = Bench.ROOT;

    private final Bench bench = Bench.withPools(1, 2);
    private final JobBench jobs = new JobBench(bench);

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private long symlink(long parentIno, String name) {
        byte[] target = {'/', 'x'};
        return bench.ok(new TreeMutation.Symlink(parentIno, Name.of(name), target, 10, 20))
                .inode()
                .ino();
    }

    /** /t with two files, a link, and /t/d with a file and an empty directory. */
    private Inode plant() {
        Inode t = bench.mkdir(ROOT, "t");
        bench.create(t.ino(), "a", "hello");
        bench.create(t.ino(), "b", "x".repeat(1000));
        symlink(t.ino(), "l");
        Inode d = bench.mkdir(t.ino(), "d");
        bench.create(d.ino(), "c");
        bench.mkdir(d.ino(), "e");
        bench.create(ROOT, "outside");
        return bench.inode(t.ino());
    }

    @Test
    void aTreeIsRemovedInSteps() {
        plant();
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        assertEquals(State.RUNNING, jobs.record(job).state());
        JobRecord done = jobs.finish(job, 1);
        assertEquals(State.DONE, done.state());
        assertEquals(List.of("/", "/outside"), List.copyOf(jobs.tree().keySet()));
        assertEquals(7, done.totals().get(Count.CHANGED));
        assertEquals(7, done.totals().get(Count.NAMES));
        assertEquals(7, done.totals().get(Count.FOUND));
        assertEquals(3, done.totals().get(Count.FILES));
        assertEquals(3, done.totals().get(Count.DIRECTORIES));
        assertEquals(1, done.totals().get(Count.OTHERS));
        assertEquals(1005, done.totals().get(Count.SIZE_BYTES));
        assertEquals(0, done.totals().get(Count.ERRORS));
    }

    @Test
    void aStepTellsTheDirectoriesThatItChanged() {
        Inode t = plant();
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        Reply.JobReply reply = assertInstanceOf(Reply.JobReply.class, jobs.step(job, 1000));
        assertEquals(3, reply.directories().length);
        assertTrue(java.util.Arrays.stream(reply.directories()).anyMatch(i -> i == t.ino()));
        assertTrue(java.util.Arrays.stream(reply.directories()).anyMatch(i -> i == ROOT));
    }

    @Test
    void whatIsRemovedBecomesAnOrphanAsWithUnlink() {
        Inode f = bench.create(ROOT, "f", "hello");
        long job = jobs.submit(Kind.REMOVE, "f", InodeEdit.NONE);
        assertEquals(State.DONE, jobs.finish(job, 10).state());
        assertEquals(List.of(f.ino()), bench.namespace.orphans(0, 10));
    }

    @Test
    void aRepeatedStepDoesNothing() {
        plant();
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        JobMutation.Step step = new JobMutation.Step(job, jobs.record(job).steps(), 3);
        bench.leader(step);
        var tree = jobs.tree();
        JobRecord record = jobs.record(job);
        bench.leader(step);
        assertEquals(tree, jobs.tree());
        assertEquals(record, jobs.record(job));
    }

    @Test
    void ownersChangeAndSymbolicLinksAreNotFollowed() {
        plant();
        long job = jobs.submit(Kind.CHOWN, "t", InodeEdit.owner(-1, 99));
        JobRecord done = jobs.finish(job, 2);
        assertEquals(7, done.totals().get(Count.CHANGED));
        jobs.tree()
                .forEach(
                        (path, what) ->
                                assertEquals(
                                        path.startsWith("/t"),
                                        what.contains(path.startsWith("/t") ? "10:99" : "99"),
                                        path));
    }

    @Test
    void modesChangeButNotThoseOfSymbolicLinks() {
        Inode t = plant();
        JobRecord done = jobs.finish(jobs.submit(Kind.CHMOD, "t", JobBench.mode("g+wX,o=")), 3);
        assertEquals(6, done.totals().get(Count.CHANGED));
        assertEquals(0770, bench.inode(t.ino()).attributes().mode());
        assertEquals(0660, jobs.find(t.ino(), "a").attributes().mode());
        assertEquals(0777, jobs.find(t.ino(), "l").attributes().mode());
        JobRecord again = jobs.finish(jobs.submit(Kind.CHMOD, "t", JobBench.mode("g+wX,o=")), 3);
        assertEquals(0, again.totals().get(Count.CHANGED));
        assertEquals(7, again.totals().get(Count.NAMES));
    }

    @Test
    void usageCountsAFileWithSeveralNamesOnce() {
        Inode t = plant();
        Inode a = jobs.find(t.ino(), "a");
        Inode d = jobs.find(t.ino(), "d");
        bench.ok(new TreeMutation.Link(a.ino(), d.ino(), Name.of("a2")));
        long job = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        for (int i = 0; i < 8; i++) {
            jobs.step(job, 1);
            bench.verify();
        }
        JobRecord done = jobs.finish(job, 1);
        JobTotals totals = done.totals();
        assertEquals(3, totals.get(Count.FILES));
        assertEquals(1, totals.get(Count.LINKS));
        assertEquals(3, totals.get(Count.DIRECTORIES));
        assertEquals(1005, totals.get(Count.SIZE_BYTES));
        assertEquals(512 + 1024, totals.get(Count.ALLOCATED_BYTES));
        assertEquals(new JobTotals.Share(3, 1005, 1536), totals.shares().get(0));
        assertEquals(0, totals.get(Count.REMEMBERED));
        assertTrue(done.isSwept());
    }

    @Test
    void usageCountsCopies() {
        Inode f = bench.create(ROOT, "f");
        bench.ok(new ContentMutation.Spill(f.ino(), f.attributes().version(), 8192, 7, 8192));
        long job = jobs.submit(Kind.USAGE, null, InodeEdit.NONE);
        JobTotals totals = jobs.finish(job, 5).totals();
        assertEquals(8192, totals.get(Count.ALLOCATED_BYTES));
        assertEquals(16384, totals.get(Count.STORED_BYTES));
        assertEquals(new JobTotals.Share(1, 8192, 8192), totals.shares().get(2));
    }

    @Test
    void aPolicyIsSetAndWhatLiesElsewhereIsTold() {
        Inode t = plant();
        Inode a = jobs.find(t.ino(), "a");
        bench.ok(new ContentMutation.Spill(a.ino(), a.attributes().version(), 5, 7, 4096));
        long job = jobs.submit(Kind.POLICY, "t", JobBench.replicas(1));
        JobRecord done = jobs.finish(job, 2);
        assertEquals(State.DONE, done.state());
        assertEquals(6, done.totals().get(Count.CHANGED));
        assertEquals(1, done.totals().get(Count.MISPLACED_FILES));
        assertEquals(4096, done.totals().get(Count.MISPLACED_BYTES));
        assertEquals(1, jobs.find(t.ino(), "a").policy().replicas());
        assertEquals(2, poolOf(bench.inode(a.ino())));
        assertEquals(1, poolOf(jobs.find(t.ino(), "b")));
    }

    private static int poolOf(Inode file) {
        Layout layout = file.layout();
        assertNotNull(layout);
        return layout.lastRun().poolId();
    }

    @Test
    void twoRunAndTheOthersWait() {
        plant();
        long first = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        long second = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        long third = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        assertEquals(State.RUNNING, jobs.record(second).state());
        assertEquals(State.QUEUED, jobs.record(third).state());
        jobs.step(third, 10);
        assertEquals(0, jobs.record(third).totals().get(Count.NAMES));
        jobs.ask(first, Action.PAUSE);
        assertEquals(State.RUNNING, jobs.record(third).state());
        jobs.ask(first, Action.RESUME);
        assertEquals(State.QUEUED, jobs.record(first).state());
        jobs.finish(third, 100);
        assertEquals(State.RUNNING, jobs.record(first).state());
    }

    @Test
    void aPausedJobGoesOnWhereItWas() {
        plant();
        long job = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        jobs.step(job, 4);
        jobs.ask(job, Action.PAUSE);
        jobs.ask(job, Action.PAUSE);
        long serial = jobs.record(job).serial();
        jobs.step(job, 4);
        assertEquals(4, jobs.record(job).totals().get(Count.NAMES));
        bench.reopen();
        jobs.ask(job, Action.RESUME);
        assertEquals(serial + 1, jobs.record(job).serial());
        assertEquals(7, jobs.finish(job, 4).totals().get(Count.NAMES));
    }

    @Test
    void aCancelledJobLeavesNothingBehindAndCanBeForgotten() {
        Inode t = plant();
        Inode a = jobs.find(t.ino(), "a");
        bench.ok(new TreeMutation.Link(a.ino(), t.ino(), Name.of("a2")));
        long job = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        while (jobs.record(job).totals().get(Count.REMEMBERED) == 0) {
            jobs.step(job, 1);
        }
        assertEquals(Errno.EBUSY, jobs.refusal(control(job, Action.FORGET)));
        jobs.ask(job, Action.CANCEL);
        bench.verify();
        assertEquals(Errno.EAGAIN, jobs.refusal(control(job, Action.FORGET)));
        assertEquals(Errno.EBUSY, jobs.refusal(control(job, Action.RESUME)));
        JobRecord done = jobs.finish(job, 10);
        assertEquals(State.CANCELLED, done.state());
        jobs.ask(job, Action.FORGET);
        assertNull(bench.namespace.job(job));
        assertEquals(Errno.ENOENT, jobs.refusal(control(job, Action.FORGET)));
    }

    private static JobMutation control(long job, Action action) {
        return new JobMutation.Control(job, -1, action, 0);
    }

    @Test
    void whoAsksMayExpectAState() {
        plant();
        long job = jobs.submit(Kind.USAGE, "t", InodeEdit.NONE);
        bench.leader(new JobMutation.Control(job, 0, Action.PACE, 7));
        assertEquals(7, jobs.record(job).order().maxPerSecond());
        assertEquals(
                Errno.ECANCELED, jobs.refusal(new JobMutation.Control(job, 0, Action.PACE, 9)));
        assertEquals(Errno.EINVAL, jobs.refusal(new JobMutation.Control(job, 1, Action.PACE, 0)));
    }

    @Test
    void anOrderIsTakenOnce() {
        plant();
        JobOrder order = jobs.order(Kind.USAGE, ROOT, "t", InodeEdit.NONE);
        Reply first = bench.leader(new JobMutation.Submit(5, order));
        Reply again = bench.leader(new JobMutation.Submit(5, order));
        assertEquals(
                assertInstanceOf(Reply.JobReply.class, first).job(),
                assertInstanceOf(Reply.JobReply.class, again).job());
        assertEquals(1, bench.namespace.jobs().size());
    }

    @Test
    void ordersWithoutSenseAreRefused() {
        plant();
        JobOrder root = jobs.order(Kind.REMOVE, ROOT, null, InodeEdit.NONE);
        assertEquals(Errno.EBUSY, jobs.refusal(new JobMutation.Submit(1, root)));
        JobOrder chmod = jobs.order(Kind.CHMOD, ROOT, "t", InodeEdit.owner(1, 1));
        assertEquals(Errno.EINVAL, jobs.refusal(new JobMutation.Submit(2, chmod)));
        JobOrder gone = jobs.order(Kind.REMOVE, ROOT, "outside", InodeEdit.NONE);
        bench.unlink(ROOT, "outside");
        assertEquals(Errno.ESTALE, jobs.refusal(new JobMutation.Submit(3, gone)));
        JobOrder fast =
                jobs.order(Kind.USAGE, ROOT, "t", InodeEdit.NONE).withMaxPerSecond(1_000_000);
        assertEquals(Errno.EINVAL, jobs.refusal(new JobMutation.Submit(4, fast)));
        assertEquals(
                Errno.NO_SESSION,
                assertInstanceOf(
                                Reply.Failure.class, bench.as(99, new JobMutation.Submit(5, chmod)))
                        .errno());
        assertEquals(
                Errno.EPERM,
                assertInstanceOf(Reply.Failure.class, bench.as(1, new JobMutation.Submit(5, chmod)))
                        .errno());
    }

    @Test
    void aDirectoryThatWasMovedOutIsLeftAlone() {
        Inode t = plant();
        Inode d = jobs.find(t.ino(), "d");
        for (int i = 0; i < 50; i++) {
            bench.create(d.ino(), "f" + i);
        }
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        while (jobs.record(job).depth() < 2) {
            jobs.step(job, 1);
        }
        bench.rename(t.ino(), "d", ROOT, "saved");
        long left = bench.inode(d.ino()).entryCount();
        assertEquals(State.DONE, jobs.finish(job, 1).state());
        assertEquals(left, jobs.find(ROOT, "saved").entryCount());
        bench.isAbsent(ROOT, "t");
    }

    @Test
    void aTreeThatWasMovedIsNotRemovedAnyFurther() {
        Inode t = plant();
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        jobs.step(job, 3);
        bench.rename(ROOT, "t", ROOT, "saved");
        bench.mkdir(ROOT, "t");
        long left = bench.inode(t.ino()).entryCount();
        JobRecord record = jobs.finish(job, 3);
        assertEquals(State.FAILED, record.state());
        assertEquals(left, jobs.find(ROOT, "saved").entryCount());
        jobs.find(ROOT, "t");
    }

    @Test
    void whatIsMadeMeanwhileIsRemovedToo() {
        Inode t = plant();
        for (int i = 0; i < 30; i++) {
            bench.create(t.ino(), "f" + i);
        }
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        for (int i = 0; i < 20; i++) {
            jobs.step(job, 1);
            bench.create(t.ino(), "new" + i);
        }
        assertEquals(State.DONE, jobs.finish(job, 1).state());
        bench.isAbsent(ROOT, "t");
    }

    @Test
    void whoMakesNamesForEverDoesNotKeepAJobFromEnding() {
        Inode t = plant();
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        for (int i = 0; jobs.record(job).needsSteps(); i++) {
            bench.create(t.ino(), "new" + i);
            jobs.step(job, 50);
        }
        assertTrue(jobs.record(job).state().isFinished());
    }

    @Test
    void aDirectoryThatStaysFullFailsOnce() {
        Inode t = plant();
        Inode d = jobs.find(t.ino(), "d");
        long job = jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE);
        for (int i = 0; jobs.record(job).needsSteps(); i++) {
            jobs.step(job, 1);
            if (bench.namespace.inode(d.ino()) != null
                    && bench.inode(d.ino()).attributes().nlink() > 0) {
                bench.create(d.ino(), "new" + i);
            }
        }
        JobRecord record = jobs.record(job);
        assertEquals(State.FAILED, record.state());
        assertEquals(1, record.totals().get(Count.ERRORS));
        JobError error = bench.namespace.jobErrors(job).getFirst();
        assertEquals(Errno.ENOTEMPTY, error.errno());
        assertArrayEquals("/t/d".getBytes(java.nio.charset.StandardCharsets.UTF_8), error.path());
        assertEquals(1, jobs.find(ROOT, "t").entryCount());
    }

    @Test
    void aTreeThatSomebodyElseRemovesIsDone() {
        Inode d = bench.mkdir(ROOT, "d");
        bench.create(d.ino(), "f");
        long remove = jobs.submit(Kind.REMOVE, "d", InodeEdit.NONE);
        long count = jobs.submit(Kind.USAGE, "d", InodeEdit.NONE);
        jobs.step(remove, 1);
        jobs.step(count, 1);
        bench.unlink(d.ino(), "f");
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        assertEquals(State.DONE, jobs.finish(remove, 1).state());
        assertEquals(State.FAILED, jobs.finish(count, 1).state());
        bench.leader(new LeaderMutation.Purge(new long[] {d.ino()}));
    }

    @Test
    void directoriesTooDeepAreToldAndTheRestIsDone() {
        long ino = bench.mkdir(ROOT, "t").ino();
        for (int i = 0; i < JobStack.MAX_DEPTH + 5; i++) {
            ino = bench.mkdir(ino, "d").ino();
        }
        JobRecord counted = jobs.finish(jobs.submit(Kind.USAGE, "t", InodeEdit.NONE), 100);
        assertEquals(State.DONE, counted.state());
        assertEquals(1, counted.totals().get(Count.ERRORS));
        assertEquals(JobStack.MAX_DEPTH + 1, counted.totals().get(Count.DIRECTORIES));
        JobRecord removed = jobs.finish(jobs.submit(Kind.REMOVE, "t", InodeEdit.NONE), 100);
        assertEquals(State.FAILED, removed.state());
        assertEquals(1, removed.totals().get(Count.ERRORS));
        assertEquals(Errno.ELOOP, bench.namespace.jobErrors(removed.job()).getFirst().errno());
    }

    @Test
    void finishedJobsAreKeptUpToALimit() {
        bench.create(ROOT, "f");
        for (int i = 0; i < JobTable.MAX_FINISHED + 3; i++) {
            jobs.finish(jobs.submit(Kind.USAGE, "f", InodeEdit.NONE), 5);
        }
        assertEquals(JobTable.MAX_FINISHED, bench.namespace.jobs().size());
        assertNull(bench.namespace.job(1));
    }

    @Test
    void oneInodeIsEditedIfItIsAsExpected() {
        Inode f = bench.create(ROOT, "f");
        InodeEdit edit = JobBench.mode("0600");
        Reply reply =
                bench.leader(new JobMutation.EditInode(f.ino(), f.attributes().version(), edit));
        Inode changed = assertInstanceOf(Reply.EntryReply.class, reply).inode();
        assertEquals(0600, changed.attributes().mode());
        assertEquals(
                Errno.ECANCELED,
                jobs.refusal(new JobMutation.EditInode(f.ino(), f.attributes().version(), edit)));
        assertEquals(
                Errno.EINVAL,
                jobs.refusal(
                        new JobMutation.EditInode(symlink(ROOT, "l"), 0, JobBench.replicas(1))));
        assertEquals(FileType.FILE, changed.attributes().type());
    }
}
