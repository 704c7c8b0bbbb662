package io.cairn.client;

import io.cairn.base.Errno;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Pool;
import io.cairn.cluster.Target;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.wire.master.Push;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * One master and two chunk servers in memory, each serving every other of four placement groups, on
 * a {@link FakeNetwork}; and the clients of a test. Close it.
 */
public final class FakeCluster implements AutoCloseable {
    public static final Endpoint MASTER = new Endpoint("master", 1);
    public static final List<Endpoint> CHUNKS =
            List.of(new Endpoint("chunk", 1), new Endpoint("chunk", 2));
    private static final int GROUPS = 4;

    public final FakeNetwork network = new FakeNetwork();
    public final ThreadScheduler scheduler = new ThreadScheduler("fake-cluster", 1);

    /** The numbers of revoked certificates that its clients were told. */
    public final List<String> revoked = new CopyOnWriteArrayList<>();

    public long writeBackDelayMs = 1000;
    public final List<FakeChunkServer> servers = new ArrayList<>();
    public final CoreNamespace namespace;
    public final FakeNamespaceMaster.Shared shared;
    public final FakeNamespaceMaster master;
    private final List<CairnFileSystem> clients = new ArrayList<>();
    private final AtomicLong groupEpoch = new AtomicLong(1);
    private long unbrokenSince = 1;
    private @Nullable MemberState second;
    private int fullServer = -1;

    /** Whether chunks that were released stay, as until the garbage is collected. */
    public volatile boolean keepsGarbage;

    public FakeCluster(int chunkSizeLog2) {
        namespace =
                new CoreNamespace(
                        chunkSizeLog2,
                        (oid, from, end) -> {
                            if (!keepsGarbage) {
                                servers.forEach(each -> each.delete(oid, from, end));
                            }
                        });
        shared = new FakeNamespaceMaster.Shared(namespace);
        master = new FakeNamespaceMaster(shared);
        network.listen(MASTER, master);
        for (Endpoint endpoint : CHUNKS) {
            FakeChunkServer server = new FakeChunkServer(group -> groupEpoch.get());
            servers.add(server);
            network.listen(endpoint, server);
        }
        namespace.change(map(1));
    }

    private ClusterMap map(long epoch) {
        List<ChunkServer> chunkServers = new ArrayList<>();
        List<Target> targets = new ArrayList<>();
        for (int i = 0; i < CHUNKS.size(); i++) {
            chunkServers.add(new ChunkServer(i + 1, "c" + (i + 1), CHUNKS.get(i), 1));
            targets.add(new Target(i + 1, 1000 + i, i + 1).filled(i == fullServer));
        }
        List<PlacementGroup> groups = new ArrayList<>();
        for (int i = 0; i < GROUPS; i++) {
            List<PlacementGroup.Member> members = new ArrayList<>();
            members.add(new PlacementGroup.Member(i % CHUNKS.size() + 1, MemberState.SERVING));
            if (second != null) {
                int other = (i + 1) % CHUNKS.size() + 1;
                members.add(new PlacementGroup.Member(other, second));
            }
            groups.add(
                    new PlacementGroup(
                            i + 1,
                            1,
                            groupEpoch.get(),
                            unbrokenSince,
                            unbrokenSince,
                            members,
                            List.of()));
        }
        return new ClusterMap(
                epoch, chunkServers, targets, List.of(new Pool(1, 1, 1, GROUPS)), groups);
    }

    /** All groups get another epoch, as after a change of members. */
    public void changeEpochs() {
        groupEpoch.incrementAndGet();
        namespace.change(map(namespace.map().epoch() + 1));
    }

    public ClusterMap map() {
        return namespace.map();
    }

    /** Tells all sessions what changed since a map. */
    public void tellChange(ClusterMap before) {
        Push push = new Push.MapChanged(map().epoch(), map().since(before));
        shared.sessions.keySet().forEach(session -> master.push(session, push));
    }

