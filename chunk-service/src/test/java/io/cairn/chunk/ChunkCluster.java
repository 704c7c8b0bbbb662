package io.cairn.chunk;

import io.cairn.base.Errno;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.net.Transport;
import io.cairn.testkit.simulated.SimulatedDisk;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.chunk.ChunkAddress;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Chunk servers with real targets, a master and a client, on a simulated clock and network. Servers
 * are numbered from 1, and so are their targets in the map.
 */
public final class ChunkCluster implements AutoCloseable {
    /** Exponent of the size of the chunks used. */
    public static final int CHUNK_LOG2 = 16 + 4;

    /** A started server. */
    public static final class Server {
        public final TestDisk disk;
        public final StorageTarget target;
        final SimulatedScheduler scheduler;
        final ChunkService service;

        Server(
                TestDisk disk,
                StorageTarget target,
                SimulatedScheduler scheduler,
                ChunkService service) {
            this.disk = disk;
            this.target = target;
            this.scheduler = scheduler;
            this.service = service;
        }
    }

    public final Simulation simulation;
    public final SimulatedNetwork network;
    public final FakeMapMaster master;
    public final ChunkClient client;
    private final Path directory;
    private final Map<Integer, Server> servers = new TreeMap<>();
    private final Map<Integer, Long> boots = new TreeMap<>();
    private final @Nullable Map<Integer, SimulatedDisk> memory;

    /** A cluster whose servers run and have a map with that many groups. */
    public ChunkCluster(long seed, Path directory, int serverCount, int replicas, int groups) {
        this(seed, directory, new int[] {serverCount, replicas, groups}, false);
    }

    /**
     * A cluster whose servers run and have a map.
     *
     * @param shape servers, replicas, groups
     * @param losesPower whether the disks are simulated and can lose what was not synced
     */
    public ChunkCluster(long seed, Path directory, int[] shape, boolean losesPower) {
        this.memory = losesPower ? new TreeMap<>() : null;
        this.simulation = new Simulation(seed);
        this.network = new SimulatedNetwork(simulation);
        this.directory = directory;
        this.master =
                new FakeMapMaster(
                        network.start("master"),
                        simulation,
                        new SimulatedScheduler(simulation),
                        new Endpoint("master", 9000),
                        shape);
        for (int i = 1; i <= shape[0]; i++) {
            start(i);
        }
        this.client = newClient("client", 1);
        until(
                () -> servers.values().stream().allMatch(s -> s.service.clusterMap().epoch() > 0),
                20_000);
    }

    /** Another client with a session of its own. */
    public ChunkClient newClient(String node, long session) {
        return new ChunkClient(
                network.start(node),
                new SimulatedScheduler(simulation),
                simulation,
                master,
                session);
    }

    /** Starts a server on its directory. */
    public void start(int number) {
        start(number, List.of(master.endpoint()));
    }

    public void start(int number, List<Endpoint> masters) {
        String name = "c" + number;
        Transport transport = network.start(name);
        SimulatedScheduler scheduler = new SimulatedScheduler(simulation);
        TestDisk disk =
                memory == null
                        ? new TestDisk()
                        : new TestDisk(
                                memory.computeIfAbsent(number, n -> new SimulatedDisk(1L << 30)),
                                true);
        Random random = new Random(simulation.random().nextLong());
        long bootId = boots.computeIfAbsent(number, n -> 1L);
        StorageTarget target;
        try {
            StoreSettings store =
                    StoreSettings.standard(random, simulation)
                            .withReserveBytes(0)
                            .withBoot(() -> bootId);
            target = StorageTarget.open(disk, directory.resolve(name), store);
        } catch (TargetException e) {
            throw new IllegalStateException(e);
        }
        ServerContext world =
                new ServerContext(transport, simulation, scheduler, scheduler, random, bootId);
        ChunkSettings settings = ChunkSettings.of(name, new Endpoint(name, 9500), masters);
        ChunkService service = new ChunkService(world, settings, List.of(target));
        service.start();
        servers.put(number, new Server(disk, target, scheduler, service));
    }

    public Server server(int number) {
        Server server = servers.get(number);
        if (server == null) {
            throw new IllegalStateException("server " + number + " does not run");
        }
        return server;
    }

    public boolean isRunning(int number) {
        return servers.containsKey(number);
    }

    /** Whether the lease of a server runs. */
    public boolean mayServe(int number) {
        return server(number).service.isReady();
    }

    /** The process of a server ends at once. */
    public void kill(int number) {
        Server server = server(number);
        servers.remove(number);
        network.crash("c" + number);
        server.scheduler.stop();
        server.disk.crash();
    }

