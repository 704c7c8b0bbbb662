package io.cairn.metadata.tree;

import static io.cairn.fs.AttributeChange.NONE;
import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.AttributeStamp;
import io.cairn.fs.Attributes;
import io.cairn.fs.Name;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class AttributeOperationsTest {
    private final Bench bench = Bench.withPools(1, 2);
    private final long ino = bench.create(ROOT, "f", "text").ino();
    private final long dir = bench.mkdir(ROOT, "d").ino();
    private final Attributes before = bench.inode(ino).attributes();

    AttributeOperationsTest() {
        bench.nowNs += 1_000_000;
    }

    @AfterEach
    void invariantsHold() {
        bench.verify();
    }

    private Attributes set(AttributeChange change) {
        return bench.change(ino, change).attributes();
    }

    @Test
    void modeOwnerAndGroupChangeCtimeOnly() {
        Attributes a = set(NONE.withMode(0170777).withUid(5).withGid(6));
        assertEquals(0777, a.mode());
        assertEquals(5, a.uid());
        assertEquals(6, a.gid());
        assertEquals(bench.nowNs, a.ctimeNs());
        assertEquals(before.mtimeNs(), a.mtimeNs());
        assertEquals(before.atimeNs(), a.atimeNs());
        assertTrue(a.version() > before.version());
    }

    private TreeMutation.WriteAndSet writing(AttributeChange change) {
        var patch = new ContentMutation.Patch(4, new byte[] {'s'});
        var write =
                new ContentMutation.WriteInline(
                        ino, bench.inode(ino).cuts(), List.of(patch), 0, bench.nowNs);
        return new TreeMutation.WriteAndSet(write, change);
    }

    @Test
    void aWriteTakesAttributesAlong() {
        Reply reply = bench.as(1, writing(NONE.withAtime(11).withMtime(22).withMode(0600)));
        Reply.WrittenReply written = assertInstanceOf(Reply.WrittenReply.class, reply);
        assertEquals(before.version(), written.versionBefore());
        Inode after = bench.inode(ino);
        assertEquals(after.withContents(after.layout(), null), written.inode());
        assertArrayEquals("texts".getBytes(StandardCharsets.UTF_8), after.inline());
        Attributes a = after.attributes();
        assertEquals(List.of(11L, 22L, 5L), List.of(a.atimeNs(), a.mtimeNs(), a.size()));
        assertEquals(0600, a.mode());
    }

    @Test
    void bothAreDoneOrNothing() {
        bench.fails(Errno.EINVAL, writing(NONE.withSize(1)));
        bench.fails(Errno.EINVAL, writing(NONE.withFlags(Attributes.APPEND, Attributes.APPEND)));
        set(NONE.withFlags(Attributes.APPEND, Attributes.APPEND));
        bench.fails(Errno.EPERM, writing(NONE.withMtime(22)));
        set(NONE.withFlags(Attributes.APPEND, 0));
        Quota quota = new Quota(Sums.ZERO, new Sums(0, 0, 1 << 20), 60_000);
        bench.leader(new LeaderMutation.SetQuota(Account.user(77), quota, false));
        bench.fails(Errno.EOPNOTSUPP, writing(NONE.withUid(5)));
        assertEquals(4, bench.inode(ino).attributes().size());
        assertInstanceOf(Reply.WrittenReply.class, bench.as(1, writing(NONE.withMtime(22))));
        assertEquals(22, bench.inode(ino).attributes().mtimeNs());
    }

    @Test
    void timesAreGivenOrNow() {
        Attributes a = set(NONE.withAtime(11).withMtime(-22));
        assertEquals(11, a.atimeNs());
        assertEquals(-22, a.mtimeNs());
        assertEquals(bench.nowNs, a.ctimeNs());
        int now = AttributeChange.ATIME_NOW | AttributeChange.MTIME_NOW;
        a = set(NONE.withAtime(11).withMtime(22).withBits(now));
        assertEquals(bench.nowNs, a.atimeNs());
        assertEquals(bench.nowNs, a.mtimeNs());
    }

    @Test
    void aNotedReadMovesAtimeForwardAndNothingElse() {
        int keep = AttributeChange.KEEP_CTIME;
        Attributes a = set(NONE.withAtime(before.atimeNs() + 5).withBits(keep));
        assertEquals(before.atimeNs() + 5, a.atimeNs());
        assertEquals(before.ctimeNs(), a.ctimeNs());
        assertEquals(before.version(), a.version());
        assertEquals(a, set(NONE.withAtime(before.atimeNs() + 4).withBits(keep)));
        assertEquals(a, bench.inode(ino).attributes());
        Attributes b = set(NONE.withAtime(1).withUid(5).withBits(keep));
        assertEquals(1, b.atimeNs());
        assertEquals(bench.nowNs, b.ctimeNs());
    }

    @Test
    void guardLetsOnlyTheKnownStateChange() {
        long ctimeNs = before.ctimeNs();
        TreeMutation.SetAttributes wrong =
                new TreeMutation.SetAttributes(ino, NONE.withMode(0).withGuard(ctimeNs - 1));
        bench.fails(Errno.ECANCELED, wrong);
        bench.fails(
                Errno.ECANCELED, new TreeMutation.SetAttributes(ino, NONE.withGuard(ctimeNs + 1)));
        assertEquals(before, bench.inode(ino).attributes());
        assertEquals(0600, set(NONE.withMode(0600).withGuard(ctimeNs)).mode());
        bench.fails(
                Errno.ECANCELED,
                new TreeMutation.SetAttributes(ino, NONE.withMode(0).withGuard(ctimeNs)));
    }

    @Test
    void witnessedMutationsTellWhatWasBefore() {
        AttributeStamp file = AttributeStamp.of(before);
        var changed =
                bench.ok(
                        new TreeMutation.Witnessed(
                                new TreeMutation.SetAttributes(ino, NONE.withSize(2))));
        assertEquals(List.of(file), changed.before());
        assertEquals(2, changed.inode().attributes().size());
        AttributeStamp root = AttributeStamp.of(bench.inode(ROOT).attributes());
        AttributeStamp other = AttributeStamp.of(bench.inode(dir).attributes());
        bench.nowNs += 1000;
        var moved = bench.ok(new TreeMutation.Witnessed(Bench.renaming(ROOT, "f", dir, "g", 0)));
        assertEquals(List.of(root, other), moved.before());
        bench.fails(
                Errno.ENOENT,
                new TreeMutation.Witnessed(new TreeMutation.Unlink(ROOT, Name.of("f"))));
    }

    @Test
    void nothingToChangeChangesNothing() {
        assertEquals(before, set(NONE));
        assertEquals(before, set(NONE.withBits(AttributeChange.ATIME_NOW)));
        bench.fails(
                Errno.EINVAL,
                new TreeMutation.SetAttributes(ino, NONE.withBits(AttributeChange.ALL + 1)));
        bench.fails(Errno.ESTALE, new TreeMutation.SetAttributes(4711, NONE));
    }

    @Test
    void privilegeIsKilled() {
        int kill = AttributeChange.KILL_PRIVILEGE;
        set(NONE.withMode(06755));
        assertEquals(0755, set(NONE.withUid(3).withBits(kill)).mode());
        set(NONE.withMode(06745));
        assertEquals(02745, set(NONE.withBits(kill)).mode());
        assertEquals(0755, set(NONE.withMode(06755).withBits(kill)).mode());
        bench.change(dir, NONE.withMode(06755));
        assertEquals(06755, bench.change(dir, NONE.withUid(3).withBits(kill)).attributes().mode());
    }

    @Test
    void sizeIsForFilesOnly() {
        bench.fails(Errno.EISDIR, new TreeMutation.SetAttributes(dir, NONE.withSize(0)));
        byte[] target = {'x'};
        long link =
                bench.ok(new TreeMutation.Symlink(ROOT, Name.of("l"), target, 1, 1)).inode().ino();
        bench.fails(Errno.EINVAL, new TreeMutation.SetAttributes(link, NONE.withSize(0)));
        bench.fails(Errno.EINVAL, new TreeMutation.SetAttributes(ino, NONE.withSize(-1)));
        bench.fails(
                Errno.EFBIG, new TreeMutation.SetAttributes(ino, NONE.withSize(Long.MAX_VALUE)));
    }

    @Test
    void resizingTouchesEvenToTheSameSize() {
        Attributes a = set(NONE.withSize(4));
        assertEquals(4, a.size());
        assertEquals(bench.nowNs, a.mtimeNs());
        assertEquals(bench.nowNs, a.ctimeNs());
        assertEquals(77, set(NONE.withSize(2).withMtime(77)).mtimeNs());
    }

    @Test
    void xattrsChangeCtime() {
        byte[] name = {'u'};
        Inode changed = bench.ok(new TreeMutation.SetXattr(ino, name, name, 0)).inode();
        assertEquals(bench.nowNs, changed.attributes().ctimeNs());
        assertEquals(before.mtimeNs(), changed.attributes().mtimeNs());
        bench.nowNs++;
        changed = bench.ok(new TreeMutation.RemoveXattr(ino, name)).inode();
        assertEquals(bench.nowNs, changed.attributes().ctimeNs());
        bench.fails(Errno.ESTALE, new TreeMutation.SetXattr(4711, name, name, 0));
    }

    @Test
    void anInlineFileTakesAPolicyAtOnce() {
        Policy policy = new Policy(1, 16, 3);
        Inode file = bench.ok(new TreeMutation.SetPolicy(ino, policy)).inode();
        Layout layout = file.layout();
        assertNotNull(layout);
        assertEquals(policy, file.policy());
        assertEquals(1, layout.lastRun().poolId());
        assertEquals(16, layout.chunkSizeLog2());
        assertEquals(3, layout.stripeWidth());
        assertEquals(bench.nowNs, file.attributes().ctimeNs());
    }

    @Test
    void aFileInChunksHasToBeMovedUnlessItFits() {
        long version = bench.inode(ino).attributes().version();
        bench.ok(new ContentMutation.Spill(ino, version, 100_000, 1, 100_000));
        Policy fitting = new Policy(2, 22, 0);
        bench.ok(new TreeMutation.SetPolicy(ino, fitting));
        assertEquals(fitting, bench.inode(ino).policy());
        bench.fails(Errno.ESTALE, new TreeMutation.SetPolicy(ino, new Policy(1, 0, -1)));
        bench.fails(Errno.ESTALE, new TreeMutation.SetPolicy(ino, new Policy(0, 16, -1)));
        bench.fails(Errno.ESTALE, new TreeMutation.SetPolicy(ino, new Policy(0, 0, 1)));
        assertEquals(fitting, bench.inode(ino).policy());
        // Nobody offers three copies; two are the most there are.
        bench.ok(new TreeMutation.SetPolicy(ino, new Policy(3, 0, -1)));
    }

    @Test
    void impossiblePoliciesAreRefused() {
        bench.fails(Errno.EINVAL, new TreeMutation.SetPolicy(dir, new Policy(16, 0, -1)));
        bench.fails(Errno.EINVAL, new TreeMutation.SetPolicy(dir, new Policy(1, 15, -1)));
        bench.fails(Errno.EINVAL, new TreeMutation.SetPolicy(dir, new Policy(1, 27, -1)));
        bench.fails(Errno.EINVAL, new TreeMutation.SetPolicy(dir, new Policy(1, 16, -2)));
        byte[] target = {'x'};
        long link =
                bench.ok(new TreeMutation.Symlink(ROOT, Name.of("l"), target, 1, 1)).inode().ino();
        bench.fails(Errno.EINVAL, new TreeMutation.SetPolicy(link, Policy.STANDARD));
    }

    @Test
    void versionsDifferEvenWithinOneEntry() {
        bench.applyEntry(
                Bench.entry(
                        bench.envelope(1, new TreeMutation.SetAttributes(ino, NONE.withUid(1))),
                        bench.envelope(1, new TreeMutation.SetAttributes(dir, NONE.withUid(1)))));
        assertNotEquals(
                bench.inode(ino).attributes().version(), bench.inode(dir).attributes().version());
    }
}
