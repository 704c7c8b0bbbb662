package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.FileType;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.metadata.inode.InodeDraft;
import io.cairn.metadata.job.JobError;
import io.cairn.metadata.job.JobRecord;
import io.cairn.metadata.lock.LockRange;
import io.cairn.metadata.lock.LockRanges;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.LockOwner;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.Codecs;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobOrder;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Damages the store in every way the check knows and expects to be told. */
class StateCheckTest {
    private static final byte[] ALL = {};

    private final Bench bench = Bench.withPools(1);
    private final long dir = bench.mkdir(ROOT, "d").ino();
    private final long file = bench.create(dir, "f", "text").ino();

    @BeforeEach
    void allIsWellBefore() {
        bench.verify();
    }

    private void put(Family family, byte[] key, byte @Nullable [] value) {
        long index = bench.store.appliedIndex() + 1;
        bench.store.commit(List.of(new Change(family, key, value)), 1, index);
    }

    private void damage(long ino, Consumer<InodeDraft> change) {
        InodeDraft draft = new InodeDraft(bench.inode(ino));
        change.accept(draft);
        store(draft.seal());
    }

    private void store(Inode inode) {
        var out = Keys.value(300).i64(1);
        Codecs.inode(out, inode);
        put(Family.INODE, Keys.of(inode.ino()), out.toBytes());
    }

    private static byte[] dentry(FileType type, long ino) {
        return Keys.value(18).i64(1).u8(type.code()).i64(ino).toBytes();
    }

    private void assertTold(String... parts) {
        List<String> lines = bench.namespace.check();
        assertTrue(
                lines.stream().anyMatch(line -> List.of(parts).stream().allMatch(line::contains)),
                () -> List.of(parts) + " in " + lines);
    }

    @Test
    void aNameOfNothing() {
        put(Family.INODE, Keys.of(file), null);
        assertTold("I11", "'f'", "does not exist");
        assertTold("I11", "counted 3");
    }

    @Test
    void aNameInNoDirectory() {
        put(Family.DENTRY, Keys.dentry(4711, Name.of("x")), dentry(FileType.FILE, file));
        assertTold("I11", "4711", "no directory");
        assertTold("I11", "'x' in directory 4711", "thinks that it is in directory " + dir);
    }

    @Test
    void aNameOfAnotherType() {
        put(Family.DENTRY, Keys.dentry(dir, Name.of("f")), dentry(FileType.FIFO, file));
        assertTold("I11", "type FIFO");
    }

    @Test
    void aNameWithAWrongCookie() {
        byte[] key = Keys.dentry(dir, Name.of("f"));
        key[9]++;
        put(Family.DENTRY, key, dentry(FileType.FILE, file));
        assertTold("I11", "wrong cookie");
    }

    @Test
    void aWrongLinkCount() {
        damage(file, draft -> draft.nlink = 2);
        assertTold("I11", "inode " + file, "nlink 2", "names: 1");
        damage(dir, draft -> draft.nlink = 5);
        assertTold("I11", "inode " + dir, "nlink 5");
    }

    @Test
    void aWrongEntryCount() {
        damage(dir, draft -> draft.entryCount = 7);
        assertTold("I11", "inode " + dir, "counts 7 entries: 1");
    }

    @Test
    void tooFewChangesOfNames() {
        damage(dir, draft -> draft.nameChanges = 0);
        assertTold("I11", "inode " + dir, "counts 0 changes of names: 1");
        long link =
                bench.ok(new TreeMutation.Symlink(dir, Name.of("l"), new byte[] {'x'}, 0, 0))
                        .inode()
                        .ino();
        damage(link, draft -> draft.nameChanges = 1);
        assertTold("I11", "inode " + link, "counts 1 changes of names");
    }

    @Test
    void aWrongParent() {
        damage(dir, draft -> draft.parentIno = 4711);
        assertTold("I11", "thinks that it is in directory 4711");
        assertTold("I11", "inode " + dir, "does not reach");
    }

    @Test
    void aWrongHomeAndWrongFurtherNames() {
        damage(file, draft -> draft.parentIno = ROOT);
        assertTold("I11", "'f'", "thinks that it is in directory " + ROOT);
        bench.ok(new TreeMutation.Link(file, ROOT, Name.of("g")));
        byte[] further = Keys.link(file, ROOT, Name.of("g"));
        put(Family.LINK, further, null);
        assertTold("I11", "'g' in directory " + ROOT, "thinks that it is in directory " + dir);
        put(Family.LINK, further, new byte[] {1});
        put(Family.LINK, Keys.link(file, ROOT, Name.of("h")), new byte[] {1});
        assertTold("I11", "inode " + file, "has no name 'h' in directory " + ROOT);
        put(Family.LINK, Keys.link(dir, ROOT, Name.of("d")), new byte[] {1});
        assertTold("I11", "inode " + dir, "records of further names that are none");
    }

