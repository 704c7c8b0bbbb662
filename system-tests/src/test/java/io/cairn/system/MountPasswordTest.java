package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A mount that logs in with a password, in processes. */
@Timeout(240)
final class MountPasswordTest {
    private static final String PASSWORD = "correct horse";

    @TempDir private Path directory;

    private void exports(String... words) throws Exception {
        CommandResult result = CommandResult.of(arguments(words));
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
    }

    private List<String> arguments(String... words) {
        List<String> arguments = new ArrayList<>(List.of("exports"));
        arguments.addAll(List.of(words));
        arguments.addAll(List.of("--yes", "--data", directory.resolve("data").toString()));
        return arguments;
    }

    /** From the standard input, as of a script. */
    private void passwd(String user) throws Exception {
        Path input = Files.writeString(directory.resolve("input"), PASSWORD + "\n");
        List<String> prefix = List.of("sh", "-c", "exec \"$0\" \"$@\" < " + input);
        try (CairnProcess process =
                CairnProcess.start(
                        directory.resolve("passwd.log"),
                        prefix,
                        arguments("passwd", user),
                        Map.of())) {
            assertEquals(ExitCode.OK, process.awaitExit(60), process.output());
        }
    }

    private Path credentials(String user, String password) throws IOException {
        Path file = directory.resolve("login-" + user + "-" + password.length());
        Files.writeString(file, "user=" + user + "\npassword=" + password + "\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }

    private void refused(String says, List<String> mount, String option) throws Exception {
        List<String> arguments = new ArrayList<>(mount);
        if (!option.isEmpty()) {
            arguments.addAll(List.of("-o", option));
        }
        CairnProcess.Result result = CairnProcess.run(directory, arguments.toArray(String[]::new));
        assertEquals(ExitCode.NO_PERMISSION, result.exitCode(), result.output());
        assertTrue(result.output().contains(says), result.output());
        assertFalse(result.output().contains(PASSWORD), result.output());
    }

    @Test
    void aPasswordOpensWhatItsRuleSays() throws Exception {
        Path part = Files.createDirectory(directory.resolve("part"));
        String masters = "127.0.0.1:" + ProcessCluster.freePort();
        List<String> up =
                List.of(
                        "up",
                        "--data",
                        directory.resolve("data").toString(),
                        "--chunk-servers",
                        "1",
                        "--listen",
                        masters,
                        "--admin",
                        "127.0.0.1:0");
        List<String> mount = List.of("mount", masters, part.toString(), "--foreground");
        Path log = directory.resolve("part.log");
        CairnProcess cluster = CairnProcess.start(directory.resolve("up.log"), up);
        try {
            cluster.await(CairnProcess.READY, 90);
            cluster.awaitFirstToken();
            exports("add", "/ 127.0.0.1(rw)", "--user", "alice");
            passwd("alice");
            refused("mount with -o user=NAME", mount, "");
            refused("password refused", mount, "credentials=" + credentials("alice", "horse"));
            refused("password refused", mount, "credentials=" + credentials("bob", PASSWORD));
            List<String> known = new ArrayList<>(mount);
            known.addAll(List.of("-o", "credentials=" + credentials("alice", PASSWORD)));
            try (CairnProcess second = CairnProcess.start(log, known)) {
                second.await(CairnProcess.READY, 60);
                Files.writeString(part.resolve("f"), "before");
                cluster.kill();
                cluster = CairnProcess.start(directory.resolve("again.log"), up);
                Files.writeString(part.resolve("g"), "after");
                assertEquals("before", Files.readString(part.resolve("f")));
                assertEquals("after", Files.readString(part.resolve("g")));
                assertFalse(second.output().contains(PASSWORD), second.output());
            }
        } finally {
            ProcessCluster.unmount(part);
            cluster.close();
        }
    }
}
