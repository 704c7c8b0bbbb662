package io.cairn.simulation;

import io.cairn.cluster.ChunkServer;
import io.cairn.cluster.ClusterMap;
import io.cairn.cluster.MemberState;
import io.cairn.cluster.PlacementGroup;
import io.cairn.testkit.simulated.NetworkFaults;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What goes wrong, drawn from the seed: some kinds of faults, one after the other, each mended
 * after a while. Power is lost only as far as the promises go; where a seed goes farther (all
 * servers at once, or the only copy), the oracle is told. Some seeds damage files of blobs beside,
 * by {@link DamagePlan}.
 */
final class FaultPlan {
    private static final int LEAST_PAUSE_MS = 100;
    private static final int MOST_PAUSE_MS = 4_000;
    private static final long SETTLE_MS = 2_000;

    /** Kinds of faults. */
    enum Kind {
        KILL_SERVER,
        SERVER_LOSES_POWER,
        BLACKOUT,
        CRASH_MASTER,
        DEPOSE_MASTER,
        PARTITION,
        DEAF,
        KILL_CLIENT,
        SLOW_DISK,
        SLOW_LOG,
        BAD_NETWORK
    }

    private final SimulatedCluster cluster;
    private final Simulation simulation;
    private final Oracle oracle;
    private final Consumer<SimulatedClient> restart;
    private final SimulatedScheduler time;
    private final Random random;
    private final List<Kind> kinds = new ArrayList<>();
    private final Map<String, Long> poweredMs = new LinkedHashMap<>();
    private final Map<String, Long> disturbedMs = new LinkedHashMap<>();
    private final DamagePlan damage;
    private boolean ended;

    /**
     * A plan that has not begun.
     *
     * @param restart starts the work of a client that was killed
     */
    FaultPlan(SimulatedCluster cluster, Oracle oracle, Consumer<SimulatedClient> restart) {
        this.cluster = cluster;
        this.simulation = cluster.simulation;
        this.oracle = oracle;
        this.restart = restart;
        this.time = new SimulatedScheduler(simulation);
        this.random = new Random(simulation.random().nextLong());
        this.damage = new DamagePlan(cluster, this);
        for (Kind kind : Kind.values()) {
            if (random.nextInt(kind == Kind.BLACKOUT ? 6 : 2) == 0) {
                kinds.add(kind);
            }
        }
    }

    /** From now on things go wrong. */
    void begin() {
        cluster.history.fault("kinds " + kinds);
        if (!kinds.isEmpty()) {
            later(LEAST_PAUSE_MS, MOST_PAUSE_MS, this::next);
        }
        damage.begin();
    }

    private void later(int least, int most, Runnable task) {
        time.schedule(
                () -> {
                    if (!ended) {
                        task.run();
                    }
                },
                least + random.nextInt(most - least));
    }

    private void next() {
        Kind kind = Oracle.pick(random, kinds);
        strike(kind);
        later(LEAST_PAUSE_MS, MOST_PAUSE_MS, this::next);
    }

    private void strike(Kind kind) {
        SimulatedServer server = Oracle.pick(random, cluster.servers);
        switch (kind) {
            case KILL_SERVER -> {
                if (server.isRunning()) {
                    cluster.history.fault("kill " + server.node());
                    boolean brief = random.nextBoolean();
                    if (!brief) {
                        disturb(server);
                        exposeIfUnsure();
                    }
                    server.kill();
                    later(10, brief ? 500 : 8_000, () -> start(server));
                }
            }
            case SERVER_LOSES_POWER -> losePower(server);
            case BLACKOUT -> blackout();
            case CRASH_MASTER -> crashMaster();
            case DEPOSE_MASTER -> {
                int ms = 10 + random.nextInt(3_000);
                cluster.history.fault("the leader loses its office for " + ms + " ms");
                cluster.masters.all().stream()
                        .filter(SimulatedMaster::isRunning)
                        .forEach(each -> each.log().stepDown(ms));
            }
            case PARTITION -> partition();
            case DEAF -> deaf();
            case KILL_CLIENT -> killClient();
            case SLOW_DISK -> {
                int ms = 1 + random.nextInt(random.nextInt(8) == 0 ? 7_000 : 400);
                cluster.history.fault("the disk of " + server.node() + " is slow: " + ms + " ms");
                server.setSlowMs(ms);
                later(500, 5_000, () -> server.setSlowMs(0));
            }
            case SLOW_LOG -> {
                int ms = 1 + random.nextInt(500);
                SimulatedMaster master = Oracle.pick(random, cluster.masters.all());
                cluster.history.fault("the log of " + master.node() + " is slow: " + ms + " ms");
                master.setSlowMs(ms);
                later(500, 5_000, () -> master.setSlowMs(0));
            }
            case BAD_NETWORK -> {
                NetworkFaults faults =
                        Oracle.pick(
                                random,
                                List.of(
                                        NetworkFaults.ROUGH,
                                        NetworkFaults.SLOW,
                                        NetworkFaults.NONE));
                cluster.history.fault("network " + faults);
                cluster.network.setFaults(faults);
                cluster.servers.forEach(this::disturb);
                exposeIfUnsure();
            }
        }
    }

