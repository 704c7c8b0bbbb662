package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Mounts whose cluster goes away: who works there waits, and can be killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
final class HardMountTest {
    /** More than the second that is promised: the machine may be busy. */
    private static final long SOON_MS = 10_000;

    @TempDir private static Path directory;
    private ProcessCluster cluster;

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(1, 1);
        cluster.startChunkServers(1);
        cluster.mount("kernel");
        cluster.mount("soft", "", "-o", "soft,timeout=2");
    }

    @AfterAll
    void stopCluster() {
        cluster.close();
    }

    private static void signal(long pid, String name) throws Exception {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, "" + pid).start().waitFor());
    }

    /** A shell that does something in a mount once it is told to. */
    private record Worker(Process process, String command) {
        static Worker ready(Path at, String command) throws IOException {
            String script = "cd '" + at + "' && exec 8<f && echo there && read && " + command;
            Process process = new ProcessBuilder("bash", "-c", script).start();
            assertEquals('t', process.getInputStream().read(), command);
            return new Worker(process, command);
        }

        void go() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        void dieSoon() throws Exception {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
            assertTrue(process.waitFor(SOON_MS, TimeUnit.MILLISECONDS), "still waits: " + command);
        }
    }

    private static List<Worker> workers(Path at, String... commands) throws IOException {
        List<Worker> workers = new ArrayList<>();
        for (String command : commands) {
            workers.add(Worker.ready(at, command));
        }
        return workers;
    }

    @Test
    void whoWaitsForAChunkServerCanBeKilledAndNothingIsLost() throws Exception {
        Path at = directory.resolve("kernel");
        Files.writeString(at.resolve("f"), "text");
        List<Worker> killed =
                workers(
                        at,
                        "dd if=/dev/zero of=big bs=1M count=300 status=none",
                        "dd if=/dev/zero of=synced bs=1M count=2 conv=fsync status=none");
        Worker patient = Worker.ready(at, "head -c 3000000 /dev/zero >patient; sync patient");
        long server = cluster.process("c1").pid();
        signal(server, "STOP");
        try {
            patient.go();
            for (Worker worker : killed) {
                worker.go();
            }
            Thread.sleep(2000);
            for (Worker worker : killed) {
                worker.dieSoon();
            }
        } finally {
            signal(server, "CONT");
        }
        assertTrue(patient.process.waitFor(60, TimeUnit.SECONDS));
        assertEquals(0, patient.process.exitValue());
        assertEquals(3_000_000, Files.size(at.resolve("patient")));
        Shell.run(at, "rm -rf ./*");
    }

    @Test
    void aSoftMountGivesUp() throws Exception {
        Path at = directory.resolve("soft");
        Files.writeString(at.resolve("f"), "text");
        Worker worker = Worker.ready(at, "mkdir late 2>/dev/null");
        long master = cluster.process("m1").pid();
        signal(master, "STOP");
        try {
            worker.go();
            assertTrue(worker.process.waitFor(10, TimeUnit.SECONDS));
            assertEquals(1, worker.process.exitValue());
        } finally {
            signal(master, "CONT");
        }
        Shell.run(at, "rm -rf ./*");
    }

    @Test
    void aRemovedWorkingDirectoryIsEmpty() throws Exception {
        Path at = directory.resolve("kernel");
        assertEquals(
                "0 0",
                Shell.run(
                                at,
                                "mkdir d; cd d; rmdir ../d; sleep 3;"
                                        + " echo $(stat -c %h .) $(ls -a | grep -vc '^[.]*$');"
                                        + " (: >new) 2>/dev/null && echo made; true")
                        .strip());
        Shell.run(at, "rm -rf ./*");
    }
}
