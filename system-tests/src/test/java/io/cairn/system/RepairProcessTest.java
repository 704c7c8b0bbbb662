package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunk servers that are lost for good: their copies are made anew elsewhere. */
final class RepairProcessTest {
    private static final int FILES = 40;
    private static final int FILE_BYTES = 200_000;

    @TempDir private Path directory;

    private static byte[] contents(int number) {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private static void verify(Path mount) throws IOException {
        for (int i = 0; i < FILES; i++) {
            assertArrayEquals(contents(i), Files.readAllBytes(mount.resolve("f" + i)), "file " + i);
        }
    }

    /** The files of the blobs of a target. */
    private List<Path> blobs(String server) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(server).resolve("pg"))) {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    @Timeout(value = 300)
    void copiesOfALostServerAreMadeAnewAndItDropsThemWhenItReturns() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(1, 4);
            cluster.startChunkServers(4);
            Path mount = cluster.mount("mnt");
            cluster.cairn("admin", "config", "set", "repairGraceMs=1000");
            for (int i = 0; i < FILES; i++) {
                Files.write(mount.resolve("f" + i), contents(i));
            }
            assertTrue(blobs("c1").size() > FILES / 8, "c1 has some");
            cluster.kill("c1");
            Files.delete(mount.resolve("f0"));
            Files.write(mount.resolve("f0"), contents(0));
            Poll.until(
                    "two copies of all, and none of what was deleted",
                    60,
                    () ->
                            blobs("c2").size() + blobs("c3").size() + blobs("c4").size()
                                    == 2 * FILES);
            // The file of a copy is there before its contents are.
            for (String server : List.of("c2", "c3", "c4")) {
                Poll.until("all copies on " + server, 60, () -> cluster.isWhole(server));
            }
            cluster.kill("c2");
            verify(mount);
            cluster.start("c2");
            cluster.start("c1");
            Poll.until("nothing is left on c1", 60, () -> blobs("c1").isEmpty());
            verify(mount);
        }
    }
}
