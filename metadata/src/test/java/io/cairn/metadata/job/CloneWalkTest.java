package io.cairn.metadata.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import java.util.SortedMap;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

final class CloneWalkTest {
    private final TreeHistory history = new TreeHistory(1);
    private final Bench bench = history.bench;

    private static JobOrder order(TreeHistory of, int snapshot, long parentIno, String name) {
        return new JobOrder(
                JobOrder.Kind.CLONE,
                ("/" + name).getBytes(StandardCharsets.UTF_8),
                PastInode.of(snapshot, of.root),
                parentIno,
                Name.of(name),
                InodeEdit.NONE,
                "somebody",
                JobOrder.STANDARD_PER_SECOND);
    }

    private long submit(int snapshot, String name) {
        return history.jobs.submit(order(history, snapshot, Bench.ROOT, name));
    }

    private Errno refusal(JobOrder order) {
        return history.jobs.refusal(new JobMutation.Submit(7, order));
    }

    /** Whatever others do to the source, and whenever the masters begin anew. */
    @Property(tries = 150)
    void aCloneIsLikeTheSnapshot(@ForAll long seed) {
        TreeHistory tree = new TreeHistory(seed);
        Random random = new Random(seed);
        for (int i = random.nextInt(60); i >= 0; i--) {
            tree.change();
        }
        int snapshot = tree.take();
        SortedMap<String, String> then = tree.describe(PastInode.of(snapshot, tree.root));
        for (int i = random.nextInt(30); i >= 0; i--) {
            tree.change();
        }
        long job = tree.jobs.submit(order(tree, snapshot, Bench.ROOT, "c"));
        while (tree.jobs.record(job).needsSteps()) {
            tree.jobs.step(job, 1 + random.nextInt(12));
            for (int i = random.nextInt(4); i > 0; i--) {
                tree.change();
            }
            if (random.nextInt(10) == 0) {
                tree.take();
            }
            if (random.nextInt(6) == 0) {
                tree.bench.reopen();
            }
            if (random.nextInt(10) == 0) {
                tree.bench.verify();
            }
        }
        JobRecord record = tree.jobs.record(job);
        assertEquals(State.DONE, record.state(), record.message());
        assertEquals(then.size(), record.totals().get(Count.NAMES));
        assertEquals(then, tree.describe(PastInode.of(snapshot, tree.root)));
        long clone = tree.jobs.find(Bench.ROOT, "c").ino();
        assertEquals(then, tree.describe(clone));
        tree.bench.verify();
        tree.bench.leader(new SnapshotMutation.DropSnapshot(snapshot));
        for (int i = 0; i < 1000 && tree.bench.namespace.snapshotStatus().isSweeping(); i++) {
            tree.bench.leader(new SnapshotMutation.SweepHistory(100));
        }
        assertEquals(then, tree.describe(clone));
        tree.bench.verify();
    }

    @Example
    void flagsThatProtectAreSetWhenAllIsThere() {
        Inode d = bench.mkdir(history.root, "d");
        Inode f = bench.create(d.ino(), "f", "hello");
        bench.ok(new TreeMutation.Link(f.ino(), history.root, Name.of("g")));
        AttributeChange protect =
                AttributeChange.NONE.withFlags(Attributes.IMMUTABLE, Attributes.IMMUTABLE);
        bench.change(f.ino(), protect);
        bench.change(d.ino(), protect);
        bench.change(history.root, protect);
        int snapshot = history.take();
        JobRecord record = history.jobs.finish(submit(snapshot, "c"), 1);
        assertEquals(State.DONE, record.state(), record.message());
        assertEquals(1, record.totals().get(Count.LINKS));
        assertEquals(1, record.totals().get(Count.FILES));
        assertEquals(2, record.totals().get(Count.DIRECTORIES));
        assertEquals(5, record.totals().get(Count.SIZE_BYTES));
        Inode clone = history.jobs.find(Bench.ROOT, "c");
        assertNotEquals(history.root, clone.ino());
        assertEquals(
                history.describe(PastInode.of(snapshot, history.root)),
                history.describe(clone.ino()));
        bench.fails(Errno.EPERM, Bench.creation(clone.ino(), "x", ""));
        bench.verify();
    }

    @Example
    void whatCannotBeIsRefused() {
        bench.create(Bench.ROOT, "c");
        int snapshot = history.take();
        assertEquals(Errno.EEXIST, refusal(order(history, snapshot, Bench.ROOT, "c")));
        assertEquals(Errno.ESTALE, refusal(order(history, snapshot + 1, Bench.ROOT, "d")));
        assertEquals(Errno.EEXIST, refusal(order(history, snapshot, Bench.ROOT, ".snapshots")));
        long past = PastInode.of(snapshot, history.root);
        assertEquals(Errno.EROFS, refusal(order(history, snapshot, past, "d")));
        long living = history.root;
        JobOrder ofLiving = order(history, snapshot, Bench.ROOT, "d");
        JobOrder now =
                new JobOrder(
                        ofLiving.kind(),
                        ofLiving.path(),
                        living,
                        Bench.ROOT,
                        Name.of("d"),
                        InodeEdit.NONE,
                        "",
                        1);
        assertEquals(Errno.EINVAL, refusal(now));
    }

