package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PastInode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.StoredState;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;

final class ContentCloneTest {
    private static final int CHUNK_LOG2 = Layout.STANDARD_CHUNK_SIZE_LOG2;

    private final Bench bench = Bench.withPools(1);

    private Inode fileInChunks(String name, long sizeBytes) {
        Inode file = bench.create(Bench.ROOT, name);
        long version = file.attributes().version();
        return bench.ok(new ContentMutation.Spill(file.ino(), version, sizeBytes, sizeBytes, 5))
                .inode();
    }

    private Reply begin(long source, String name) {
        return bench.leader(new SnapshotMutation.BeginClone(source, Bench.ROOT, Name.of(name)));
    }

    private int begun() {
        return Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
    }

    private Inode cloned(long source, String name) {
        assertEquals(new Reply.Done(), begin(source, name));
        SnapshotRecord begun = bench.namespace.snapshotStatus().begun();
        if (begun != null) {
            Reply reply = bench.leader(new SnapshotMutation.FinishSnapshot(begun.number()));
            assertEquals(new Reply.Done(), reply);
        }
        assertNull(bench.namespace.snapshotStatus().begun());
        bench.verify();
        return bench.inodeOf(new Query.Lookup(Bench.ROOT, Name.of(name)));
    }

    private void refused(Errno errno, Reply reply) {
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, reply).errno());
    }

    private static Layout layout(Inode inode) {
        return Objects.requireNonNull(inode.layout());
    }

    /** Nothing that one file does shows in another, nothing needed is deleted, nothing is left. */
    @Property(tries = 150)
    void clonesAndTheirSourcesStayApart(@ForAll long seed) {
        CloneHistory history = new CloneHistory(seed);
        history.run(120);
        history.finish();
        Statistics.label("clones in chunks").collect(history.clones > 0);
        Statistics.label("clones in chunks")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 80));
        Statistics.label("clones of snapshots").collect(history.revivals > 0);
        Statistics.label("clones of snapshots")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 50));
        Statistics.label("copies of ranges").collect(history.copies > 0);
        Statistics.label("copies of ranges")
                .coverage(coverage -> coverage.check(true).percentage(p -> p > 30));
    }

    @Example
    void chunksAreSharedUpToTheEnd() {
        Inode file = fileInChunks("f", (2L << CHUNK_LOG2) + 5);
        Inode clone = cloned(file.ino(), "c");
        assertEquals(file.layout(), bench.inode(file.ino()).layout(), "the source stays as it is");
        assertNotEquals(file.ino(), clone.ino());
        assertEquals(file.attributes().size(), clone.attributes().size());
        assertEquals(file.attributes().usedBytes(), clone.attributes().usedBytes());
        long oid = layout(file).lastOid();
        assertEquals(oid, layout(clone).runOf(1).oid());
        assertEquals(oid, layout(clone).lastRun().sourceOid());
        assertEquals(5, layout(clone).lastRun().sourceLengthBytes());
        long fence = bench.namespace.snapshotStatus().fence().firstOid();
        assertTrue(oid < fence && fence <= layout(clone).lastOid());
        assertEquals(0, bench.namespace.snapshotStatus().heldOid(), "no snapshot holds anything");
        assertEquals(0, bench.namespace.snapshots().size());
        bench.reopen();
        assertEquals(fence, bench.namespace.snapshotStatus().fence().firstOid());
    }

    @Example
    void allFilesOfAnObjectAreFound() {
        Inode file = fileInChunks("f", (2L << CHUNK_LOG2) + 5);
        Inode clone = cloned(file.ino(), "c");
        Inode third = cloned(file.ino(), "c2");
        Inode alone = fileInChunks("alone", 3L << CHUNK_LOG2);
        long oid = layout(file).lastOid();
        long own = layout(alone).lastOid();
        try (StoredState state = bench.namespace.snapshot()) {
            List<Long> three = List.of(file.ino(), clone.ino(), third.ino());
            assertEquals(
                    Map.of(oid, three, own, List.of(alone.ino())),
                    ObjectOwners.of(state, Set.of(oid, own, 0xdeadL)));
        }
    }

    /** Its client may have made the clone of a chunk, and written to it, and not told so yet. */
    @Example
    void chunksStillToBeClonedAreNotShared() {
        Inode file = fileInChunks("f", 4L << CHUNK_LOG2);
        Inode first = cloned(file.ino(), "c");
        long oid = layout(file).lastOid();
        long[] indices = {1, 2};
        long[] old = {oid, oid};
        Reply.EntryReply renewed =
                bench.ok(new ContentMutation.RenewChunks(file.ino(), indices, old));
        long own = layout(renewed.inode()).runOf(1).oid();
        Inode second = cloned(file.ino(), "c2");
        long fresh = layout(second).lastOid();
        for (long chunk : indices) {
            assertEquals(own, layout(bench.inode(file.ino())).runOf(chunk).oid());
            assertTrue(layout(second).isPending(chunk, fresh), () -> "chunk " + chunk);
            assertEquals(oid, layout(second).runOf(chunk).sourceOid());
            assertEquals(1L << CHUNK_LOG2, layout(second).runOf(chunk).sourceLengthBytes());
        }
        assertEquals(oid, layout(second).runOf(0).oid());
        assertEquals(oid, layout(second).runOf(3).oid());
        // What both wait for stays until it is cloned for both.
        bench.as(1, new ContentMutation.CloneDone(file.ino(), indices, new long[] {own, own}));
        bench.unlink(Bench.ROOT, "c");
        bench.leader(new LeaderMutation.Purge(new long[] {first.ino()}));
        bench.verify();
        assertEquals(1, bench.namespace.garbageCount(), "what may be beyond the end");
        long[] made = {fresh, fresh};
        bench.as(1, new ContentMutation.CloneDone(second.ino(), indices, made));
        bench.verify();
        assertEquals(3, bench.namespace.garbageCount(), "two chunks that nobody needs");
    }

    @Example
    void attributesComeAlong() {
        Inode file = fileInChunks("f", 1L << CHUNK_LOG2);
        byte[] name = "user.colour".getBytes(StandardCharsets.UTF_8);
        bench.as(1, new TreeMutation.SetXattr(file.ino(), name, new byte[] {1, 2}, 0));
        bench.change(file.ino(), AttributeChange.NONE.withMode(0640));
        Attributes of = bench.inode(file.ino()).attributes();
        bench.nowNs += 1_000_000;
        Inode clone = cloned(file.ino(), "c");
        Attributes a = clone.attributes();
        assertEquals(of.mode(), a.mode());
        assertEquals(of.uid(), a.uid());
        assertEquals(of.gid(), a.gid());
        assertEquals(of.mtimeNs(), a.mtimeNs());
        assertEquals(1, a.nlink());
        Reply value = bench.read(new Query.GetXattr(clone.ino(), name));
        assertArrayEquals(
                new byte[] {1, 2}, assertInstanceOf(Reply.BytesReply.class, value).bytes());
    }

    @Example
    void contentsInTheInodeAreCopiedAtOnce() {
        Inode file = bench.create(Bench.ROOT, "f", "hello");
        Inode clone = cloned(file.ino(), "c");
        assertArrayEquals("hello".getBytes(StandardCharsets.UTF_8), clone.inline());
        assertNotEquals(layout(file).lastOid(), layout(clone).lastOid());
        assertEquals(0, bench.store.size(Family.SHARED));
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
    }

    @Example
    void impossibleOnesAreRefused() {
        Inode file = fileInChunks("f", 1L << CHUNK_LOG2);
        long directory = bench.mkdir(Bench.ROOT, "d").ino();
        refused(Errno.EISDIR, begin(directory, "c"));
        refused(Errno.EEXIST, begin(file.ino(), "d"));
        refused(Errno.EEXIST, begin(file.ino(), ".snapshots"));
        refused(Errno.ESTALE, begin(4711, "c"));
        Name name = Name.of("c");
        refused(
                Errno.ENOTDIR,
                bench.leader(new SnapshotMutation.BeginClone(file.ino(), file.ino(), name)));
        assertEquals(new Reply.Done(), begin(file.ino(), "c"));
        refused(Errno.EAGAIN, begin(file.ino(), "e"));
        // Somebody takes the name meanwhile.
        bench.create(Bench.ROOT, "c");
        int number = begun();
        refused(Errno.EEXIST, bench.leader(new SnapshotMutation.FinishSnapshot(number)));
        bench.leader(new SnapshotMutation.GiveUpSnapshot(number));
        assertNull(bench.namespace.snapshotStatus().begun());
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
        assertEquals(0, bench.store.size(Family.SNAPSHOT));
        bench.verify();
    }

    @Example
    void aQuotaCountsTheWholeClone() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        long before = sizeOf(bench);
        cloned(file.ino(), "c");
        assertEquals(before + (3L << CHUNK_LOG2), sizeOf(bench));
        bench.unlink(Bench.ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        assertEquals(before, sizeOf(bench));
        // All of it is in the clone, but for what may be beyond the end.
        assertEquals(1, bench.namespace.garbageCount());
        assertEquals(3, bench.namespace.garbage(0, 10).getFirst().fromChunk());
        bench.verify();
    }

    private static long sizeOf(Bench bench) {
        return bench.namespace.accounts().total(Bench.ROOT).lengthBytes();
    }

    private int snapshot(String name) {
        bench.leader(new SnapshotMutation.BeginSnapshot(Bench.ROOT, Name.of(name)));
        int number = begun();
        Reply reply = bench.leader(new SnapshotMutation.FinishSnapshot(number));
        assertEquals(new Reply.Done(), reply);
        return number;
    }

    private void drop(int snapshot) {
        bench.leader(new SnapshotMutation.DropSnapshot(snapshot));
        while (bench.namespace.snapshotStatus().isSweeping()) {
            bench.leader(new SnapshotMutation.SweepHistory(1000));
        }
        bench.verify();
    }

    private void removed(String name) {
        long ino = bench.inodeOf(new Query.Lookup(Bench.ROOT, Name.of(name))).ino();
        bench.unlink(Bench.ROOT, name);
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        bench.verify();
    }

    @Example
    void aFileComesBackFromASnapshot() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        byte[] name = "user.colour".getBytes(StandardCharsets.UTF_8);
        bench.as(1, new TreeMutation.SetXattr(file.ino(), name, new byte[] {1, 2}, 0));
        Inode then = bench.inode(file.ino());
        int first = snapshot("s");
        bench.as(1, new TreeMutation.SetXattr(file.ino(), name, new byte[] {3}, 0));
        bench.change(file.ino(), AttributeChange.NONE.withMode(0600));
        removed("f");
        assertEquals(0, bench.namespace.garbageCount(), "all is held");
        long fence = bench.namespace.snapshotStatus().fence().firstOid();
        assertEquals(new Reply.Done(), begin(PastInode.of(first, file.ino()), "c"));
        assertNull(bench.namespace.snapshotStatus().begun(), "chunk servers are not asked");
        assertEquals(fence, bench.namespace.snapshotStatus().fence().firstOid());
        Inode clone = bench.inodeOf(new Query.Lookup(Bench.ROOT, Name.of("c")));
        assertEquals(then.attributes().mode(), clone.attributes().mode());
        assertEquals(then.attributes().mtimeNs(), clone.attributes().mtimeNs());
        assertEquals(layout(then).lastOid(), layout(clone).runOf(2).oid());
        Reply value = bench.read(new Query.GetXattr(clone.ino(), name));
        assertArrayEquals(
                new byte[] {1, 2}, assertInstanceOf(Reply.BytesReply.class, value).bytes());
        // Without the snapshot the clone needs its chunks still, and nobody changes them in place.
        drop(first);
        assertEquals(1, bench.namespace.garbageCount(), "what may be beyond the end");
        assertEquals(3, bench.namespace.garbage(0, 10).getFirst().fromChunk());
        assertEquals(fence, bench.namespace.snapshotStatus().fence().firstOid());
        removed("c");
        assertTrue(bench.namespace.garbage(0, 10).size() > 1, "now nobody needs them");
        assertEquals(0, bench.store.size(Family.SHARED));
        assertTrue(bench.namespace.snapshotStatus().isFenceIdle());
        bench.leader(new SnapshotMutation.SweepHistory(1000));
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
    }

    /** What the snapshot shows nobody changes, whatever becomes of the clones. */
    @Example
    void theFenceOfASnapshotStaysWhenThatOfItsClonesGoes() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        int first = snapshot("s");
        long held = bench.namespace.snapshotStatus().fence().firstOid();
        cloned(PastInode.of(first, file.ino()), "c");
        cloned(file.ino(), "later");
        assertTrue(bench.namespace.snapshotStatus().fence().firstOid() > held);
        removed("later");
        removed("c");
        assertFalse(bench.namespace.snapshotStatus().isFenceIdle(), "the file was shared");
        removed("f");
        assertTrue(bench.namespace.snapshotStatus().isFenceIdle());
        bench.leader(new SnapshotMutation.SweepHistory(1000));
        bench.verify();
        assertEquals(held, bench.namespace.snapshotStatus().fence().firstOid());
        assertEquals(new Reply.Done(), begin(PastInode.of(first, file.ino()), "again"));
        drop(first);
        assertFalse(bench.namespace.snapshotStatus().isFenceIdle());
        assertEquals(held, bench.namespace.snapshotStatus().fence().firstOid());
        removed("again");
        bench.leader(new SnapshotMutation.SweepHistory(1000));
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
        bench.verify();
    }

    /** What was released before it came back is held for those that show it since then. */
    @Example
    void laterSnapshotsHoldWhatCameBack() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        int first = snapshot("s1");
        removed("f");
        assertEquals(new Reply.Done(), begin(PastInode.of(first, file.ino()), "c"));
        int second = snapshot("s2");
        removed("c");
        drop(first);
        assertEquals(0, bench.namespace.garbageCount(), "the second snapshot shows all of it");
        assertTrue(bench.store.size(Family.HELD) > 0);
        drop(second);
        assertTrue(bench.namespace.garbageCount() > 0);
        assertEquals(0, bench.store.size(Family.HELD));
        assertEquals(0, bench.store.size(Family.SHARED));
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
    }

    private void rewriteChunk(long ino, long chunk) {
        long[] indices = {chunk};
        long[] old = {layout(bench.inode(ino)).runOf(chunk).oid()};
        bench.ok(new ContentMutation.RenewChunks(ino, indices, old));
        long[] own = {layout(bench.inode(ino)).runOf(chunk).oid()};
        bench.as(1, new ContentMutation.CloneDone(ino, indices, own));
        bench.verify();
    }

    /** The first chunks of the parts of an object that chunk servers delete. */
    private List<Long> garbageOf(long oid) {
        return bench.namespace.garbage(0, 100).stream()
                .filter(task -> task.oid() == oid)
                .map(GarbageTask::fromChunk)
                .toList();
    }

    /** No later clone has what files gave up, so that nothing else prolongs that. */
    @Example
    void releasesAfterTheLastCloneCountAsTheyAre() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        long oid = layout(file).lastOid();
        int first = snapshot("s1");
        Inode clone = cloned(PastInode.of(first, file.ino()), "c");
        rewriteChunk(file.ino(), 0);
        rewriteChunk(clone.ino(), 0);
        int second = snapshot("s2");
        rewriteChunk(file.ino(), 1);
        rewriteChunk(clone.ino(), 1);
        assertEquals(List.of(), garbageOf(oid));
        drop(first);
        assertEquals(List.of(0L), garbageOf(oid), "the second snapshot shows it nowhere");
        Inode again = cloned(PastInode.of(second, file.ino()), "c2");
        rewriteChunk(again.ino(), 1);
        drop(second);
        assertEquals(List.of(0L, 1L, 1L), garbageOf(oid).stream().sorted().toList());
        assertEquals(0, bench.store.size(Family.HELD));
    }

    private int revivedObjects() {
        List<byte[]> keys = new ArrayList<>();
        byte[] prefix = Keys.revived();
        bench.store.scan(Family.META, prefix, prefix, (key, _) -> keys.add(key));
        return keys.size();
    }

    /** Even if there are always snapshots. */
    @Example
    void whatCameBackIsForgottenWithItsFiles() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        int first = snapshot("s1");
        rewriteChunk(file.ino(), 2);
        cloned(PastInode.of(first, file.ino()), "c");
        removed("f");
        int second = snapshot("s2");
        drop(first);
        assertEquals(1, revivedObjects(), "the clone may release it");
        removed("c");
        int third = snapshot("s3");
        drop(second);
        assertEquals(0, revivedObjects());
        drop(third);
        assertEquals(0, bench.store.size(Family.HELD));
    }

    /** Nothing of its objects is held yet, and the clone has them in common with the file. */
    @Example
    void whatTheFileStillHasDoesNotComeBack() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        int first = snapshot("s1");
        Inode clone = cloned(PastInode.of(first, file.ino()), "c");
        assertEquals(0, revivedObjects());
        removed("f");
        rewriteChunk(clone.ino(), 1);
        drop(first);
        removed("c");
        assertEquals(0, bench.store.size(Family.HELD));
        assertTrue(garbageOf(layout(file).lastOid()).contains(0L), "all of it goes");
    }

    /** The file of the snapshot has other contents now, and another file has those. */
    @Example
    void contentsThatMovedToAnotherFileAreShared() {
        Inode file = fileInChunks("f", 3L << CHUNK_LOG2);
        Inode other = fileInChunks("o", 1L << CHUNK_LOG2);
        int first = snapshot("s");
        bench.ok(
                new ContentMutation.SwapContents(
                        file.ino(),
                        file.attributes().version(),
                        other.ino(),
                        other.attributes().version()));
        assertEquals(new Reply.Done(), begin(PastInode.of(first, file.ino()), "c"));
        bench.verify();
        drop(first);
        removed("c");
        assertEquals(1, bench.namespace.garbageCount(), "the object of the clone alone");
        removed("o");
        removed("f");
        assertEquals(0, bench.store.size(Family.SHARED));
    }

    @Example
    void snapshotsThatAreGoneHaveNoFiles() {
        Inode file = fileInChunks("f", 1L << CHUNK_LOG2);
        long directory = bench.mkdir(Bench.ROOT, "d").ino();
        int first = snapshot("s");
        Inode late = fileInChunks("late", 1L << CHUNK_LOG2);
        refused(Errno.ESTALE, begin(PastInode.of(first, late.ino()), "c"));
        refused(Errno.EISDIR, begin(PastInode.of(first, directory), "c"));
        refused(Errno.EEXIST, begin(PastInode.of(first, file.ino()), "d"));
        refused(Errno.ESTALE, begin(PastInode.of(first + 1, file.ino()), "c"));
        refused(Errno.ESTALE, begin(PastInode.list(Bench.ROOT), "c"));
        bench.leader(new SnapshotMutation.DropSnapshot(first));
        refused(Errno.ESTALE, begin(PastInode.of(first, file.ino()), "c"));
        bench.verify();
    }

    @Example
    void thereIsALimit() {
        Inode file = fileInChunks("f", 1L << CHUNK_LOG2);
        for (int i = 1; i < SharedObjects.MAX_USERS; i++) {
            assertEquals(new Reply.Done(), begin(file.ino(), "c" + i));
            bench.leader(new SnapshotMutation.FinishSnapshot(begun()));
        }
        refused(Errno.EMLINK, begin(file.ino(), "more"));
        bench.verify();
    }
}