    @Test
    void aCycle() {
        long sub = bench.mkdir(dir, "s").ino();
        damage(dir, draft -> draft.parentIno = sub);
        assertTold("I11", "inode " + dir, "does not reach");
        assertTold("I11", "inode " + sub, "does not reach");
    }

    @Test
    void aDirectoryWithoutAName() {
        put(Family.DENTRY, Keys.dentry(ROOT, Name.of("d")), null);
        assertTold("I11", "inode " + dir, "directory with 0 names");
    }

    @Test
    void orphansThatAreNotListedAndThoseThatAreNone() {
        put(Family.ORPHAN, Keys.of(file), new byte[] {1});
        assertTold("I11", "inode " + file, "is none");
        put(Family.ORPHAN, Keys.of(file), null);
        bench.unlink(dir, "f");
        put(Family.ORPHAN, Keys.of(file), null);
        assertTold("I11", "inode " + file, "not listed");
    }

    @Test
    void wrongSizesAndSums() {
        damage(file, draft -> draft.sizeBytes = 5);
        assertTold("I11", "inode " + file, "has size 5");
        damage(file, draft -> draft.usedBytes = 5);
        assertTold("I11", "inode " + file, "uses 5 bytes");
        damage(file, draft -> draft.usedBytes = -5);
        assertTold("I11", "inode " + file, "negative");
    }

    @Test
    void layoutsInTheWrongPlaceOrOrder() {
        damage(file, draft -> draft.layout = null);
        assertTold("I11", "without a layout");
        List<Layout.Run> runs = List.of(Layout.Run.of(0, 1, 77), Layout.Run.of(0, 1, 78));
        damage(file, draft -> draft.layout = new Layout(22, 0, 1, runs));
        assertTold("I11", "out of order");
        damage(dir, draft -> draft.layout = new Layout(22, 0, 1, runs.subList(0, 1)));
        assertTold("I11", "with a layout");
    }

    @Test
    void anObjectOfTwoFiles() {
        Inode other = bench.create(dir, "g");
        Layout layout = bench.inode(file).layout();
        damage(other.ino(), draft -> draft.layout = layout);
        assertTold("I11", "belongs to inode " + file, "to inode " + other.ino());
    }

    @Test
    void anObjectThatNoCloneBroughtBack() {
        long oid = java.util.Objects.requireNonNull(bench.inode(file).layout()).lastOid();
        byte[] times = Keys.value(17).i64(7).i64(0).toBytes();
        put(Family.META, Keys.revived(oid + 1_000_000), times);
        assertTold("I11", "object " + (oid + 1_000_000), "from a snapshot");
        put(Family.META, Keys.revived(oid), Keys.value(17).i64(0).i64(0).toBytes());
        assertTold("I11", "object " + oid + " ", "from a snapshot");
    }

    @Test
    void garbageThatIsInUse() {
        long oid = java.util.Objects.requireNonNull(bench.inode(file).layout()).lastOid();
        byte[] task = Keys.value(29).i32(1).i64(oid).i64(7).i64(8).toBytes();
        put(Family.GC, Keys.of(1), task);
        assertTold("I10", "inode " + file);
    }

    @Test
    void repliesOfNobodyAndOutOfTheWindow() {
        put(Family.REPLY, Keys.of(4711, 1), Keys.value(10).i64(0).u8(1).toBytes());
        assertTold("I3", "session 4711", "not open");
        put(Family.REPLY, Keys.of(1, 5000), Keys.value(10).i64(0).u8(1).toBytes());
        assertTold("I3", "reply 5000 of session 1");
        put(Family.REPLY, Keys.of(1, 3), Keys.value(9).i64(0).toBytes());
        assertTold("I3", "session 1 is empty");
    }

    @Test
    void locksThatCannotBe() {
        Lock lock = new Lock(Lock.Kind.POSIX, Lock.Mode.EXCLUSIVE, 7, 0, 9, 1);
        bench.as(1, new SessionMutation.SetLock(file, lock, false, 0));
        bench.verify();
        byte[] range = LockRanges.NONE.with(lock, 0).encode();
        put(Family.LOCK, Keys.held(file, Lock.Kind.POSIX, new LockOwner(1, 8)), range);
        assertTold("locks", "inode " + file, "two hold");
        put(Family.LOCK, Keys.held(4711, Lock.Kind.POSIX, new LockOwner(1, 8)), range);
        assertTold("locks", "inode 4711 does not exist");
        put(Family.LOCK, Keys.held(file, Lock.Kind.POSIX, new LockOwner(55, 8)), range);
        assertTold("locks", "session 55 is not open");
        LockRange one = new LockRange(Lock.Mode.SHARED, 5, 9, 1, 0);
        LockRange two = new LockRange(Lock.Mode.SHARED, 8, 9, 1, 0);
        put(
                Family.LOCK,
                Keys.held(dir, Lock.Kind.POSIX, new LockOwner(1, 8)),
                new LockRanges(List.of(one, two)).encode());
        assertTold("locks", "inode " + dir, "holds");
    }

