package io.cairn.metadata.inode;

import static io.cairn.fs.AttributeChange.NONE;
import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobError;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.metadata.trash.TrashQueries;
import io.cairn.metadata.trash.TrashRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the masters refuse, whatever the client thinks; doors have the rest of the cases. */
class InodeProtectionTest {
    private static final byte[] NAME = "user.a".getBytes(StandardCharsets.US_ASCII);

    private final Bench bench = Bench.withPools(1, 2);
    private final long dir = bench.mkdir(ROOT, "d").ino();
    private final long file = bench.create(dir, "f", "text").ino();

    @AfterEach
    void invariantsHold() {
        bench.verify();
        bench.reopen();
        bench.verify();
    }

    private void flag(long ino, int flags) {
        AttributeChange change = NONE.withFlags(Attributes.ALL_FLAGS, flags);
        assertEquals(flags, bench.change(ino, change).attributes().flags());
    }

    private void refusesChange(long ino, AttributeChange change) {
        bench.fails(Errno.EPERM, new TreeMutation.SetAttributes(ino, change));
    }

    private ContentMutation.WriteInline writing() {
        ContentMutation.Patch patch = new ContentMutation.Patch(0, new byte[] {'x'});
        long cuts = bench.inode(file).cuts();
        return new ContentMutation.WriteInline(file, cuts, List.of(patch), 1, bench.nowNs);
    }

    @Test
    void flagsAreStoredAndTold() {
        Attributes before = bench.inode(file).attributes();
        bench.nowNs += 5;
        flag(file, Attributes.APPEND | Attributes.NOATIME);
        Attributes after = bench.inode(file).attributes();
        assertEquals(bench.nowNs, after.ctimeNs());
        assertEquals(before.mtimeNs(), after.mtimeNs());
        assertTrue(after.version() > before.version());
        bench.change(file, NONE.withFlags(Attributes.APPEND, 0));
        assertEquals(Attributes.NOATIME, bench.inode(file).attributes().flags());
    }

    @Test
    void unknownFlagsAndTypesAreRefused() {
        bench.fails(Errno.EINVAL, new TreeMutation.SetAttributes(file, NONE.withFlags(1 << 20, 0)));
        bench.ok(new TreeMutation.Symlink(ROOT, Name.of("l"), NAME, 0, 0));
        long link = new JobBench(bench).find(ROOT, "l").ino();
        bench.fails(
                Errno.EOPNOTSUPP,
                new TreeMutation.SetAttributes(
                        link, NONE.withFlags(Attributes.APPEND, Attributes.APPEND)));
    }

    @Test
    void whatIsMadeInheritsNoProtection() {
        flag(dir, Attributes.APPEND | Attributes.NODUMP | Attributes.NOATIME);
        int inherited = Attributes.NODUMP | Attributes.NOATIME;
        assertEquals(inherited, bench.create(dir, "g").attributes().flags());
        assertEquals(inherited, bench.mkdir(dir, "e").attributes().flags());
        assertEquals(0, bench.create(ROOT, "h").attributes().flags());
    }

    @Test
    void contentsOfAnImmutableFileAreNotCommitted() {
        flag(file, Attributes.IMMUTABLE);
        bench.fails(Errno.EPERM, writing());
        Attributes known = bench.inode(file).attributes();
        bench.fails(
                Errno.EPERM,
                new ContentMutation.Spill(file, known.version(), 5000, 8192, bench.nowNs));
        bench.fails(Errno.EPERM, new ContentMutation.CommitSize(file, 1, 5, bench.nowNs, 0));
        refusesChange(file, NONE.withSize(0));
        refusesChange(file, NONE.withBits(AttributeChange.KILL_PRIVILEGE));
        bench.fails(Errno.EPERM, new TreeMutation.SetXattr(file, NAME, NAME, 0));
        bench.fails(Errno.EPERM, new TreeMutation.RemoveXattr(file, NAME));
        bench.fails(Errno.EPERM, new TreeMutation.ReplaceXattr(file, NAME, NAME, NAME));
        flag(file, 0);
        bench.write(writing());
    }

    @Test
    void anAppendOnlyFileIsWrittenAndNotCut() {
        flag(file, Attributes.APPEND);
        bench.write(writing());
        refusesChange(file, NONE.withSize(0));
        refusesChange(file, NONE.withSize(100));
        bench.change(file, NONE.withBits(AttributeChange.KILL_PRIVILEGE));
    }

    @Test
    void readsAreNotedUnlessUnwanted() {
        long soon = bench.inode(file).attributes().atimeNs() + 5;
        AttributeChange read = NONE.withAtime(soon).withBits(AttributeChange.KEEP_CTIME);
        flag(file, Attributes.NOATIME | Attributes.IMMUTABLE);
        assertTrue(bench.change(file, read).attributes().atimeNs() < soon);
        flag(file, 0);
        flag(file, Attributes.IMMUTABLE);
        assertEquals(soon, bench.change(file, read).attributes().atimeNs());
    }

    @Test
    void noNameIsMadeWithoutOneInAnImmutableDirectory() {
        flag(dir, Attributes.IMMUTABLE);
        bench.fails(Errno.EPERM, new TreeMutation.CreateUnnamed(dir, 0644, 0, 0, true));
        bench.fails(Errno.EPERM, Bench.creation(dir, "new", ""));
    }

