package io.cairn.simulation;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.net.Transport;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A master that can crash and start again on its disk. */
final class SimulatedMaster {
    static final long SESSION_LEASE_MS = 15_000;
    private static final int PORT = 7000;

    /**
     * What all masters of a cluster are told.
     *
     * @param replicas copies of a new file
     * @param inlineLimitBytes files up to this size stand in the inode
     */
    record Plan(Simulation simulation, int replicas, int inlineLimitBytes) {}

    private final SimulatedMasters group;
    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final MasterSettings settings;
    private final RaftDisk disk = new RaftDisk();
    private @Nullable SimulatedScheduler scheduler;
    private @Nullable SimulatedRaft log;
    private @Nullable MasterService service;
    private int slowMs;

    SimulatedMaster(SimulatedMasters group, SimulatedNetwork network, String node, Plan plan) {
        this.group = group;
        this.simulation = plan.simulation();
        this.network = network;
        ClusterSettings cluster =
                new ClusterSettings(
                        plan.replicas(),
                        SimulatedCluster.SERVERS,
                        ClusterSettings.STANDARD.settleMs(),
                        ClusterSettings.STANDARD.serverLeaseMs());
        this.settings =
                new MasterSettings(
                        node, endpoint(node), cluster, plan.inlineLimitBytes(), SESSION_LEASE_MS);
    }

    /** Where a master listens. */
    static Endpoint endpoint(String node) {
        return new Endpoint(node, PORT);
    }

    String node() {
        return settings.id();
    }

    boolean isRunning() {
        return log != null;
    }

    /** Every entry of its log takes up to so many milliseconds more; 0 = none. */
    void setSlowMs(int ms) {
        slowMs = ms;
    }

    private long paceMs() {
        return slowMs == 0 ? 1 : 1 + simulation.random().nextInt(slowMs);
    }

    /**
     * Starts the process.
     *
     * @param electionMs after this time it stands for election
     */
    void start(long electionMs) {
        Transport transport = network.start(node());
        SimulatedScheduler newScheduler = new SimulatedScheduler(simulation);
        SimulatedRaft newLog =
                new SimulatedRaft(group, node(), disk, newScheduler, this::paceMs, electionMs);
        MasterService newService =
                new MasterService(
                        settings,
                        new MasterService.Context(
                                newLog,
                                newLog::namespace,
                                transport,
                                simulation,
                                newScheduler,
                                new Random(simulation.random().nextLong())));
        newLog.listen(newService::tell);
        scheduler = newScheduler;
        log = newLog;
        service = newService;
    }

    /** Kills the process. */
    void crash() {
        if (scheduler != null && log != null) {
            scheduler.stop();
            log.crash();
            network.crash(node());
        }
        scheduler = null;
        log = null;
        service = null;
    }

    /**
     * The log of the running master.
     *
     * @throws IllegalStateException when it does not run
     */
    SimulatedRaft log() {
        if (log == null) {
            throw new IllegalStateException(node() + " does not run");
        }
        return log;
    }

    /**
     * The running master.
     *
     * @throws IllegalStateException when it does not run
     */
    MasterService service() {
        if (service == null) {
            throw new IllegalStateException(node() + " does not run");
        }
        return service;
    }
}
