package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Copies of ranges while a process is killed: what was told to be copied is there. */
@Timeout(300)
final class CopyFaultsTest {
    private static final int MB = 1 << 20;

    @TempDir private Path directory;

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    @Test
    void aKilledChunkServerInterruptsNoCopy() throws Exception {
        byte[] contents = random(30 * MB + 77);
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 2);
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            Path from = Files.write(mount.resolve("from"), contents);
            try (NativePosix posix = new NativePosix(mount, Set.of(), 0)) {
                int source = posix.open("from", Posix.O_RDONLY, 0);
                int target = posix.open("to", Posix.O_WRONLY | Posix.O_CREAT | Posix.O_EXCL, 0644);
                boolean isKilled = false;
                long done = 0;
                for (long count = 1; count > 0; done += count) {
                    if (done >= contents.length / 3 && !isKilled) {
                        cluster.kill("c1");
                        isKilled = true;
                    }
                    count = posix.copyRange(source, done, target, done, 3 * MB);
                }
                assertTrue(isKilled);
                assertEquals(contents.length, done);
                posix.fsync(target);
                posix.close(target);
                posix.close(source);
            }
            // Not out of the caches of the mount that wrote it.
            Path other = cluster.mount("other");
            assertEquals(-1, Files.mismatch(from, other.resolve("to")), cluster.logs());
            assertArrayEquals(contents, Files.readAllBytes(other.resolve("from")));
        }
    }
}
