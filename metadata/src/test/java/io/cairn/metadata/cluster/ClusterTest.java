package io.cairn.metadata.cluster;

import static io.cairn.metadata.Bench.ROOT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.base.Errno;
import io.cairn.cluster.ClusterMap;
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
import java.util.List;
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
        bench.leader(new LeaderMutation.ChangeMap(first));
        assertEquals(List.of(new Notice(0, new Push.MapChanged(1))), bench.notices);
        assertEquals(first, bench.namespace.clusterMap());
        for (ClusterMap wrong : List.of(Bench.map(1, 3), Bench.map(3, 3), Bench.map(0))) {
            Reply reply = bench.leader(new LeaderMutation.ChangeMap(wrong));
            assertEquals(Errno.ESTALE, assertInstanceOf(Reply.Failure.class, reply).errno());
            assertEquals(List.of(), bench.notices);
        }
        bench.reopen();
        assertEquals(first, bench.namespace.clusterMap());
        ClusterMap second = Bench.map(2, 2, 3);
        bench.leader(new LeaderMutation.ChangeMap(second));
        assertEquals(second, bench.namespace.clusterMap());
    }

    @Test
    void askersWithTheMapGetNone() {
        bench.leader(new LeaderMutation.ChangeMap(Bench.map(1, 2)));
        assertEquals(
                new Reply.MapReply(bench.namespace.clusterMap()), bench.read(new Query.GetMap(0)));
        assertEquals(new Reply.MapReply(null), bench.read(new Query.GetMap(1)));
    }
}
