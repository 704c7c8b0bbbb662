package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.node.ExitCode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@code cairn verify} as a process that starts the others. */
@Timeout(value = 240)
class VerifyTest {
    @TempDir private Path directory;

    private CairnProcess verify(String... more) {
        List<String> arguments = new java.util.ArrayList<>(List.of("verify", "--data"));
        arguments.add(directory.resolve("cluster").toString());
        arguments.addAll(List.of(more));
        return CairnProcess.start(directory.resolve("verify.out"), arguments);
    }

    /** Processes that name the directory, but for the verifier. */
    private List<String> left(CairnProcess verifier) throws Exception {
        List<String> left = new java.util.ArrayList<>();
        String name = directory.resolve("cluster").toString();
        try (var processes = ProcessHandle.allProcesses()) {
            processes
                    .filter(each -> each.pid() != verifier.pid())
                    .forEach(
                            each ->
                                    each.info()
                                            .commandLine()
                                            .filter(line -> line.contains(name))
                                            .ifPresent(left::add));
        }
        Files.readAllLines(Path.of("/proc/mounts")).stream()
                .filter(line -> line.contains(name))
                .forEach(left::add);
        return left;
    }

    @Tag("long")
    @Test
    void promisesHoldWhileProcessesAreKilledAndBlobsDamaged() throws Exception {
        Path page = directory.resolve("report.html");
        try (CairnProcess verifier =
                verify(
                        "--seconds",
                        "1",
                        "--seed",
                        "1",
                        "--chunk-servers",
                        "3",
                        "--mounts",
                        "2",
                        "--report",
                        page.toString(),
                        "--faults",
                        "corrupt,kill-leader")) {
            int code = verifier.awaitExit(200);
            assertEquals(ExitCode.OK, code, verifier.output());
            assertTrue(verifier.output().contains("no violation"), verifier.output());
            assertTrue(
                    verifier.output().lines().anyMatch(l -> l.matches("kill-leader +[1-9].*")),
                    verifier.output());
            assertEquals(List.of(), left(verifier));
            assertTrue(Files.readString(page).contains("<td>kill-leader"), "report");
            assertFalse(Files.exists(directory.resolve("cluster")), "data is removed");
        }
    }

    @Test
    void nothingIsLeftOfAVerifierThatIsKilled() throws Exception {
        try (CairnProcess verifier = verify("--mounts", "1", "--chunk-servers", "3")) {
            Poll.until(
                    "it is mounted",
                    120,
                    () -> left(verifier).stream().anyMatch(l -> l.contains("fuse")));
            verifier.kill();
            Poll.until("all processes are gone", 60, () -> left(verifier).isEmpty());
        }
    }

    @Test
    void anUnknownFaultIsAnsweredWithAllThereAre() throws Exception {
        CairnProcess.Result answer =
                CairnProcess.run(directory, "verify", "--faults", "kill-all,x");
        assertEquals(ExitCode.USAGE, answer.exitCode(), answer.output());
        assertTrue(answer.output().contains("unknown fault 'x'"), answer.output());
        assertTrue(answer.output().contains("kill-chunk-server"), answer.output());
        CairnProcess.Result network =
                CairnProcess.run(directory, "verify", "--faults", "partition");
        assertEquals(ExitCode.USAGE, network.exitCode(), network.output());
        assertTrue(network.output().contains("--netns"), network.output());
        CairnProcess.Result full = CairnProcess.run(directory, "verify", "--data", "/usr");
        assertEquals(ExitCode.USAGE, full.exitCode(), full.output());
        assertTrue(full.output().contains("is not empty"), full.output());
    }

    @Test
    void nothingIsLeftOfAVerificationThatIsRefused() throws Exception {
        Path temporary = Files.createDirectory(directory.resolve("tmp"));
        try (CairnProcess refused =
                CairnProcess.start(
                        directory.resolve("refused.out"),
                        List.of("verify", "--faults", "x"),
                        Map.of("JDK_JAVA_OPTIONS", "-Djava.io.tmpdir=" + temporary))) {
            assertEquals(ExitCode.USAGE, refused.awaitExit(60), refused.output());
        }
        try (var left = Files.list(temporary)) {
            assertEquals(List.of(), left.toList());
        }
    }
}
