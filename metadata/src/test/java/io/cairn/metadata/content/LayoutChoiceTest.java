package io.cairn.metadata.content;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Layout.Run;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.PlacementGroup.Member;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Policy.Compression;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

class LayoutChoiceTest {
    private static int chosen(int wanted, int... pools) {
        Pool pool = LayoutChoice.pool(Bench.map(1, pools), wanted, Pool.Kind.PLAIN);
        assertNotNull(pool);
        return pool.id();
    }

    @Test
    void theYoungestPoolThatFits() {
        assertEquals(3, chosen(2, 2, 1, 2, 3));
    }

    @Test
    void ratherMoreCopiesThanFewer() {
        assertEquals(2, chosen(2, 5, 3, 1));
        assertEquals(3, chosen(2, 3, 5, 3));
    }

    @Test
    void theMostThereAreWhenNobodyHasEnough() {
        assertEquals(3, chosen(4, 1, 3, 3, 2));
        assertEquals(1, chosen(15, 1));
    }

    @Test
    void noPoolNoChoice() {
        assertNull(LayoutChoice.pool(ClusterMap.EMPTY, 1, Pool.Kind.PLAIN));
    }

    /** Pools of one group each, in order of their numbers from 1. */
    static ClusterMap kinds(Pool... pools) {
        return kinds(Set.of(), pools);
    }

    /** The same, of which some do not serve. */
    static ClusterMap kinds(Set<Integer> lost, Pool... pools) {
        List<Pool> numbered = new ArrayList<>();
        List<PlacementGroup> groups = new ArrayList<>();
        for (Pool pool : pools) {
            int id = numbered.size() + 1;
            numbered.add(new Pool(id, pool.replicas(), id, 1, pool.kind()));
            Member member =
                    new Member(
                            1, lost.contains(id) ? MemberState.LAST_SERVING : MemberState.SERVING);
            groups.add(new PlacementGroup(id, id, 1, List.of(member)));
        }
        return new ClusterMap(1, List.of(), List.of(), numbered, groups);
    }

    static Pool kind(int replicas, Compression compression) {
        return new Pool(1, replicas, 1, 1, Pool.Kind.of(compression));
    }

