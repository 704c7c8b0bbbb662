package io.cairn.simulation;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.cluster.Policy;
import io.cairn.cluster.Pool;
import io.cairn.fs.FileSystem;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.Mutation;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.SessionMutation;
import io.cairn.wire.master.TreeMutation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/** One master or three, three chunk servers and two clients, made by a seed. */
final class SimulatedCluster {
    static final int SERVERS = 3;
    static final int CLIENTS = 2;
    static final int CHUNK_SIZE_LOG2 = 16;
    private static final int SHOWN_GROUPS = 4;
    private static final long BEGIN_LIMIT_MS = 60_000;

    final Simulation simulation;
    final SimulatedNetwork network;
    final History history;
    final SimulatedMasters masters;
    final List<SimulatedServer> servers = new ArrayList<>();
    final List<SimulatedClient> clients = new ArrayList<>();
    final int replicas;
    final int inlineLimitBytes;
    private final SimulatedThreads threads = new SimulatedThreads();

    /** Nothing runs yet; the seed decides how many masters there are. */
    SimulatedCluster(long seed) {
        this(seed, 0);
    }

    /**
     * Nothing runs yet.
     *
     * @param masterCount how many masters there are; 0 if the seed decides
     */
    SimulatedCluster(long seed, int masterCount) {
        simulation = new Simulation(seed);
        network = new SimulatedNetwork(simulation);
        history = new History(simulation);
        int[] copies = {2, 3, 3, 2, 1};
        replicas = copies[simulation.random().nextInt(copies.length)];
        int[] inline = {4096, 4096, 1024, 0};
        inlineLimitBytes = inline[simulation.random().nextInt(inline.length)];
        int[] counts = {3, 3, 1};
        int drawn = counts[simulation.random().nextInt(counts.length)];
        masters =
                new SimulatedMasters(
                        masterCount > 0 ? masterCount : drawn,
                        network,
                        history,
                        new SimulatedMaster.Plan(simulation, replicas, inlineLimitBytes));
        for (int i = 1; i <= SERVERS; i++) {
            servers.add(new SimulatedServer(simulation, network, masters.endpoints(), "c" + i));
        }
        for (int i = 1; i <= CLIENTS; i++) {
            clients.add(client("u" + i));
        }
        history.fault(
                masters.names() + ", replicas " + replicas + ", inline limit " + inlineLimitBytes);
    }

    /** One more client, which does nothing yet. */
    SimulatedClient client(String node) {
        return new SimulatedClient(this, threads, node);
    }

    /** Starts masters and chunk servers, and waits until files can be stored, in small chunks. */
    void begin() {
        masters.start();
        servers.forEach(SimulatedServer::start);
        if (!simulation.runUntil(this::isWhole, BEGIN_LIMIT_MS)) {
            history.violate("the cluster does not begin: " + state());
            return;
        }
        long session =
                ((Reply.SessionReply) log(0, 7, new SessionMutation.OpenSession("setup")))
                        .session();
        Policy policy = new Policy(0, CHUNK_SIZE_LOG2, 0);
        log(session, 1, new TreeMutation.SetPolicy(FileSystem.ROOT_INO, policy));
        log(session, 2, new SessionMutation.CloseSession(session));
    }

    private Reply log(long session, long sequence, Mutation mutation) {
        SimulatedMaster leader = Objects.requireNonNull(masters.leader());
        byte[] frame = new Envelope(session, sequence, 0, 0, mutation).toBytes();
        return simulation.await(leader.log().submit(frame, 0), BEGIN_LIMIT_MS).reply();
    }

    /** Whether all processes but those of clients run. */
    boolean isRunning() {
        return masters.isRunning() && servers.stream().allMatch(SimulatedServer::isRunning);
    }

    /** Whether all run, and every group has all its copies serving, as servers and master know. */
    boolean isWhole() {
        if (masters.leader() == null) {
            return false;
        }
        ClusterMap map = masters.namespace().clusterMap();
        if (map.pools().isEmpty()) {
            return false;
        }
        for (SimulatedServer server : servers) {
            if (!server.isRunning()
                    || !server.service().isReady()
                    || server.service().clusterMap().epoch() != map.epoch()) {
                return false;
            }
        }
        return map.groups().stream().allMatch(group -> isWhole(map, group));
    }

    private static boolean isWhole(ClusterMap map, PlacementGroup group) {
        Pool pool = map.pool(group.poolId());
        return pool != null
                && group.members().size() == pool.replicas()
                && group.members().stream().allMatch(m -> m.state() == MemberState.SERVING);
    }

    /** The jobs that the master knows, for messages. */
    String jobs() {
        return String.valueOf(masters.namespace().jobs());
    }

    /** The servers and groups as the master knows them, for messages. */
    String state() {
        StringBuilder text = new StringBuilder();
        SimulatedMaster leader = masters.leader();
        ClusterMap map = masters.namespace().clusterMap();
        text.append(leader == null ? "no leader" : "leader " + leader.node());
        text.append(", map epoch ").append(map.epoch());
        for (SimulatedServer server : servers) {
            text.append("; ").append(server.node());
            if (server.isRunning()) {
                text.append(server.service().isReady() ? " ready" : " without lease");
                text.append(" at epoch ").append(server.service().clusterMap().epoch());
                for (StorageTarget target : server.targets()) {
                    if (!target.doubtful().isEmpty()) {
                        text.append(", damaged: ").append(target.doubtful());
                    }
                }
            } else {
                text.append(" down");
            }
        }
        int shown = 0;
        for (PlacementGroup group : map.groups()) {
            if (!isWhole(map, group) && shown++ < SHOWN_GROUPS) {
                text.append("; group ").append(group.id()).append(' ').append(group.members());
            }
        }
        return text.toString();
    }
}
