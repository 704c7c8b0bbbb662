package io.cairn.metadata.content;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.fs.Name;
import io.cairn.metadata.Bench;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.ContentMutation.SnapshotMutation;
import io.cairn.wire.master.LeaderMutation;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class ChunkRenewalTest {
    private static final int CHUNK_LOG2 = Layout.STANDARD_CHUNK_SIZE_LOG2;
    private static final int CHUNKS = 40;

    private final Bench bench = Bench.withPools(2);
    private long ino;

    @BeforeEach
    void makeFile() {
        ino = bench.create(Bench.ROOT, "f").ino();
        spill(CHUNKS);
    }

    private void spill(long chunks) {
        Inode file = bench.inode(ino);
        long size = chunks << CHUNK_LOG2;
        bench.ok(new ContentMutation.Spill(ino, file.attributes().version(), size, 5, size));
    }

    private Layout layout() {
        return Objects.requireNonNull(bench.inode(ino).layout());
    }

    private int take(String name) {
        bench.leader(new SnapshotMutation.BeginSnapshot(Bench.ROOT, Name.of(name)));
        SnapshotRecord begun = Objects.requireNonNull(bench.namespace.snapshotStatus().begun());
        bench.leader(new SnapshotMutation.FinishSnapshot(begun.number()));
        return begun.number();
    }

    private void drop(int number) {
        bench.leader(new SnapshotMutation.DropSnapshot(number));
        while (bench.namespace.snapshotStatus().isSweeping()) {
            bench.leader(new SnapshotMutation.SweepHistory(1000));
        }
    }

    /** As a client does for each chunk that is refused. */
    private void renew(List<Long> chunks) {
        Layout layout = layout();
        long[] indices = chunks.stream().sorted().distinct().mapToLong(Long::longValue).toArray();
        long[] oids = new long[indices.length];
        for (int i = 0; i < oids.length; i++) {
            oids[i] = layout.runOf(indices[i]).oid();
        }
        bench.ok(new ContentMutation.RenewChunks(ino, indices, oids));
    }

    private void tellAllCloned() {
        List<Run> pending = layout().runs().stream().filter(run -> run.sourceOid() != 0).toList();
        long[] indices = pending.stream().mapToLong(Run::firstChunk).toArray();
        long[] oids = pending.stream().mapToLong(Run::oid).toArray();
        bench.as(1, new ContentMutation.CloneDone(ino, indices, oids));
    }

    private static List<Long> chunks(int from, int end, int step) {
        List<Long> chunks = new ArrayList<>();
        for (long i = from; i < end; i += step) {
            chunks.add(i);
        }
        return chunks;
    }

    @Test
    void aFileThatWasChangedAltogetherIsWholeAgain() {
        int number = take("s");
        renew(chunks(0, CHUNKS, 2));
        tellAllCloned();
        assertEquals(CHUNKS, layout().runs().size());
        assertEquals(2, layout().objectCount());
        renew(chunks(1, CHUNKS, 2));
        tellAllCloned();
        assertEquals(2, layout().runs().size(), "the chunks, and all behind them");
        bench.verify();
        drop(number);
        bench.verify();
        assertEquals(CHUNKS, bench.namespace.garbage(0, 1000).size());
    }

    /** The chunk may have been in it in what the recovery lost, and its remains are there. */
    @Test
    void anObjectInDoubtIsNotTakenForMoreChunks() {
        take("s");
        renew(List.of(3L));
        tellAllCloned();
        long known = layout().runOf(3).oid();
        renew(List.of(4L));
        tellAllCloned();
        assertEquals(known, layout().runOf(4).oid());
        bench.leader(new LeaderMutation.DoubtObjects());
        renew(List.of(6L));
        assertTrue(layout().runOf(6).oid() > known);
        bench.verify();
    }

    @Test
    void chunksBehindTheLargestFileAreRefused() {
        take("s");
        long oid = layout().lastOid();
        for (long chunk : new long[] {Long.MAX_VALUE, 1L << (63 - CHUNK_LOG2), -1}) {
            bench.fails(
                    Errno.EINVAL,
                    new ContentMutation.RenewChunks(ino, new long[] {chunk}, new long[] {oid}));
        }
        bench.reopen();
        assertEquals(oid, layout().lastOid());
        bench.verify();
    }

    @Test
    void deletingItReleasesEachObjectOnce() {
        int number = take("s");
        renew(chunks(0, CHUNKS, 2));
        drop(number);
        bench.truncate(ino, 0);
        assertEquals(2 + CHUNKS / 2, bench.namespace.garbage(0, 1000).size());
        bench.verify();
    }

    @Test
    void moreThanAThousandPlacesAreNoReasonToCopyAFileBeforeItIsCut() {
        spillMore(5000);
        take("s");
        renew(chunks(0, 5000, 2));
        tellAllCloned();
        assertEquals(5000, layout().runs().size());
        bench.truncate(ino, 4990L << CHUNK_LOG2);
        assertEquals(4991, layout().runs().size());
        bench.verify();
    }

    private void spillMore(long chunks) {
        long oid = layout().lastOid();
        bench.ok(new ContentMutation.CommitSize(ino, oid, chunks << CHUNK_LOG2, 5, 0));
    }

    /**
     * Whatever happens, a chunk never comes back to an object that it has left: something of it may
     * be garbage there, or there may be late writes.
     */
    @Test
    void chunksOnlyGetYoungerObjects() {
        Random random = new Random(5);
        List<Integer> snapshots = new ArrayList<>();
        Map<Long, Long> last = new HashMap<>();
        Set<List<Long>> deleted = new HashSet<>();
        for (int i = 0; i < 3000; i++) {
            switch (random.nextInt(12)) {
                case 0 -> snapshots.add(take("s" + i));
                case 1 -> {
                    if (!snapshots.isEmpty()) {
                        Collections.shuffle(snapshots, random);
                        drop(snapshots.removeLast());
                    }
                }
                case 2 -> {
                    bench.truncate(ino, random.nextLong(1, (long) CHUNKS << CHUNK_LOG2));
                    bench.truncate(ino, (long) CHUNKS << CHUNK_LOG2);
                }
                case 3, 4, 5 -> tellAllCloned();
                default -> {
                    List<Long> some = new ArrayList<>();
                    for (int n = random.nextInt(1, 6); n > 0; n--) {
                        some.add(random.nextLong(CHUNKS));
                    }
                    renew(some);
                }
            }
            Layout layout = layout();
            for (long chunk = 0; chunk < CHUNKS; chunk++) {
                long oid = layout.runOf(chunk).oid();
                assertTrue(oid >= last.getOrDefault(chunk, 0L), "chunk " + chunk);
                last.put(chunk, oid);
            }
            collect(deleted);
            requireNoneDeleted(layout, deleted);
            if (i % 100 == 0) {
                bench.verify();
            }
        }
    }

    private void collect(Set<List<Long>> deleted) {
        List<GarbageTask> found = bench.namespace.garbage(0, 10_000);
        for (GarbageTask task : found) {
            for (long i = task.fromChunk(); i < Math.min(CHUNKS, task.endChunk()); i++) {
                deleted.add(List.of(task.oid(), i));
            }
        }
        long[] entries = found.stream().mapToLong(GarbageTask::entryId).toArray();
        bench.leader(new LeaderMutation.Collected(entries));
    }

    private static void requireNoneDeleted(Layout layout, Set<List<Long>> deleted) {
        for (long chunk = 0; chunk < CHUNKS; chunk++) {
            Run run = layout.runOf(chunk);
            assertTrue(!deleted.contains(List.of(run.oid(), chunk)), "chunk " + chunk);
            if (layout.isPending(chunk, run.oid())) {
                assertTrue(!deleted.contains(List.of(run.sourceOid(), chunk)), "source " + chunk);
            }
        }
    }
}
