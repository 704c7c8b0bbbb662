package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of a class with labels have their copies on chunk servers with these labels only. */
final class LabelsProcessTest {
    private static final int BYTES = 3_000_000;

    @TempDir private Path directory;

    /** Bytes in the chunks of a server. */
    private long bytes(String server) throws Exception {
        String sizes = Shell.run(directory, "find " + server + "/pg -size +64k -printf '%s\\n'");
        return sizes.lines().mapToLong(line -> Long.parseLong(line.strip())).sum();
    }

    @Test
    @Timeout(value = 300)
    void bothCopiesAreOnServersWithTheLabel() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            cluster.startMasters(1, 3);
            cluster.startChunkServer("c1", "--label", "disk=ssd");
            cluster.startChunkServer("c2", "--label", "disk=hdd");
            cluster.startChunkServer("c3", "--label", "disk=ssd");
            Path mount = cluster.mount("mnt");
            Poll.until("pools", 60, () -> cluster.cairn("admin", "pools").contains("any"));
            cluster.cairn("class", "create", "fast", "--replicas", "2", "--labels", "disk=ssd");
            Path fast = Files.createDirectory(mount.resolve("fast"));
            cluster.cairn("fs", "set", "--class", "fast", fast.toString());

            byte[] bytes = new byte[BYTES];
            new Random(1).nextBytes(bytes);
            for (int i = 0; i < 4; i++) {
                Files.write(fast.resolve("f" + i), bytes);
            }
            String told = cluster.cairn("fs", "info", fast.resolve("f0").toString());
            assertTrue(told.contains("disk=ssd"), told);
            assertArrayEquals(bytes, Files.readAllBytes(fast.resolve("f3")));
            assertEquals(0, bytes("c2"));
            for (String server : List.of("c1", "c3")) {
                long stored = bytes(server);
                assertTrue(stored >= 4L * BYTES, server + " has " + stored + " bytes");
            }
        }
    }
}
