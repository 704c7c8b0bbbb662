package io.cairn.metadata.classes;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.ClassRule;
import io.cairn.cluster.Policy.StorageClass;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.JobBench;
import io.cairn.metadata.job.JobTotals.Count;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation.ClassMutation;
import io.cairn.wire.master.JobOrder.Kind;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ClassRulesTest {
    private static final long ROOT = Bench.ROOT;
    private static final int ANY = ClassRule.ANY;

    private final Bench bench = Bench.withPools(1, 2, 3);

    @BeforeEach
    void makeClasses() {
        for (int log2 = 16; log2 < 20; log2++) {
            StorageClass made = new StorageClass("c" + log2, new Policy(0, log2, -1), -1);
            done(new ClassMutation.SetClass(made, true));
        }
    }

    @AfterEach
    void verify() {
        bench.verify();
        List<ClassRule> before = bench.namespace.classes().rules();
        bench.reopen();
        bench.verify();
        assertEquals(before, bench.namespace.classes().rules());
    }

    private void done(ClassMutation mutation) {
        assertInstanceOf(Reply.Done.class, bench.leader(mutation));
    }

    private void fails(Errno errno, ClassMutation mutation) {
        Reply.Failure failure = assertInstanceOf(Reply.Failure.class, bench.leader(mutation));
        assertEquals(errno, failure.errno(), failure.message());
    }

    private static ClassRule named(String storageClass, String pattern, long below) {
        return new ClassRule(0, storageClass, pattern, ANY, ANY, below);
    }

    private void add(ClassRule rule, int before) {
        done(new ClassMutation.AddClassRule(rule, before));
    }

    private List<Integer> ids() {
        return bench.namespace.classes().rules().stream().map(ClassRule::id).toList();
    }

    private int chunkSizeOf(long parentIno, String name) {
        return bench.create(parentIno, name).policy().chunkSizeLog2();
    }

    private long create(long parentIno, String name, int uid, int gid) {
        Name of = Name.of(name);
        TreeMutation.Create create =
                new TreeMutation.Create(
                        parentIno,
                        of,
                        FileType.FILE,
                        0644,
                        uid,
                        gid,
                        0,
                        false,
                        0,
                        new byte[0],
                        false);
        return bench.ok(create).inode().ino();
    }

    private int chunkSizeOf(long ino) {
        return bench.inode(ino).policy().chunkSizeLog2();
    }

    @Test
    void theFirstRuleThatHoldsDecidesBeforeDirectories() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        done(new ClassMutation.AssignClass(dir, "c16"));
        add(named("c17", "*.mp4", ClassRule.EVERYWHERE), 0);
        assertEquals(17, chunkSizeOf(dir, "a.mp4"));
        assertEquals(16, chunkSizeOf(dir, "a.txt"));
        assertEquals(17, chunkSizeOf(ROOT, "b.mp4"));
        assertEquals(0, chunkSizeOf(ROOT, "b.txt"));
        add(named("c18", "*.mp?", ClassRule.EVERYWHERE), 0);
        assertEquals(17, chunkSizeOf(dir, "c.mp4"));
        assertEquals(18, chunkSizeOf(dir, "c.mp3"));
        add(named("c19", "d*", ClassRule.EVERYWHERE), 1);
        assertEquals(19, chunkSizeOf(dir, "d.mp4"));
        assertEquals(List.of(3, 1, 2), ids());
        done(new ClassMutation.RemoveClassRule(3));
        assertEquals(17, chunkSizeOf(dir, "dd.mp4"));
        bench.reopen();
        assertEquals(17, chunkSizeOf(dir, "e.mp4"));
    }

    @Test
    void rulesAreAboutOwnersGroupsAndDirectories() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long deep = bench.mkdir(bench.mkdir(dir, "sub").ino(), "deep").ino();
        long other = bench.mkdir(ROOT, "other").ino();
        add(new ClassRule(0, "c16", "", 7, ANY, dir), 0);
        add(new ClassRule(0, "c17", "*.x", ANY, 8, ClassRule.EVERYWHERE), 0);
        assertEquals(16, chunkSizeOf(create(deep, "a", 7, 8)));
        assertEquals(16, chunkSizeOf(create(dir, "a.x", 7, 8)));
        assertEquals(0, chunkSizeOf(create(other, "a", 7, 8)));
        assertEquals(17, chunkSizeOf(create(other, "a.x", 7, 8)));
        assertEquals(0, chunkSizeOf(create(other, "b.x", 7, 7)));
        TreeMutation.CreateUnnamed unnamed = new TreeMutation.CreateUnnamed(deep, 0600, 7, 8, true);
        assertEquals(16, bench.ok(unnamed).inode().policy().chunkSizeLog2());
        unnamed = new TreeMutation.CreateUnnamed(other, 0600, 1, 8, true);
        assertEquals(0, bench.ok(unnamed).inode().policy().chunkSizeLog2());
        bench.rename(dir, "sub", ROOT, "sub");
        assertEquals(0, chunkSizeOf(create(deep, "b", 7, 8)));
    }

    @Test
    void theReasonIsTold() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        done(new ClassMutation.AssignClass(dir, "c16"));
        add(named("c17", "*.mp4", dir), 0);
        StorageClasses.Assignment held =
                bench.namespace.classes().of(bench.create(dir, "a.mp4").ino());
        assertNotNull(held);
        assertEquals(named("c17", "*.mp4", dir).withId(1), held.rule());
        assertEquals("c17", held.name());
        held = bench.namespace.classes().of(bench.create(dir, "a.txt").ino());
        assertEquals(new StorageClasses.Assignment("c16", dir), held);
        assertEquals(held, bench.namespace.classes().of(dir));
        assertNull(bench.namespace.classes().of(bench.create(ROOT, "a.mp4").ino()));
    }

    @Test
    void aJobGivesOldFilesWhatTheRulesSay() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long other = bench.mkdir(ROOT, "other").ino();
        long file = bench.create(dir, "a.mp4").ino();
        long text = bench.create(other, "a.txt").ino();
        long linked = bench.create(dir, "b.mp4").ino();
        bench.ok(new TreeMutation.Link(linked, other, Name.of("b.txt")));
        add(named("c17", "*.mp4", ClassRule.EVERYWHERE), 0);
        add(named("c18", "b.txt", ClassRule.EVERYWHERE), 0);
        JobBench jobs = new JobBench(bench);
        assertEquals(1, changedBy(jobs, "other"));
        assertEquals(0, chunkSizeOf(text));
        assertEquals(17, chunkSizeOf(linked)); // its first name decides
        assertEquals(0, chunkSizeOf(file));
        assertEquals(1, changedBy(jobs, "dir"));
        assertEquals(17, chunkSizeOf(file));
        assertEquals(17, chunkSizeOf(linked));
    }

    private static long changedBy(JobBench jobs, String name) {
        return jobs.finish(jobs.submit(Kind.CLASS, name, InodeEdit.NONE), 1)
                .totals()
                .get(Count.CHANGED);
    }

    @Test
    void whatRulesReferToStaysOrTakesThemAlong() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        add(named("c17", "*.mp4", dir), 0);
        fails(Errno.EBUSY, new ClassMutation.RemoveClass("c17"));
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("dir")));
        assertEquals(List.of(), ids());
        done(new ClassMutation.RemoveClass("c17"));
    }

    @Test
    void aDirectoryWithoutItsClassKeepsItsRules() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        done(new ClassMutation.AssignClass(dir, "c16"));
        add(named("c17", "*.mp4", dir), 0);
        done(new ClassMutation.AssignClass(dir, ""));
        assertEquals(List.of(1), ids());
        assertEquals(17, chunkSizeOf(dir, "a.mp4"));
        assertEquals(0, chunkSizeOf(dir, "a.txt"));
        done(new ClassMutation.RemoveClass("c16"));
    }

    @Test
    void whatCannotBeIsRefused() {
        long file = bench.create(ROOT, "file").ino();
        ClassRule rule = named("c17", "*.mp4", ClassRule.EVERYWHERE);
        fails(Errno.ENOENT, new ClassMutation.AddClassRule(named("none", "*", 0), 0));
        fails(Errno.ENOENT, new ClassMutation.AddClassRule(rule, 5));
        fails(Errno.EINVAL, new ClassMutation.AddClassRule(named("c17", "[", 0), 0));
        fails(Errno.EINVAL, new ClassMutation.AddClassRule(named("c17", "", ROOT), 0));
        fails(Errno.ENOTDIR, new ClassMutation.AddClassRule(named("c17", "*", file), 0));
        fails(Errno.ESTALE, new ClassMutation.AddClassRule(named("c17", "*", 4711), 0));
        fails(Errno.ENOENT, new ClassMutation.RemoveClassRule(1));
        add(rule, 0);
        fails(Errno.EEXIST, new ClassMutation.AddClassRule(named("c18", "*.mp4", 0), 0));
        bench.fails(Errno.EPERM, new ClassMutation.AddClassRule(named("c18", "*.mp3", 0), 0));
        for (int i = 1; i < RuleList.MAX_RULES; i++) {
            add(named("c18", "x" + i, ClassRule.EVERYWHERE), 0);
        }
        fails(Errno.ENOSPC, new ClassMutation.AddClassRule(named("c18", "*.mp3", 0), 0));
        assertEquals(17, chunkSizeOf(ROOT, "a.mp4"));
    }
}
