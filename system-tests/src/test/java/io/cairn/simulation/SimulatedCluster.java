package io.cairn.simulation;

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

/** One master, three chunk servers and two clients, made by a seed. */
final class SimulatedCluster {
    static final int SERVERS = 3;
    static final int CLIENTS = 2;
    static final int CHUNK_SIZE_LOG2 = 16;
    private static final int SHOWN_GROUPS = 4;
    private static final long BEGIN_LIMIT_MS = 60_000;

    final Simulation simulation;
    final SimulatedNetwork network;
    final History history;
    final SimulatedMaster master;
    final List<SimulatedServer> servers = new ArrayList<>();
    final List<SimulatedClient> clients = new ArrayList<>();
    final int replicas;
    final int inlineLimitBytes;
    private final SimulatedThreads threads = new SimulatedThreads();

    /** Nothing runs yet. */
    SimulatedCluster(long seed) {
        simulation = new Simulation(seed);
        network = new SimulatedNetwork(simulation);
        history = new History(simulation);
        int[] copies = {2, 3, 3, 2, 1};
        replicas = copies[simulation.random().nextInt(copies.length)];
        int[] inline = {4096, 4096, 1024, 0};
        inlineLimitBytes = inline[simulation.random().nextInt(inline.length)];
        master = new SimulatedMaster(simulation, network, replicas, inlineLimitBytes);
        for (int i = 1; i <= SERVERS; i++) {
            servers.add(new SimulatedServer(simulation, network, "c" + i));
        }
        for (int i = 1; i <= CLIENTS; i++) {
            clients.add(client("u" + i));
        }
        history.fault("replicas " + replicas + ", inline limit " + inlineLimitBytes);
    }

    /** One more client, which does nothing yet. */
    SimulatedClient client(String node) {
        return new SimulatedClient(simulation, network, threads, history, node);
    }

    /** Starts masters and chunk servers, and waits until files can be stored, in small chunks. */
    void begin() {
        master.start(10);
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
        return simulation
                .await(
                        master.log()
                                .submit(
                                        new Envelope(session, sequence, 0, 0, mutation).toBytes(),
                                        0),
                        BEGIN_LIMIT_MS)
                .reply();
    }

    /** Whether all processes but those of clients run. */
    boolean isRunning() {
        return master.isRunning() && servers.stream().allMatch(SimulatedServer::isRunning);
    }

    /** Whether all run, and every group has all its copies serving, as servers and master know. */
    boolean isWhole() {
        if (!master.isRunning() || !master.log().mayRead()) {
            return false;
        }
        ClusterMap map = master.namespace().clusterMap();
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
        return master.isRunning() ? String.valueOf(master.namespace().jobs()) : "no master";
    }

    /** The servers and groups as the master knows them, for messages. */
    String state() {
        StringBuilder text = new StringBuilder();
        if (!master.isRunning()) {
            return "the master does not run";
        }
        ClusterMap map = master.namespace().clusterMap();
        text.append("map epoch ").append(map.epoch());
        for (SimulatedServer server : servers) {
            text.append("; ").append(server.node());
            if (server.isRunning()) {
                text.append(server.service().isReady() ? " ready" : " without lease");
                text.append(" at epoch ").append(server.service().clusterMap().epoch());
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