    @Test
    void attributesThatDoNotAddUp() {
        byte[] name = {'a'};
        bench.ok(new TreeMutation.SetXattr(file, name, name, 0));
        bench.verify();
        put(Family.XATTR, Keys.xattr(file, new byte[] {'b'}), Keys.value(9).i64(1).toBytes());
        assertTold("I11", "attributes of inode " + file);
        put(Family.XATTR, Keys.xattr(4711, new byte[] {'b'}), Keys.value(9).i64(1).toBytes());
        assertTold("I11", "attributes of inode 4711, which is gone");
    }

    @Test
    void manyViolationsAreCountedNotListed() {
        for (int i = 0; i < StateCheck.MAX_LINES + 50; i++) {
            put(Family.ORPHAN, Keys.of(10_000 + i), new byte[] {1});
        }
        List<String> lines = bench.namespace.check();
        assertEquals(StateCheck.MAX_LINES + 1, lines.size());
        assertEquals("and 50 more", lines.getLast());
    }

    /** A job in the middle of directory d. */
    private long job() {
        JobBench jobs = new JobBench(bench);
        long job = jobs.submit(JobOrder.Kind.USAGE, "d", InodeEdit.NONE);
        jobs.step(job, 1);
        bench.verify();
        return job;
    }

    private void putJob(JobRecord record) {
        put(Family.JOB, Keys.of(record.job()), record.encode());
    }

    private JobRecord record(long job) {
        JobRecord record = bench.namespace.job(job);
        assertNotNull(record);
        return record;
    }

    @Test
    void aJobThatLostItsPlaceIsTold() {
        long job = job();
        put(Family.JOB, Keys.jobFrame(job, 0), null);
        assertTold("J1 job 1", "depth 1", "directories 0");
    }

    @Test
    void aJobThatLostAnErrorIsTold() {
        long job = job();
        put(Family.JOB, Keys.jobError(job, 1), new JobError(ALL, Errno.EIO, "").encode());
        assertTold("J1 job 1", "error before 1");
        assertTold("J1 job 1", "1 errors");
    }

    @Test
    void whatAForgottenJobLeftIsTold() {
        long job = job();
        put(Family.JOB, Keys.of(job), null);
        assertTold("J1 job 1 left something behind");
    }

    @Test
    void aJobThatRemembersAnotherNumberOfInodesIsTold() {
        long job = job();
        put(Family.JOB, Keys.jobSeen(job, file), new byte[] {1});
        assertTold("J1 job 1 remembers 1 inodes");
    }

    @Test
    void aJobInAnImpossibleStateIsTold() {
        JobRecord running = record(job());
        putJob(running.in(JobRecord.State.DONE, 5, ""));
        assertTold("J1 job 1 has ended and is still in a directory");
        putJob(running.in(JobRecord.State.QUEUED, 5, ""));
        assertTold("J1 0 jobs run, 1 wait");
        put(Family.META, Keys.jobs(), Keys.value(9).i64(1).toBytes());
        assertTold("J1 job 1 has a number that was never given");
    }

    @Test
    void aWrongSumIsTold() {
        byte[] key = Keys.usage(Account.directory(dir));
        put(Family.USAGE, key, Keys.value(25).i64(1).i64(5).i64(512).toBytes());
        assertTold("I11 directory " + dir + " holds", "lengthBytes=4", "lengthBytes=5");
        assertTold("I11 directory 1 holds");
        put(Family.USAGE, key, null);
        assertTold("I11 directory " + dir + " holds");
        put(Family.USAGE, Keys.usage(Account.user(10)), null);
        assertTold("I11 user 10 holds");
    }

    @Test
    void aSumOfNothingIsTold() {
        byte[] sums = Keys.value(25).i64(1).i64(0).i64(0).toBytes();
        put(Family.USAGE, Keys.usage(Account.group(99)), sums);
        put(Family.USAGE, Keys.usage(Account.directory(file)), sums);
        put(
                Family.USAGE,
                Keys.usage(Account.user(7)),
                Keys.value(25).i64(0).i64(0).i64(0).toBytes());
        assertTold("I11 there is a sum of group 99");
        assertTold("I11 there is a sum of directory " + file);
        assertTold("I11 the sum of user 7 is kept");
    }
}
