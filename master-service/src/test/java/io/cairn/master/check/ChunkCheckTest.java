package io.cairn.master.check;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Layout;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.master.check.ChunkFault.Kind;
import io.cairn.metadata.Bench;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import io.cairn.wire.chunk.ChunkReply.ListReply;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class ChunkCheckTest {
    private static final int CHUNK = 1 << 16;
    private static final Comparator<ChunkState> ORDER =
            Comparator.comparingLong(ChunkState::oid).thenComparingLong(ChunkState::index);

    private final Bench bench = new Bench();
    private final Random random = new Random(20);
    private final Set<Integer> silent = new HashSet<>();
    private int files;

    /** What targets hold, by group and target. */
    private final Map<List<Integer>, TreeSet<ChunkState>> held = new HashMap<>();

    ChunkCheckTest() {
        List<PlacementGroup> groups = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int i = 1; i <= 4; i++) {
            targets.add(new Target(i, i + 100, 1));
            List<Member> members = new ArrayList<>();
            for (int other : List.of(i, i % 4 + 1)) {
                members.add(new Member(other, MemberState.SERVING));
                held.put(List.of(i, other), new TreeSet<>(ORDER));
            }
            members.add(new Member((i + 1) % 4 + 1, MemberState.OFFLINE));
            groups.add(new PlacementGroup(i, 1, 1, members));
        }
        bench.changeMap(
                new ClusterMap(
                        1,
                        List.of(new ChunkServer(1, "c1", new Endpoint("localhost", 1), 1)),
                        targets,
                        List.of(new Pool(1, 2, 1, 4)),
                        groups));
        bench.ok(new TreeMutation.SetPolicy(Bench.ROOT, new Policy(0, 16, -1)));
    }

    /** Makes a file of so many chunks, with all copies. */
    private long file(int chunks) {
        long ino = bench.create(Bench.ROOT, "f" + files++, "hello").ino();
        long version = bench.inode(ino).attributes().version();
        long size = (long) chunks * CHUNK;
        bench.ok(new ContentMutation.Spill(ino, version, Math.max(5, size), 1, size));
        for (int i = 0; i < chunks; i++) {
            store(group(ino, i), new ChunkState(oid(ino), i, 16, 1, 1, CHUNK));
        }
        return ino;
    }

    private Layout layout(long ino) {
        Layout layout = bench.inode(ino).layout();
        assertNotNull(layout);
        return layout;
    }

    private long oid(long ino) {
        return layout(ino).lastOid();
    }

    private int group(long ino, long index) {
        PlacementGroup group = bench.namespace.clusterMap().groupOf(layout(ino), index);
        assertNotNull(group);
        return group.id();
    }

    private void store(int group, ChunkState chunk) {
        held.forEach(
                (key, chunks) -> {
                    if (key.getFirst() == group) {
                        chunks.add(chunk);
                    }
                });
    }

    private void lose(long ino, long index, int target) {
        held.get(List.of(group(ino, index), target))
                .removeIf(each -> each.oid() == oid(ino) && each.index() == index);
    }

    private ListReply page(
            ClusterMap map, PlacementGroup group, int target, long afterOid, long afterIndex) {
        if (silent.contains(group.id())) {
            throw new FsException(Errno.WRONG_EPOCH, "group " + group.id() + " is of another map");
        }
        ChunkState after = new ChunkState(afterOid, afterIndex, 0, 0, 0, 0);
        List<ChunkState> page =
                held.get(List.of(group.id(), target)).tailSet(after, false).stream()
                        .limit(3)
                        .toList();
        return new ListReply(page, page.size() < 3);
    }

    private ChunkCheck check(int window) {
        return new ChunkCheck(
                bench.store.snapshot(),
                () -> bench.namespace.clusterMap(),
                this::page,
                () -> {},
                window);
    }

    private List<ChunkFault> look() {
        List<ChunkFault> faults = check(1 << 10).look();
        assertEquals(Set.copyOf(faults), Set.copyOf(check(2).look()), "windows do not matter");
        return faults;
    }

    private void assertOne(Kind kind, String text) {
        List<ChunkFault> faults = look();
        assertEquals(1, faults.size(), faults::toString);
        assertEquals(kind, faults.getFirst().kind());
        assertTrue(faults.getFirst().text().contains(text), faults.getFirst()::text);
    }

    @Test
    void allIsWell() {
        for (int i = 0; i < 20; i++) {
            file(random.nextInt(9));
        }
        assertEquals(List.of(), look());
    }

    /** One harm at a time in a cluster of its own, each found, and nothing else. */
    @Test
    void eachHarmIsFound() {
        long ino = 0;
        for (int i = 0; i < 10; i++) {
            ino = file(1 + random.nextInt(9));
        }
        int group = group(ino, 0);
        lose(ino, 0, group);
        assertOne(Kind.COPY_MISSING, "chunk 0 of inode " + ino + " has no copy on target " + group);
        lose(ino, 0, group % 4 + 1);
        assertOne(Kind.MISSING, "inode " + ino + " has lost 65536 bytes");
        store(group % 4 + 1, new ChunkState(oid(ino), 0, 16, 1, 1, CHUNK));
        List<ChunkFault> both = look();
        assertTrue(both.stream().anyMatch(fault -> fault.kind() == Kind.MISPLACED), both::toString);
    }

    @Test
    void chunksOfNobodyAreFound() {
        long ino = file(2);
        long oid = oid(ino);
        bench.unlink(Bench.ROOT, "f0");
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        assertEquals(List.of(), look(), "it is on the list of what is deleted");
        long[] entries =
                bench.namespace.garbage(0, 10).stream().mapToLong(GarbageTask::entryId).toArray();
        bench.leader(new LeaderMutation.Collected(entries));
        List<ChunkFault> faults = look();
        assertEquals(2, faults.size(), faults::toString);
        assertTrue(faults.stream().allMatch(fault -> fault.kind() == Kind.UNREFERENCED));

        GarbageTask all = new GarbageTask(0, 1, oid, 0, 2);
        GarbageTask future = new GarbageTask(0, 1, oid + 1000, 0, 2);
        GarbageTask elsewhere = new GarbageTask(0, 9, oid, 0, 2);
        bench.leader(new LeaderMutation.ReleaseChunks(List.of(all, future, elsewhere)));
        List<GarbageTask> queued = bench.namespace.garbage(0, 10);
        assertEquals(1, queued.size(), queued::toString);
        assertEquals(oid, queued.getFirst().oid());
        assertEquals(List.of(), look());
        bench.verify();
    }

    @Test
    void whatWasMadeMeanwhileIsNoFault() {
        file(2);
        store(1, new ChunkState(1L << 40, 0, 16, 1, 1, CHUNK));
        assertEquals(List.of(), look());
    }

    /** A write that was repeated counts twice where its first answer was lost. */
    @Test
    void bytesThatWereCountedTwiceAreNotMissed() {
        long ino = file(3);
        bench.ok(new ContentMutation.CommitSize(ino, oid(ino), 3 * CHUNK, 2, 4096));
        assertEquals(List.of(), look());
    }

    /** A hole in the first chunk counts when the file is cut there, and once more when filled. */
    @Test
    void holesOfAFileThatWasCutAreNotMissed() {
        long ino = bench.create(Bench.ROOT, "cut", "hello").ino();
        long version = bench.inode(ino).attributes().version();
        bench.ok(new ContentMutation.Spill(ino, version, 2 * CHUNK, 1, CHUNK));
        bench.truncate(ino, CHUNK / 2);
        long[] chunk = {0};
        bench.as(1, new ContentMutation.CloneDone(ino, chunk, new long[] {oid(ino)}));
        bench.ok(new ContentMutation.CommitSize(ino, oid(ino), 3 * CHUNK, 2, CHUNK));
        store(group(ino, 0), new ChunkState(oid(ino), 0, 16, 1, 1, CHUNK));
        assertEquals(1, layout(ino).runs().size());
        assertEquals(List.of(), look());
    }

    /** Holes, and files that were cut: their bytes in use are an upper bound. */
    @Test
    void whatCannotBeKnownIsNotTold() {
        long cut = file(5);
        bench.truncate(cut, 3 * CHUNK + 7);
        lose(cut, 0, group(cut, 0));
        lose(cut, 0, group(cut, 0) % 4 + 1);
        List<ChunkFault> faults = look();
        assertTrue(
                faults.stream().noneMatch(fault -> fault.kind() == Kind.MISSING), faults::toString);
        long sparse = bench.create(Bench.ROOT, "sparse", "hello").ino();
        long version = bench.inode(sparse).attributes().version();
        bench.ok(new ContentMutation.Spill(sparse, version, 1L << 30, 1, 0));
        assertEquals(faults, look());
    }

    @Test
    void groupsThatDoNotAnswerAreTold() {
        long ino = file(8);
        lose(ino, 0, group(ino, 0));
        lose(ino, 0, group(ino, 0) % 4 + 1);
        silent.add(group(ino, 1));
        ChunkCheck check = check(1 << 10);
        assertEquals(List.of(), check.look(), "the bytes may be there");
        assertEquals(Set.of(group(ino, 1)), check.unlisted().keySet());
        assertTrue(check.unlisted().values().iterator().next().contains("of another map"));
    }

    /** More objects wait for their deletion than are looked at together. */
    @Test
    void manyThatAreToBeDeletedAreNoFaults() {
        List<Long> gone = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            gone.add(file(2));
        }
        long kept = file(1);
        lose(kept, 0, group(kept, 0));
        for (int i = 0; i < gone.size(); i++) {
            bench.unlink(Bench.ROOT, "f" + i);
            bench.leader(new LeaderMutation.Purge(new long[] {gone.get(i)}));
        }
        assertEquals(9, bench.namespace.garbageCount());
        assertEquals(1, look().size());
    }
}