    @Test
    void thePoolWithTheCompressionOfThePolicy() {
        ClusterMap map =
                kinds(
                        kind(1, Compression.NONE),
                        kind(2, Compression.NONE),
                        kind(1, Compression.ZSTD),
                        kind(2, Compression.ZSTD),
                        kind(2, Compression.NONE),
                        kind(3, Compression.LZ4),
                        kind(3, Compression.NONE));
        Bench bench = new Bench();
        bench.changeMap(map);
        Policy two = new Policy(2, 0, -1);
        bench.ok(new TreeMutation.SetPolicy(ROOT, two));
        assertEquals(5, pool(bench.create(ROOT, "unsaid")));
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(Compression.NONE)));
        assertEquals(5, pool(bench.create(ROOT, "none")));
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(Compression.ZSTD)));
        Inode packed = bench.create(ROOT, "zstd");
        assertEquals(4, pool(packed));
        bench.ok(new TreeMutation.SetPolicy(ROOT, two.with(Compression.LZ4)));
        assertEquals(5, pool(bench.create(ROOT, "lz4")), "the number of copies comes first");
        Layout layout = packed.layout();
        assertNotNull(layout);
        assertTrue(LayoutChoice.satisfies(map, 1, layout, two.with(Compression.ZSTD)));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, two));
        assertFalse(LayoutChoice.satisfies(map, 1, layout, two.with(Compression.LZ4)));
    }

    static int chosen(ClusterMap map, Compression asked) {
        Bench bench = new Bench();
        bench.changeMap(map);
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(1, 0, -1).with(asked)));
        return pool(bench.create(ROOT, "f"));
    }

    @Test
    void nothingIsPackedThatDidNotAskForIt() {
        ClusterMap map =
                kinds(
                        Set.of(1, 2),
                        kind(1, Compression.NONE),
                        kind(1, Compression.LZ4),
                        kind(1, Compression.ZSTD));
        assertEquals(1, chosen(map, Compression.NONE), "as asked, when it serves again");
        assertEquals(1, chosen(map, Compression.UNSAID), "as asked, when it serves again");
        assertEquals(2, chosen(map, Compression.LZ4), "as asked, when it serves again");
        assertEquals(3, chosen(map, Compression.ZSTD));
        map =
                kinds(
                        Set.of(2),
                        kind(1, Compression.NONE),
                        kind(1, Compression.LZ4),
                        kind(1, Compression.ZSTD));
        assertEquals(1, chosen(map, Compression.LZ4), "plain");
        map =
                kinds(
                        Set.of(1),
                        kind(1, Compression.NONE),
                        kind(1, Compression.ZSTD),
                        kind(2, Compression.NONE));
        assertEquals(3, chosen(map, Compression.NONE), "more copies");
    }

    @Test
    void theStandardOfTheClusterCountsUnlessThePolicySaysOtherwise() {
        Bench bench = Bench.withPools(1, 2, 3);
        assertEquals(2, pool(bench.create(ROOT, "standard")));
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(3, 0, -1)));
        assertEquals(3, pool(bench.create(ROOT, "three")));
        Policy five = new Policy(5, 0, -1);
        bench.ok(new TreeMutation.SetPolicy(ROOT, five));
        Inode file = bench.create(ROOT, "five");
        assertEquals(3, pool(file));
        assertEquals(five, file.policy());
    }

    @Test
    void newContentsGoToANewerPool() {
        Bench bench = Bench.withPools(2);
        Inode file = bench.create(ROOT, "f", "x");
        bench.changeMap(Bench.map(2, 2, 2));
        assertEquals(1, pool(bench.truncate(file.ino(), 2)));
        assertEquals(2, pool(bench.create(ROOT, "g")));
        long version = bench.inode(file.ino()).attributes().version();
        bench.ok(new ContentMutation.Spill(file.ino(), version, 9000, 0, 9000));
        assertEquals(2, pool(bench.truncate(file.ino(), 0)));
    }

    /** Pools of three groups with one member each, of which those of given targets are lost. */
    private static ClusterMap lossy(long epoch, Set<Integer> lost, int... replicas) {
        List<Pool> pools = new ArrayList<>();
        List<PlacementGroup> groups = new ArrayList<>();
        for (int i = 0; i < replicas.length; i++) {
            pools.add(new Pool(i + 1, replicas[i], 3 * i + 1, 3));
            for (int j = 0; j < 3; j++) {
                int id = 3 * i + j + 1;
                Member member =
                        new Member(
                                id,
                                lost.contains(id) ? MemberState.LAST_SERVING : MemberState.SERVING);
                groups.add(new PlacementGroup(id, i + 1, epoch, List.of(member)));
            }
        }
        return new ClusterMap(epoch, List.of(), List.of(), pools, groups);
    }

    private static void assertWritable(Bench bench, Inode file) {
        Layout layout = file.layout();
        assertNotNull(layout);
        for (long chunk = 0; chunk < 10; chunk++) {
            PlacementGroup group = bench.namespace.clusterMap().groupOf(layout, chunk);
            assertNotNull(group);
            assertNotNull(group.head(), "chunk " + chunk);
        }
    }

    @Test
    void newContentsGoToGroupsThatServe() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(lossy(2, Set.of(), 1));
        Inode small = bench.create(ROOT, "small");
        Inode large = bench.create(ROOT, "large");
        for (Set<Integer> lost : List.of(Set.of(1), Set.of(2), Set.of(3), Set.of(1, 3))) {
            long epoch = bench.namespace.clusterMap().epoch() + 1;
            bench.changeMap(lossy(epoch, lost, 1));
            for (int i = 0; i < 20; i++) {
                assertWritable(bench, bench.create(ROOT, epoch + "." + i));
            }
            bench.truncate(small.ino(), 0);
            assertWritable(bench, bench.truncate(small.ino(), 1 << 20));
            bench.truncate(large.ino(), 1 << 20);
            assertWritable(bench, bench.truncate(large.ino(), 0));
        }
    }

    /** The same without losses, some of the targets being nearly full. */
    static ClusterMap filled(long epoch, Set<Integer> full, int... replicas) {
        ClusterMap map = lossy(epoch, Set.of(), replicas);
        List<Target> targets = new ArrayList<>();
        for (int id = 1; id <= map.groups().lastId(); id++) {
            targets.add(new Target(id, id, 1).filled(full.contains(id)));
        }
        return new ClusterMap(
                epoch,
                List.of(new ChunkServer(1, "c1", new Endpoint("c1", 1), 1)),
                targets,
                List.copyOf(map.pools()),
                List.copyOf(map.groups()));
    }

    private static void assertRoomy(Bench bench, Inode file, long from) {
        ClusterMap map = bench.namespace.clusterMap();
        for (long chunk = from; chunk < from + 10; chunk++) {
            PlacementGroup group = map.groupOf(Objects.requireNonNull(file.layout()), chunk);
            assertTrue(map.takesNew(Objects.requireNonNull(group).id()), "chunk " + chunk);
        }
    }

    @Test
    void newChunksGoToTargetsWithRoom() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(filled(2, Set.of(), 1));
        Inode large = bench.create(ROOT, "large");
        bench.truncate(large.ino(), 5 << 22);
        bench.changeMap(filled(3, Set.of(2), 1));
        for (int i = 0; i < 20; i++) {
            assertRoomy(bench, bench.create(ROOT, "new" + i), 0);
        }
        Inode grown = detour(bench, large.ino());
        assertRoomy(bench, grown, 5);
        assertEquals(grown, detour(bench, large.ino()), "once is enough");
        // A pool without room is passed over for an older one that has some.
        bench.changeMap(filled(4, Set.of(4, 5, 6), 1, 1));
        assertRoomy(bench, bench.create(ROOT, "older"), 0);
        // Where all are full nothing changes.
        bench.changeMap(filled(5, Set.of(1, 2, 3, 4, 5, 6), 1, 1));
        assertWritable(bench, bench.create(ROOT, "full"));
        assertEquals(grown, detour(bench, large.ino()));
    }

    @Test
    void filesThatExistGrowIntoGroupsThatServe() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(lossy(2, Set.of(), 1));
        Inode small = bench.create(ROOT, "small", "x");
        Inode large = bench.truncate(bench.create(ROOT, "large").ino(), (5 << 22) + 7);
        bench.changeMap(lossy(3, Set.of(2), 1));
        bench.fails(
                Errno.ESTALE,
                new ContentMutation.TakeDetour(large.ino(), large.attributes().version() - 1));
        assertWritable(bench, detour(bench, small.ino()));
        Inode after = detour(bench, large.ino());
        ClusterMap map = bench.namespace.clusterMap();
        Layout before = Objects.requireNonNull(large.layout());
        Layout now = Objects.requireNonNull(after.layout());
        for (long chunk = 0; chunk < 20; chunk++) {
            boolean stays = chunk < 6;
            assertEquals(stays, before.runOf(chunk).oid() == now.runOf(chunk).oid());
            PlacementGroup group = Objects.requireNonNull(map.groupOf(now, chunk));
            if (stays) {
                assertEquals(map.groupOf(before, chunk), group, "chunk " + chunk);
            } else {
                assertNotNull(group.head(), "chunk " + chunk);
            }
        }
        assertEquals(after, detour(bench, large.ino()));
        bench.changeMap(lossy(4, Set.of(1, 2, 3), 1));
        assertEquals(after, detour(bench, large.ino()), "where nothing helps nothing changes");
        bench.changeMap(lossy(5, Set.of(1), 1));
        assertEquals(2, Objects.requireNonNull(detour(bench, large.ino()).layout()).runs().size());
        bench.verify();
    }

    /** Its chunks stay in the pool where they are; what comes goes where new files go. */
    @Test
    void aFileWhosePoolIsLostGrowsInAnotherPool() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(lossy(2, Set.of(), 1));
        Inode file = bench.truncate(bench.create(ROOT, "f").ino(), (5 << 22) + 7);
        Set<Integer> lost = Set.of(1, 2, 3);
        bench.changeMap(lossy(3, lost, 1, 1));
        Layout now = Objects.requireNonNull(detour(bench, file.ino()).layout());
        assertEquals(List.of(1, 2), now.runs().stream().map(Run::poolId).toList());
        ClusterMap map = bench.namespace.clusterMap();
        for (long chunk = 0; chunk < 20; chunk++) {
            PlacementGroup group = Objects.requireNonNull(map.groupOf(now, chunk));
            assertEquals(chunk < 6 ? 1 : 2, group.poolId(), "chunk " + chunk);
        }
        assertEquals(1, map.copies(now));
        assertTrue(bench.namespace.isLaidOutAs(bench.inode(file.ino()), Policy.STANDARD));
        bench.verify();
        // Cut within the old pool, then removed: each object is released where it is.
        bench.truncate(file.ino(), (7 << 22) + 1);
        bench.truncate(file.ino(), (5 << 22) + 1);
        bench.verify();
        bench.truncate(file.ino(), 0);
        bench.verify();
        Set<Integer> pools = new HashSet<>();
        bench.namespace.garbage(0, 100).forEach(task -> pools.add(task.poolId()));
        assertEquals(Set.of(1, 2), pools);
    }

    /** What a lost client left in the last chunk may lie among what a living one stored there. */
    @Test
    void aDetourLeavesTheLastChunkWithItsDoubt() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(lossy(2, Set.of(), 1));
        Inode one = bench.truncate(bench.create(ROOT, "one").ino(), (5 << 22) + 7);
        Inode other = bench.truncate(bench.create(ROOT, "other").ino(), (5 << 22) + 7);
        long oid = Objects.requireNonNull(other.layout()).lastOid();
        bench.leader(new LeaderMutation.DoubtObjects());
        bench.changeMap(lossy(3, Set.of(2), 1));
        assertRuns(detour(bench, one.ino()), 0L, 6L);
        assertRuns(detour(bench, other.ino()), 0L, 6L);
        bench.readFails(Errno.ESTALE, new Query.CheckTail(one.ino()));
        Inode longer = bench.truncate(one.ino(), 9 << 22);
        assertRuns(longer, 0L, 5L);
        assertEquals(7, Objects.requireNonNull(longer.layout()).lastRun().sourceLengthBytes());
        // Asked by a client that has not heard of the detour.
        assertRuns(bench.ok(new ContentMutation.RenewTail(other.ino(), oid)).inode(), 0L, 5L);
        bench.ok(new ContentMutation.RenewTail(other.ino(), oid));
        assertRuns(bench.inode(other.ino()), 0L, 5L);
        assertInstanceOf(Reply.EntryReply.class, bench.read(new Query.CheckTail(other.ino())));
        bench.verify();
    }

    private static void assertRuns(Inode inode, Long... firstChunks) {
        Layout layout = Objects.requireNonNull(inode.layout());
        assertEquals(List.of(firstChunks), layout.runs().stream().map(Run::firstChunk).toList());
    }

    private static Inode detour(Bench bench, long ino) {
        long version = bench.inode(ino).attributes().version();
        return bench.ok(new ContentMutation.TakeDetour(ino, version)).inode();
    }

    private static Layout partial(Bench bench, long ino, long... kept) {
        long version = bench.inode(ino).attributes().version();
        Inode after = bench.ok(new ContentMutation.TakePartialDetour(ino, version, kept)).inode();
        return Objects.requireNonNull(after.layout());
    }

    private static void assertMoved(Bench bench, Layout before, Layout now, Set<Long> kept) {
        ClusterMap map = bench.namespace.clusterMap();
        for (long chunk = 0; chunk < 20; chunk++) {
            boolean stays = kept.contains(chunk);
            assertEquals(stays, before.runOf(chunk).oid() == now.runOf(chunk).oid());
            PlacementGroup group = Objects.requireNonNull(map.groupOf(now, chunk));
            if (stays) {
                assertEquals(map.groupOf(before, chunk), group, "chunk " + chunk);
            } else {
                assertNotNull(group.head(), "chunk " + chunk);
            }
        }
    }

    /** A client has stored bytes behind the end, and cannot commit them before others. */
    @Test
    void chunksThatAClientHasStoredStayInAPartialDetour() {
        Bench bench = Bench.withPools(1);
        bench.changeMap(lossy(2, Set.of(), 1));
        Inode small = bench.create(ROOT, "small", "x");
        Inode large = bench.truncate(bench.create(ROOT, "large").ino(), (5 << 22) + 7);
        Layout before = Objects.requireNonNull(large.layout());
        assertEquals(before, partial(bench, large.ino(), 7), "no detour is needed");
        bench.changeMap(lossy(3, Set.of(2), 1));
        long version = large.attributes().version();
        long[] disorder = {8, 7};
        bench.fails(
                Errno.EINVAL,
                new ContentMutation.TakePartialDetour(large.ino(), version, disorder));
        bench.fails(
                Errno.ESTALE,
                new ContentMutation.TakePartialDetour(large.ino(), version - 1, new long[] {7}));
        Layout now = partial(bench, large.ino(), 2, 7, 8, 11);
        assertRuns(bench.inode(large.ino()), 0L, 6L, 7L, 9L, 11L, 12L);
        assertMoved(bench, before, now, Set.of(0L, 1L, 2L, 3L, 4L, 5L, 7L, 8L, 11L));
        assertEquals(before.lastOid(), now.renewedOid());
        long first = before.lastOid();
        List<String> moved = new ArrayList<>();
        moved.add(first + "[6,7)");
        moved.add(first + "[9,11)");
        moved.add(first + "[12,end)");
        assertEquals(moved, garbage(bench));
        bench.verify();
        // The next server is lost, and some of what moved is stored meanwhile.
        bench.changeMap(lossy(4, Set.of(1, 2), 1));
        Layout again = partial(bench, large.ino(), 6, 7, 8, 9, 11, 13);
        assertMoved(bench, now, again, Set.of(0L, 1L, 2L, 3L, 4L, 5L, 6L, 7L, 8L, 9L, 11L, 13L));
        long second = now.lastOid();
        moved.add(second + "[10,11)");
        moved.add(second + "[12,13)");
        moved.add(second + "[14,end)");
        assertEquals(moved, garbage(bench));
        bench.verify();
        bench.truncate(large.ino(), (8 << 22) + 1);
        bench.verify();
        bench.truncate(large.ino(), 0);
        bench.verify();
        // Contents in the inode stay there: whoever moves them has stored the second chunk.
        Layout inline = Objects.requireNonNull(small.layout());
        assertMoved(bench, inline, partial(bench, small.ino(), 1), Set.of(1L));
        String chunk = inline.lastOid() + "[0,1)";
        assertTrue(garbage(bench).contains(chunk), chunk + " is in the way of nobody");
        assertRuns(bench.inode(small.ino()), 0L, 1L, 2L);
        assertNotNull(bench.inode(small.ino()).inline());
        bench.verify();
        bench.truncate(small.ino(), 0);
        bench.verify();
    }

    private static List<String> garbage(Bench bench) {
        return bench.namespace.garbage(0, 100).stream()
                .map(
                        task -> {
                            boolean isOpen = task.endChunk() == ObjectLedger.TO_END;
                            String end = isOpen ? "end" : String.valueOf(task.endChunk());
                            return task.oid() + "[" + task.fromChunk() + "," + end + ")";
                        })
                .toList();
    }

    @Test
    void aPoolThatDoesNotServeIsPassedOverButNotForFewerCopies() {
        Bench bench = Bench.withPools(1);
        bench.ok(new TreeMutation.SetPolicy(ROOT, new Policy(2, 0, -1)));
        bench.changeMap(lossy(2, Set.of(7, 8, 9), 1, 2, 2, 3));
        assertEquals(2, pool(bench.create(ROOT, "an older one")));
        Set<Integer> all = Set.of(4, 5, 6, 7, 8, 9);
        bench.changeMap(lossy(3, all, 1, 2, 2, 3));
        assertEquals(4, pool(bench.create(ROOT, "more copies")));
        Bench poor = Bench.withPools(1);
        poor.ok(new TreeMutation.SetPolicy(ROOT, new Policy(2, 0, -1)));
        poor.changeMap(lossy(2, all, 1, 2, 2));
        assertEquals(3, pool(poor.create(ROOT, "as asked, when it serves again")));
    }

    @Test
    void seedsSpread() {
        Set<Long> lowBits = new HashSet<>();
        for (long ino = 1; ino <= 1000; ino++) {
            lowBits.add(LayoutChoice.seed(ino) & 1023);
        }
        assertEquals(true, lowBits.size() > 500, "distinct low bits: " + lowBits.size());
    }

    private static int pool(Inode file) {
        Layout layout = file.layout();
        assertNotNull(layout);
        return layout.lastRun().poolId();
    }
}
