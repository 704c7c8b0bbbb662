package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of a class with labels have their copies on chunk servers with these labels only. */
final class LabelsProcessTest {
    private static final int BYTES = 3_000_000;

    @TempDir private Path directory;

    private String cairn(ProcessCluster cluster, String... words) throws Exception {
        String address = cluster.process("m1").await("admin on (\\S+)", 60).group(1);
        List<String> command = new ArrayList<>(List.of(words));
        command.addAll(
                List.of(
                        "--api",
                        "http://" + address,
                        "--token-file",
                        cluster.awaitFirstToken().toString()));
        CommandResult result = CommandResult.of(command);
        assertEquals(0, result.code(), result.errors());
        return result.out();
    }

    private void startServer(ProcessCluster cluster, String name, String label) {
        cluster.start(
                name,
                "chunk",
                "--id",
                name,
                "--data",
                directory.resolve(name).toString(),
                "--listen",
                "127.0.0.1:" + ProcessCluster.freePort(),
                "--masters",
                cluster.masters(),
                "--label",
                label);
    }

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
            startServer(cluster, "c1", "disk=ssd");
            startServer(cluster, "c2", "disk=hdd");
            startServer(cluster, "c3", "disk=ssd");
            Path mount = cluster.mount("mnt");
            Poll.until("pools", 60, () -> cairn(cluster, "admin", "pools").contains("any"));
            cairn(cluster, "class", "create", "fast", "--replicas", "2", "--labels", "disk=ssd");
            Path fast = Files.createDirectory(mount.resolve("fast"));
            cairn(cluster, "fs", "set", "--class", "fast", fast.toString());

            byte[] bytes = new byte[BYTES];
            new Random(1).nextBytes(bytes);
            for (int i = 0; i < 4; i++) {
                Files.write(fast.resolve("f" + i), bytes);
            }
            String told = cairn(cluster, "fs", "info", fast.resolve("f0").toString());
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