    /** Tells all sessions where the masters are. */
    public void tellMasters(List<Endpoint> masters) {
        Push push = new Push.MastersChanged(masters);
        shared.sessions.keySet().forEach(session -> master.push(session, push));
    }

    /** How often the map was asked for. */
    public int mapQueries() {
        return shared.mapQueries;
    }

    /** Requests to read, of all servers. */
    public int reads() {
        return servers.stream().mapToInt(server -> server.reads.get()).sum();
    }

    /** Requests to write, of all servers. */
    public int writes() {
        return servers.stream().mapToInt(server -> server.writes.get()).sum();
    }

    /** Requests that brought several writes. */
    public int batches() {
        return servers.stream().mapToInt(server -> server.batches.get()).sum();
    }

    /** Such requests fail from now on. */
    public void refusePieces(Errno refusal) {
        servers.forEach(server -> server.pieceRefusal = refusal);
    }

    /** No server takes any byte more. */
    public void fillDisks() {
        servers.forEach(server -> server.full = true);
    }

    /** One server takes no byte more, and all sessions hear of it. */
    public void fillDisk(int server) {
        servers.get(server).full = true;
        tellFull(server);
    }

    /** All disks have room, and all sessions hear of it. */
    public void emptyDisks() {
        servers.forEach(each -> each.full = false);
        tellFull(-1);
    }

    private void tellFull(int server) {
        fullServer = server;
        network.ask(
                () -> {
                    ClusterMap before = map();
                    namespace.change(map(before.epoch() + 1));
                    tellChange(before);
                    return true;
                });
    }

    /** There is room again, of which nobody hears. */
    public void makeRoom(int server) {
        servers.get(server).full = false;
    }

    /** All groups have a second member, which is away. */
    public void addAbsentMembers() {
        second = MemberState.OFFLINE;
        changeEpochs();
    }

    /** All groups have a second member that serves. */
    public void addCopies() {
        second = MemberState.SERVING;
        changeEpochs();
    }

    /** All groups have a second member that serves, and says of every chunk to ask the head. */
    public void addFollowers() {
        second = MemberState.SERVING;
        for (int i = 0; i < CHUNKS.size(); i++) {
            int server = i;
            servers.get(i).follows = group -> (group - 1) % CHUNKS.size() != server;
        }
        changeEpochs();
    }

    /** All servers lose their power, and with it what was not flushed; they come back at once. */
    public void losePower() {
        unbrokenSince = groupEpoch.get() + 1;
        servers.forEach(server -> server.lostBeforeEpoch = unbrokenSince);
        changeEpochs();
    }

    public ClientSettings settings() {
        return ClientSettings.of(List.of(MASTER), "test")
                .withAttemptTimeoutMs(500)
                .withRequestTimeoutMs(10_000)
                .withWriteBackDelayMs(writeBackDelayMs);
    }

    public CairnFileSystem connect() {
        return connect(settings());
    }

    public CairnFileSystem connect(ClientSettings settings) {
        return connect(settings, runtime());
    }

    /** With a network that the test polls. */
    public CairnFileSystem connect(FakePolledNetwork polled) {
        return connect(settings(), runtime().with(polled.asNetwork()));
    }

    private ClientRuntime runtime() {
        return new ClientRuntime(Clock.system(), scheduler, new Random(clients.size() + 7L))
                .onRevoked(revoked::addAll);
    }

    private CairnFileSystem connect(ClientSettings settings, ClientRuntime runtime) {
        CairnFileSystem client =
                CairnFileSystem.connect(settings, network, runtime, new CompositeMeterRegistry());
        clients.add(client);
        return client;
    }

    /** Waits for something that comes about by itself. */
    public void awaitTrue(BooleanSupplier condition, String what) {
        long deadlineNs = System.nanoTime() + 30_000_000_000L;
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadlineNs > 0) {
                throw new AssertionError("not within 30 s: " + what);
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Override
    public void close() {
        network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        clients.forEach(CairnFileSystem::close);
        network.close();
        scheduler.close();
    }
}
