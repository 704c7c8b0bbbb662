package io.cairn.bench;

import io.cairn.chunk.ChunkService;
import io.cairn.chunk.ChunkSettings;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.master.MasterService;
import io.cairn.master.MasterSettings;
import io.cairn.master.cluster.ClusterSettings;
import io.cairn.master.raft.LogListener;
import io.cairn.master.raft.RatisLog;
import io.cairn.master.raft.RatisSettings;
import io.cairn.master.raft.member.Peer;
import io.cairn.master.store.StoreSettings;
import io.cairn.metadata.state.Notice;
import io.cairn.net.FreePorts;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.ThreadScheduler;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Files through the client, a master with a real Raft log and a chunk server, all in this process
 * over loopback: create, write and close a file, empty or of 4 KiB or 64 KiB, and look one up. Data
 * in /dev/shm.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(value = 1, jvmArgsAppend = "-Xmx2g")
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 3, time = 2)
@SuppressWarnings("NullAway.Init") // JMH calls the setup before anything else.
public class FileBenchmark {
    private static final long READY_MS = 20_000;
    private static final int FILES_PER_DIRECTORY = 5_000;

    private final Clock clock = Clock.system();
    private final Random random = new Random(1);
    private final FreePorts ports = new FreePorts(new Random());
    private final ByteBuffer block = ByteBuffer.allocateDirect(64 << 10);
    private Path directory = Path.of("");
    private NettyTransport servers;
    private NettyTransport clients;
    private ThreadScheduler scheduler;
    private ExecutorService disks;
    private RatisLog log;
    private MasterService master;
    private StorageTarget target;
    private ChunkService chunks;
    private CairnFileSystem files;
    private long parent;
    private long made;

    @Setup
    public void start() throws IOException, InterruptedException {
        directory = Scratch.create();
        servers = new NettyTransport("servers", 1, clock);
        clients = new NettyTransport("clients", 1, clock);
        scheduler = new ThreadScheduler("timer", 1);
        disks = Executors.newFixedThreadPool(2);
        startMaster();
        startChunkServer();
        ClientSettings settings = ClientSettings.of(List.of(master.endpoint()), "bench");
        files = CairnFileSystem.connect(settings, clients, clock, scheduler, random);
        nextDirectory();
    }

    private void startMaster() throws IOException {
        Endpoint listen = new Endpoint("127.0.0.1", ports.next());
        Endpoint raft = new Endpoint("127.0.0.1", ports.next());
        RatisSettings settings =
                new RatisSettings(
                        "m1",
                        directory.resolve("m1"),
                        new RatisSettings.Members(List.of(new Peer("m1", raft)), true),
                        listen,
                        StoreSettings.standard(),
                        RatisSettings.CheckpointRule.standard());
        log =
                new RatisLog(
                        settings,
                        clock,
                        new Silent(),
                        Runnable::run,
                        _ -> Runtime.getRuntime().halt(1),
                        null);
        log.start();
        master =
                new MasterService(
                        new MasterSettings(
                                "m1",
                                listen,
                                new ClusterSettings(1, 1, 2_000, 3_000),
                                4096,
                                15_000),
                        new MasterService.Context(
                                log, log::namespace, servers, clock, scheduler, random));
    }

    private void startChunkServer() throws IOException, InterruptedException {
        target =
                StorageTarget.open(
                        new FileDisk(),
                        directory.resolve("c1"),
                        io.cairn.chunk.store.StoreSettings.standard(random, clock));
        Endpoint any = new Endpoint("127.0.0.1", 0);
        chunks =
                new ChunkService(
                        new ServerContext(servers, clock, scheduler, disks, random, 1),
                        ChunkSettings.of("c1", any, List.of(master.endpoint())),
                        List.of(target));
        chunks.start();
        long end = clock.millis() + READY_MS;
        while (master.notServingReason() != null) {
            if (clock.millis() > end) {
                throw new IllegalStateException(master.notServingReason());
            }
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** Nobody waits for locks here. */
    private static final class Silent implements LogListener {
        @Override
        public void leading(long term) {}

        @Override
        public void following() {}

        @Override
        public void notices(List<Notice> notices) {}
    }

    @TearDown
    public void stop() throws IOException {
        files.close();
        chunks.close();
        target.close();
        master.close();
        log.close();
        disks.shutdownNow();
        clients.close();
        servers.close();
        scheduler.close();
        Scratch.delete(directory);
    }

    private void nextDirectory() {
        parent = files.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("d" + made), 0755).ino();
    }

    private long writeFile(int bytes) {
        if (++made % FILES_PER_DIRECTORY == 0) {
            nextDirectory();
        }
        FileSystem.Created created =
                files.create(
                        Caller.ROOT,
                        parent,
                        Name.of("f" + made),
                        0644,
                        FileSystem.O_WRONLY | FileSystem.O_EXCL);
        try (var file = created.file()) {
            if (bytes > 0) {
                file.write(0, block.duplicate().limit(bytes));
            }
            return file.ino();
        }
    }

    @Benchmark
    public long createEmpty() {
        return writeFile(0);
    }

    @Benchmark
    public long createWriteClose4k() {
        return writeFile(4 << 10);
    }

    @Benchmark
    public long createWriteClose64k() {
        return writeFile(64 << 10);
    }

    @Benchmark
    public Attributes getAttributesCached() {
        return files.getAttributes(Caller.ROOT, FileSystem.ROOT_INO);
    }
}
