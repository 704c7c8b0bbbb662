package io.cairn.simulation;

import io.cairn.cluster.Endpoint;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.metadata.Namespace;
import io.cairn.net.Transport;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A master that can crash and start again on its journal. */
final class SimulatedMaster {
    static final String NODE = "m1";
    static final Endpoint ENDPOINT = new Endpoint(NODE, 7000);
    static final long SESSION_LEASE_MS = 15_000;

    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final MasterSettings settings;
    private final SimulatedLog.Journal journal = new SimulatedLog.Journal();
    private @Nullable SimulatedScheduler scheduler;
    private @Nullable SimulatedLog log;
    private @Nullable MasterService service;
    private int slowMs;

    SimulatedMaster(
            Simulation simulation, SimulatedNetwork network, int replicas, int inlineLimitBytes) {
        this.simulation = simulation;
        this.network = network;
        ClusterSettings cluster =
                new ClusterSettings(
                        replicas,
                        SimulatedCluster.SERVERS,
                        ClusterSettings.STANDARD.settleMs(),
                        ClusterSettings.STANDARD.serverLeaseMs());
        this.settings =
                new MasterSettings(NODE, ENDPOINT, cluster, inlineLimitBytes, SESSION_LEASE_MS);
    }

    boolean isRunning() {
        return log != null;
    }

    /** Every entry of the log takes up to so many milliseconds more; 0 = none. */
    void setSlowMs(int ms) {
        slowMs = ms;
    }

    private long paceMs() {
        return slowMs == 0 ? 1 : 1 + simulation.random().nextInt(slowMs);
    }

    /**
     * Starts the process; it leads after a while.
     *
     * @param electionMs how long that takes
     */
    void start(long electionMs) {
        Transport transport = network.start(NODE);
        SimulatedScheduler newScheduler = new SimulatedScheduler(simulation);
        SimulatedLog newLog =
                new SimulatedLog(simulation, newScheduler, journal, ENDPOINT, this::paceMs);
        MasterService newService =
                new MasterService(
                        settings,
                        new MasterService.Ground(
                                newLog,
                                newLog::namespace,
                                transport,
                                simulation,
                                newScheduler,
                                new Random(simulation.random().nextLong())));
        newLog.listen(newService::tell);
        newScheduler.schedule(newLog::lead, electionMs);
        scheduler = newScheduler;
        log = newLog;
        service = newService;
    }

    /** Kills the process. */
    void crash() {
        if (scheduler != null && log != null) {
            scheduler.stop();
            log.crash();
            network.crash(NODE);
        }
        scheduler = null;
        log = null;
        service = null;
    }

    /** Loses its office for a while. */
    void stepDown(long forMs) {
        if (scheduler != null && log != null) {
            log.stepDown();
            scheduler.schedule(log::lead, forMs);
        }
    }

    /**
     * The log of the running master.
     *
     * @throws IllegalStateException when it does not run
     */
    SimulatedLog log() {
        if (log == null) {
            throw new IllegalStateException("the master does not run");
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
            throw new IllegalStateException("the master does not run");
        }
        return service;
    }

    /** The state that the running master has applied. */
    Namespace namespace() {
        return log().namespace();
    }

    SimulatedLog.Journal journal() {
        return journal;
    }
}
