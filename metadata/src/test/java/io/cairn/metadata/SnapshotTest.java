package io.cairn.metadata;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.PastInode;
import io.cairn.fs.DirectoryEntry;
import io.cairn.fs.Name;
import io.cairn.metadata.snapshot.HeldSpace;
import io.cairn.metadata.state.Store.Family;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class SnapshotTest {
    private static final long CHUNK = Layout.STANDARD_CHUNK_SIZE_LOG2;

    private final Bench bench = Bench.withPools(1);

    private int take(long root, String name) {
        done(new SnapshotMutation.BeginSnapshot(root, Name.of(name)));
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        done(new SnapshotMutation.FinishSnapshot(number));
        assertNull(bench.namespace.snapshotStatus().begun());
        bench.verify();
        return number;
    }

    private void done(Mutation mutation) {
        assertEquals(new Reply.Done(), bench.leader(mutation));
    }

    private void refused(Errno errno, Mutation mutation) {
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, bench.leader(mutation)).errno());
    }

    private void dropAndSweep(int number) {
        done(new SnapshotMutation.DropSnapshot(number));
        for (int i = 0; i < 1000 && bench.namespace.snapshotStatus().isSweeping(); i++) {
            done(new SnapshotMutation.SweepHistory(3));
        }
        assertFalse(bench.namespace.snapshotStatus().isSweeping());
        bench.verify();
    }

    private Inode lookup(long parent, String name) {
        Reply reply = bench.read(new Query.Lookup(parent, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    private Inode fileInChunks(String name, long sizeBytes) {
        Inode file = bench.create(ROOT, name);
        return bench.ok(
                        new ContentMutation.Spill(
                                file.ino(), file.attributes().version(), sizeBytes, sizeBytes, 5))
                .inode();
    }

    private static Layout layout(Inode inode) {
        return Objects.requireNonNull(inode.layout());
    }

    @Test
    void showsATreeAsItWas() {
        long dir = bench.mkdir(ROOT, "d").ino();
        long file = bench.create(dir, "f", "old").ino();
        bench.create(dir, "goes", "x");
        int number = take(ROOT, "monday");
        bench.write(
                new ContentMutation.WriteInline(
                        file,
                        bench.inode(file).cuts(),
                        List.of(
                                new ContentMutation.Patch(
                                        0, "newer".getBytes(StandardCharsets.UTF_8))),
                        5,
                        7));
        bench.unlink(dir, "goes");
        bench.create(dir, "comes");
        bench.rename(ROOT, "d", ROOT, "e");

        Inode list = lookup(ROOT, ".snapshots");
        assertEquals(1, list.entryCount());
        Inode root = lookup(list.ino(), "monday");
        assertEquals(PastInode.of(number, ROOT), root.ino());
        Inode pastDir = lookup(root.ino(), "d");
        assertEquals(pastDir.ino(), lookup(root.ino(), "d").ino());
        assertInstanceOf(
                Reply.Absent.class, bench.read(new Query.Lookup(root.ino(), Name.of("e"))));
        Inode past = lookup(pastDir.ino(), "f");
        assertNotEquals(file, past.ino());
        assertArrayEquals("old".getBytes(StandardCharsets.UTF_8), past.inline());
        Reply.DirectoryReply page =
                assertInstanceOf(
                        Reply.DirectoryReply.class,
                        bench.read(new Query.ReadDirectory(pastDir.ino(), 0, 10, true)));
        assertEquals(
                List.of("f", "goes"),
                page.entries().stream()
                        .map(DirectoryEntry::name)
                        .map(Name::toString)
                        .sorted()
                        .toList());
        bench.isAbsent(pastDir.ino(), "comes");
        bench.verify();
        bench.reopen();
        assertArrayEquals(past.inline(), bench.inodeOf(new Query.GetInode(past.ino())).inline());
    }

    @Test
    void aSnapshotOfADirectoryIsInThatDirectory() {
        long dir = bench.mkdir(ROOT, "d").ino();
        take(dir, "one");
        take(dir, "two");
        Reply reply = bench.read(new Query.ReadDirectory(PastInode.list(dir), 0, 10, true));
        List<DirectoryEntry> entries =
                assertInstanceOf(Reply.DirectoryReply.class, reply).entries();
        assertEquals(
                List.of("one", "two"),
                entries.stream().map(entry -> entry.name().toString()).sorted().toList());
        assertEquals(0, lookup(ROOT, ".snapshots").entryCount());
        bench.isAbsent(PastInode.list(ROOT), "one");
        // The directory itself does not tell.
        assertEquals(0, bench.inode(dir).entryCount());
    }

    @Test
    void aDirectoryStaysWhileItHasSnapshots() {
        long dir = bench.mkdir(ROOT, "d").ino();
        bench.mkdir(ROOT, "other");
        int number = take(dir, "one");
        bench.fails(Errno.ENOTEMPTY, new TreeMutation.Rmdir(ROOT, Name.of("d")));
        bench.fails(Errno.ENOTEMPTY, Bench.renaming(ROOT, "other", ROOT, "d", 0));
        bench.rename(ROOT, "d", ROOT, "e");
        bench.reopen();
        bench.fails(Errno.ENOTEMPTY, new TreeMutation.Rmdir(ROOT, Name.of("e")));
        done(new SnapshotMutation.DropSnapshot(number));
        bench.ok(new TreeMutation.Rmdir(ROOT, Name.of("e")));
        bench.verify();
    }

    @Test
    void nothingInASnapshotCanBeChanged() {
        long file = bench.create(ROOT, "f", "old").ino();
        int number = take(ROOT, "s");
        long root = PastInode.of(number, ROOT);
        bench.fails(Errno.EROFS, Bench.creation(root, "g", ""));
        bench.fails(Errno.EROFS, Bench.creation(PastInode.list(ROOT), "g", ""));
        bench.fails(Errno.EROFS, new TreeMutation.Unlink(root, Name.of("f")));
        bench.fails(Errno.EROFS, new TreeMutation.Rmdir(ROOT, Name.of(".snapshots")));
        bench.fails(Errno.EROFS, Bench.renaming(root, "f", ROOT, "g", 0));
        bench.fails(Errno.EROFS, Bench.renaming(ROOT, "f", root, "g", 0));
        bench.fails(
                Errno.EROFS, new TreeMutation.Link(PastInode.of(number, file), ROOT, Name.of("h")));
        bench.fails(Errno.EEXIST, Bench.creation(ROOT, ".snapshots", ""));
        bench.fails(Errno.EEXIST, new TreeMutation.Mkdir(ROOT, PastInode.DIRECTORY, 0755, 10, 20));
        bench.fails(Errno.EEXIST, Bench.renaming(ROOT, "f", ROOT, ".snapshots", 0));
        bench.fails(
                Errno.EROFS,
                new ContentMutation.RenewChunks(
                        PastInode.of(number, file), new long[] {0}, new long[] {1}));
    }

    @Test
    void impossibleOnesAreRefused() {
        long file = bench.create(ROOT, "f").ino();
        refused(Errno.ENOTDIR, new SnapshotMutation.BeginSnapshot(file, Name.of("s")));
        refused(Errno.ESTALE, new SnapshotMutation.BeginSnapshot(4711, Name.of("s")));
        refused(
                Errno.EROFS,
                new SnapshotMutation.BeginSnapshot(PastInode.list(ROOT), Name.of("s")));
        int number = take(ROOT, "s");
        refused(
                Errno.EROFS,
                new SnapshotMutation.BeginSnapshot(PastInode.of(number, ROOT), Name.of("t")));
        refused(Errno.EEXIST, new SnapshotMutation.BeginSnapshot(ROOT, Name.of("s")));
        refused(Errno.ENOENT, new SnapshotMutation.DropSnapshot(number + 1));
        done(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("t")));
        refused(Errno.EAGAIN, new SnapshotMutation.BeginSnapshot(ROOT, Name.of("u")));
        bench.fails(Errno.EPERM, new SnapshotMutation.DropSnapshot(number));
        dropAndSweep(number);
        bench.readFails(Errno.ESTALE, new Query.GetInode(PastInode.of(number, ROOT)));
    }

    @Test
    void objectsOfASnapshotAreReleasedWhenItIsDropped() {
        Inode file = fileInChunks("f", 3L << CHUNK);
        long oid = layout(file).lastOid();
        int number = take(ROOT, "s");
        bench.unlink(ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        assertEquals(0, bench.namespace.garbageCount());
        assertEquals(
                oid,
                layout(bench.inodeOf(new Query.GetInode(PastInode.of(number, file.ino()))))
                        .lastOid());
        bench.verify();
        int other = take(ROOT, "later");
        dropAndSweep(number);
        assertEquals(1, bench.namespace.garbageCount());
        assertEquals(oid, bench.namespace.garbage(0, 10).getFirst().oid());
        dropAndSweep(other);
        assertEquals(0, bench.store.size(Family.HISTORY));
        assertEquals(0, bench.store.size(Family.HELD));
        assertEquals(0, bench.store.size(Family.SNAPSHOT));
    }

    /** Whoever deletes has passed the numbers that were given while the objects were held. */
    @Test
    void whatIsReleasedWithASnapshotIsTheLastOfTheQueue() {
        Inode file = fileInChunks("f", 3L << CHUNK);
        long oid = layout(file).lastOid();
        int number = take(ROOT, "s");
        bench.unlink(ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        Inode fresh = fileInChunks("g", 3L << CHUNK);
        bench.unlink(ROOT, "g");
        bench.leader(new LeaderMutation.Purge(new long[] {fresh.ino()}));
        long passed = bench.namespace.garbage(0, 10).getLast().entryId();
        dropAndSweep(number);
        assertEquals(oid, bench.namespace.garbage(passed, 10).getFirst().oid());
    }

    @Test
    void newObjectsAreReleasedAtOnce() {
        take(ROOT, "s");
        Inode file = fileInChunks("f", 3L << CHUNK);
        bench.unlink(ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file.ino()}));
        assertEquals(1, bench.namespace.garbageCount());
    }

    @Test
    void chunksAreRenewedOneByOne() {
        Inode file = fileInChunks("f", 3L << CHUNK);
        long oid = layout(file).lastOid();
        int number = take(ROOT, "s");
        Inode renewed =
                bench.ok(
                                new ContentMutation.RenewChunks(
                                        file.ino(), new long[] {1, 2}, new long[] {oid, oid}))
                        .inode();
        Layout layout = layout(renewed);
        assertEquals(oid, layout.runOf(0).oid());
        assertEquals(oid, layout.runOf(1).sourceOid());
        assertEquals(oid, layout.runOf(2).sourceOid());
        assertEquals(layout.runOf(1).oid(), layout.runOf(2).oid());
        assertEquals(oid, layout.lastOid());
        assertTrue(layout.runOf(1).oid() >= bench.namespace.snapshotStatus().fence().firstOid());
        // Whoever still thinks of the old object gets the layout as it is.
        bench.ok(new ContentMutation.RenewChunks(file.ino(), new long[] {1}, new long[] {oid}));
        assertEquals(layout, layout(bench.inode(file.ino())));
        long[] oids = {layout.runOf(1).oid(), layout.runOf(2).oid()};
        bench.as(1, new ContentMutation.CloneDone(file.ino(), new long[] {1, 2}, oids));
        assertEquals(
                List.of(0L, 1L, 3L),
                layout(bench.inode(file.ino())).runs().stream().map(Run::firstChunk).toList());
        assertEquals(0, bench.namespace.garbageCount());
        bench.verify();
        dropAndSweep(number);
        assertEquals(
                List.of(1L, 2L),
                bench.namespace.garbage(0, 10).stream().map(task -> task.fromChunk()).toList());
    }

    @Test
    void chunksAreRenewedWhileTheContentsMoveIntoThem() {
        Inode file = bench.create(ROOT, "f");
        long oid = layout(file).lastOid();
        int number = take(ROOT, "s");
        Layout renewed =
                layout(
                        bench.ok(
                                        new ContentMutation.RenewChunks(
                                                file.ino(), new long[] {1}, new long[] {oid}))
                                .inode());
        assertEquals(oid, renewed.runOf(0).oid(), "what is stored there stays");
        assertEquals(oid, renewed.runOf(1).sourceOid());
        assertEquals(oid, renewed.lastOid());
        long[] oids = {renewed.runOf(1).oid()};
        bench.as(1, new ContentMutation.CloneDone(file.ino(), new long[] {1}, oids));
        long version = bench.inode(file.ino()).attributes().version();
        Inode moved =
                bench.ok(
                                new ContentMutation.Spill(
                                        file.ino(), version, 3L << CHUNK, 3L << CHUNK, 5))
                        .inode();
        assertEquals(0, layout(moved).runOf(1).sourceOid());
        assertEquals(renewed.runOf(1).oid(), layout(moved).runOf(1).oid());
        bench.verify();
        dropAndSweep(number);
        bench.verify();
    }

    @Test
    void aLateGiveUpLeavesASnapshotThatWasFinished() {
        bench.create(ROOT, "f", "contents");
        int number = take(ROOT, "s");
        done(new SnapshotMutation.GiveUpSnapshot(number));
        assertTrue(bench.namespace.snapshots().getFirst().isLive());
        done(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("t")));
        int begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        done(new SnapshotMutation.GiveUpSnapshot(begun));
        assertNull(bench.namespace.snapshotStatus().begun());
        assertEquals(1, bench.namespace.snapshots().size());
        done(new SnapshotMutation.GiveUpSnapshot(begun));
    }

    @Test
    void writersWaitWhileASnapshotIsTaken() {
        Inode file = fileInChunks("f", 1L << CHUNK);
        long oid = layout(file).lastOid();
        long before = bench.namespace.snapshotStatus().fence().version();
        done(new SnapshotMutation.BeginSnapshot(ROOT, Name.of("s")));
        assertTrue(bench.namespace.snapshotStatus().fence().version() > before);
        assertTrue(bench.namespace.snapshotStatus().fence().firstOid() > oid);
        bench.fails(
                Errno.EAGAIN,
                new ContentMutation.RenewChunks(file.ino(), new long[] {0}, new long[] {oid}));
        Inode other = fileInChunks("g", 1L << CHUNK);
        assertTrue(layout(other).lastOid() < bench.namespace.snapshotStatus().fence().firstOid());
        int number = Objects.requireNonNull(bench.namespace.snapshotStatus().begun()).number();
        bench.reopen();
        assertNotNull(bench.namespace.snapshotStatus().begun());
        done(new SnapshotMutation.DropSnapshot(number));
        assertEquals(0, bench.namespace.snapshotStatus().fence().firstOid());
        bench.ok(new ContentMutation.RenewChunks(file.ino(), new long[] {0}, new long[] {oid}));
        bench.verify();
    }

    @Test
    void theSpaceOfASnapshotIsWhatOnlyItShows() {
        long file = fileInChunks("f", 10L << CHUNK).ino();
        fileInChunks("same", 10L << CHUNK);
        int first = take(ROOT, "first");
        bench.truncate(file, 4L << CHUNK);
        int second = take(ROOT, "second");
        bench.unlink(ROOT, "f");
        bench.leader(new LeaderMutation.Purge(new long[] {file}));
        HeldSpace.Outcome held = HeldRecount.compare(bench.namespace, file + 10);
        assertEquals(30L << CHUNK, held.totalBytes());
        assertEquals(18L << CHUNK, held.aloneBytes().get(first));
        assertEquals(0L, held.aloneBytes().get(second));
        dropAndSweep(first);
        held = HeldRecount.compare(bench.namespace, file + 10);
        assertEquals(12L << CHUNK, held.totalBytes());
        assertEquals(12L << CHUNK, held.aloneBytes().get(second));
        dropAndSweep(second);
        assertEquals(0, HeldRecount.compare(bench.namespace, file + 10).totalBytes());
    }
}
