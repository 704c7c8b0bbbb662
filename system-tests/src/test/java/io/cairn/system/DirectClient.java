package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientRuntime;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.node.ProcessContext;
import io.cairn.runtime.BootIdentity;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A client that may read files of chunk servers here itself, and counts how often it did. */
final class DirectClient implements AutoCloseable {
    private static final int ROOT = 1;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private final CairnFileSystem files;

    /** Connects; keeps nothing in memory. */
    DirectClient(ProcessContext world, List<Endpoint> masters) {
        ClientSettings settings =
                ClientSettings.of(masters, "direct")
                        .withAttributeTtlMs(0)
                        .withConnectTimeoutMs(60_000)
                        .withRequestTimeoutMs(60_000)
                        .withBuffers(64 << 20, 0);
        ClientRuntime runtime =
                new ClientRuntime(world.clock(), world.scheduler(), world.random())
                        .onMachine(BootIdentity.of(List.of(), world.random()));
        files = CairnFileSystem.connect(settings, world.transport(), runtime, registry);
    }

    CairnFileSystem files() {
        return files;
    }

    long directReads() {
        return (long) registry.get("cairn.client.direct.reads").functionCounter().count();
    }

    static OpenFile open(FileSystem files, String name) {
        long ino = files.lookup(Caller.ROOT, ROOT, Name.of(name)).ino();
        return files.open(Caller.ROOT, ino, FileSystem.O_RDONLY);
    }

    /** Writes from an offset on, durably. */
    static void write(FileSystem files, String name, long offset, byte[] bytes) {
        try (OpenFile file =
                files.create(Caller.ROOT, ROOT, Name.of(name), 0644, FileSystem.O_RDWR).file()) {
            for (int at = 0; at < bytes.length; ) {
                int count = Math.min(1 << 20, bytes.length - at);
                at += file.write(offset + at, ByteBuffer.wrap(bytes, at, count));
            }
            file.sync(false);
        }
    }

    static byte[] read(OpenFile file, long offset, int length) {
        ByteBuffer target = ByteBuffer.allocateDirect(length);
        while (target.hasRemaining() && file.read(offset + target.position(), target) > 0) {}
        byte[] found = new byte[target.position()];
        target.flip().get(found);
        return found;
    }

    /** Reads the same range until it was read without the network; every read is right. */
    void readDirectly(OpenFile file, long offset, byte[] expected) {
        long before = directReads();
        List<byte[]> wrong = new ArrayList<>();
        Poll.until(
                "a direct read",
                60,
                () -> {
                    byte[] found = read(file, offset, expected.length);
                    if (!Arrays.equals(expected, found)) {
                        wrong.add(found);
                    }
                    return !wrong.isEmpty() || directReads() > before;
                });
        // A failed assertion within would only count as "not yet".
        for (byte[] found : wrong) {
            assertArrayEquals(expected, found);
        }
    }

    @Override
    public void close() {
        files.close();
    }
}
