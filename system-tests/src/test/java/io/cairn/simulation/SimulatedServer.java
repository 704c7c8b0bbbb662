package io.cairn.simulation;

import io.cairn.chunk.ChunkService;
import io.cairn.chunk.ChunkSettings;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Transport;
import io.cairn.testkit.simulated.SimulatedDisk;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A chunk server with one directory, and perhaps one more from some start on, both of them on one
 * disk; can be killed, lose its power, and start again.
 */
final class SimulatedServer {
    private static final long DISK_BYTES = 1L << 30;
    private static final Path DIRECTORY = Path.of("/target");
    private static final Path SECOND = Path.of("/target2");
    private static final int PORT = 7100;

    /** Chunks rest so long before they are packed, in pools with a compression. */
    private static final long PACK_AFTER_MS = 800;

    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final List<Endpoint> masters;
    private final String node;
    private final SimulatedDisk disk;
    private @Nullable SimulatedScheduler scheduler;
    private List<Path> directories = List.of(DIRECTORY);
    private List<StorageTarget> targets = List.of();
    private @Nullable ChunkService service;
    private int slowMs;
    private long boots = 1;

    SimulatedServer(
            Simulation simulation, SimulatedNetwork network, List<Endpoint> masters, String node) {
        this.simulation = simulation;
        this.network = network;
        this.masters = masters;
        this.node = node;
        this.disk = new SimulatedDisk(DISK_BYTES, simulation);
    }

    String node() {
        return node;
    }

    SimulatedDisk disk() {
        return disk;
    }

    boolean isRunning() {
        return service != null;
    }

    /** Every work on the disk takes up to so many milliseconds more; 0 = none. */
    void setSlowMs(int ms) {
        slowMs = ms;
    }

    /** From the next start on it has another directory. */
    void addDirectory() {
        directories = List.of(DIRECTORY, SECOND);
    }

    /** Starts the process; its targets recover. */
    void start() {
        Transport transport = network.start(node);
        SimulatedScheduler newScheduler = new SimulatedScheduler(simulation);
        Random random = new Random(simulation.random().nextLong());
        List<StorageTarget> opened = new ArrayList<>();
        try {
            long boot = boots;
            StoreSettings settings =
                    new StoreSettings(0, 64, 64, random, simulation).withBoot(() -> boot);
            for (Path directory : directories) {
                opened.add(StorageTarget.open(disk, directory, settings));
            }
        } catch (TargetException e) {
            throw new IllegalStateException("a target of " + node + " does not open", e);
        }
        ServerContext world =
                new ServerContext(
                        transport,
                        simulation,
                        newScheduler,
                        task -> work(newScheduler, task),
                        random,
                        boots);
        ChunkSettings settings =
                ChunkSettings.of(node, new Endpoint(node, PORT), masters)
                        .packingAfter(PACK_AFTER_MS);
        ChunkService started = new ChunkService(world, settings, opened);
        started.start();
        scheduler = newScheduler;
        targets = List.copyOf(opened);
        service = started;
    }

    /** Disk threads run beside each other: what is begun first need not be done first. */
    private void work(SimulatedScheduler queue, Runnable task) {
        Random random = simulation.random();
        if (slowMs > 0) {
            queue.schedule(task, random.nextInt(slowMs));
        } else if (random.nextInt(8) == 0) {
            queue.schedule(task, 1 + random.nextInt(2));
        } else {
            queue.execute(task);
        }
    }

    private void stop() {
        if (scheduler != null) {
            scheduler.stop();
            network.crash(node);
        }
        scheduler = null;
        targets = List.of();
        service = null;
    }

    /** The process dies. */
    void kill() {
        stop();
        disk.kill();
    }

    /** The power goes: what was not synced may be lost. */
    void losePower() {
        stop();
        disk.crash(simulation.random().nextLong());
        boots++;
    }

    /**
     * The first storage directory while the process runs.
     *
     * @throws IllegalStateException when it does not
     */
    StorageTarget target() {
        if (targets.isEmpty()) {
            throw new IllegalStateException(node + " does not run");
        }
        return targets.getFirst();
    }

    /** The storage directories while the process runs; none when it does not. */
    List<StorageTarget> targets() {
        return targets;
    }

    /**
     * The service while the process runs.
     *
     * @throws IllegalStateException when it does not
     */
    ChunkService service() {
        if (service == null) {
            throw new IllegalStateException(node + " does not run");
        }
        return service;
    }
}
