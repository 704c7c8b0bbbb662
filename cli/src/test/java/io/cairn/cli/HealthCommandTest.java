package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the probe of a container says. */
final class HealthCommandTest {
    @TempDir private Path directory;

    @Test
    void aServiceIsReadyOrNotOrAway() throws Exception {
        String door = "127.0.0.1:" + ProcessCluster.freePort();
        CairnProcess.Result away = CairnProcess.run(directory, "health", "--metrics", door);
        assertEquals(ExitCode.UNAVAILABLE, away.exitCode(), away.output());
        assertEquals(
                "cairn: nothing healthy at "
                        + door
                        + ": connection refused; is the service started, with this --metrics or"
                        + " --admin?",
                away.output().strip());
        List<String> chunk =
                List.of(
                        "chunk",
                        "--id",
                        "c1",
                        "--data",
                        directory.resolve("c1").toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--masters",
                        "127.0.0.1:" + ProcessCluster.freePort(),
                        "--metrics",
                        door.replace("127.0.0.1", "0.0.0.0"));
        try (CairnProcess process = CairnProcess.start(directory.resolve("c1.log"), chunk)) {
            process.await(CairnProcess.READY, 60);
            CairnProcess.Result live =
                    CairnProcess.run(directory, "health", "--live", "--metrics", door);
            assertEquals(ExitCode.OK, live.exitCode(), live.output());
            CairnProcess.Result notReady =
                    CairnProcess.run(
                            directory, "health", "--metrics", door.replace("127.0.0.1", "0.0.0.0"));
            assertEquals(ExitCode.UNAVAILABLE, notReady.exitCode(), notReady.output());
            assertTrue(notReady.output().contains("no lease"), notReady.output());
        }
    }
}
