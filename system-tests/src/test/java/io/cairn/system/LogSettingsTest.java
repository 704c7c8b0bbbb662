package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cli.option.LogSettings;
import io.cairn.node.CommandException;
import io.cairn.node.ExitCode;
import io.cairn.node.log.LogLevels;
import io.cairn.testkit.Shell;
import io.cairn.testkit.StallMeter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.jr.ob.JSON;

/** Format and levels of the log, and that nothing harmless is logged as a warning. */
@Timeout(240)
final class LogSettingsTest {
    private static final String LOGGER = "io.cairn.cli.test-of-levels";

    /** Processes on a machine that is only busy wait less. */
    private static final long STALL_MS = 300;

    @TempDir private Path directory;

    @Test
    void levelsAreSetByText() {
        LogLevels.apply(LOGGER + "=debug, " + LOGGER + ".x = WARN");
        assertEquals("debug", LogLevels.levels().get(LOGGER));
        assertEquals("warn", LogLevels.levels().get(LOGGER + ".x"));
        LogLevels.apply(LOGGER + "=Trace");
        assertEquals("trace", LogLevels.levels().get(LOGGER));
        for (String wrong : List.of("loud", "=debug", LOGGER + "=", LOGGER + "=info,nonsense")) {
            assertThrows(IllegalArgumentException.class, () -> LogLevels.apply(wrong), wrong);
        }
        assertEquals("trace", LogLevels.levels().get(LOGGER));
    }

    @Test
    void changesOfTheFileAreFollowed() {
        LogSettings settings = LogSettings.apply(null, null);
        settings.look(() -> LOGGER + ".y=debug");
        assertEquals("debug", LogLevels.levels().get(LOGGER + ".y"));
        settings.look(() -> LOGGER + ".y=nonsense");
        assertEquals("debug", LogLevels.levels().get(LOGGER + ".y"));
        settings.look(
                () -> {
                    throw new CommandException(ExitCode.CONFIG, "half written");
                });
        settings.look(() -> LOGGER + ".y=info");
        assertEquals("info", LogLevels.levels().get(LOGGER + ".y"));
    }

    @Test
    void wrongSettingsAreRefused() throws Exception {
        CairnProcess.Result format =
                CairnProcess.run(directory, "status", "--log-format", "xml", "--data", "/none");
        assertEquals(ExitCode.CONFIG, format.exitCode(), format.output());
        assertTrue(format.output().contains("text or json"), format.output());
        CairnProcess.Result level =
                CairnProcess.run(directory, "status", "--log-level=loud", "--data", "/none");
        assertEquals(ExitCode.CONFIG, level.exitCode(), level.output());
        assertTrue(level.output().contains("off, error, warn"), level.output());
    }

    @Test
    void aServiceLogsJsonAndFollowsItsFile() throws Exception {
        Path config = directory.resolve("cairn.yaml");
        Files.writeString(config, "log-format: json\nlog-level: info\n");
        Path log = directory.resolve("up.log");
        List<String> up =
                List.of(
                        "up",
                        "--data",
                        directory.resolve("data").toString(),
                        "--listen",
                        "127.0.0.1:0",
                        "--admin",
                        "127.0.0.1:0",
                        "--config",
                        config.toString());
        try (CairnProcess process = CairnProcess.start(log, up)) {
            process.await(CairnProcess.READY, 90);
            Files.writeString(config, "log-format: json\nlog-level: info,io.cairn.net=debug\n");
            process.await("Log levels are now info,io.cairn.net=debug", 30);
            process.terminate();
            process.awaitExit(60);
        }
        List<String> events =
                Files.readAllLines(log).stream().filter(l -> l.startsWith("{")).toList();
        assertTrue(events.size() > 3, Files.readString(log));
        for (String event : events) {
            Map<String, Object> fields = JSON.std.mapFrom(event);
            for (String field :
                    List.of("timestamp", "level", "loggerName", "threadName", "formattedMessage")) {
                assertTrue(fields.containsKey(field), field + " in " + event);
            }
        }
        assertFalse(Files.readString(log).contains("\n20"), "a line of text among the JSON");
    }

    @Test
    void aHealthyLifeLogsNoWarning() throws Exception {
        try (StallMeter stalls = new StallMeter()) {
            List<String> loud = loudLines(directory.resolve("1"));
            // On a machine that stands still or is overloaded, masters answer late, and say so.
            for (int i = 2; i <= 3 && !loud.isEmpty() && stalls.takeDisturbed(STALL_MS); i++) {
                loud = loudLines(directory.resolve(String.valueOf(i)));
            }
            assertEquals(List.of(), loud);
        }
    }

    /** What is loud in the logs of a cluster that lives and ends. */
    private static List<String> loudLines(Path directory) throws Exception {
        Files.createDirectories(directory);
        try (ProcessCluster cluster = new ProcessCluster(directory, 2)) {
            cluster.startMasters(3, 2);
            for (String master : List.of("m1", "m2", "m3")) {
                cluster.process(master).await(CairnProcess.READY, 60);
            }
            cluster.startChunkServers(2);
            Path mount = cluster.mount("mnt");
            Shell.run(mount, "for i in 1 2 3; do head -c 100000 /dev/zero >f$i; done; sync f1; ls");
            ProcessCluster.unmount(mount);
            Poll.until("end of the mount", 30, () -> !cluster.process("mnt").isAlive());
            for (String name : List.of("c1", "c2", "m1", "m2", "m3")) {
                cluster.process(name).terminate();
                Poll.until("end of " + name, 30, () -> !cluster.process(name).isAlive());
            }
            List<String> loud = new ArrayList<>();
            for (String name : List.of("c1", "c2", "mnt", "m1", "m2", "m3")) {
                Files.readAllLines(cluster.log(name)).stream()
                        .filter(l -> l.contains(" WARN ") || l.contains(" ERROR "))
                        .forEach(line -> loud.add(name + ": " + line));
            }
            return loud;
        }
    }
}
