package io.cairn.bench;

import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Declaration;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MapFetch;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.cluster.ServerWatch;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.state.MemoryStore;
import io.cairn.net.Connection;
import io.cairn.net.Message;
import io.cairn.runtime.Clock;
import io.cairn.wire.Encoder;
import io.cairn.wire.master.ClusterRequest.Heartbeat;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Push;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * The cost of the cluster map for a master: founding, growing, and the loss of one server, with the
 * numbers of servers and of disks in each as arguments (1000 and 4). Bytes that are logged and
 * pushed, and milliseconds of the thread that applies and of the one that ticks. No network, no
 * disk; the first of three rounds warms up.
 */
public final class ClusterMapBenchmark {
    private static final Endpoint PEER = new Endpoint("peer", 1);

    private final int disks;
    private final HandClock clock = new HandClock();
    private final Namespace namespace = new Namespace(new MemoryStore());
    private final ServerWatch watch;
    private final Peer peer = new Peer();
    private long index;
    private long entries;
    private long loggedBytes;
    private long largestBytes;
    private long pushedBytes;
    private long applyNs;
    private long tickNs;

    private ClusterMapBenchmark(int servers, int disks) {
        this.disks = disks;
        watch =
                new ServerWatch(
                        () -> namespace,
                        this::submit,
                        clock,
                        new ClusterSettings(3, servers, 100, 3_000));
    }

    /** A clock that stands until it is set. */
    private static final class HandClock implements Clock {
        private long nowNs = 1_000_000_000;

        @Override
        public long nanoTime() {
            return nowNs;
        }

        @Override
        public long wallNs() {
            return nowNs;
        }

        void pass(long ms) {
            nowNs += ms * 1_000_000;
        }
    }

    /** The sender of heartbeats. */
    private static final class Peer implements Connection {
        @Override
        public Endpoint remote() {
            return PEER;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public int version() {
            return 1;
        }

        @Override
        public String release() {
            return "bench";
        }

        @Override
        public CompletableFuture<Message> call(Message request, long timeoutMs) {
            throw new UnsupportedOperationException("nobody calls a server here");
        }

        @Override
        public void send(Message oneWay) {}

        @Override
        public void close() {}
    }

    private CompletableFuture<Reply> submit(LeaderMutation mutation) {
        Encoder out = new Encoder();
        out.bytes(new Envelope(0, 0, 0, clock.wallNs(), mutation).toBytes());
        byte[] entry = out.toBytes();
        long startNs = System.nanoTime();
        Namespace.Applied applied = namespace.apply(1, ++index, entry);
        applyNs += System.nanoTime() - startNs;
        entries++;
        loggedBytes += entry.length;
        largestBytes = Math.max(largestBytes, entry.length);
        applied.notices().stream()
                .map(notice -> notice.push())
                .filter(push -> push instanceof Push.MapChanged)
                .forEach(push -> pushedBytes += MasterRequest.push(push, 1).length);
        return CompletableFuture.completedFuture(applied.outcomes().getFirst().reply());
    }

    private void beats(int from, int to) {
        for (int server = from; server < to; server++) {
            List<TargetReport> reports = new ArrayList<>();
            for (int disk = 0; disk < disks; disk++) {
                reports.add(new TargetReport(server * 1000L + disk, 9, 9, 0, true));
            }
            String name = "server-" + server;
            long epoch = namespace.clusterMap().epoch();
            long cluster = namespace.clusterId();
            Endpoint endpoint = new Endpoint(name + ".example.org", 9881);
            watch.heartbeat(
                    new Heartbeat(
                            cluster,
                            name,
                            endpoint,
                            7,
                            7,
                            reports,
                            epoch,
                            new long[0],
                            Declaration.NONE,
                            0),
                    peer);
        }
    }

    private void tick(long ms) {
        clock.pass(ms);
        long startNs = System.nanoTime();
        watch.tick();
        tickNs += System.nanoTime() - startNs;
    }

    private void tell(String what, int receivers) {
        System.out.printf(
                "%-26s %4d entries, %,11d bytes logged (largest %,9d), %,8d bytes pushed to each"
                        + " of %,d; apply %8.2f ms, ticks %8.2f ms%n",
                what,
                entries,
                loggedBytes,
                largestBytes,
                pushedBytes,
                receivers,
                applyNs / 1e6,
                (tickNs - applyNs) / 1e6);
        entries = 0;
        loggedBytes = 0;
        largestBytes = 0;
        pushedBytes = 0;
        applyNs = 0;
        tickNs = 0;
    }

    private void round(int servers) {
        var _ = submit(new LeaderMutation.Found(77, 3, 4096));
        watch.lead();
        beats(0, servers);
        applyNs = 0;
        entries = 0;
        loggedBytes = 0;
        tick(200);
        tick(200);
        tell("founded", servers);
        int more = servers + servers / 10;
        beats(0, more);
        for (int i = 0; i < 4; i++) {
            tick(200);
            beats(0, more);
        }
        tell("grown by a tenth", more);
        ClusterMap before = namespace.clusterMap();
        for (int i = 0; i < 10; i++) {
            tick(100);
        }
        tell("ten ticks without news", more);
        for (int i = 0; i < 6; i++) {
            beats(1, more);
            tick(800);
        }
        tell("one server lost", more);
        long startNs = System.nanoTime();
        beats(1, more);
        System.out.printf(
                "%-26s %8.2f ms%n", "heartbeats of all", (System.nanoTime() - startNs) / 1e6);
        fetch("one fetches all", ClusterMap.EMPTY);
        fetch("one fetches the loss", before);
    }

    private void fetch(String what, ClusterMap known) {
        MapFetch fetch = new MapFetch(known);
        long bytes = 0;
        int messages = 0;
        long startNs = System.nanoTime();
        boolean complete = false;
        while (!complete) {
            Reply reply = namespace.read(0, new Query.GetMap(fetch));
            bytes += reply.toBytes(1).length;
            messages++;
            complete = reply instanceof Reply.MapReply answer && fetch.take(answer.part());
        }
        System.out.printf(
                "%-26s %4d messages, %,11d bytes; %8.2f ms%n",
                what, messages, bytes, (System.nanoTime() - startNs) / 1e6);
    }

    /** Runs three rounds. */
    public static void main(String[] arguments) {
        int servers = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 1000;
        int disks = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 4;
        for (int round = 1; round <= 3; round++) {
            System.out.println("round " + round);
            new ClusterMapBenchmark(servers, disks).round(servers);
        }
    }
}
