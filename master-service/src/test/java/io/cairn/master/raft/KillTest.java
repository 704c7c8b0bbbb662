package io.cairn.master.raft;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.master.store.MemoryDirectory;
import io.cairn.runtime.Clock;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A lone master in a process of its own, killed under load. */
class KillTest {
    private static final int ROUNDS = 2;

    @TempDir(factory = MemoryDirectory.class)
    Path directory;

    @Test
    void whatWasAcknowledgedSurvivesKill9() throws Exception {
        int port = TestGroup.PORTS.next();
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<String> made = new ArrayList<>();
        for (int round = 0; round < ROUNDS; round++) {
            made.addAll(killAfter(500 + random.nextInt(2000), port, "r" + round + "-"));
            RatisLog log = open(port);
            log.start();
            try {
                TestGroup.await("the master to lead", log::mayRead);
                for (String name : made) {
                    assertTrue(TestSession.has(log, name), name + " is lost, seed " + seed);
                }
                assertEquals(List.of(), log.namespace().check());
            } finally {
                log.close();
            }
        }
    }

    /** Starts the process and kills it when it has acknowledged so many files. */
    private List<String> killAfter(int files, int port, String prefix) throws Exception {
        Process process =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                                "-Xmx256m",
                                "-XX:+UseSerialGC",
                                "-XX:TieredStopAtLevel=1",
                                "--enable-native-access=ALL-UNNAMED",
                                "--sun-misc-unsafe-memory-access=allow",
                                "-cp",
                                System.getProperty("java.class.path"),
                                KilledMaster.class.getName(),
                                directory.toString(),
                                Integer.toString(port),
                                prefix)
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        List<String> made = new ArrayList<>();
        try (BufferedReader lines = process.inputReader()) {
            boolean killed = false;
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                // A line that the kill cut off has no end, and readLine does not tell.
                assertFalse(line.startsWith("failed"), line);
                if (line.startsWith("made ")) {
                    made.add(line.substring("made ".length()));
                }
                if (made.size() == 100) {
                    assertThrows(IOException.class, () -> open(port), "in use by the process");
                }
                if (made.size() >= files && !killed) {
                    process.toHandle().destroyForcibly(); // leaves the pipe open
                    killed = true;
                }
            }
        } finally {
            process.destroyForcibly();
            assertTrue(process.waitFor(30, TimeUnit.SECONDS));
        }
        assertTrue(made.size() >= files, "the process died after " + made.size());
        made.removeLast();
        return made;
    }

    private RatisLog open(int port) throws IOException {
        return new RatisLog(
                KilledMaster.settings(directory, port),
                Clock.system(),
                new TestGroup.Heard(),
                Runnable::run,
                _ -> {
                    throw new AssertionError("halted");
                },
                null);
    }
}
