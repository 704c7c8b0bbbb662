package io.cairn.simulation;

import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Transport;
import io.cairn.testkit.simulated.SimulatedNetwork;
import io.cairn.testkit.simulated.SimulatedScheduler;
import io.cairn.testkit.simulated.Simulation;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A client process: one mount and one thread that uses it. Can be killed; the next start is another
 * process with another session.
 */
final class SimulatedClient {
    private static final int READ_AHEAD_BYTES = 256 << 10;
    private static final int BUFFER_BYTES = 8 << 20;

    /** A copy of one chunk or more shares chunks. */
    private static final long SHARE_FROM_BYTES = 1L << SimulatedCluster.CHUNK_SIZE_LOG2;

    private final Simulation simulation;
    private final SimulatedNetwork network;
    private final List<Endpoint> masters;
    private final SimulatedThreads threads;
    private final History history;
    private final String node;
    private @Nullable SimulatedScheduler scheduler;
    private @Nullable Work current;
    private int incarnation;
    private long writeBackDelayMs;
    private boolean done = true;

    SimulatedClient(SimulatedCluster cluster, SimulatedThreads threads, String node) {
        this.simulation = cluster.simulation;
        this.network = cluster.network;
        this.masters = cluster.masters.endpoints();
        this.threads = threads;
        this.history = cluster.history;
        this.node = node;
    }

    /** What the thread of a client does with its mount. */
    interface Work {
        /** Returns when it is over; the mount is closed afterwards. */
        void run(CairnFileSystem fs, Sleeper sleeper);

        /** The process died in the midst of it. */
        void crashed();
    }

    /** Lets simulated time pass. */
    interface Sleeper {
        /** Waits, 0 or more. */
        void sleep(long ms);
    }

    String node() {
        return node;
    }

    /** Whether the process runs. */
    boolean isRunning() {
        return scheduler != null;
    }

    /** Whether the work of the last start is over. */
    boolean isDone() {
        return done;
    }

    /** Keeps written data for this long, above 0, from the next start on. */
    void writeBackAfter(long delayMs) {
        writeBackDelayMs = delayMs;
    }

    /** Starts the process and its work. */
    void start(Work work, long attributeTtlMs) {
        SimulatedScheduler queue = new SimulatedScheduler(simulation);
        Transport transport = network.start(node);
        scheduler = queue;
        done = false;
        incarnation++;
        current = work;
        Random random = new Random(simulation.random().nextLong());
        ClientSettings usual =
                ClientSettings.of(masters, node + "/" + incarnation)
                        .withAttributeTtlMs(attributeTtlMs)
                        .withBuffers(BUFFER_BYTES, READ_AHEAD_BYTES)
                        .withShareFromBytes(SHARE_FROM_BYTES);
        ClientSettings settings =
                writeBackDelayMs > 0 ? usual.withWriteBackDelayMs(writeBackDelayMs) : usual;
        threads.start(
                node + "/" + incarnation,
                queue,
                () -> {
                    try (CairnFileSystem fs = connect(settings, transport, queue, random)) {
                        work.run(fs, ms -> sleep(queue, ms));
                    } catch (RuntimeException | Error e) {
                        history.violate(node + " failed: " + trace(e));
                    }
                    transport.close();
                    queue.stop();
                    scheduler = null;
                    done = true;
                });
    }

    private CairnFileSystem connect(
            ClientSettings settings, Transport transport, SimulatedScheduler queue, Random random) {
        while (true) {
            try {
                return CairnFileSystem.connect(
                        settings,
                        transport,
                        new ClientRuntime(
                                simulation,
                                queue,
                                random,
                                task -> threads.start(settings.clientName(), queue, task)),
                        new CompositeMeterRegistry());
            } catch (FsException e) {
                history.note(node + " cannot connect: " + e.getMessage());
                sleep(queue, 100);
            }
        }
    }

    private static void sleep(SimulatedScheduler queue, long ms) {
        CompletableFuture<Void> over = new CompletableFuture<>();
        queue.schedule(() -> over.complete(null), ms);
        over.join();
    }

    /** The process dies in the midst of its work. */
    void kill() {
        SimulatedScheduler queue = scheduler;
        if (queue != null) {
            queue.stop();
            network.crash(node);
            scheduler = null;
            done = true;
            if (current != null) {
                current.crashed();
            }
        }
    }

    /** An error with all its causes and places. */
    static String trace(Throwable error) {
        StringBuilder text = new StringBuilder(error.toString());
        for (StackTraceElement element : error.getStackTrace()) {
            text.append("\n      at ").append(element);
        }
        Throwable cause = error.getCause();
        if (cause != null) {
            text.append("\n    caused by ").append(trace(cause));
        }
        return text.toString();
    }
}
