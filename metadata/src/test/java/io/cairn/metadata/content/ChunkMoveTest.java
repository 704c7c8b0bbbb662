package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Chunks of one pool of three targets, one of which becomes full. */
final class ChunkMoveTest {
    private static final int CHUNKS = 12;

    private final Bench bench = Bench.withPools(1);
    private long ino;

    @BeforeEach
    void makeFile() {
        bench.changeMap(LayoutChoiceTest.filled(2, Set.of(), 1));
        ino = inChunks("f");
        bench.changeMap(LayoutChoiceTest.filled(3, Set.of(2), 1));
    }

    private long inChunks(String name) {
        Inode file = bench.create(Bench.ROOT, name);
        long size = (long) CHUNKS << Layout.STANDARD_CHUNK_SIZE_LOG2;
        long version = file.attributes().version();
        return bench.ok(new ContentMutation.Spill(file.ino(), version, size, 5, size))
                .inode()
                .ino();
    }

    private Layout layout() {
        return Objects.requireNonNull(bench.inode(ino).layout());
    }

    private boolean hasRoom(Layout layout, long chunk) {
        ClusterMap map = bench.namespace.clusterMap();
        return map.takesNew(Objects.requireNonNull(map.groupOf(layout, chunk)).id());
    }

    private long[] full() {
        List<Long> full = new ArrayList<>();
        for (long chunk = 0; chunk < CHUNKS; chunk++) {
            if (!hasRoom(layout(), chunk)) {
                full.add(chunk);
            }
        }
        assertTrue(full.size() >= 2 && full.size() < CHUNKS, full.toString());
        return full.stream().mapToLong(Long::longValue).toArray();
    }

    private ContentMutation.MoveChunks step(long copyIno, long... chunks) {
        long version = bench.inode(ino).attributes().version();
        return new ContentMutation.MoveChunks(ino, version, copyIno, chunks);
    }

    private void purge(long copyIno) {
        bench.leader(new LeaderMutation.Purge(new long[] {copyIno}));
        bench.verify();
    }

    /** Objects of the garbage queue, each with its chunks. */
    private Set<String> garbage() {
        return bench.namespace.garbage(0, 1000).stream()
                .map(task -> task.oid() + "." + task.fromChunk() + "-" + task.endChunk())
                .collect(Collectors.toSet());
    }

    @Test
    void chunksGoToDisksWithRoomAndTheOthersStay() {
        Layout before = layout();
        long[] full = full();
        Inode copy = bench.ok(step(0, full)).inode();
        assertEquals(before, layout(), "nothing has moved before it is copied");
        Layout there = Objects.requireNonNull(copy.layout());
        for (long chunk : full) {
            assertTrue(hasRoom(there, chunk), "chunk " + chunk);
        }
        bench.verify();
        Layout after = Objects.requireNonNull(bench.ok(step(copy.ino(), full)).inode().layout());
        for (long chunk = 0; chunk < CHUNKS + 5; chunk++) {
            boolean moves = Arrays.binarySearch(full, chunk) >= 0;
            assertEquals(
                    moves ? there.lastOid() : before.lastOid(),
                    after.runOf(chunk).oid(),
                    "chunk " + chunk);
            ClusterMap map = bench.namespace.clusterMap();
            assertEquals(map.groupOf(moves ? there : before, chunk), map.groupOf(after, chunk));
        }
        assertEquals(before.lastRun().oid(), after.lastOid(), "commits under way go on");
        Set<String> released = new HashSet<>();
        for (long chunk : full) {
            released.add(before.lastOid() + "." + chunk + "-" + (chunk + 1));
        }
        assertEquals(released, garbage());
        bench.verify();
        purge(copy.ino());
        assertEquals(released, garbage(), "the copies belong to the file");
        bench.truncate(ino, 0);
        bench.verify();
    }

    /** Whoever copies is lost: the file is as it was, and the copies are deleted. */
    @Test
    void aMoveThatIsNotFinishedLeavesTheFileAsItWas() {
        Inode before = bench.inode(ino);
        Inode copy = bench.ok(step(0, full())).inode();
        purge(copy.ino());
        long oid = Objects.requireNonNull(copy.layout()).lastOid();
        assertEquals(Set.of(oid + ".0-" + ObjectLedger.TO_END), garbage());
        bench.fails(Errno.ESTALE, step(copy.ino(), full()));
        assertEquals(before, bench.inode(ino));
    }

