package io.cairn.metadata.classes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class ClassTableTest {
    private static final long ROOT = Bench.ROOT;
    private static final Policy LARGE = new Policy(3, 24, -1);
    private static final Policy SMALL = new Policy(1, 16, 1);

    private final Bench bench = Bench.withPools(1, 2, 3);

    @AfterEach
    void verify() {
        bench.verify();
        bench.reopen();
        bench.verify();
    }

    private void make(String name, Policy policy) {
        done(new ClassMutation.SetClass(new StorageClass(name, policy, -1), true));
    }

    private void change(StorageClass storageClass) {
        done(new ClassMutation.SetClass(storageClass, false));
    }

    private void assign(long ino, String name) {
        done(new ClassMutation.AssignClass(ino, name));
    }

    private void done(ClassMutation mutation) {
        assertInstanceOf(Reply.Done.class, bench.leader(mutation));
    }

    private void fails(Errno errno, ClassMutation mutation) {
        Reply.Failure failure = assertInstanceOf(Reply.Failure.class, bench.leader(mutation));
        assertEquals(errno, failure.errno(), failure.message());
    }

    private Policy policyOf(Inode inode) {
        return bench.inode(inode.ino()).policy();
    }

    private void assertLaidOut(Inode file, int replicas, int chunkSizeLog2) {
        Layout layout = bench.inode(file.ino()).layout();
        assertNotNull(layout);
        assertEquals(chunkSizeLog2, layout.chunkSizeLog2());
        assertEquals(replicas, layout.lastRun().poolId()); // pool N makes N copies here
    }

    @Test
    void newFilesTakeTheClassOfTheNearestDirectory() {
        make("large", LARGE);
        make("small", SMALL);
        long outer = bench.mkdir(ROOT, "outer").ino();
        assign(outer, "large");
        long inner = bench.mkdir(outer, "inner").ino();
        long deep = bench.mkdir(inner, "deep").ino();
        assertLaidOut(bench.create(deep, "a"), 3, 24);
        assign(inner, "small");
        assertLaidOut(bench.create(deep, "b"), 1, 16);
        assertLaidOut(bench.create(outer, "c"), 3, 24);
        assertEquals(
                new StorageClasses.Assignment("small", inner), bench.namespace.classes().of(deep));
        assign(inner, "");
        assertLaidOut(bench.create(deep, "d"), 3, 24);
        assertEquals(
                new StorageClasses.Assignment("large", outer), bench.namespace.classes().of(deep));
        assertNull(bench.namespace.classes().of(ROOT));
        assertEquals(Policy.STANDARD, bench.inode(deep).policy());
    }

    @Test
    void aChangeOfAClassHoldsForNewFilesAtOnce() {
        make("projects", SMALL);
        long dir = bench.mkdir(ROOT, "dir").ino();
        assign(dir, "projects");
        Inode before = bench.create(dir, "before");
        change(new StorageClass("projects", LARGE, -1));
        assertLaidOut(before, 1, 16);
        assertLaidOut(bench.create(dir, "after"), 3, 24);
        bench.reopen();
        assertLaidOut(bench.create(dir, "later"), 3, 24);
        assertEquals(
                List.of(new StorageClass("projects", LARGE, -1)), bench.namespace.classes().all());
    }

    @Test
    void whatAClassDoesNotSayIsAsInTheDirectory() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.ok(new TreeMutation.SetPolicy(dir, new Policy(3, 18, 1)));
        make("chunks", new Policy(0, 20, -1));
        assign(dir, "chunks");
        assertEquals(new Policy(3, 20, 1), policyOf(bench.create(dir, "file")));
    }

    @Test
    void filesThatMoveGoByTheirNewDirectoryFromThenOn() {
        make("large", LARGE);
        long from = bench.mkdir(ROOT, "from").ino();
        assign(from, "large");
        long dir = bench.mkdir(from, "dir").ino();
        bench.rename(from, "dir", ROOT, "dir");
        assertEquals(Policy.STANDARD, policyOf(bench.create(dir, "file")));
    }

    @Test
    void aClassThatIsUsedStays() {
        make("large", LARGE);
        long dir = bench.mkdir(ROOT, "dir").ino();
        assign(dir, "large");
        fails(Errno.EBUSY, new ClassMutation.RemoveClass("large"));
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("dir")));
        done(new ClassMutation.RemoveClass("large"));
        fails(Errno.ENOENT, new ClassMutation.RemoveClass("large"));
        assertEquals(List.of(), bench.namespace.classes().all());
        assertEquals(List.of(), bench.namespace.classes().assignments());
    }

    @Test
    void aClassSaysHowLongRemovedFilesAreKept() {
        done(new ClassMutation.SetClass(new StorageClass("kept", Policy.STANDARD, 60), true));
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.create(dir, "gone");
        bench.unlink(dir, "gone");
        assertEquals(0, trashed());
        assign(dir, "kept");
        long sub = bench.mkdir(dir, "sub").ino();
        bench.create(sub, "removed");
        bench.unlink(sub, "removed");
        assertEquals(1, trashed());
        change(new StorageClass("kept", Policy.STANDARD, 0));
        bench.create(dir, "other");
        bench.unlink(dir, "other");
        assertEquals(1, trashed());
    }

    private long trashed() {
        return bench.namespace.trashSums().files();
    }

    @Test
    void aJobGivesOldFilesWhatTheirClassesSay() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long inner = bench.mkdir(dir, "inner").ino();
        Inode file = bench.create(dir, "file");
        Inode deep = bench.create(inner, "deep");
        Inode stored = bench.create(dir, "stored", "12345");
        bench.ok(
                new ContentMutation.Spill(stored.ino(), stored.attributes().version(), 5, 7, 4096));
        make("large", LARGE);
        make("small", SMALL);
        assign(dir, "large");
        assign(inner, "small");
        JobBench jobs = new JobBench(bench);
        JobRecord done = jobs.finish(jobs.submit(Kind.CLASS, "dir", InodeEdit.NONE), 2);
        assertEquals(JobRecord.State.DONE, done.state());
        assertEquals(3, done.totals().get(Count.CHANGED));
        assertEquals(3, done.totals().get(Count.FILES));
        assertEquals(1, done.totals().get(Count.MISPLACED_FILES));
        assertEquals(4096, done.totals().get(Count.MISPLACED_BYTES));
        assertLaidOut(file, 3, 24);
        assertLaidOut(deep, 1, 16);
        assertLaidOut(stored, 2, Layout.STANDARD_CHUNK_SIZE_LOG2);
        assertEquals(LARGE, policyOf(stored));
        assertEquals(Policy.STANDARD, bench.inode(inner).policy());
        done = jobs.finish(jobs.submit(Kind.CLASS, "dir", InodeEdit.NONE), 100);
        assertEquals(0, done.totals().get(Count.CHANGED));
    }

    /** Below a directory whose class is encrypted, and for files that were moved from there. */
    @Test
    void aClassMaySayThatThereIsNoKey() {
        make("secret", Policy.STANDARD.withKey(7));
        make("open", Policy.STANDARD.withKey(Policy.NO_KEY));
        make("silent", Policy.STANDARD.with(Policy.Compression.LZ4));
        long dir = bench.mkdir(ROOT, "dir").ino();
        long inner = bench.mkdir(dir, "inner").ino();
        assign(dir, "secret");
        Inode file = bench.create(dir, "file");
        assertEquals(7, policyOf(file).key());
        bench.rename(dir, "file", inner, "file");
        JobBench jobs = new JobBench(bench);
        assign(inner, "silent");
        assertEquals(0, policyOf(bench.create(inner, "never")).key());
        jobs.finish(jobs.submit(Kind.CLASS, "dir", InodeEdit.NONE), 100);
        assertEquals(7, policyOf(file).key(), "it does not say");
        assign(inner, "open");
        assertEquals(Policy.STANDARD, policyOf(bench.create(inner, "new")));
        JobRecord done = jobs.finish(jobs.submit(Kind.CLASS, "dir", InodeEdit.NONE), 100);
        assertEquals(1, done.totals().get(Count.CHANGED));
        assertEquals(0, policyOf(file).key());
        bench.reopen();
        assertEquals(Policy.STANDARD, policyOf(bench.create(inner, "later")));
    }

    @Test
    void whatCannotBeIsRefused() {
        make("large", LARGE);
        long file = bench.create(ROOT, "file").ino();
        fails(Errno.EEXIST, new ClassMutation.SetClass(new StorageClass("large", SMALL, -1), true));
        fails(Errno.ENOENT, new ClassMutation.SetClass(new StorageClass("none", SMALL, -1), false));
        fails(Errno.EINVAL, new ClassMutation.SetClass(new StorageClass("No", SMALL, -1), true));
        fails(Errno.EINVAL, new ClassMutation.SetClass(new StorageClass("", SMALL, -1), true));
        Policy impossible = new Policy(16, 0, -1);
        fails(
                Errno.EINVAL,
                new ClassMutation.SetClass(new StorageClass("x", impossible, -1), true));
        fails(
                Errno.EINVAL,
                new ClassMutation.SetClass(new StorageClass("x", SMALL, Long.MAX_VALUE), true));
        fails(Errno.ENOENT, new ClassMutation.AssignClass(ROOT, "none"));
        fails(Errno.ENOTDIR, new ClassMutation.AssignClass(file, "large"));
        fails(Errno.ESTALE, new ClassMutation.AssignClass(4711, "large"));
        fails(Errno.EINVAL, new ClassMutation.AssignClass(TrashPlace.INO, "large"));
        for (int i = 1; i < ClassTable.MAX_CLASSES; i++) {
            make("class-" + i, SMALL);
        }
        fails(Errno.ENOSPC, new ClassMutation.SetClass(new StorageClass("x", SMALL, -1), true));
        bench.fails(Errno.EPERM, new ClassMutation.RemoveClass("large"));
    }
}
