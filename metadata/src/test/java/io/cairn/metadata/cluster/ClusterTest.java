package io.cairn.metadata.cluster;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MapFetch;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.fs.Attributes;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.metadata.state.Notice;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.Found;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.RecordChange;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ClusterTest {
    private final Bench bench = new Bench();

    private static Reply found(Namespace namespace, Found mutation) {
        long index = namespace.appliedIndex() + 1;
        byte[] entry = Bench.entry(new Envelope(0, 0, 0, 12_345, mutation));
        return namespace.apply(1, index, entry).outcomes().getFirst().reply();
    }

    @Test
    void foundingMakesTheRootAndTheSettings() {
        Namespace namespace = new Namespace(new MemoryStore());
        assertEquals(0, namespace.clusterId());
        assertNull(namespace.inode(ROOT));
        assertInstanceOf(Reply.Done.class, found(namespace, new Found(9, 3, 100)));
        assertEquals(9, namespace.clusterId());
        assertEquals(3, namespace.standardReplicas());
        assertEquals(100, namespace.inlineLimitBytes());
        assertEquals(1, namespace.inodeCount());
        Attributes root = java.util.Objects.requireNonNull(namespace.inode(ROOT)).attributes();
        assertEquals(0755, root.mode());
        assertEquals(0, root.uid());
        assertEquals(2, root.nlink());
        assertEquals(12_345, root.mtimeNs());
        assertEquals(List.of(), namespace.check());
    }

    @Test
    void theRootBelongsToWhoFounds() {
        Namespace namespace = new Namespace(new MemoryStore());
        assertInstanceOf(Reply.Done.class, found(namespace, new Found(9, 3, 100, 1000, 985)));
        Attributes root = java.util.Objects.requireNonNull(namespace.inode(ROOT)).attributes();
        assertEquals(1000, root.uid());
        assertEquals(985, root.gid());
    }

    @Test
    void aClusterIsFoundedOnce() {
        assertInstanceOf(Reply.Done.class, bench.leader(new Found(8, 1, 1)));
        assertEquals(77, bench.namespace.clusterId());
        bench.reopen();
        assertEquals(77, bench.namespace.clusterId());
        assertEquals(2, bench.namespace.standardReplicas());
        assertEquals(Bench.INLINE_LIMIT, bench.namespace.inlineLimitBytes());
    }

    @Test
    void impossibleSettingsAreRefused() {
        for (Found impossible :
                List.of(
                        new Found(0, 1, 1),
                        new Found(1, 0, 1),
                        new Found(1, 16, 1),
                        new Found(1, 1, -1),
                        new Found(1, 1, 16_385))) {
            Namespace namespace = new Namespace(new MemoryStore());
            Reply reply = found(namespace, impossible);
            assertEquals(Errno.EINVAL, assertInstanceOf(Reply.Failure.class, reply).errno());
            assertEquals(0, namespace.clusterId());
        }
    }

    @Test
    void settingsAreChangedTogetherOrNotAtAll() {
        byte[] value = {1};
        RecordChange change = new RecordChange("setting/x", 0, value);
        LeaderMutation tooMany = new LeaderMutation.ChangeSettings(16, List.of(change));
        assertEquals(
                Errno.EINVAL, assertInstanceOf(Reply.Failure.class, bench.leader(tooMany)).errno());
        assertEquals(List.of(), bench.namespace.records("setting/", "", 10));
        assertInstanceOf(
                Reply.Done.class,
                bench.leader(new LeaderMutation.ChangeSettings(3, List.of(change))));
        assertEquals(3, bench.namespace.standardReplicas());
        assertEquals(1, bench.namespace.records("setting/", "", 10).size());
        // The record is there by now.
        Reply stale = bench.leader(new LeaderMutation.ChangeSettings(1, List.of(change)));
        assertEquals(Errno.ESTALE, assertInstanceOf(Reply.Failure.class, stale).errno());
        assertEquals(3, bench.namespace.standardReplicas());
        bench.leader(new LeaderMutation.ChangeSettings(0, List.of()));
        assertEquals(3, bench.namespace.standardReplicas());
    }

    @Test
    void mapsFollowEachOther() {
        ClusterMap first = Bench.map(1, 2);
        bench.changeMap(first);
        MapDelta whole = first.since(ClusterMap.EMPTY);
        assertEquals(List.of(new Notice(0, new Push.MapChanged(1, whole))), bench.notices);
        assertEquals(first, bench.namespace.clusterMap());
        List<MapDelta> wrong =
                List.of(
                        whole,
                        Bench.map(3, 3).since(first),
                        Bench.map(2, 3).since(ClusterMap.EMPTY),
                        Bench.map(1, 3).since(first));
        for (MapDelta delta : wrong) {
            Reply reply = bench.leader(new LeaderMutation.ChangeMap(delta));
            assertEquals(Errno.ESTALE, assertInstanceOf(Reply.Failure.class, reply).errno());
            assertEquals(List.of(), bench.notices);
        }
        bench.reopen();
        assertEquals(first, bench.namespace.clusterMap());
        ClusterMap second = Bench.map(2, 2, 3);
        bench.changeMap(second);
        assertEquals(second, bench.namespace.clusterMap());
        Push.MapChanged news = (Push.MapChanged) bench.notices.getFirst().push();
        assertEquals(2, news.delta().size(), "a pool and its group");
    }

    @Test
    void askersAreToldWhatTheyLack() {
        bench.changeMap(Bench.map(1, 2));
        bench.changeMap(Bench.map(2, 2, 3));
        ClusterMap now = bench.namespace.clusterMap();
        for (ClusterMap known : List.of(ClusterMap.EMPTY, Bench.map(1, 2), now)) {
            MapFetch fetch = new MapFetch(known);
            Reply reply = bench.read(new Query.GetMap(fetch));
            assertTrue(fetch.take(((Reply.MapReply) reply).part()));
            assertEquals(now, fetch.map());
        }
        // After a start it does not know any more what was before.
        bench.reopen();
        MapFetch fetch = new MapFetch(Bench.map(1, 2));
        MapDelta.Part all = ((Reply.MapReply) bench.read(new Query.GetMap(fetch))).part();
        assertEquals(0, all.delta().from());
        assertTrue(fetch.take(all));
        assertEquals(now, fetch.map());
    }

    /** A map of one server and one target, with a pool of so many groups. */
    private static ClusterMap large(long epoch, int groups) {
        List<PlacementGroup> all = new ArrayList<>();
        for (int id = 1; id <= groups; id++) {
            all.add(
                    new PlacementGroup(
                            id, 1, 1, List.of(new PlacementGroup.Member(1, MemberState.SERVING))));
        }
        ClusterMap small = Bench.map(epoch);
        return new ClusterMap(
                epoch, small.servers(), small.targets(), List.of(new Pool(1, 1, 1, groups)), all);
    }

    @Test
    void largeChangesComeInPartsAndInForceAtOnce() {
        int groups = 3 * MapDelta.PART_RECORDS;
        ClusterMap next = large(1, groups);
        List<MapDelta.Part> parts = next.since(ClusterMap.EMPTY).parts();
        assertEquals(4, parts.size());
        for (MapDelta.Part part : parts.subList(0, 2)) {
            assertEquals(new Reply.Done(), bench.leader(new LeaderMutation.ChangeMap(part)));
            assertEquals(ClusterMap.EMPTY, bench.namespace.clusterMap());
            assertEquals(List.of(), bench.notices);
            bench.reopen();
        }
        // A part that is missing; then another leader begins anew.
        Reply gap = bench.leader(new LeaderMutation.ChangeMap(parts.get(3)));
        assertEquals(Errno.ESTALE, assertInstanceOf(Reply.Failure.class, gap).errno());
        parts.forEach(part -> bench.leader(new LeaderMutation.ChangeMap(part)));
        assertEquals(next, bench.namespace.clusterMap());
        assertEquals(List.of(new Notice(0, new Push.MapChanged(1, null))), bench.notices);
        bench.reopen();
        assertEquals(next, bench.namespace.clusterMap());

        MapFetch fetch = new MapFetch(ClusterMap.EMPTY);
        int messages = 1;
        while (!fetch.take(part(fetch))) {
            messages++;
            if (messages == 2) {
                // Meanwhile the map changes: what was begun is finished first.
                bench.changeMap(large(2, groups + 1));
            }
        }
        assertEquals(4, messages);
        assertEquals(next, fetch.map());
        MapFetch rest = new MapFetch(next);
        assertTrue(rest.take(part(rest)));
        assertEquals(bench.namespace.clusterMap(), rest.map());
    }

    private MapDelta.Part part(MapFetch fetch) {
        return ((Reply.MapReply) bench.read(new Query.GetMap(fetch))).part();
    }

    @Test
    void poolsGoWhenNothingRefersToThem() {
        bench.changeMap(Bench.map(1, 2));
        long ino = bench.create(1, "file").ino();
        bench.changeMap(Bench.map(2, 2, 2));
        assertEquals(Set.of(1), bench.namespace.usedPools());
        MapDelta retire = retired(2, 1);
        Reply early = bench.leader(new LeaderMutation.ChangeMap(retire));
        assertEquals(Errno.ESTALE, assertInstanceOf(Reply.Failure.class, early).errno());
        assertNotNull(bench.namespace.clusterMap().pool(1));
        bench.unlink(1, "file");
        bench.leader(new LeaderMutation.Purge(new long[] {ino}));
        assertEquals(Set.of(), bench.namespace.usedPools());
        assertEquals(new Reply.Done(), bench.leader(new LeaderMutation.ChangeMap(retire)));
        assertNull(bench.namespace.clusterMap().pool(1));
        assertNull(bench.namespace.clusterMap().group(1));
        assertNotNull(bench.namespace.clusterMap().group(2));
        ClusterMap now = bench.namespace.clusterMap();
        bench.reopen();
        assertEquals(now, bench.namespace.clusterMap());
        assertEquals(List.of(), bench.namespace.check());
    }

    private static MapDelta retired(long from, int pool) {
        return new MapDelta(
                from,
                from + 1,
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                new MapDelta.Gone(List.of(), List.of(), List.of(pool)));
    }
}
