package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.testkit.Shell;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code kill -9} of each kind of process under load: what was acknowledged is there afterwards.
 */
@Timeout(value = 300)
final class CrashTest {
    private static final int GAP_BYTES = 64 << 20;

    @TempDir private Path directory;

    private static void letItWork(AckedLoad load, int operations) {
        int goal = load.operations() + operations;
        Poll.until(operations + " more operations", 60, () -> load.operations() >= goal);
    }

    private static void randomMoment(Random random) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(300)));
    }

    @Test
    void aKilledChunkServerLosesNothing() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 3);
            cluster.startChunkServers(3);
            Path mount = cluster.mount("mnt");
            Random random = new Random(1);
            try (AckedLoad load = new AckedLoad(mount, 3, 1, true)) {
                for (int round = 1; round <= 3; round++) {
                    letItWork(load, 60);
                    randomMoment(random);
                    cluster.kill("c" + round);
                    letItWork(load, 60);
                    cluster.start("c" + round);
                    awaitInSync(cluster);
                }
                load.stop();
                load.verify(mount);
                assertEquals(
                        List.of(),
                        load.failures(),
                        "no operation may fail while a second replica serves; logs:\n"
                                + cluster.logs());
            }
        }
    }

    private static void awaitInSync(ProcessCluster cluster) {
        Poll.until(
                "all replicas in sync",
                60,
                () -> {
                    CommandResult status =
                            CommandResult.of(
                                    List.of("status", "--masters", cluster.masters(), "--json"));
                    return status.code() == 0 && status.out().contains("\"groupsAtRisk\":0");
                });
    }

    @Test
    void aKilledMasterLosesNothing() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path mount = cluster.mount("mnt");
            Random random = new Random(2);
            try (AckedLoad load = new AckedLoad(mount, 3, 2, true)) {
                for (int round = 1; round <= 3; round++) {
                    letItWork(load, 100);
                    randomMoment(random);
                    cluster.kill("m1");
                    cluster.start("m1");
                    letItWork(load, 60);
                }
                load.stop();
                load.verify(mount);
                assertEquals(
                        List.of(),
                        load.failures(),
                        "operations wait for the master, they do not fail; logs:\n"
                                + cluster.logs());
            }
        }
    }

    @Test
    void aKilledMountLosesNothingThatWasClosed() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            for (int round = 1; round <= 2; round++) {
                Path mount = cluster.mount("mnt" + round);
                AckedLoad load = new AckedLoad(mount, 3, 3 + round, false);
                letItWork(load, 150);
                cluster.kill("mnt" + round);
                load.stop();
                Path again = cluster.mount("again" + round);
                load.verify(again);
                Shell.run(again, "rm -rf w0 w1 w2");
            }
        }
    }

    @Test
    void everythingKilledAtOnceLosesNothing() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            AckedLoad load = new AckedLoad(mount, 3, 9, false);
            letItWork(load, 200);
            for (String name : new String[] {"c1", "m1", "mnt", "c2"}) {
                cluster.kill(name);
            }
            load.stop();
            for (String name : new String[] {"m1", "c1", "c2"}) {
                cluster.start(name);
            }
            load.verify(cluster.mount("again"));
        }
    }

    /** I14: what it wrote beyond the committed size stays in the chunks and must not come back. */
    @Test
    void whatAKilledMountDidNotCommitIsZerosWhenTheFileIsExtended() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 1);
            cluster.startChunkServers(1);
            Path victim = cluster.mount("victim");
            Path other = cluster.mount("other");
            List<String> names = List.of("truncated", "written");
            List<Thread> writers = new ArrayList<>();
            for (String name : names) {
                writers.add(Thread.ofPlatform().start(() -> fill(victim.resolve(name))));
            }
            for (String name : names) {
                Poll.until(
                        "some of " + name + " is committed",
                        60,
                        () -> Files.size(other.resolve(name)) > 0);
            }
            cluster.kill("victim");
            CairnProcess master = cluster.process("m1");
            Poll.until(
                    "the master has noticed",
                    60,
                    () -> master.output().contains("has gone without ending its session"));
            for (Thread writer : writers) {
                writer.join(60_000);
            }
            Path later = cluster.mount("later");
            long truncatedBytes = Files.size(later.resolve("truncated"));
            long writtenBytes = Files.size(later.resolve("written"));
            Shell.run(later, "truncate -s " + (truncatedBytes + GAP_BYTES) + " truncated");
            Shell.run(
                    later,
                    "printf x | dd of=written bs=1 conv=notrunc status=none seek="
                            + (writtenBytes + GAP_BYTES));
            for (Path mount : List.of(later, other)) {
                requireZeros(mount.resolve("truncated"), truncatedBytes);
                requireZeros(mount.resolve("written"), writtenBytes);
            }
        }
    }

    /** Writes until the mount is killed. */
    private static void fill(Path file) {
        byte[] block = new byte[1 << 20];
        Arrays.fill(block, (byte) 'x');
        try (OutputStream out = Files.newOutputStream(file)) {
            for (int i = 0; i < 4096; i++) {
                out.write(block);
            }
        } catch (IOException e) {
            // Killed: that is what ends it.
        }
    }

    /** That {@link #GAP_BYTES} bytes from an offset on are zeros. */
    private static void requireZeros(Path file, long fromBytes) throws IOException {
        ByteBuffer found = ByteBuffer.allocate(GAP_BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            while (found.hasRemaining() && channel.read(found, fromBytes + found.position()) > 0) {
                // A read may be short.
            }
        }
        assertEquals(GAP_BYTES, found.position(), file.toString());
        int different = found.flip().mismatch(ByteBuffer.allocate(GAP_BYTES));
        assertEquals(-1, different, file + " beyond " + fromBytes);
    }
}
