package io.cairn.metadata.content;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.AttributeChange;
import io.cairn.metadata.Bench;
import io.cairn.metadata.OneFile;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class ContentOperationsTest extends OneFile {
    private static ContentMutation.Patch patch(long offset, String text) {
        return new ContentMutation.Patch(offset, text.getBytes(StandardCharsets.UTF_8));
    }

    private ContentMutation.WriteInline writing(long size, ContentMutation.Patch... patches) {
        return new ContentMutation.WriteInline(
                ino, bench.inode(ino).cuts(), List.of(patches), size, 4242);
    }

    @Test
    void patchesApplyInOrderAndGrowTheFile() {
        bench.nowNs += 9;
        Inode inode = bench.write(writing(0, patch(1, "EL"), patch(2, "L"), patch(7, "w")));
        assertArrayEquals("hELlo\0\0w".getBytes(StandardCharsets.UTF_8), inode.inline());
        assertEquals(8, inode.attributes().size());
        assertEquals(512, inode.attributes().usedBytes());
        assertEquals(4242, inode.attributes().mtimeNs());
        assertEquals(bench.nowNs, inode.attributes().ctimeNs());
    }

    @Test
    void aSizeAloneExtendsWithZeros() {
        Inode inode = bench.write(writing(600));
        assertEquals(600, inode.attributes().size());
        assertEquals(1024, inode.attributes().usedBytes());
        byte[] inline = inode.inline();
        assertNotNull(inline);
        assertEquals(0, inline[599]);
        assertEquals(600, bench.write(writing(3)).attributes().size());
    }

    @Test
    void inlineContentsHaveALimit() {
        bench.write(writing(Bench.INLINE_LIMIT));
        bench.fails(Errno.EFBIG, writing(Bench.INLINE_LIMIT + 1L));
        bench.fails(Errno.EFBIG, writing(0, patch(Bench.INLINE_LIMIT, "x")));
        bench.fails(Errno.EFBIG, writing(0, patch(Long.MAX_VALUE - 4096, "x".repeat(5000))));
        bench.fails(Errno.EINVAL, writing(0, patch(-1, "x")));
        bench.fails(Errno.EINVAL, writing(-1));
    }

    @Test
    void thePolicyMaySayAnotherLimit() {
        Policy policy = bench.inode(ino).policy();
        bench.ok(new TreeMutation.SetPolicy(ino, policy.withInline(4 * Bench.INLINE_LIMIT)));
        bench.write(writing(3 * Bench.INLINE_LIMIT));
        bench.fails(Errno.EFBIG, writing(4 * Bench.INLINE_LIMIT + 1L));
        assertNotNull(bench.truncate(ino, 4 * Bench.INLINE_LIMIT).inline());
        bench.ok(new TreeMutation.SetPolicy(ino, policy.withInline(0)));
        byte[] changed = bench.write(writing(0, patch(5, "x"))).inline();
        assertNotNull(changed, "a client may not have heard of it");
        assertEquals(4 * Bench.INLINE_LIMIT, changed.length);
        bench.fails(
                Errno.EFBIG,
                new TreeMutation.SetAttributes(
                        ino, AttributeChange.NONE.withSize(4 * Bench.INLINE_LIMIT + 1L)));
        assertNotNull(bench.truncate(ino, 3).inline());
        bench.truncate(ino, 0);
        Inode grown = bench.truncate(ino, 100);
        assertNull(grown.inline());
        assertEquals(100, grown.attributes().size());
    }

    @Test
    void contentsAreForFilesOnly() {
        long dir = bench.mkdir(ROOT, "d").ino();
        bench.fails(Errno.EISDIR, new ContentMutation.WriteInline(dir, 0, List.of(), 0, 0));
        bench.fails(Errno.EISDIR, new ContentMutation.CommitSize(dir, 1, 0, 0, 0));
        bench.fails(Errno.EISDIR, new ContentMutation.Spill(dir, 1, 0, 0, 0));
        bench.fails(Errno.EISDIR, done(dir, 0, 1));
        bench.fails(Errno.ESTALE, done(4711, 0, 1));
        bench.fails(Errno.EISDIR, new ContentMutation.SwapContents(dir, 1, ino, 1));
    }

    @Test
    void spillMovesContentsOut() {
        Inode inode = spill(5000);
        assertNull(inode.inline());
        assertEquals(5000, inode.attributes().size());
        assertEquals(5000, inode.attributes().usedBytes());
        assertEquals(1, layout().lastRun().poolId());
        bench.fails(Errno.ESTALE, writing(0, patch(0, "x")));
        bench.fails(Errno.ESTALE, new ContentMutation.Spill(ino, 1, 5000, 0, 0));
    }

    @Test
    void spillOfAnOldVersionIsStale() {
        long version = bench.inode(ino).attributes().version();
        bench.write(writing(0, patch(0, "J")));
        bench.fails(Errno.ESTALE, new ContentMutation.Spill(ino, version, 5000, 0, 0));
        version = bench.inode(ino).attributes().version();
        bench.fails(Errno.EINVAL, new ContentMutation.Spill(ino, version, 4, 0, 0));
        bench.fails(Errno.EINVAL, new ContentMutation.Spill(ino, version, 5000, 0, -1));
    }

    @Test
    void spillSeesAWriteOfItsOwnLogEntry() {
        long version = bench.inode(ino).attributes().version();
        List<Reply> replies =
                bench.applyEntry(
                        Bench.entry(
                                bench.envelope(1, writing(0, patch(0, "a"))),
                                bench.envelope(1, writing(0, patch(0, "b"))),
                                bench.envelope(
                                        1, new ContentMutation.Spill(ino, version, 5000, 0, 0))));
        long first =
                assertInstanceOf(Reply.WrittenReply.class, replies.get(0))
                        .inode()
                        .attributes()
                        .version();
        Reply.WrittenReply last = assertInstanceOf(Reply.WrittenReply.class, replies.get(1));
        long second = last.inode().attributes().version();
        assertNotEquals(first, second);
        assertEquals(first, last.versionBefore());
        assertInstanceOf(Reply.Failure.class, replies.get(2));
        bench.fails(Errno.ESTALE, new ContentMutation.Spill(ino, first, 5000, 0, 0));
        bench.ok(new ContentMutation.Spill(ino, second, 5000, 0, 0));
    }

    @Test
    void withoutAPoolThereIsNoSpaceButInline() {
        Bench poor = new Bench();
        Inode file = poor.create(ROOT, "f", "x");
        Layout layout = file.layout();
        assertNotNull(layout);
        assertEquals(0, layout.lastRun().poolId());
        long version = file.attributes().version();
        poor.fails(Errno.ENOSPC, new ContentMutation.Spill(file.ino(), version, 9000, 0, 9000));
        Inode empty = poor.create(ROOT, "e");
        AttributeChange grow = AttributeChange.NONE.withSize(1 << 20);
        poor.fails(Errno.ENOSPC, new TreeMutation.SetAttributes(empty.ino(), grow));
        poor.changeMap(Bench.map(1, 2));
        poor.fails(Errno.ESTALE, new ContentMutation.Spill(file.ino(), version, 9000, 0, 9000));
        Inode settled = poor.inode(file.ino());
        Layout now = settled.layout();
        assertNotNull(now);
        assertEquals(1, now.lastRun().poolId());
        assertEquals(layout.lastOid(), now.lastOid());
        long newVersion = settled.attributes().version();
        poor.ok(new ContentMutation.Spill(file.ino(), newVersion, 9000, 0, 9000));
        poor.verify();
    }

    @Test
    void aTouchOrAWriteGivesAPool() {
        Bench poor = new Bench();
        long touched = poor.create(ROOT, "t", "x").ino();
        long written = poor.create(ROOT, "w", "x").ino();
        poor.changeMap(Bench.map(1, 2));
        Layout layout = poor.change(touched, AttributeChange.NONE.withMtime(1)).layout();
        assertNotNull(layout);
        assertEquals(1, layout.lastRun().poolId());
        layout = poor.write(new ContentMutation.WriteInline(written, 0, List.of(), 2, 1)).layout();
        assertNotNull(layout);
        assertEquals(1, layout.lastRun().poolId());
    }

    @Test
    void commitGrowsSizeAndUse() {
        spill(5000);
        bench.nowNs += 3;
        Inode inode = bench.ok(new ContentMutation.CommitSize(ino, oid(), 9000, 77, 4096)).inode();
        assertEquals(9000, inode.attributes().size());
        assertEquals(9096, inode.attributes().usedBytes());
        assertEquals(77, inode.attributes().mtimeNs());
        assertEquals(bench.nowNs, inode.attributes().ctimeNs());
        inode = bench.ok(new ContentMutation.CommitSize(ino, oid(), 10, 78, -100_000)).inode();
        assertEquals(9000, inode.attributes().size());
        assertEquals(0, inode.attributes().usedBytes());
        bench.ok(new ContentMutation.CommitSize(ino, oid(), 10, 78, Long.MAX_VALUE));
        inode = bench.ok(new ContentMutation.CommitSize(ino, oid(), 10, 78, 5)).inode();
        assertEquals(Long.MAX_VALUE, inode.attributes().usedBytes());
        bench.fails(Errno.ESTALE, new ContentMutation.CommitSize(ino, oid() + 1, 1, 1, 1));
        bench.fails(Errno.EINVAL, new ContentMutation.CommitSize(ino, oid(), -1, 1, 1));
        bench.fails(Errno.EFBIG, new ContentMutation.CommitSize(ino, oid(), END, 1, 1));
    }

    @Test
    void commitToInlineContentsIsStale() {
        bench.fails(Errno.ESTALE, new ContentMutation.CommitSize(ino, oid(), 9000, 77, 4096));
    }

    @Test
    void inlineContentsShrinkAndGrow() {
        long oid = oid();
        assertArrayEquals("he".getBytes(StandardCharsets.UTF_8), bench.truncate(ino, 2).inline());
        assertArrayEquals(new byte[] {'h', 'e', 0, 0}, bench.truncate(ino, 4).inline());
        assertEquals(0, bench.truncate(ino, 0).attributes().usedBytes());
        assertEquals(oid, oid());
        assertEquals(List.of(), garbage());
    }

    @Test
    void inlineContentsMustBeSpilledToGrowBeyondTheLimit() {
        AttributeChange grow = AttributeChange.NONE.withSize(Bench.INLINE_LIMIT + 1L);
        bench.fails(Errno.EFBIG, new TreeMutation.SetAttributes(ino, grow));
        spill(5);
        assertEquals(Bench.INLINE_LIMIT + 1, bench.change(ino, grow).attributes().size());
    }

    @Test
    void anEmptyFileGrowsToHolesAtOnce() {
        bench.truncate(ino, 0);
        Inode inode = bench.truncate(ino, 10 * CHUNK);
        assertNull(inode.inline());
        assertEquals(10 * CHUNK, inode.attributes().size());
        assertEquals(0, inode.attributes().usedBytes());
    }

    @Test
    void truncationToNothingMakesTheFileInlineWithANewObject() {
        spill(3 * CHUNK);
        long oid = oid();
        Inode inode = bench.truncate(ino, 0);
        assertArrayEquals(new byte[0], inode.inline());
        assertEquals(0, inode.attributes().usedBytes());
        assertNotEquals(oid, oid());
        assertEquals(List.of(oid + "[0,end)"), garbage());
        bench.fails(Errno.ESTALE, new ContentMutation.CommitSize(ino, oid, 9000, 77, 4096));
    }

    @Test
    void truncationInsideAChunkAsksForAClone() {
        spill(3 * CHUNK);
        long oid = oid();
        Inode inode = bench.truncate(ino, CHUNK + 100);
        assertEquals(
                List.of(Layout.Run.of(0, 1, oid), new Layout.Run(1, 1, oid(), oid, 100, 0)),
                layout().runs());
        assertEquals(CHUNK + 100, inode.attributes().size());
        assertEquals(CHUNK + 4096, inode.attributes().usedBytes());
        assertEquals(List.of(oid + "[2,end)"), garbage());
        long cloned = oid();
        assertInstanceOf(Reply.Done.class, bench.as(1, done(ino, 1, cloned)));
        assertEquals(
                List.of(Layout.Run.of(0, 1, oid), Layout.Run.of(1, 1, cloned)), layout().runs());
        assertEquals(List.of(oid + "[2,end)", oid + "[1,2)"), garbage());
        bench.as(1, done(ino, 1, cloned));
        assertEquals(2, garbage().size());
    }

    @Test
    void truncationInTheFirstChunkReplacesTheRun() {
        spill(3 * CHUNK);
        long oid = oid();
        bench.truncate(ino, 100);
        assertEquals(List.of(new Layout.Run(0, 1, oid(), oid, 100, 0)), layout().runs());
        assertEquals(List.of(oid + "[1,end)"), garbage());
    }

    @Test
    void truncationAtAChunkBoundaryNeedsNoClone() {
        spill(3 * CHUNK);
        long oid = oid();
        bench.truncate(ino, CHUNK);
        assertEquals(
                List.of(Layout.Run.of(0, 1, oid), Layout.Run.of(1, 1, oid())), layout().runs());
        assertEquals(List.of(oid + "[1,end)"), garbage());
    }

    @Test
    void aPendingCloneTruncatedAgainKeepsItsSource() {
        spill(3 * CHUNK);
        long first = oid();
        bench.truncate(ino, CHUNK + 1000);
        long second = oid();
        bench.truncate(ino, CHUNK + 5000);
        bench.truncate(ino, CHUNK + 3000);
        long third = oid();
        assertEquals(new Layout.Run(1, 1, third, first, 1000, 0), layout().runs().getLast());
        bench.truncate(ino, CHUNK + 10);
        long fourth = oid();
        assertEquals(new Layout.Run(1, 1, fourth, first, 10, 0), layout().runs().getLast());
        assertEquals(List.of(first + "[2,end)", second + "[1,end)", third + "[1,end)"), garbage());
        bench.truncate(ino, CHUNK);
        assertEquals(Layout.Run.of(1, 1, oid()), layout().runs().getLast());
        assertEquals(List.of(fourth + "[1,end)", first + "[1,2)"), garbage().subList(3, 5));
    }

    @Test
    void truncationBelowAPendingCloneDropsIt() {
        spill(3 * CHUNK);
        long first = oid();
        bench.truncate(ino, 2 * CHUNK + 1000);
        long second = oid();
        bench.truncate(ino, CHUNK + 10);
        assertEquals(
                List.of(Layout.Run.of(0, 1, first), new Layout.Run(1, 1, oid(), first, 10, 0)),
                layout().runs());
        assertEquals(List.of(first + "[3,end)", second + "[2,end)", first + "[2,3)"), garbage());
    }

    @Test
    void extendingChangesTheSizeOnly() {
        spill(3 * CHUNK);
        Layout before = layout();
        Inode inode = bench.truncate(ino, 30 * CHUNK);
        assertEquals(before, layout());
        assertEquals(30 * CHUNK, inode.attributes().size());
        assertEquals(3 * CHUNK, inode.attributes().usedBytes());
    }

    @Test
    void aLayoutHasALimitedNumberOfObjects() {
        spill(5);
        for (int i = 1; i <= Layout.MAX_OBJECTS; i++) {
            bench.truncate(ino, (i + 2) * CHUNK);
            if (i < Layout.MAX_OBJECTS) {
                bench.truncate(ino, i * CHUNK);
            }
        }
        AttributeChange more = AttributeChange.NONE.withSize(Layout.MAX_OBJECTS * CHUNK);
        bench.fails(Errno.E2BIG, new TreeMutation.SetAttributes(ino, more));
        bench.truncate(ino, 0);
    }

    @Test
    void aPurgedFileLeavesGarbageUnlessItWasInline() {
        long oid = oid();
        spill(3 * CHUNK);
        bench.truncate(ino, CHUNK + 1);
        long last = oid();
        bench.create(ROOT, "g", "inline");
        bench.unlink(ROOT, "f");
        bench.unlink(ROOT, "g");
        assertEquals(1, garbage().size());
        bench.leader(new LeaderMutation.Purge(new long[] {ino, ino + 1}));
        assertEquals(
                List.of(oid + "[2,end)", oid + "[0,end)", last + "[1,end)", oid + "[1,2)"),
                garbage());
        List<GarbageTask> tasks = bench.namespace.garbage(1, 2);
        assertEquals(List.of(2L, 3L), tasks.stream().map(GarbageTask::entryId).toList());
        assertEquals(1, tasks.getFirst().poolId());
        bench.leader(new LeaderMutation.Collected(new long[] {1, 2, 4, 4, 99}));
        assertEquals(List.of(last + "[1,end)"), garbage());
    }

    @Test
    void orphansAreWrittenAndTruncatedLikeOthers() {
        bench.unlink(ROOT, "f");
        bench.write(writing(0, patch(0, "J")));
        spill(CHUNK);
        bench.ok(new ContentMutation.CommitSize(ino, oid(), 2 * CHUNK, 1, 1));
        bench.truncate(ino, 10);
    }

    @Test
    void swapExchangesContentsAndPolicies() {
        spill(3 * CHUNK);
        Inode before = bench.inode(ino);
        Inode other = bench.create(ROOT, "g", "inline");
        Policy policy = new Policy(2, 16, 1);
        long former = Objects.requireNonNull(other.layout()).lastOid();
        other = bench.ok(new TreeMutation.SetPolicy(other.ino(), policy)).inode();
        bench.nowNs += 10;
        Reply.EntryReply reply =
                bench.ok(
                        new ContentMutation.SwapContents(
                                ino,
                                before.attributes().version(),
                                other.ino(),
                                other.attributes().version()));
        Inode after = bench.inode(ino);
        assertEquals(after.attributes(), reply.inode().attributes());
        assertEquals(bench.inode(other.ino()).attributes(), reply.replaced());
        assertArrayEquals(other.inline(), after.inline());
        assertEquals(other.layout(), after.layout());
        assertEquals(policy, after.policy());
        assertEquals(6, after.attributes().size());
        assertEquals(512, after.attributes().usedBytes());
        assertEquals(before.attributes().mtimeNs(), after.attributes().mtimeNs());
        assertEquals(bench.nowNs, after.attributes().ctimeNs());
        assertEquals(before.layout(), bench.inode(other.ino()).layout());
        assertEquals(before.policy(), bench.inode(other.ino()).policy());
        assertEquals(List.of(former + "[0,end)"), garbage(), "of the policy alone");
    }

    @Test
    void swapWantsBothVersions() {
        Inode one = bench.inode(ino);
        Inode other = bench.create(ROOT, "g", "inline");
        long version = one.attributes().version();
        long otherVersion = other.attributes().version();
        long otherIno = other.ino();
        bench.fails(
                Errno.ESTALE,
                new ContentMutation.SwapContents(ino, version + 1, otherIno, otherVersion));
        bench.fails(
                Errno.ESTALE,
                new ContentMutation.SwapContents(ino, version, otherIno, otherVersion + 1));
        bench.fails(Errno.EINVAL, new ContentMutation.SwapContents(ino, version, ino, version));
    }

    private static ContentMutation.CloneDone done(long ino, long chunk, long oid) {
        return new ContentMutation.CloneDone(ino, new long[] {chunk}, new long[] {oid});
    }
}
