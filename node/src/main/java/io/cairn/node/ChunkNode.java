package io.cairn.node;

import io.cairn.chunk.ChunkService;
import io.cairn.chunk.ChunkSettings;
import io.cairn.chunk.FormerTargets;
import io.cairn.chunk.direct.DirectSocket;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.chunk.store.blob.BlobVerification;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.chunk.store.seal.Keyring;
import io.cairn.identity.TlsSecurity;
import io.cairn.net.Transport;
import io.cairn.node.identity.Renewal;
import io.cairn.runtime.BootIdentity;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.MeasuredDisk;
import io.cairn.runtime.OwnerOnly;
import io.cairn.wire.master.OperationNames;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Tags;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** A chunk server: its storage directories and its service, put together. */
public final class ChunkNode implements AutoCloseable {
    private static final int CONTROL_THREADS = 2;
    private static final long STOP_LIMIT_MS = 3_000;

    /** Why a server is not ready that no master has answered. */
    public static final String NO_MASTER = "no lease: no master has answered lately";

    /** Why a server is not ready that has just come. */
    private static final String NOT_LISTED =
            "the cluster map does not list its directories yet: the masters are about to";

    private final Closing closing = new Closing();
    private final ChunkService service;

    /** Never false again: a map that is older for a moment is no reason not to serve. */
    private volatile boolean listed;

    public ChunkNode(ProcessContext world, ChunkSettings settings, ChunkDirectories directories) {
        this(world, settings, directories, () -> {});
    }

    /**
     * The same for who wants to know when it begins to wait for masters. What can be refused
     * without them has been refused by then.
     *
     * @param asking called once, on this thread, before a master is asked
     * @throws CommandException when a directory is refused, with the exit code for it
     */
    public ChunkNode(
            ProcessContext world,
            ChunkSettings settings,
            ChunkDirectories directories,
            Runnable asking) {
        try {
            Transport transport =
                    world.measured(
                            "chunk",
                            OperationNames::ofChunk,
                            world.tracer("cairn-chunk", settings.name()));
            FormerTargets former = new FormerTargets(transport, world.scheduler(), settings);
            Keyring keys = new Keyring(world.masterKey());
            List<Path> empty = directories.empty();
            List<StorageTarget> targets = open(world, keys, directories, empty);
            asking.run();
            directories.requireMounted(empty, targets, former, settings.name());
            for (Path directory : empty) {
                targets.add(target(world, keys, directory));
            }
            List<ExecutorService> pools = new ArrayList<>();
            closing.add(() -> stop(pools, world.clock()));
            ExecutorService control = pool("control", CONTROL_THREADS, pools);
            Map<Path, Executor> disks = new HashMap<>();
            for (StorageTarget target : targets) {
                String name = "disk" + disks.size();
                ExecutorService threads = pool(name, world.tuning().diskThreads(), pools);
                disks.put(
                        target.directory(), world.loops().awake(threads, world.tuning().diskNs()));
            }
            ServerContext surroundings =
                    new ServerContext(
                            transport,
                            world.clock(),
                            world.scheduler(),
                            control,
                            directory -> Objects.requireNonNull(disks.get(directory)),
                            world.random(),
                            BootIdentity.of(directories.paths(), world.random()));
            service = closing.add(new ChunkService(surroundings, settings, targets));
            grantThroughSocket(world, directories.paths().get(0));
            secure(world);
            service.start();
            measureScrubs(world, targets);
            Gauge.builder("cairn.chunk.serving", service, s -> s.isReady() ? 1 : 0)
                    .description("1 while a master's lease runs")
                    .tag("server", settings.name())
                    .register(world.metrics());
        } catch (IOException e) {
            closing.close();
            throw ChunkDirectories.refusal(e);
        } catch (RuntimeException e) {
            closing.close();
            throw e;
        }
    }

    /** Clients of this machine may read files of blobs themselves. */
    private void grantThroughSocket(ProcessContext world, Path directory) {
        long machine = BootIdentity.of(List.of(), world.random());
        Path socket = new TargetPaths(directory).direct();
        DirectSocket door = DirectSocket.open(socket, machine, world.random(), world.clock());
        if (door != null) {
            closing.add(door);
            service.grantThrough(door);
        }
    }

    private void secure(ProcessContext world) {
        service.refusals().measure(world.metrics());
        TlsSecurity security = world.security();
        if (security != null) {
            service.onRevoked(security::revokeMore);
            service.onAuthorities(world::trust);
            world.renewBy(Renewal.byMasters(world.transport(), service::masters, world.clock()));
        }
    }

    /** Those that are targets already. */
    private List<StorageTarget> open(
            ProcessContext world, Keyring keys, ChunkDirectories directories, List<Path> empty)
            throws IOException {
        List<StorageTarget> targets = new ArrayList<>();
        for (Path directory : directories.paths()) {
            if (!empty.contains(directory)) {
                targets.add(target(world, keys, directory));
            }
        }
        return targets;
    }