    @Test
    void whatChangedSinceItWasCopiedDoesNotMove() {
        ContentMutation.MoveChunks first = step(0, full());
        Inode copy = bench.ok(first).inode();
        ContentMutation.MoveChunks second = step(copy.ino(), full());
        long oid = layout().lastOid();
        bench.ok(new ContentMutation.CommitSize(ino, oid, 0, 7, 0));
        bench.fails(Errno.ESTALE, second);
        bench.fails(Errno.ESTALE, first);
        assertEquals(1, layout().runs().size());
    }

    @Test
    void onlyAFileMadeForTheCopiesGivesThem() {
        long other = inChunks("other");
        Inode copyOfOther =
                bench.ok(
                                new ContentMutation.MoveChunks(
                                        other,
                                        bench.inode(other).attributes().version(),
                                        0,
                                        new long[] {0}))
                        .inode();
        bench.fails(Errno.ESTALE, step(other, full()));
        bench.fails(Errno.ESTALE, step(copyOfOther.ino(), full()));
        bench.fails(Errno.ESTALE, step(ino, full()));
        Inode copy = bench.ok(step(0, full())).inode();
        bench.ok(step(copy.ino(), full()[0]));
        bench.fails(Errno.ESTALE, step(copy.ino(), full()[0]));
        bench.fails(Errno.EINVAL, step(0));
        bench.fails(Errno.EINVAL, step(0, 3, 2));
        bench.verify();
    }

    @Test
    void nothingMovesWhereNoOtherDiskHasRoom() {
        bench.changeMap(LayoutChoiceTest.filled(4, Set.of(1, 2, 3), 1));
        bench.fails(Errno.ENOSPC, step(0, 0));
        // A pool with fewer or more copies is another kind.
        bench.changeMap(LayoutChoiceTest.filled(5, Set.of(1, 2, 3), 1, 2));
        bench.fails(Errno.ENOSPC, step(0, 0));
        bench.changeMap(LayoutChoiceTest.filled(6, Set.of(1, 2, 3), 1, 2, 1));
        Inode copy = bench.ok(step(0, 0)).inode();
        assertEquals(3, Objects.requireNonNull(copy.layout()).lastRun().poolId());
        bench.ok(step(copy.ino(), 0));
        bench.fails(Errno.EINVAL, step(bench.ok(step(0, 0)).inode().ino(), -1));
        bench.verify();
    }

    private int take() {
        bench.leader(new SnapshotMutation.BeginSnapshot(Bench.ROOT, Name.of("s")));
        SnapshotRecord begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun());
        bench.fails(Errno.EAGAIN, step(0, full()));
        bench.leader(new SnapshotMutation.FinishSnapshot(begun.number()));
        return begun.number();
    }

    /** Also a chunk that has still to be cloned: that finds no room on the full disk either. */
    @Test
    void snapshotsKeepWhatMoves() {
        long[] full = full();
        Layout before = layout();
        int number = take();
        long pending = full[0];
        long[] oid = {before.lastOid()};
        bench.ok(new ContentMutation.RenewChunks(ino, new long[] {pending}, oid));
        long renewed = layout().runOf(pending).oid();
        assertNotEquals(oid[0], renewed);
        Inode copy = bench.ok(step(0, full)).inode();
        bench.ok(step(copy.ino(), full));
        purge(copy.ino());
        assertFalse(layout().isPending(pending, layout().runOf(pending).oid()));
        assertEquals(Set.of(renewed + "." + pending + "-" + (pending + 1)), garbage());
        bench.leader(new SnapshotMutation.DropSnapshot(number));
        while (bench.namespace.snapshotStatus().isSweeping()) {
            bench.leader(new SnapshotMutation.SweepHistory(1000));
        }
        bench.verify();
        for (long chunk : full) {
            assertTrue(garbage().contains(oid[0] + "." + chunk + "-" + (chunk + 1)));
        }
    }

    /** One more object for each move, as for each cut. */
    @Test
    void aFileInTooManyPlacesDoesNotMove() {
        for (int i = 1; i < Layout.MAX_OBJECTS; i++) {
            Inode copy = bench.ok(step(0, i)).inode();
            bench.ok(step(copy.ino(), i));
        }
        assertEquals(Layout.MAX_OBJECTS, layout().objectCount());
        bench.fails(Errno.E2BIG, step(0, 0));
        assertNotNull(bench.truncate(ino, 1));
        bench.verify();
    }
}