    /** Whether nothing that went wrong has an effect any more. */
    boolean isSettled() {
        forgetSettled();
        return cluster.isWhole() && poweredMs.isEmpty() && disturbedMs.isEmpty();
    }

    /** A server is about to be stopped, for how long is open. */
    void stopping(SimulatedServer server) {
        disturb(server);
        exposeIfUnsure();
    }

    /** Starts a server that does not run. */
    void start(SimulatedServer server) {
        if (!server.isRunning()) {
            cluster.history.fault("start " + server.node());
            server.start();
            poweredMs.computeIfPresent(server.node(), (node, at) -> simulation.millis());
            disturbedMs.computeIfPresent(server.node(), (node, at) -> simulation.millis());
        }
    }

    private void losePower(SimulatedServer server) {
        if (!server.isRunning()) {
            return;
        }
        forgetSettled();
        Set<String> unsure = new HashSet<>(poweredMs.keySet());
        unsure.addAll(damage.victims());
        boolean others = othersHave(server, unsure);
        if (!others && cluster.replicas > 1) {
            return;
        }
        cluster.history.fault(server.node() + " loses its power");
        poweredMs.put(server.node(), simulation.millis());
        exposeIfUnsure();
        server.losePower();
        later(10, random.nextBoolean() ? 500 : 8_000, () -> start(server));
    }

    private void forgetSettled() {
        if (cluster.isWhole()) {
            poweredMs.values().removeIf(at -> simulation.millis() - at > SETTLE_MS);
            disturbedMs.values().removeIf(at -> simulation.millis() - at > SETTLE_MS);
        }
    }

    /**
     * What was closed but not synced is promised to outlast crashes of processes, and here one loss
     * of power beside. When the master does not know yet that a server lost its power, and gives
     * others up that it does not hear, the former may serve afterwards, with what was synced. A
     * process that is back before it is given up does not count.
     */
    private void exposeIfUnsure() {
        forgetSettled();
        Set<String> unsure = new HashSet<>(poweredMs.keySet());
        unsure.addAll(disturbedMs.keySet());
        unsure.addAll(damage.victims());
        boolean sure =
                cluster.servers.stream()
                        .filter(server -> poweredMs.containsKey(server.node()))
                        .allMatch(server -> othersHave(server, unsure));
        if (!sure) {
            cluster.history.fault("too much at once for what was not synced");
            oracle.exposed();
        }
    }

    /**
     * Whether each group of a server has another serving member that is sure to have everything.
     *
     * @param unsure servers that are not
     */
    private boolean othersHave(SimulatedServer server, Set<String> unsure) {
        if (cluster.masters.leader() == null || cluster.replicas == 1) {
            return false;
        }
        ClusterMap map = cluster.masters.namespace().clusterMap();
        return map.groups().stream()
                .filter(group -> group.members().size() > 1)
                .allMatch(group -> othersHave(map, group, server, unsure));
    }

