package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import io.cairn.node.RunFile;
import io.cairn.testkit.Shell;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The life of an all-in-one cluster as its operator sees it. */
@Timeout(240)
final class UpDownTest {
    @TempDir private Path directory;

    private CairnProcess.Result cairn(String... arguments) throws Exception {
        return CairnProcess.run(directory, arguments);
    }

    @Test
    void detachedUpAnswersAndDownEndsIt() throws Exception {
        Path mount = directory.resolve("mnt"); // is made: its parent is ours
        String data = directory.resolve("data").toString();
        try {
            CairnProcess.Result up =
                    cairn(
                            "up",
                            "--data",
                            data,
                            "--mount",
                            mount.toString(),
                            "--chunk-servers",
                            "3",
                            "--replicas",
                            "2",
                            "--admin",
                            "127.0.0.1:0",
                            "--listen",
                            "127.0.0.1:0",
                            "--detach");
            assertEquals(0, up.exitCode(), up.output());
            assertTrue(up.output().contains("ready"), up.output());
            Files.writeString(mount.resolve("hello"), "hello");
            assertEquals("hello", Files.readString(mount.resolve("hello")));

            CairnProcess.Result status = cairn("status", "--data", data, "--json");
            assertEquals(0, status.exitCode(), status.output());
            assertTrue(status.output().contains("\"chunkServers\""), status.output());
            RunFile running = RunFile.read(Path.of(data));
            assertNotNull(running);
            checkAdmin(running);
            CairnProcess.Result health = cairn("health", "--data", data);
            assertEquals(0, health.exitCode(), health.output());
            assertEquals("{\"ready\":true}", health.output().strip());
            checkFsCommands(mount);

            checkSecond(data, running.pid(), mount);
        } finally {
            CairnProcess.Result down = cairn("down", "--data", data);
            ProcessCluster.unmount(mount);
            assertEquals(0, down.exitCode(), down.output());
        }
        String log = Files.readString(Path.of(data, "cairn.log"));
        assertTrue(
                log.contains("cairn stops; all files stay in " + data + "\n  start    cairn up "),
                log);
        assertFalse(Files.exists(mount.resolve("hello")), "still mounted");
        assertEquals(ExitCode.UNAVAILABLE, cairn("status", "--data", data).exitCode());
        assertEquals(ExitCode.UNAVAILABLE, cairn("down", "--data", data).exitCode());
    }

    private void checkSecond(String data, long pid, Path mount) throws Exception {
        CairnProcess.Result again =
                cairn("up", "--data", data, "--admin", "127.0.0.1:0", "--listen", "127.0.0.1:0");
        assertEquals(ExitCode.TEMPORARY, again.exitCode(), again.output());
        assertEquals(
                "cairn: cairn up runs already on %s, pid %d; stop it with 'cairn down --data %s'"
                        .formatted(data, pid, data),
                again.output().strip());
        CairnProcess.Result mounted =
                cairn("up", "--data", data, "--mount", mount.toString(), "--detach");
        assertEquals(again, mounted, "nothing is said about its mount or its ports");
    }

    /** Nobody wants to read sixteen lines of a log to find what was started. */
    @Test
    void onATerminalTheLogGoesToAFile() throws Exception {
        Path data = directory.resolve("data");
        List<String> terminal = List.of("sh", "-c", "exec script -qec \"$*\" /dev/null", "sh");
        List<String> up =
                List.of(
                        "up",
                        "--data",
                        data.toString(),
                        "--admin",
                        "127.0.0.1:0",
                        "--listen",
                        "127.0.0.1:0");
        try (CairnProcess process =
                CairnProcess.start(directory.resolve("up.out"), terminal, up, Map.of())) {
            process.await(CairnProcess.READY, 90);
            Path log = data.resolve("log/up.log");
            process.await("log +" + log, 60);
            assertTrue(Files.readString(log).contains(" INFO "), Files.readString(log));
            assertFalse(process.output().contains(" INFO "), process.output());
            CairnProcess.Result down = cairn("down", "--data", data.toString());
            assertEquals(0, down.exitCode(), down.output());
            process.awaitExit(60);
            assertTrue(process.output().contains("all files stay in " + data), process.output());
        }
    }

