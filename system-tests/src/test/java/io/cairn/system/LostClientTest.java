package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.client.CairnFileSystem;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.net.EventLoops;
import io.cairn.net.tcp.NettyTransport;
import io.cairn.runtime.Clock;
import io.cairn.runtime.ThreadScheduler;
import io.cairn.testkit.Shell;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client leaves behind that is cut off and never comes back. */
@Timeout(value = 300)
final class LostClientTest {
    private static final int REWRITTEN_BYTES = 64 << 20;
    private static final int LEAST_BYTES = 4 << 20;

    /** Short: the collection waits twice as long. A standstill of some seconds ends no session. */
    private static final long LEASE_MS = 4_000;

    @TempDir private Path directory;

    /** I11: chunks of a file of which the master never heard anything but its name. */
    @Test
    void whatALostClientWroteOfANewFileIsCollected() throws Exception {
        try (TestCluster cluster = new TestCluster(directory, 1, 1, LEASE_MS)) {
            Path mount = cluster.mount("mnt", MountOptions.standard());
            long before = usedBytes();
            writeAndVanish(cluster.master(), before + LEAST_BYTES);
            assertEquals(0, Files.size(mount.resolve("new")));
            Poll.until("what it wrote is collected", 100, () -> usedBytes() < before + LEAST_BYTES);
            assertEquals(0, Files.size(mount.resolve("new")));
            byte[] zeros = new byte[REWRITTEN_BYTES];
            Files.write(mount.resolve("new"), zeros);
            assertArrayEquals(zeros, Files.readAllBytes(mount.resolve("new")));
        }
    }

    /** A client that never commits by itself stores chunks, and is cut off without a word. */
    private void writeAndVanish(Endpoint master, long untilBytes) throws Exception {
        try (ThreadScheduler scheduler = new ThreadScheduler("victim", 1);
                EventLoops loops = new EventLoops("victim", 1, Clock.system());
                NettyTransport transport = new NettyTransport(loops)) {
            ClientSettings settings =
                    ClientSettings.of(List.of(master), "victim").withWriteBackDelayMs(600_000);
            FileSystem victim =
                    CairnFileSystem.connect(
                            settings, transport, Clock.system(), scheduler, new Random(1));
            FileSystem.Created made =
                    victim.create(
                            Caller.ROOT,
                            FileSystem.ROOT_INO,
                            Name.of("new"),
                            0644,
                            FileSystem.O_RDWR);
            byte[] bytes = new byte[2 * LEAST_BYTES];
            Arrays.fill(bytes, (byte) 'x');
            made.file().write(0, ByteBuffer.wrap(bytes));
            Poll.until("it is stored", 30, () -> usedBytes() >= untilBytes);
        }
    }

    /** What the only chunk server takes of its disk. */
    private long usedBytes() throws Exception {
        String answer =
                Shell.run(directory, "du -s --block-size=1 data/chunk-1 2>/dev/null || true");
        return Long.parseLong(answer.substring(0, answer.indexOf('\t')));
    }
}