    private StorageTarget target(ProcessContext world, Keyring keys, Path directory)
            throws TargetException {
        Disk disk =
                new MeasuredDisk(
                        new FileDisk(), world.clock(), world.metrics(), directory.toString());
        StoreSettings settings =
                StoreSettings.standard(world.random(), world.clock())
                        .withBoot(() -> BootIdentity.of(List.of(directory), world.random()))
                        .withKeys(keys);
        StorageTarget target = closing.add(StorageTarget.open(disk, directory, settings));
        OwnerOnly.close(directory);
        measure(world, target, directory);
        return target;
    }

    private static void measure(ProcessContext world, StorageTarget target, Path directory) {
        Tags tags = Tags.of("target", directory.toString());
        world.metrics().gauge("cairn.target.capacity.bytes", tags, target, t -> t.capacityBytes());
        world.metrics().gauge("cairn.target.free.bytes", tags, target, t -> t.freeBytes());
        world.metrics().gauge("cairn.target.blobs", tags, target, t -> t.chunks().total());
        world.metrics().gauge("cairn.target.healthy", tags, target, t -> t.healthy() ? 1 : 0);
        BlobVerification scrub = target.verification();
        world.metrics().gauge("cairn.target.damaged", tags, target, t -> t.doubtful().size());
        world.metrics().gauge("cairn.target.quarantined", tags, scrub, s -> s.quarantined());
        world.metrics()
                .gauge("cairn.target.compression.saved.bytes", tags, scrub, s -> s.savingBytes());
        counter(world, "cairn.target.scrub.read.bytes", tags, scrub, s -> s.readBytes());
        counter(world, "cairn.target.scrub.blobs", tags, scrub, s -> s.verifiedBlobs());
        counter(world, "cairn.target.packed.blobs", tags, scrub, s -> s.packedBlobs());
        counter(world, "cairn.target.packed.saved.bytes", tags, scrub, s -> s.savedBytes());
    }

    private static void counter(
            ProcessContext world,
            String name,
            Tags tags,
            BlobVerification scrub,
            ToDoubleFunction<BlobVerification> value) {
        FunctionCounter.builder(name, scrub, value).tags(tags).register(world.metrics());
    }

    /** What is known only while the service runs. */
    private void measureScrubs(ProcessContext world, List<StorageTarget> targets) {
        for (StorageTarget target : targets) {
            Tags tags = Tags.of("target", target.directory().toString());
            world.metrics()
                    .gauge(
                            "cairn.target.verified.seconds",
                            tags,
                            service,
                            s -> age(s.scrubReport(target).verifiedAgoMs()));
            FunctionCounter.builder(
                            "cairn.target.scrub.found", service, s -> s.scrubReport(target).found())
                    .tags(tags)
                    .register(world.metrics());
            FunctionCounter.builder(
                            "cairn.target.scrub.mended",
                            service,
                            s -> s.scrubReport(target).mended())
                    .tags(tags)
                    .register(world.metrics());
        }
    }

    private static double age(long agoMs) {
        return agoMs < 0 ? Double.NaN : agoMs / 1e3;
    }

    private static ExecutorService pool(String name, int threads, List<ExecutorService> pools) {
        ExecutorService pool =
                Executors.newFixedThreadPool(
                        threads, Thread.ofPlatform().daemon().name(name + "-", 0).factory());
        pools.add(pool);
        return pool;
    }

    /** A thread that hangs is left behind. */
    private static void stop(List<ExecutorService> pools, Clock clock) throws InterruptedException {
        pools.forEach(ExecutorService::shutdown);
        long endMs = clock.millis() + STOP_LIMIT_MS;
        for (ExecutorService pool : pools) {
            long leftMs = Math.max(0, endMs - clock.millis());
            if (!pool.awaitTermination(leftMs, TimeUnit.MILLISECONDS)) {
                pool.shutdownNow();
            }
        }
    }

    /**
     * Why the server cannot serve now, or null when it can. It begins when the cluster map lists
     * its targets: one that ended before that would leave no trace at the masters.
     */
    public @Nullable String notReadyReason() {
        if (service.isReady()) {
            if (!listed) {
                listed = service.isListed();
            }
            return listed ? null : NOT_LISTED;
        }
        return service.refusal().isEmpty()
                ? NO_MASTER
                : "the masters refuse it: " + service.refusal();
    }

    public ChunkService service() {
        return service;
    }

    /** Lets others take over what it does; {@link #close} follows. Blocks, for 5 s at most. */
    public void leave() {
        service.leave().join();
    }

    @Override
    public void close() {
        closing.close();
    }
}
