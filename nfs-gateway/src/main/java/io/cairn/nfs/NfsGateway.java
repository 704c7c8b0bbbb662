package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.net.EventLoops;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.RpcServer;
import io.cairn.nfs.v3.MountProgram;
import io.cairn.nfs.v3.NfsPrograms;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running NFS door. Calls run on virtual threads, as many at a time as the limits of connections
 * and memory allow. Thread-safe.
 */
public final class NfsGateway implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(NfsGateway.class);
    private static final long DRAIN_MS = 5000;

    private final ExecutorService workers;
    private final NfsPrograms programs;
    private final RpcServer server;
    private final @Nullable RpcServer mountServer;

    /**
     * What a gateway runs on; stays the caller's.
     *
     * @param random used with its monitor held, so it need not be thread-safe
     */
    public record World(
            EventLoops loops, Scheduler scheduler, Clock clock, RandomGenerator random) {}

    private NfsGateway(
            ExecutorService workers,
            NfsPrograms programs,
            RpcServer server,
            @Nullable RpcServer mountServer) {
        this.workers = workers;
        this.programs = programs;
        this.server = server;
        this.mountServer = mountServer;
    }

    /**
     * Starts to serve.
     *
     * @param fs stays the caller's
     * @throws io.cairn.fs.FsException EBUSY, EACCES, ENXIO when the port cannot be had; what the
     *     filesystem throws when it cannot be reached
     */
    public static NfsGateway start(
            FileSystem fs, Exports exports, NfsSettings settings, World world) {
        ExecutorService workers =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("nfs-", 0).factory());
        NfsPrograms programs = null;
        RpcServer server = null;
        try {
            programs =
                    new NfsPrograms(
                            fs,
                            exports,
                            settings.transferBytes(),
                            new NfsPrograms.Threads(workers, world.scheduler, world.clock),
                            world.random);
            RpcServer.Threads threads =
                    new RpcServer.Threads(world.loops, workers, world.scheduler, world.clock);
            server = new RpcServer(settings.listen(), programs.all(), settings.limits(), threads);
            RpcServer mountServer = mountServer(settings, programs, threads);
            LOG.info("NFS served on {}", server.endpoint());
            return new NfsGateway(workers, programs, server, mountServer);
        } catch (RuntimeException e) {
            if (server != null) {
                server.close();
            }
            if (programs != null) {
                programs.close();
            }
            workers.shutdownNow();
            throw e;
        }
    }

    private static @Nullable RpcServer mountServer(
            NfsSettings settings, NfsPrograms programs, RpcServer.Threads threads) {
        Integer port = settings.mountPort();
        if (port == null) {
            return null;
        }
        List<RpcProgram> mount =
                programs.all().stream().filter(p -> p.number() == MountProgram.NUMBER).toList();
        return new RpcServer(
                new Endpoint(settings.listen().host(), port), mount, settings.limits(), threads);
    }

    /** Where it listens. */
    public Endpoint endpoint() {
        return server.endpoint();
    }

    /** Where MOUNT listens besides; null when nowhere. */
    public @Nullable Endpoint mountEndpoint() {
        return mountServer == null ? null : mountServer.endpoint();
    }

    /** Connections now. */
    public int connectionCount() {
        return server.connectionCount();
    }

    /** Memory that calls and answers hold now, in bytes. */
    public long usedBytes() {
        return server.usedBytes();
    }

    /** Files open now. */
    public int openFileCount() {
        return programs.openFileCount();
    }

    /**
     * Closes the ports and connections, lets calls in progress end, for five seconds at most, and
     * commits what is buffered.
     */
    @Override
    public void close() {
        server.close();
        if (mountServer != null) {
            mountServer.close();
        }
        workers.shutdown();
        try {
            if (!workers.awaitTermination(DRAIN_MS, TimeUnit.MILLISECONDS)) {
                LOG.warn("Some NFS calls had not ended after {} ms", DRAIN_MS);
                workers.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        programs.close();
    }
}