    private static void checkAdmin(RunFile running) throws Exception {
        try (HttpClient client = HttpClient.newHttpClient()) {
            for (String path : new String[] {"/health/live", "/health/ready", "/metrics"}) {
                HttpResponse<String> answer =
                        client.send(
                                HttpRequest.newBuilder(
                                                URI.create("http://" + running.admin() + path))
                                        .timeout(Duration.ofSeconds(60))
                                        .build(),
                                HttpResponse.BodyHandlers.ofString());
                assertEquals(200, answer.statusCode(), path + ": " + answer.body());
                if (path.equals("/metrics")) {
                    assertTrue(answer.body().contains("jvm_memory_used_bytes"), answer.body());
                    assertTrue(answer.body().contains("cairn_"), answer.body());
                }
            }
        }
    }

    private void checkFsCommands(Path mount) throws Exception {
        Files.write(mount.resolve("big"), new byte[9_000_000]);
        CairnProcess.Result info = cairn("fs", "info", mount.resolve("big").toString(), "--json");
        assertEquals(0, info.exitCode(), info.output());
        assertTrue(info.output().contains("\"replicas\""), info.output());

        Path tree = Files.createDirectory(mount.resolve("tree"));
        Files.write(tree.resolve("file"), new byte[5_000_000]);
        CairnProcess.Result set =
                cairn("fs", "set", "--replicas", "3", "--chunk-size", "1M", tree.toString(), "-r");
        assertEquals(0, set.exitCode(), set.output());
        CairnProcess.Result get = cairn("fs", "get", tree.toString(), "--json");
        assertEquals(0, get.exitCode(), get.output());
        assertTrue(get.output().contains("\"replicas\":3"), get.output());
        CairnProcess.Result many = cairn("fs", "set", "--replicas", "4", tree.toString());
        assertEquals(0, many.exitCode(), many.output());
        assertTrue(many.output().contains("servers for 3 copies"), many.output());
        CairnProcess.Result moved = cairn("fs", "info", tree.resolve("file").toString(), "--json");
        assertTrue(moved.output().contains("\"chunkSizeBytes\":1048576"), moved.output());
        assertEquals(5_000_000, Files.readAllBytes(tree.resolve("file")).length);
        checkThatTheOthersAreMoved(tree);
    }

    /** What cannot be read cannot be moved: it is named at the end, and the others are moved. */
    private void checkThatTheOthersAreMoved(Path tree) throws Exception {
        Path bad = Files.createDirectory(tree.resolve("once")).resolve("bad file");
        assertEquals(
                0,
                cairn("fs", "set", "--replicas", "1", String.valueOf(bad.getParent())).exitCode());
        Shell.run(
                tree,
                "yes damaged | head -c 900000 >'once/bad file'; sync 'once/bad file'; cd ..;"
                        + " for f in $(grep -rlaF damaged ../data/chunk-*); do"
                        + " printf DAMAGED | dd of=$f bs=1 seek=400000 conv=notrunc status=none;"
                        + " done");
        CairnProcess.Result set = cairn("fs", "set", "--chunk-size", "2M", tree.toString(), "-r");
        assertEquals(ExitCode.TEMPORARY, set.exitCode(), set.output());
        assertTrue(set.output().contains("cairn: 1 file left as before:"), set.output());
        assertTrue(set.output().contains("  " + bad + ": "), set.output());
        CairnProcess.Result moved = cairn("fs", "info", tree.resolve("file").toString(), "--json");
        assertTrue(moved.output().contains("\"chunkSizeBytes\":2097152"), moved.output());
    }

    @Test
    void dataIsItsOwnersAloneAndWhoOwnsItGetsANewToken() throws Exception {
        Path data = Files.createDirectories(directory.resolve("own"));
        Files.setPosixFilePermissions(data, PosixFilePermissions.fromString("rwxr-xr-x"));
        try {
            CairnProcess.Result up =
                    cairn(
                            "up",
                            "--data",
                            data.toString(),
                            "--admin",
                            "127.0.0.1:0",
                            "--listen",
                            "127.0.0.1:0",
                            "--detach");
            assertEquals(0, up.exitCode(), up.output());
            assertEquals("", Shell.run(directory, "find own -perm /077").strip());
            Path file = data.resolve("admin.token");
            Poll.until("the first token", 60, () -> Files.exists(file));
            String before = Files.readString(file);
            CairnProcess.Result reset =
                    cairn("admin", "tokens", "reset", "--data", data.toString());
            assertEquals(0, reset.exitCode(), reset.output());
            assertTrue(reset.output().contains(file.toString()), reset.output());
            assertNotEquals(before, Files.readString(file));
            CairnProcess.Result tokens = cairn("admin", "tokens", "--data", data.toString());
            assertEquals(0, tokens.exitCode(), tokens.output());
        } finally {
            cairn("down", "--data", data.toString());
        }
    }
}
