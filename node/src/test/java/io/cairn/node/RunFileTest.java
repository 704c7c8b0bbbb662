package io.cairn.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Deadline;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFileTest {
    @TempDir Path directory;

    @Test
    void whatRunsIsFoundByPidAndStart() throws Exception {
        RunFile own = RunFile.own("127.0.0.1:1", "127.0.0.1:2", false, null);
        own.write(directory);
        assertEquals(own, RunFile.read(directory));
        assertNotNull(own.process());
        new RunFile(own.pid(), own.startedMs() - 5000, "m", "a", false, null).write(directory);
        assertNull(RunFile.read(directory), "another process has its number now");
        RunFile.delete(directory);
        assertNull(RunFile.read(directory));
    }

    /** In containers whose first process looks after no others, what was killed stays a zombie. */
    @Test
    void aZombieDoesNotRun() throws Exception {
        // It ends after the exec: before, a shell may collect its exit code.
        Process parent =
                new ProcessBuilder("sh", "-c", "sleep 1 & echo $!; exec sleep 600").start();
        try (var said = parent.inputReader(StandardCharsets.US_ASCII)) {
            long pid = Long.parseLong(Objects.requireNonNull(said.readLine()));
            Path stat = Path.of("/proc", Long.toString(pid), "stat");
            Deadline end = Deadline.afterS(60);
            while (!Files.readString(stat).contains(") Z ")) {
                assertTrue(!end.isOver(), "it does not end");
                Thread.onSpinWait();
            }
            ProcessHandle zombie = ProcessHandle.of(pid).orElseThrow();
            assertTrue(zombie.isAlive(), "for Java it is alive");
            long startedMs = zombie.info().startInstant().orElseThrow().toEpochMilli();
            RunFile left = new RunFile(pid, startedMs, "m", "a", false, null);
            assertNull(left.process());
            left.write(directory);
            assertNull(RunFile.read(directory));
        } finally {
            parent.destroyForcibly();
        }
    }
}
