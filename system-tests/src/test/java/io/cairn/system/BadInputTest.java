package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Every bad input gets one line that names the thing and the remedy, and an exit code of
 * sysexits.h.
 */
final class BadInputTest {
    @TempDir private Path directory;

    private void refused(int exitCode, String mustSay, String... arguments) throws Exception {
        CairnProcess.Result result = CairnProcess.run(directory, arguments);
        assertEquals(exitCode, result.exitCode(), result.output());
        assertTrue(
                result.output().contains(mustSay),
                "'" + mustSay + "' expected in: " + result.output());
        List<String> errors = result.output().lines().filter(l -> l.startsWith("cairn: ")).toList();
        assertEquals(1, errors.size(), result.output());
        assertTrue(!result.output().contains("\tat "), "a stack trace:\n" + result.output());
        assertFalse(result.output().contains("Exception"), "a class of Java:\n" + result.output());
    }

    private String data() {
        return directory.resolve("data").toString();
    }

    @Test
    void wrongOptions() throws Exception {
        refused(ExitCode.USAGE, "--chunk-server", "up", "--chunk-server", "3");
        refused(ExitCode.USAGE, "nonsense", "nonsense");
        refused(ExitCode.USAGE, "many", "up", "--data", data(), "--chunk-servers", "many");
        refused(ExitCode.USAGE, "0", "up", "--data", data(), "--chunk-servers", "0");
        refused(
                ExitCode.USAGE,
                "replicas",
                "up",
                "--data",
                data(),
                "--replicas",
                "3",
                "--chunk-servers",
                "2");
        refused(
                ExitCode.USAGE,
                "HOST:PORT",
                "chunk",
                "--id",
                "c",
                "--data",
                data(),
                "--listen",
                "here",
                "--masters",
                "127.0.0.1:1");
        refused(
                ExitCode.USAGE,
                "m2",
                "master",
                "--id",
                "m1",
                "--data",
                data(),
                "--listen",
                "127.0.0.1:0",
                "--raft",
                "m2=127.0.0.1:1");
        refused(
                ExitCode.USAGE,
                "sync_everything",
                "mount",
                "127.0.0.1:1",
                directory.toString(),
                "-o",
                "sync_everything");
    }

    @Test
    void anAdminAddressForOthersNeedsACertificate() throws Exception {
        String[] up = {"up", "--data", data(), "--admin", "0.0.0.0:9870"};
        refused(ExitCode.CONFIG, "--admin-tls-cert", up);
        refused(
                ExitCode.CONFIG,
                "go together",
                "up",
                "--data",
                data(),
                "--admin",
                "0.0.0.0:9870",
                "--admin-tls-cert",
                "cert.pem");
        refused(
                ExitCode.CONFIG,
                "none.pem cannot be read",
                "master",
                "--id",
                "m1",
                "--data",
                data(),
                "--listen",
                "127.0.0.1:0",
                "--raft",
                "m1=127.0.0.1:1",
                "--admin",
                "0.0.0.0:9870",
                "--admin-tls-cert",
                "none.pem",
                "--admin-tls-key",
                "none.pem");
    }

    @Test
    void misspelledCommands() throws Exception {
        refused(ExitCode.USAGE, "did you mean 'mount'", "mout");
        refused(ExitCode.USAGE, "did you mean 'info'", "fs", "inof", "/");
        refused(ExitCode.USAGE, "'cairn' has no command 'mout'", "mout", "--help");
        refused(ExitCode.USAGE, "did you mean 'info'", "fs", "inof", "-h");
        refused(ExitCode.USAGE, "'cairn' has no command 'x'", "x", "--version");
        refused(ExitCode.USAGE, "did you mean 'status'", "help", "staus");
    }

    @Test
    void unknownSettings() throws Exception {
        Path config = directory.resolve("cairn.yaml");
        Files.writeString(config, "chunk-serverz: 3\n");
        refused(
                ExitCode.CONFIG,
                "did you mean 'chunk-servers'",
                "up",
                "--config",
                config.toString());
        Files.writeString(config, "chunk-servers: [\n");
        refused(ExitCode.CONFIG, config.toString(), "up", "--config", config.toString());
        refused(ExitCode.CONFIG, "missing.yaml", "up", "--config", directory + "/missing.yaml");
        Path out = directory.resolve("env.out");
        try (CairnProcess process =
                CairnProcess.start(out, List.of("status"), Map.of("CAIRN_DATTA", "x"))) {
            assertEquals(ExitCode.CONFIG, process.awaitExit(60), process.output());
            assertTrue(process.output().contains("did you mean 'data'"), process.output());
        }
    }