    /** The power of a server goes: what was not synced may be lost. */
    public void losePower(int number) {
        kill(number);
        SimulatedDisk disk = memory == null ? null : memory.get(number);
        if (disk == null) {
            throw new IllegalStateException("the disk of server " + number + " is a real one");
        }
        disk.crash(simulation.random().nextLong());
        boots.merge(number, 1L, Long::sum);
    }

    /** The machine of a server starts anew: nothing is lost, but the server cannot know that. */
    public void killMachine(int number) {
        kill(number);
        boots.merge(number, 1L, Long::sum);
    }

    /** A server stops in good order. */
    public void stop(int number) {
        Server server = server(number);
        servers.remove(number);
        simulation.await(server.service.drain(), 10_000);
        server.service.close();
        server.scheduler.stop();
        network.crash("c" + number);
    }

    /** What a future gives, after as much time as it takes. */
    public <T> T await(CompletableFuture<T> future) {
        return simulation.await(future, 60_000);
    }

    /** The error of work that must fail. */
    public Errno error(CompletableFuture<?> future) {
        try {
            await(future);
        } catch (RuntimeException e) {
            return Futures.failure(e).errno();
        }
        throw new AssertionError("it did not fail");
    }

    /** Random bytes that the seed decides. */
    public static byte[] random(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Lets time pass until something holds; fails when it does not in time. */
    public void until(BooleanSupplier condition, long limitMs) {
        if (!simulation.runUntil(condition, limitMs)) {
            throw new AssertionError(
                    "not within "
                            + limitMs
                            + " ms, seed "
                            + simulation.seed()
                            + ", groups "
                            + master.map().groups());
        }
    }

    /** Lets time pass until all members of all groups serve, in the newest map everywhere. */
    public void untilWhole(long limitMs) {
        until(this::isWhole, limitMs);
    }

    private boolean isWhole() {
        boolean serving =
                master.map().groups().stream()
                        .flatMap(group -> group.members().stream())
                        .allMatch(member -> member.state() == MemberState.SERVING);
        return serving
                && servers.values().stream()
                        .allMatch(
                                s ->
                                        s.service.clusterMap().epoch() == master.map().epoch()
                                                && s.service.isReady());
    }

    /** Number of the server that is the head of a group. */
    public int headOf(int group) {
        PlacementGroup.Member head = master.group(group).head();
        if (head == null) {
            throw new IllegalStateException("group " + group + " has no head");
        }
        return head.targetId();
    }

    /** Numbers of the servers of a group that are not its head. */
    public List<Integer> followersOf(int group) {
        List<Integer> followers = new ArrayList<>();
        for (PlacementGroup.Member member : master.group(group).members()) {
            if (member.targetId() != headOf(group)) {
                followers.add(member.targetId());
            }
        }
        return followers;
    }

    /** State of a replica on the disk of a server. */
    public ChunkState state(int number, int group, long oid, long index) {
        return server(number).target.stat(group, oid, index);
    }

    /** Bytes of a replica on the disk of a server, up to its length. */
    public byte[] bytes(int number, int group, long oid, long index) {
        int length = state(number, group, oid, index).lengthBytes();
        byte[] bytes = new byte[length];
        ChunkAddress chunk = new ChunkAddress(group, 1, oid, index, CHUNK_LOG2);
        for (int at = 0; at < length; at += 1 << 16) {
            int part = Math.min(1 << 16, length - at);
            ByteBuffer blocks = server(number).target.read(chunk, at, part).blocks();
            blocks.get(bytes, at, Math.min(part, blocks.remaining()));
        }
        return bytes;
    }

    /** One line for each difference between replicas; empty when all agree. */
    public List<String> differences() {
        List<String> found = new ArrayList<>();
        for (PlacementGroup group : master.map().groups()) {
            Map<String, String> first = new TreeMap<>();
            int head = headOf(group.id());
            replicas(head, group.id(), first);
            for (int other : followersOf(group.id())) {
                Map<String, String> own = new TreeMap<>();
                replicas(other, group.id(), own);
                if (!own.equals(first)) {
                    found.add("group " + group + " c" + head + first + " c" + other + own);
                }
            }
        }
        return found;
    }

    private void replicas(int number, int group, Map<String, String> into) {
        for (ChunkState state : server(number).target.list(group, 0, -1, 10_000)) {
            byte[] bytes = bytes(number, group, state.oid(), state.index());
            into.put(
                    state.oid() + "." + state.index(),
                    state.epoch()
                            + "/"
                            + state.sequence()
                            + "/"
                            + state.lengthBytes()
                            + "/"
                            + Arrays.hashCode(bytes));
        }
    }

    @Override
    public void close() {
        for (int number : List.copyOf(servers.keySet())) {
            kill(number);
        }
    }
}