    @Example
    void aQuotaEndsIt() {
        for (int i = 0; i < 10; i++) {
            bench.create(history.root, "f" + i, "x".repeat(100));
        }
        int snapshot = history.take();
        long in = bench.mkdir(Bench.ROOT, "in").ino();
        bench.leader(
                new LeaderMutation.SetQuota(
                        Account.directory(in),
                        new Quota(Sums.ZERO, new Sums(6, 0, 0), 60_000),
                        true));
        long job = history.jobs.submit(order(history, snapshot, in, "c"));
        JobRecord record = history.jobs.finish(job, 3);
        assertEquals(State.FAILED, record.state());
        assertTrue(record.message().contains("'/c'"), record.message());
        assertEquals(1, record.totals().get(Count.ERRORS));
        assertEquals(Errno.EDQUOT, bench.namespace.jobErrors(job).getFirst().errno());
        assertTrue(record.totals().get(Count.FILES) > 2);
        bench.verify();
    }

    @Example
    void aDroppedSnapshotEndsIt() {
        for (int i = 0; i < 10; i++) {
            bench.create(history.root, "f" + i, "x".repeat(100));
        }
        int snapshot = history.take();
        long job = submit(snapshot, "c");
        history.jobs.step(job, 3);
        bench.leader(new SnapshotMutation.DropSnapshot(snapshot));
        JobRecord record = history.jobs.finish(job, 3);
        assertEquals(State.FAILED, record.state());
        assertTrue(record.message().startsWith("the snapshot was dropped"), record.message());
        assertTrue(record.message().contains("'/c'"), record.message());
        bench.verify();
    }

    @Example
    void othersMayMakeAndRemoveInTheNewTree() {
        Inode d = bench.mkdir(history.root, "d");
        for (int i = 0; i < 5; i++) {
            bench.create(d.ino(), "f" + i, "x");
        }
        int snapshot = history.take();
        long job = submit(snapshot, "c");
        history.jobs.step(job, 3);
        long clone = history.jobs.find(Bench.ROOT, "c").ino();
        Inode made = history.jobs.find(clone, "d");
        bench.rename(clone, "d", clone, "e");
        history.jobs.step(job, 1);
        assertTrue(bench.inode(made.ino()).entryCount() > 0, "it goes on where it is");
        history.jobs.finish(history.jobs.submit(JobOrder.Kind.REMOVE, "c", InodeEdit.NONE), 9);
        JobRecord record = history.jobs.finish(job, 1);
        assertEquals(State.FAILED, record.state());
        assertTrue(record.message().contains("was removed"), record.message());
        bench.verify();
    }

    @Example
    void aNameThatIsTakenIsLeftAndTold() {
        Inode d = bench.mkdir(history.root, "d");
        bench.create(d.ino(), "f", "x");
        bench.create(history.root, "g", "x");
        int snapshot = history.take();
        long job = submit(snapshot, "c");
        history.jobs.step(job, 1);
        long clone = history.jobs.find(Bench.ROOT, "c").ino();
        bench.create(clone, "d", "mine");
        JobRecord record = history.jobs.finish(job, 1);
        assertEquals(State.FAILED, record.state());
        assertEquals(1, record.totals().get(Count.ERRORS));
        JobError error = bench.namespace.jobErrors(job).getFirst();
        assertEquals("/c/d", new String(error.path(), StandardCharsets.UTF_8));
        assertEquals(Errno.EEXIST, error.errno());
        assertEquals(4, history.jobs.find(clone, "d").attributes().size());
        assertEquals(1, history.jobs.find(clone, "g").attributes().size());
        bench.verify();
    }

    @Example
    void manyYoungerNamesTakeStepsOfTheirOwn() {
        bench.create(history.root, "old", "x");
        int snapshot = history.take();
        for (int i = 0; i < 400; i++) {
            bench.create(history.root, "young" + i);
        }
        long job = submit(snapshot, "c");
        int steps = 0;
        while (!history.jobs.record(job).state().isFinished()) {
            history.jobs.step(job, 10);
            steps++;
        }
        assertEquals(State.DONE, history.jobs.record(job).state());
        assertEquals(2, history.jobs.record(job).totals().get(Count.NAMES));
        assertTrue(steps > 400 / 40 / 2, steps + " steps");
        assertInstanceOf(JobRecord.class, history.jobs.finish(job, 10));
        assertEquals(1, history.jobs.find(Bench.ROOT, "c").entryCount());
    }
}
