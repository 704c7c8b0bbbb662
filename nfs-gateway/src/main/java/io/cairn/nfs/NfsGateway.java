package io.cairn.nfs;

import io.cairn.cluster.Endpoint;
import io.cairn.fs.FileSystem;
import io.cairn.net.EventLoops;
import io.cairn.nfs.export.Exports;
import io.cairn.nfs.export.NameServices;
import io.cairn.nfs.export.SystemGroups;
import io.cairn.nfs.export.SystemHosts;
import io.cairn.nfs.export.UserGroups;
import io.cairn.nfs.lock.LockPrograms;
import io.cairn.nfs.rpc.DatagramServer;
import io.cairn.nfs.rpc.PortmapProgram;
import io.cairn.nfs.rpc.PortmapProgram.Mapping;
import io.cairn.nfs.rpc.RpcProgram;
import io.cairn.nfs.rpc.RpcServer;
import io.cairn.nfs.rpc.RpcbindRegistration;
import io.cairn.nfs.v3.MountProgram;
import io.cairn.nfs.v3.NfsPrograms;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.trace.Tracer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
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
    private final LockPrograms locks;
    private final Context world;
    private final List<RpcServer> servers = new CopyOnWriteArrayList<>();
    private final List<DatagramServer> datagrams = new ArrayList<>();
    private @Nullable ClientGauges clients;
    private @Nullable RpcbindRegistration registration;
    private @Nullable Endpoint mountEndpoint;
    private @Nullable Endpoint portmapEndpoint;

    /**
     * The world of a gateway; stays the caller's.
     *
     * @param random used by the thread that starts the gateway only
     * @param metrics hears of calls and clients
     * @param tracer makes the spans of calls
     */
    public record Context(
            EventLoops loops,
            Scheduler scheduler,
            Clock clock,
            RandomGenerator random,
            MeterRegistry metrics,
            Tracer tracer) {
        /** Without traces. */
        public Context(
                EventLoops loops,
                Scheduler scheduler,
                Clock clock,
                RandomGenerator random,
                MeterRegistry metrics) {
            this(loops, scheduler, clock, random, metrics, Tracer.OFF);
        }
    }

    private NfsGateway(
            ExecutorService workers, NfsPrograms programs, LockPrograms locks, Context world) {
        this.world = world;
        this.workers = workers;
        this.programs = programs;
        this.locks = locks;
    }

    /**
     * Starts to serve.
     *
     * @param fs stays the caller's
     * @throws io.cairn.base.FsException EBUSY, EACCES, ENXIO when a port cannot be had; what the
     *     filesystem throws when it cannot be reached
     */
    public static NfsGateway start(
            FileSystem fs, Exports exports, NfsSettings settings, Context world) {
        ExecutorService workers =
                Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("nfs-", 0).factory());
        NfsPrograms.Threads threads =
                new NfsPrograms.Threads(workers, world.scheduler, world.clock);
        NfsPrograms programs;
        try {
            programs =
                    new NfsPrograms(
                            fs,
                            exports,
                            new NameServices(
                                    settings.manageGids()
                                            ? new SystemGroups(world.clock)
                                            : UserGroups.OF_CLIENT,
                                    new SystemHosts(world.clock)),
                            settings.transferBytes(),
                            threads,
                            world.random);
        } catch (RuntimeException e) {
            workers.shutdownNow();
            throw e;
        }
        LockPrograms locks =
                new LockPrograms(
                        programs.lockable(),
                        fs.hostLocks(),
                        settings.lockPace(),
                        new LockPrograms.Threads(workers, world.scheduler, world.clock));
        NfsGateway gateway = new NfsGateway(workers, programs, locks, world);
        try {
            gateway.listen(settings);
            locks.begin();
            return gateway;
        } catch (RuntimeException e) {
            gateway.close();
            throw e;
        }
    }

    private void listen(NfsSettings settings) {
        clients = new ClientGauges(world.metrics, world.scheduler, this::connectionsByHost);
        RpcServer.Threads threads =
                new RpcServer.Threads(world.loops, workers, world.scheduler, world.clock);
        Endpoint nfs = listen(settings.listen(), served(), settings, threads);
        Endpoint mount = nfs;
        String host = settings.listen().host();
        Integer mountPort = settings.mountPort();
        if (mountPort != null) {
            List<RpcProgram> only =
                    programs.all().stream()
                            .filter(program -> program.number() == MountProgram.NUMBER)
                            .toList();
            mount = listen(new Endpoint(host, mountPort), only, settings, threads);
            mountEndpoint = mount;
        }
        Integer portmapPort = settings.portmapPort();
        if (portmapPort != null) {
            List<Mapping> mappings = mappings(nfs.port(), mount.port());
            mappings.addAll(PortmapProgram.itself(portmapPort));
            PortmapProgram portmap = new PortmapProgram(mappings);
            Endpoint found =
                    listen(new Endpoint(host, portmapPort), List.of(portmap), settings, threads);
            portmapEndpoint = found;
            // Status monitors, and some who look for a port, speak UDP only.
            datagrams.add(new DatagramServer(found, List.of(portmap), workers, world.clock));
        }
        Integer rpcbindPort = settings.rpcbindPort();
        if (portmapPort != null || rpcbindPort != null) {
            datagrams.add(new DatagramServer(nfs, List.of(locks.monitor()), workers, world.clock));
        }
        if (rpcbindPort != null) {
            registration =
                    new RpcbindRegistration(
                            rpcbindPort,
                            mappings(nfs.port(), mount.port()),
                            world.random.nextInt());
        }
        LOG.info("NFS served on {}", nfs);
    }

    private List<Mapping> mappings(int nfsPort, int mountPort) {
        List<Mapping> all = new ArrayList<>();
        for (RpcProgram program : served()) {
            int port = program.number() == MountProgram.NUMBER ? mountPort : nfsPort;
            all.add(new Mapping(program.number(), program.lowVersion(), PortmapProgram.TCP, port));
        }
        RpcProgram monitor = locks.monitor();
        all.add(new Mapping(monitor.number(), monitor.lowVersion(), PortmapProgram.UDP, nfsPort));
        return all;
    }

    private List<RpcProgram> served() {
        List<RpcProgram> all = new ArrayList<>(programs.all());
        all.addAll(locks.all());
        return all;
    }

    private Endpoint listen(
            Endpoint at, List<RpcProgram> served, NfsSettings settings, RpcServer.Threads threads) {
        List<RpcProgram> measured = new ArrayList<>();
        for (RpcProgram program : served) {
            measured.add(
                    new MeasuredProgram(
                            program,
                            world.metrics,
                            threads.clock(),
                            settings.slowMs(),
                            world.tracer));
        }
        RpcServer server = new RpcServer(at, measured, settings.limits(), threads);
        servers.add(server);
        return server.endpoint();
    }

    /** Where it listens. */
    public Endpoint endpoint() {
        return servers.get(0).endpoint();
    }

    /** Where MOUNT listens besides; null when nowhere. */
    public @Nullable Endpoint mountEndpoint() {
        return mountEndpoint;
    }

    /** Where the port mapper listens; null when there is none. */
    public @Nullable Endpoint portmapEndpoint() {
        return portmapEndpoint;
    }

    /** Connections now. */
    public int connectionCount() {
        return servers.stream().mapToInt(RpcServer::connectionCount).sum();
    }

    private Map<InetAddress, Integer> connectionsByHost() {
        Map<InetAddress, Integer> all = new HashMap<>();
        for (RpcServer server : servers) {
            server.connectionsByHost()
                    .forEach((host, count) -> all.merge(host, count, Integer::sum));
        }
        return all;
    }

    /** Memory that calls and answers hold now, in bytes. */
    public long usedBytes() {
        return servers.stream().mapToLong(RpcServer::usedBytes).sum();
    }

    /** Requests for locks that wait now. */
    public int waitingLockCount() {
        return locks.waitingCount();
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
        RpcbindRegistration registered = registration;
        if (registered != null) {
            registered.close();
        }
        ClientGauges gauges = clients;
        if (gauges != null) {
            gauges.close();
        }
        servers.forEach(RpcServer::close);
        datagrams.forEach(DatagramServer::close);
        locks.close();
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
