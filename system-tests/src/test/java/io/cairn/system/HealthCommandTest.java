package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Endpoint;
import io.cairn.http.AdminServer;
import io.cairn.node.EmbeddedCluster;
import io.cairn.node.ExitCode;
import io.cairn.node.ProcessContext;
import io.cairn.runtime.Clock;
import java.nio.charset.StandardCharsets;
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
            process.await("(?m)^cairn: waiting for masters ", 60);
            CairnProcess.Result live =
                    CairnProcess.run(directory, "health", "--live", "--metrics", door);
            assertEquals(ExitCode.OK, live.exitCode(), live.output());
            CairnProcess.Result notReady =
                    CairnProcess.run(
                            directory, "health", "--metrics", door.replace("127.0.0.1", "0.0.0.0"));
            assertEquals(ExitCode.UNAVAILABLE, notReady.exitCode(), notReady.output());
            assertTrue(notReady.output().contains("no lease"), notReady.output());
            CairnProcess.Result probe = probe("0.0.0.0" + door.substring(door.indexOf(':')));
            assertEquals(1, probe.exitCode(), probe.output());
            assertTrue(probe.output().contains("no lease"), probe.output());
        }
        assertEquals(1, probe(door).exitCode(), "nobody is there");
    }

    /** The probe of the container image, with the address that all services there have. */
    private static CairnProcess.Result probe(String address) throws Exception {
        Path script = Path.of(System.getProperty("cairn.root"), "docker", "healthcheck");
        ProcessBuilder builder = new ProcessBuilder(script.toString()).redirectErrorStream(true);
        builder.environment().put("CAIRN_METRICS", address);
        Process process = builder.start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new CairnProcess.Result(process.waitFor(), output);
    }

    @Test
    void theProbeOfTheContainerSaysYesToOneThatIsReady() throws Exception {
        try (AdminServer door =
                new AdminServer(
                        Clock.system(),
                        new Endpoint("127.0.0.1", 0),
                        new AdminServer.Pages(List::of, () -> "", () -> "{}"))) {
            CairnProcess.Result ready = probe(door.endpoint().toString());
            assertEquals(0, ready.exitCode(), ready.output());
        }
    }

    @Test
    void aWholeClusterIsReadyOnlyWhenItSaysSo() throws Exception {
        Endpoint any = new Endpoint("127.0.0.1", 0);
        EmbeddedCluster.Plan plan =
                new EmbeddedCluster.Plan(directory.resolve("whole"), 1, 1, any, any);
        try (ProcessContext world = new ProcessContext();
                EmbeddedCluster cluster = EmbeddedCluster.start(world, plan)) {
            CairnProcess.Result early = probe(cluster.admin().toString());
            assertEquals(1, early.exitCode(), "its mount may not be there: " + early.output());
            cluster.showReady();
            CairnProcess.Result ready = probe(cluster.admin().toString());
            assertEquals(0, ready.exitCode(), ready.output());
        }
    }
}