    @Test
    void occupiedPort() throws Exception {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            String taken = "127.0.0.1:" + socket.getLocalPort();
            refused(
                    ExitCode.TEMPORARY,
                    taken,
                    "up",
                    "--data",
                    data(),
                    "--admin",
                    taken,
                    "--listen",
                    "127.0.0.1:0");
            refused(
                    ExitCode.TEMPORARY,
                    taken,
                    "up",
                    "--data",
                    data(),
                    "--admin",
                    "127.0.0.1:0",
                    "--listen",
                    taken);
        }
    }

    @Test
    void badDataDirectories() throws Exception {
        Path file = Files.writeString(directory.resolve("file"), "x");
        refused(
                ExitCode.CANNOT_CREATE,
                file.toString(),
                "up",
                "--data",
                file.toString(),
                "--admin",
                "127.0.0.1:0",
                "--listen",
                "127.0.0.1:0");
        Path foreign = Files.createDirectory(directory.resolve("foreign"));
        Files.writeString(foreign.resolve("thesis.tex"), "x");
        refused(
                ExitCode.CANNOT_CREATE,
                foreign.toString(),
                "up",
                "--data",
                foreign.toString(),
                "--admin",
                "127.0.0.1:0",
                "--listen",
                "127.0.0.1:0");
        refused(
                ExitCode.CANNOT_CREATE,
                foreign.toString(),
                "chunk",
                "--id",
                "c1",
                "--data",
                foreign.toString(),
                "--listen",
                "127.0.0.1:0",
                "--masters",
                "127.0.0.1:1");
        refused(
                ExitCode.CANNOT_CREATE,
                "/proc/cairn",
                "up",
                "--data",
                "/proc/cairn",
                "--admin",
                "127.0.0.1:0",
                "--listen",
                "127.0.0.1:0");
    }

    @Test
    void badMountpoints() throws Exception {
        String[] up = {
            "up",
            "--data",
            data(),
            "--admin",
            "127.0.0.1:0",
            "--listen",
            "127.0.0.1:0",
            "--mount",
            ""
        };
        up[up.length - 1] = directory + "/missing/mnt";
        refused(ExitCode.NO_INPUT, "missing", up);
        Path file = Files.writeString(directory.resolve("plain"), "x");
        up[up.length - 1] = file.toString();
        refused(ExitCode.NO_INPUT, file.toString(), up);
        Path full = Files.createDirectory(directory.resolve("full"));
        Files.writeString(full.resolve("x"), "x");
        up[up.length - 1] = full.toString();
        refused(ExitCode.NO_INPUT, full.toString(), up);
    }

    @Test
    void noMaster() throws Exception {
        Path mount = Files.createDirectories(directory.resolve("mnt"));
        String nobody = "127.0.0.1:" + ProcessCluster.freePort();
        refused(ExitCode.UNAVAILABLE, nobody, "mount", nobody, mount.toString(), "--wait", "0");
        refused(ExitCode.UNAVAILABLE, nobody, "status", "--masters", nobody, "--wait", "0");
        refused(ExitCode.UNAVAILABLE, nobody, "health", "--metrics", nobody);
        refused(
                ExitCode.UNAVAILABLE,
                nobody,
                "status",
                "--wait",
                "1",
                "--api",
                "http://" + nobody,
                "--token-file",
                Files.writeString(directory.resolve("token"), "cairn_x").toString());
    }

    @Test
    void filesThatCannotBeUsed() throws Exception {
        String here = directory.toString();
        refused(ExitCode.CONFIG, here, "up", "--config", here);
        refused(ExitCode.NO_PERMISSION, here, "admin", "servers", "--token-file", here);
        refused(ExitCode.CANNOT_CREATE, "/proc/b", "admin", "bundle", "--output", "/proc/b");
    }

    @Test
    void pathsThatAreNotOnCairn() throws Exception {
        refused(ExitCode.USAGE, "not on a Cairn mount", "fs", "info", directory.toString());
        refused(ExitCode.NO_INPUT, "nothing-here", "fs", "info", directory + "/nothing-here");
    }

    @Test
    void everyCommandHasHelpWithExamples() throws Exception {
        for (String command : List.of("up", "down", "status", "master", "chunk", "mount", "fs")) {
            CairnProcess.Result help = CairnProcess.run(directory, command, "--help");
            assertEquals(0, help.exitCode(), help.output());
            assertTrue(help.output().contains("Examples:"), help.output());
        }
        CairnProcess.Result version = CairnProcess.run(directory, "--version");
        assertEquals(0, version.exitCode());
        assertTrue(version.output().startsWith("cairn "), version.output());
    }
}
