package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapDelta;
import io.cairn.cluster.MapFetch;
import io.cairn.cluster.Target;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.metadata.Bench;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.wire.Decoder;
import io.cairn.wire.Limits;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.HeartbeatReply;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A cluster of a thousand servers with four disks each: its map, and what changes of it cost. */
@Timeout(300)
final class LargeClusterTest {
    private static final int SERVERS = 1000;
    private static final int DISKS = 4;

    private final HandScheduler time = new HandScheduler();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final LoneTransport.Peer peer = new LoneTransport.Peer();
    private final List<Push.MapChanged> pushes = new ArrayList<>();
    private final ServerWatch watch =
            new ServerWatch(
                    () -> namespace,
                    this::submit,
                    time,
                    new ClusterSettings(3, SERVERS, 100, 3_000));
    private long index;
    private long loggedBytes;
    private int entries;

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        byte[] entry = Bench.entry(new Envelope(0, 0, 0, time.wallNs(), mutation));
        assertTrue(entry.length < Limits.MAX_HEADER_BYTES, "a log entry of " + entry.length);
        loggedBytes += entry.length;
        entries++;
        Namespace.Applied applied = namespace.apply(1, ++index, entry);
        applied.notices().forEach(n -> pushes.add((Push.MapChanged) n.push()));
        return CompletableFuture.completedFuture(applied.outcomes().getFirst().reply());
    }

    /** The answer must fit into a frame, as all do. */
    private HeartbeatReply heartbeat(int server, long mapEpoch) {
        List<TargetReport> disks =
                IntStream.range(0, DISKS)
                        .mapToObj(d -> new TargetReport(server * 100L + d, 9, 9, 0, true))
                        .toList();
        String name = "server-" + server;
        Heartbeat heartbeat =
                new Heartbeat(
                        namespace.clusterId(),
                        name,
                        new Endpoint(name + ".example.org", 9881),
                        7,
                        7,
                        disks,
                        mapEpoch,
                        new long[0],
                        Declaration.NONE,
                        0);
        byte[] reply = watch.heartbeat(heartbeat, peer).toBytes(1);
        assertTrue(reply.length < Limits.MAX_HEADER_BYTES, "an answer of " + reply.length);
        return HeartbeatReply.decode(new Decoder(reply));
    }

    private void beats(int from, int to) {
        IntStream.range(from, to).forEach(s -> heartbeat(s, namespace.clusterMap().epoch()));
    }

    private void tick() {
        time.pass(200);
        watch.tick();
    }

    private ClusterMap fetched(ClusterMap known) {
        MapFetch fetch = new MapFetch(known);
        Reply reply;
        do {
            reply = namespace.read(0, new Query.GetMap(fetch));
            assertTrue(reply.toBytes(1).length < Limits.MAX_HEADER_BYTES);
        } while (!fetch.take(((Reply.MapReply) reply).part()));
        return fetch.map();
    }

    @Test
    void itIsFoundedGrowsAndLosesAServer() {
        assertTrue(submit(new LeaderMutation.Found(77, 3, 4096)).isDone());
        watch.lead();
        beats(0, SERVERS);
        tick();
        tick();
        ClusterMap founded = namespace.clusterMap();
        assertEquals(SERVERS * DISKS, founded.targets().size());
        assertEquals(3 * 8 * SERVERS * DISKS, founded.groups().size());
        assertEquals(3, founded.pools().size());
        assertTrue(entries > 1 && founded.epoch() <= 3, "in parts, and in force at once");

        HeartbeatReply far = heartbeat(0, 0);
        assertNull(far.map());
        assertEquals(0, far.leaseMs(), "not before it has the map");
        assertEquals(founded, fetched(ClusterMap.EMPTY));

        // It grows; the first pools are empty and go.
        beats(0, SERVERS + 100);
        tick();
        tick();
        beats(0, SERVERS + 100);
        tick();
        beats(0, SERVERS + 100);
        tick();
        ClusterMap grown = namespace.clusterMap();
        assertEquals((SERVERS + 100) * DISKS, grown.targets().size());
        assertEquals(List.of(4, 5, 6), grown.pools().stream().map(p -> p.id()).toList());
        assertEquals(3 * 8 * (SERVERS + 100) * DISKS, grown.groups().size());
        assertEquals(grown, fetched(founded));

        losesOne(grown);
    }

    private void losesOne(ClusterMap grown) {
        loggedBytes = 0;
        entries = 0;
        pushes.clear();
        for (int i = 0; i < 6; i++) {
            time.pass(800);
            beats(1, SERVERS + 100);
            watch.tick();
        }
        ClusterMap after = namespace.clusterMap();
        assertEquals(grown.epoch() + 1, after.epoch());
        assertEquals(1, entries);
        MapDelta delta = pushes.getFirst().delta();
        assertNotNull(delta);
        assertEquals(DISKS * 8 * (1 + 2 + 3), delta.size(), "the groups of its disks");
        int pushed = MasterRequest.push(pushes.getFirst(), 1).length;
        assertTrue(loggedBytes < 16 << 10 && pushed < 16 << 10, loggedBytes + " and " + pushed);
        assertEquals(after, grown.with(delta));
        assertEquals(3_000, heartbeat(1, grown.epoch()).leaseMs());
        assertEquals(delta, heartbeat(1, grown.epoch()).map());
        Target lost = after.targetOf(0);
        assertNotNull(lost);
        assertTrue(after.groupsOf(lost).stream().noneMatch(g -> g.isCurrent(lost.id())));
        // Nothing more to do, and nothing is done.
        time.pass(100);
        watch.tick();
        assertEquals(after.epoch(), namespace.clusterMap().epoch());
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 100; i++) {
            watch.tick();
        }
        long each = (threads.getCurrentThreadAllocatedBytes() - before) / 100;
        assertTrue(each < 8 << 10, "a tick without news walks nothing: " + each + " bytes");
    }
}