    private static boolean othersHave(
            ClusterMap map, PlacementGroup group, SimulatedServer server, Set<String> unsure) {
        Set<String> sure = new HashSet<>();
        boolean member = false;
        for (PlacementGroup.Member each : group.members()) {
            ChunkServer owner = map.serverOfTarget(each.targetId());
            if (owner != null && owner.name().equals(server.node())) {
                member = true;
            } else if (owner != null
                    && each.state() == MemberState.SERVING
                    && !unsure.contains(owner.name())) {
                sure.add(owner.name());
            }
        }
        return !member || !sure.isEmpty();
    }

    private void blackout() {
        cluster.history.fault("blackout");
        oracle.exposed();
        for (SimulatedServer server : cluster.servers) {
            poweredMs.put(server.node(), simulation.millis());
            server.losePower();
            later(10, 4_000, () -> start(server));
        }
        if (random.nextBoolean()) {
            crashMaster();
        }
    }

    /** The leader as a rule, if there is one. */
    private void crashMaster() {
        SimulatedMaster leader = cluster.masters.leader();
        SimulatedMaster master =
                leader != null && random.nextInt(3) > 0
                        ? leader
                        : Oracle.pick(random, cluster.masters.all());
        if (master.isRunning()) {
            cluster.history.fault("crash of " + master.node());
            master.crash();
            later(10, random.nextBoolean() ? 300 : 6_000, () -> start(master));
        }
    }

    private void start(SimulatedMaster master) {
        if (!master.isRunning()) {
            cluster.history.fault("start of " + master.node());
            master.start(10 + random.nextInt(500));
        }
    }

    private List<String> nodes() {
        List<String> nodes = new ArrayList<>(cluster.masters.names());
        cluster.servers.forEach(server -> nodes.add(server.node()));
        cluster.clients.forEach(client -> nodes.add(client.node()));
        return nodes;
    }

    private void partition() {
        Set<String> some = new HashSet<>();
        Set<String> others = new HashSet<>();
        boolean one = random.nextBoolean();
        String alone = Oracle.pick(random, nodes());
        for (String node : nodes()) {
            boolean here = one ? node.equals(alone) : random.nextBoolean();
            (here ? some : others).add(node);
        }
        cluster.history.fault("partition " + some + " from " + others);
        cluster.network.partition(some, others);
        for (SimulatedServer server : cluster.servers) {
            if (cluster.masters.names().stream()
                    .anyMatch(each -> some.contains(each) != some.contains(server.node()))) {
                disturb(server);
            }
        }
        exposeIfUnsure();
        later(50, random.nextBoolean() ? 2_000 : 14_000, this::heal);
    }

    private void deaf() {
        List<String> masters = cluster.masters.names();
        String from = Oracle.pick(random, nodes());
        String to = Oracle.pick(random, nodes());
        if (!from.equals(to)) {
            cluster.history.fault(to + " does not hear " + from);
            cluster.network.block(from, to);
            for (SimulatedServer server : cluster.servers) {
                if ((from.equals(server.node()) && masters.contains(to))
                        || (to.equals(server.node()) && masters.contains(from))) {
                    disturb(server);
                }
            }
            exposeIfUnsure();
            later(50, random.nextBoolean() ? 2_000 : 14_000, this::heal);
        }
    }

    private void heal() {
        cluster.history.fault("the network is whole");
        cluster.network.heal();
        disturbedMs.replaceAll((node, at) -> simulation.millis());
    }

    /** The master may take a server for lost though it has everything. */
    private void disturb(SimulatedServer server) {
        disturbedMs.put(server.node(), simulation.millis());
    }

    private void killClient() {
        SimulatedClient client = Oracle.pick(random, cluster.clients);
        if (client.isRunning()) {
            cluster.history.fault("kill " + client.node());
            client.kill();
            later(10, random.nextBoolean() ? 500 : 10_000, () -> restart(client));
        }
    }

    private void restart(SimulatedClient client) {
        if (!client.isRunning()) {
            cluster.history.fault("start " + client.node());
            restart.accept(client);
        }
    }

    /** Mends everything. */
    void end() {
        ended = true;
        damage.end();
        cluster.network.setFaults(NetworkFaults.NONE);
        heal();
        cluster.masters.all().forEach(each -> each.setSlowMs(0));
        cluster.masters.all().forEach(this::start);
        for (SimulatedServer server : cluster.servers) {
            server.setSlowMs(0);
            start(server);
        }
    }
}
