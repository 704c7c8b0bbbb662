package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.wire.master.ClusterRequest.TargetReport;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.NullUnmarked;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A server with two disks of which one does not answer any more; real threads, over TCP. */
@NullUnmarked
class HangingDiskTest {
    private static final int GROUPS = 4;
    private static final int THREADS = 2;
    private static final int BYTES = 10_000;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final NettyTransport transport = new NettyTransport("test-net", 2, Clock.system());
    private final ThreadScheduler scheduler = new ThreadScheduler("test-timer", 1);
    private final List<ExecutorService> pools = new ArrayList<>();
    private final List<TestDisk> disks = List.of(new TestDisk(), new TestDisk());
    private final List<StorageTarget> targets = new ArrayList<>();
    private FakeMapMaster master;
    private ChunkClient client;
    private ChunkService service;

    @BeforeEach
    void start() throws Exception {
        Endpoint any = new Endpoint("127.0.0.1", 0);
        int[] shape = {1, 1, GROUPS};
        master = new FakeMapMaster(transport, Clock.system(), scheduler, any, shape);
        client = new ChunkClient(transport, scheduler, Clock.system(), master, 1);
        Random random = new Random(1);
        Map<Path, Executor> executors = new HashMap<>();
        for (TestDisk disk : disks) {
            StoreSettings store =
                    StoreSettings.standard(random, Clock.system()).withReserveBytes(0);
            Path place = directory.resolve("disk" + targets.size());
            targets.add(StorageTarget.open(disk, place, store));
            executors.put(place, pool());
        }
        ServerContext world =
                new ServerContext(
                        transport, Clock.system(), scheduler, pool(), executors::get, random, 1);
        ChunkSettings settings = ChunkSettings.of("c1", any, List.of(master.endpoint()));
        service = new ChunkService(world, settings, targets);
        service.start();
        await(() -> service.clusterMap().epoch() > 0 && service.isReady(), "a map");
    }

    private ExecutorService pool() {
        ExecutorService pool =
                Executors.newFixedThreadPool(THREADS, Thread.ofPlatform().daemon().factory());
        pools.add(pool);
        return pool;
    }

    private static void await(BooleanSupplier condition, String what) {
        long endNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < endNs, "not within 30 s: " + what);
            LockSupport.parkNanos(5_000_000);
        }
    }

    @AfterEach
    void stop() {
        disks.forEach(disk -> disk.setHanging(false));
        service.close();
        transport.close();
        scheduler.close();
        pools.forEach(ExecutorService::shutdownNow);
    }

    /** The groups of a target. */
    private List<Integer> groups(int target) {
        List<Integer> groups = new ArrayList<>();
        for (int group = 1; group <= GROUPS; group++) {
            int head = master.group(group).members().getFirst().targetId();
            if (service.clusterMap().target(head).identity() == targets.get(target).identity()) {
                groups.add(group);
            }
        }
        return groups;
    }

    private TargetReport report(int target) {
        long identity = targets.get(target).identity();
        return master.heartbeat("c1").targets().stream()
                .filter(report -> report.identity() == identity)
                .findFirst()
                .orElseThrow();
    }

    @Test
    @Timeout(120)
    void theOtherDiskGoesOn() throws Exception {
        int hanging = groups(0).getFirst();
        int going = groups(1).getFirst();
        byte[] data = ChunkCluster.random(1, BYTES);
        client.write(going, 9, 0, 0, data).get(30, TimeUnit.SECONDS);
        disks.getFirst().setHanging(true);
        List<CompletableFuture<?>> stuck = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            stuck.add(client.write(hanging, 100 + i, 0, 0, data));
        }
        // At once, although more requests hang than all disks have threads.
        for (int i = 0; i < 20; i++) {
            client.write(going, 10 + i, 0, 0, data).get(30, TimeUnit.SECONDS);
            byte[] seen = client.read(going, 10 + i, 0, 0, BYTES).get(30, TimeUnit.SECONDS);
            assertArrayEquals(data, seen);
        }
        // The masters go on hearing of the server, and hear which disk it is.
        assertTrue(report(0).healthy());
        await(() -> !report(0).healthy(), "it counts as failed");
        assertTrue(report(1).healthy());
        assertTrue(service.isReady());
        assertEquals(
                targets.getFirst().directory().toAbsolutePath().toString(), report(0).directory());
        client.write(going, 77, 0, 0, data).get(30, TimeUnit.SECONDS);
        long beganNs = System.nanoTime();
        service.close();
        long tookMs = (System.nanoTime() - beganNs) / 1_000_000;
        assertTrue(tookMs < 10_000, "stopping took " + tookMs + " ms");
        assertFalse(
                stuck.stream().anyMatch(each -> each.isDone() && !each.isCompletedExceptionally()));
    }
}
