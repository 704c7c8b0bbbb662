package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/**
 * Servers with two disks each: one disk is emptied to the other one of its server, because no other
 * server may take what is on it. The server is killed in the middle. Files are read through mounts
 * that have nothing of them in a cache.
 */
final class DiskDrainProcessTest {
    private static final int FILES = 24;
    private static final int FILE_BYTES = 1 << 20;

    @TempDir private Path directory;

    private static byte[] contents(int number) {
        byte[] bytes = new byte[FILE_BYTES];
        new Random(number).nextBytes(bytes);
        return bytes;
    }

    private static void write(Path mount, int number) throws IOException {
        Files.write(mount.resolve("f" + number), contents(number));
    }

    private static void verify(Path mount, int files) throws IOException {
        for (int i = 0; i < files; i++) {
            assertArrayEquals(contents(i), Files.readAllBytes(mount.resolve("f" + i)), "file " + i);
        }
    }

    /** How many blobs are in a directory of a server. */
    private long blobs(String disk) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(disk).resolve("pg"))) {
            return files.filter(Files::isRegularFile).count();
        }
    }

    private void startServer(ProcessCluster cluster, String name, int port, String... disks) {
        List<String> paths =
                Stream.of(disks).map(disk -> directory.resolve(disk).toString()).toList();
        cluster.start(
                name,
                "chunk",
                "--id",
                name,
                "--data",
                String.join(",", paths),
                "--listen",
                "127.0.0.1:" + port,
                "--masters",
                cluster.masters());
    }

    /** A target by its directory, as the masters tell it. */
    private Map<?, ?> target(ProcessCluster cluster, String disk) throws Exception {
        Map<String, Object> page = JSON.std.mapFrom(cluster.cairn("admin", "targets", "--json"));
        for (Object each : (List<?>) page.getOrDefault("items", List.of())) {
            Map<?, ?> target = (Map<?, ?>) each;
            if (directory.resolve(disk).toString().equals(target.get("directory"))) {
                return target;
            }
        }
        throw new AssertionError("no target " + disk + " in " + page);
    }

    @Test
    @Timeout(300)
    void withThreeServersAndThreeCopies() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 3)) {
            drain(cluster, 3);
            // What it missed while it was away it gets from the others, and then serves alone.
            cluster.process("c1").await("groups of this server: [1-9]", 60);
            Poll.until("the first server has all its copies", 60, () -> cluster.isWhole("c1"));
            // All bytes are on the disk that is left.
            cluster.kill("c2");
            cluster.kill("c3");
            Path mount = cluster.mount("alone");
            Poll.until(
                    "the first server alone serves",
                    60,
                    () -> {
                        verify(mount, FILES + 8);
                        return true;
                    });
        }
    }

    @Test
    @Timeout(300)
    void withOneServerAndOneCopy() throws Exception {
        try (ProcessCluster cluster = new ProcessCluster(directory, 1)) {
            drain(cluster, 1);
            verify(cluster.mount("alone"), FILES + 8);
        }
    }

    /** Empties the first disk of the first of so many servers, and takes it out. */
    private void drain(ProcessCluster cluster, int servers) throws Exception {
        cluster.startMasters(1, servers);
        int port = ProcessCluster.freePort();
        startServer(cluster, "c1", port, "c1a", "c1b");
        for (int i = 2; i <= servers; i++) {
            String name = "c" + i;
            startServer(cluster, name, ProcessCluster.freePort(), name + "a", name + "b");
        }
        Path mount = cluster.mount("mnt");
        cluster.cairn("admin", "config", "set", "moveBytesPerSecond=" + 2 * FILE_BYTES);
        for (int i = 0; i < FILES; i++) {
            write(mount, i);
        }
        long first = blobs("c1a");
        assertTrue(first > 2, first + " blobs");
        assertEquals(FILES, first + blobs("c1b"));
        String id = String.valueOf(target(cluster, "c1a").get("id"));
        String plan = cluster.cairn("admin", "targets", "drain", id, "--plan");
        assertTrue(plan.contains("to other disks of the same chunk server"), plan);
        cluster.cairn("admin", "targets", "drain", id, "--yes");
        Poll.until("a blob has moved", 60, () -> blobs("c1b") > FILES - first);
        cluster.kill("c1");
        cluster.start("c1");
        // What is written meanwhile goes to both disks of the move.
        for (int i = FILES; i < FILES + 8; i++) {
            write(mount, i);
        }
        Poll.until("nothing is left on the disk", 120, () -> blobs("c1a") == 0);
        assertEquals(FILES + 8, blobs("c1b"));
        verify(cluster.mount("emptied"), FILES + 8);
        Poll.until(
                "it has no groups",
                60,
                () -> Integer.valueOf(0).equals(target(cluster, "c1a").get("groups")));
        cluster.kill("c1");
        startServer(cluster, "c1", port, "c1b");
        Poll.until(
                "it can be removed",
                60,
                () -> {
                    cluster.cairn("admin", "targets", "remove", id, "--yes");
                    return true;
                });
    }
}