    @Test
    void aJobThatRemovesNamesWhatIsProtected() {
        JobBench jobs = new JobBench(bench);
        bench.create(dir, "other");
        flag(file, Attributes.IMMUTABLE);
        long job = jobs.submit(Kind.REMOVE, "d", InodeEdit.NONE);
        assertEquals(State.FAILED, jobs.finish(job, 100).state());
        assertEquals(List.of("/", "/d", "/d/f"), List.copyOf(jobs.tree().keySet()));
        JobError error = bench.namespace.jobErrors(job).getFirst();
        assertEquals(Errno.EPERM, error.errno());
        assertEquals("/d/f", new String(error.path(), StandardCharsets.UTF_8));
        assertTrue(error.message().contains("immutable"), error.message());
        assertTrue(error.message().contains("chattr -i"), error.message());
    }

    @Test
    void aJobThatChangesModesNamesWhatIsProtected() {
        JobBench jobs = new JobBench(bench);
        long other = bench.create(dir, "other").ino();
        flag(file, Attributes.APPEND);
        long job = jobs.submit(Kind.CHMOD, "d", JobBench.mode("600"));
        assertEquals(1, jobs.finish(job, 100).totals().get(Count.ERRORS));
        assertEquals(Errno.EPERM, bench.namespace.jobErrors(job).getFirst().errno());
        assertEquals(0600, bench.inode(other).attributes().mode());
        assertEquals(0644, bench.inode(file).attributes().mode());
    }

    @Test
    void aJobThatChangesModesGoesOnBelowWhatIsProtected() {
        JobBench jobs = new JobBench(bench);
        long inner = bench.mkdir(dir, "inner").ino();
        long below = bench.create(inner, "below").ino();
        flag(inner, Attributes.IMMUTABLE);
        long job = jobs.submit(Kind.CHMOD, "d", JobBench.mode("700"));
        assertEquals(1, jobs.finish(job, 100).totals().get(Count.ERRORS));
        JobError error = bench.namespace.jobErrors(job).getFirst();
        assertEquals("/d/inner", new String(error.path(), StandardCharsets.UTF_8));
        assertEquals(0755, bench.inode(inner).attributes().mode());
        assertEquals(0700, bench.inode(below).attributes().mode());
        assertEquals(0700, bench.inode(file).attributes().mode());
    }

    private long[] trashed() {
        return bench.namespace.trash(TrashQueries.Position.BEGIN, 1000).records().stream()
                .mapToLong(TrashRecord::ino)
                .toArray();
    }

    private void isNotRestored(long[] inos) {
        Reply refused = bench.leader(new TrashMutation.RestoreTrash(inos));
        assertEquals(Errno.EPERM, assertInstanceOf(Reply.Failure.class, refused).errno());
    }

    /** A directory has the name of the file by now, so that it gets another name beside it. */
    @Test
    void aFileIsNotRestoredBesideADirectoryOfItsName() {
        bench.leader(new TrashMutation.SetRetention(0, 86_400));
        bench.unlink(dir, "f");
        bench.mkdir(dir, "f");
        flag(dir, Attributes.IMMUTABLE);
        isNotRestored(new long[] {file});
        flag(dir, Attributes.APPEND);
        Reply restored = bench.leader(new TrashMutation.RestoreTrash(new long[] {file}));
        assertInstanceOf(Reply.TrashReply.class, restored);
        assertEquals(file, new JobBench(bench).find(dir, "f.restored").ino());
    }

    /** A file has the name of the directory by now, and the one it was restored to before. */
    @Test
    void aFileIsNotRestoredIntoTheDirectoryBesideAFileOfItsName() {
        bench.leader(new TrashMutation.SetRetention(0, 86_400));
        bench.unlink(dir, "f");
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.create(ROOT, "d");
        long other = bench.mkdir(ROOT, "d.restored").ino();
        flag(other, Attributes.IMMUTABLE);
        isNotRestored(new long[] {file});
        flag(other, 0);
        flag(ROOT, Attributes.IMMUTABLE);
        Reply restored = bench.leader(new TrashMutation.RestoreTrash(new long[] {file}));
        assertInstanceOf(Reply.TrashReply.class, restored);
        assertEquals(file, new JobBench(bench).find(other, "f").ino());
    }

    @Test
    void nothingInTheTrashIsProtectedOrRestoredIntoWhatIs() {
        bench.leader(new TrashMutation.SetRetention(0, 86_400));
        bench.unlink(dir, "f");
        bench.fails(
                Errno.EPERM,
                new TreeMutation.SetAttributes(
                        file, NONE.withFlags(Attributes.IMMUTABLE, Attributes.IMMUTABLE)));
        flag(dir, Attributes.IMMUTABLE);
        long[] inos = trashed();
        isNotRestored(inos);
        flag(dir, 0);
        Reply restored = bench.leader(new TrashMutation.RestoreTrash(inos));
        assertInstanceOf(Reply.TrashReply.class, restored);
        assertEquals(FileType.FILE, new JobBench(bench).find(dir, "f").attributes().type());
    }
}
