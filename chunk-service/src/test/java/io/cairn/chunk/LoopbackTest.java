package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.ServerContext;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.StoreSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.ThreadScheduler;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Three servers with real threads, over TCP, on the real disk. */
class LoopbackTest {
    private static final int SERVERS = 3;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    private final NettyTransport transport = new NettyTransport("test-net", 2, Clock.system());
    private final ThreadScheduler scheduler = new ThreadScheduler("test-timer", 1);
    private final ExecutorService disks = Executors.newFixedThreadPool(4);
    private final List<ChunkService> services = new ArrayList<>();
    private final List<StorageTarget> targets = new ArrayList<>();
    private FakeMapMaster master;
    private ChunkClient client;

    LoopbackTest() {
        master = newMaster();
        client = new ChunkClient(transport, scheduler, Clock.system(), master, 1);
    }

    private FakeMapMaster newMaster() {
        Endpoint any = new Endpoint("127.0.0.1", 0);
        int[] shape = {SERVERS, SERVERS, 4};
        return new FakeMapMaster(transport, Clock.system(), scheduler, any, shape);
    }

    @BeforeEach
    void start() throws Exception {
        Random random = new Random(1);
        for (int i = 1; i <= SERVERS; i++) {
            StoreSettings store =
                    StoreSettings.standard(random, Clock.system()).withReserveBytes(0);
            StorageTarget target =
                    StorageTarget.open(new FileDisk(), directory.resolve("c" + i), store);
            ServerContext world =
                    new ServerContext(transport, Clock.system(), scheduler, disks, random, 1);
            ChunkSettings settings =
                    ChunkSettings.of(
                            "c" + i, new Endpoint("127.0.0.1", 0), List.of(master.endpoint()));
            ChunkService service = new ChunkService(world, settings, List.of(target));
            service.start();
            services.add(service);
            targets.add(target);
        }
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
        while (services.stream().anyMatch(s -> s.clusterMap().epoch() == 0)) {
            assertTrue(System.nanoTime() < deadline, "no map within 30 s");
            Thread.sleep(10);
        }
    }

    @AfterEach
    void stop() {
        long before = System.nanoTime();
        services.forEach(ChunkService::close);
        services.forEach(ChunkService::close);
        long tookMs = (System.nanoTime() - before) / 1_000_000;
        transport.close();
        scheduler.close();
        disks.shutdown();
        assertTrue(tookMs < 5_000 * SERVERS, "closing took " + tookMs + " ms");
    }

    @Test
    void manyWritesAtATimeAreOnAllReplicas() throws Exception {
        int chunks = 16;
        int pieces = 8;
        List<CompletableFuture<?>> writes = new ArrayList<>();
        for (int chunk = 0; chunk < chunks; chunk++) {
            for (int piece = 0; piece < pieces; piece++) {
                byte[] data = bytes(chunk, piece);
                writes.add(client.write(1 + chunk % 4, 10 + chunk, 0, piece * data.length, data));
            }
        }
        Futures.all(writes).get(60, TimeUnit.SECONDS);
        List<CompletableFuture<?>> flushes = new ArrayList<>();
        for (int chunk = 0; chunk < chunks; chunk++) {
            flushes.add(client.flush(1 + chunk % 4, 10 + chunk, 0));
        }
        Futures.all(flushes).get(60, TimeUnit.SECONDS);
        for (int chunk = 0; chunk < chunks; chunk++) {
            int group = 1 + chunk % 4;
            for (int piece = 0; piece < pieces; piece++) {
                byte[] data = bytes(chunk, piece);
                assertArrayEquals(
                        data,
                        client.read(group, 10 + chunk, 0, piece * data.length, data.length)
                                .get(30, TimeUnit.SECONDS));
            }
            for (StorageTarget target : targets) {
                assertEquals(
                        targets.get(0).stat(group, 10 + chunk, 0),
                        target.stat(group, 10 + chunk, 0));
                assertEquals(pieces, target.stat(group, 10 + chunk, 0).sequence());
            }
        }
    }

    private static byte[] bytes(int chunk, int piece) {
        byte[] data = new byte[10_000];
        new Random(chunk * 100L + piece).nextBytes(data);
        return data;
    }

    @Test
    void garbageOnThePortHurtsNobody() throws Exception {
        Random random = new Random(3);
        for (int i = 0; i < 30; i++) {
            byte[] garbage = new byte[1 + random.nextInt(5_000)];
            random.nextBytes(garbage);
            Endpoint endpoint = services.get(i % SERVERS).endpoint();
            try (Socket socket = new Socket(endpoint.host(), endpoint.port())) {
                socket.setSoTimeout(15_000);
                OutputStream out = socket.getOutputStream();
                InputStream in = socket.getInputStream();
                out.write(garbage);
                out.flush();
                socket.shutdownOutput();
                while (in.read() >= 0) {}
            } catch (java.net.SocketException reset) {
                // The server may cut the connection while something is on its way.
            }
        }
        client.write(1, 7, 0, 0, new byte[100]).get(30, TimeUnit.SECONDS);
    }
}
