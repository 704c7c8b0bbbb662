package io.cairn.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.NativePosix;
import io.cairn.testkit.Posix;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mounts whose cluster goes away: who works there waits, and can be killed. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
final class HardMountTest {
    /** Longer than any limit that there was. */
    private static final long LONG_MS = 35_000;

    /** More than the second that is promised: the machine may be busy. */
    private static final long SOON_MS = 4000;

    private static final int O_PATH = 010000000;

    @TempDir private static Path directory;
    private ProcessCluster cluster;

    @BeforeAll
    void startCluster() throws Exception {
        cluster = new ProcessCluster(directory, 1);
        cluster.startMasters(1, 1);
        cluster.startChunkServers(1);
        cluster.mount("kernel");
        cluster.mount("jnr", "", "-o", "driver=jnr");
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

    private int outages(String mount) throws IOException {
        return Files.readString(cluster.log(mount)).split("waiting for masters", -1).length;
    }

    @ParameterizedTest
    @ValueSource(strings = {"kernel", "jnr"})
    void whoWaitsForTheMasterGoesOnWhenItIsBackOrIsKilled(String driver) throws Exception {
        Path at = directory.resolve(driver);
        Files.writeString(at.resolve("f"), "text");
        List<Worker> killed =
                workers(
                        at,
                        "mkdir killed",
                        ": >killed.file",
                        "echo more >>f",
                        "rm f",
                        "mv f g",
                        "chmod 1 f",
                        "ln f killed.link",
                        "flock -x 8",
                        "dd if=/dev/zero of=big bs=1M count=4 conv=fsync status=none",
                        "ls -l killed.not");
        int told = outages(driver);
        List<Worker> patient = workers(at, "echo patience >patient", "mkdir patient.d");
        long master = cluster.process("m1").pid();
        signal(master, "STOP");
        try {
            for (Worker worker : patient) {
                worker.go();
            }
            for (Worker worker : killed) {
                worker.go();
            }
            Thread.sleep(2000);
            for (Worker worker : killed) {
                worker.dieSoon();
            }
        } finally {
            cluster.kill("m1");
        }
        Thread.sleep(LONG_MS);
        cluster.start("m1");
        for (Worker worker : patient) {
            assertTrue(worker.process.waitFor(60, TimeUnit.SECONDS), worker.command);
            assertEquals(0, worker.process.exitValue(), worker.command);
        }
        assertEquals("patience\n", Files.readString(at.resolve("patient")));
        assertTrue(Files.isDirectory(at.resolve("patient.d")));
        assertEquals("text", Files.readString(at.resolve("f")), "what was given up is not done");
        for (String name : List.of("killed", "killed.file", "killed.link", "g", "big")) {
            assertFalse(Files.exists(at.resolve(name)), name);
        }
        Files.writeString(at.resolve("f"), "still works");
        assertEquals("still works", Files.readString(at.resolve("f")));
        assertEquals(told + 1, outages(driver), "one line says that the mount waits");
        Shell.run(at, "rm -rf ./*");
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
    void whatHasNoNameLivesAsLongAsSomebodyHoldsIt() throws Exception {
        Path at = directory.resolve("kernel");
        assertEquals(
                "0 0",
                Shell.run(
                                at,
                                "mkdir d; cd d; rmdir ../d; sleep 3;"
                                        + " echo $(stat -c %h .) $(ls -a | grep -vc '^[.]*$');"
                                        + " : 2>/dev/null >new && echo made; true")
                        .strip());
        Posix posix = new NativePosix(at, EnumSet.noneOf(Posix.Capability.class), 0);
        posix.close(posix.open("file", Posix.O_CREAT | Posix.O_RDWR, 0600));
        posix.create("other", 0600);
        int held = posix.open("file", O_PATH, 0);
        int replaced = posix.open("other", O_PATH, 0);
        posix.unlink("file");
        posix.create("new", 0600);
        posix.rename("new", "other", 0);
        Thread.sleep(3000);
        assertEquals(0, posix.fstat(held).nlink());
        assertEquals(0, posix.fstat(replaced).nlink());
        posix.close(held);
        posix.close(replaced);
        Shell.run(at, "rm -rf ./*");
    }

    @Test
    void aMountWithoutItsClusterCanBeStopped() throws Exception {
        Path at = cluster.mount("stopped");
        Files.writeString(at.resolve("f"), "text");
        Worker worker = Worker.ready(at, "mkdir never");
        long master = cluster.process("m1").pid();
        signal(master, "STOP");
        try {
            worker.go();
            cluster.process("stopped").terminate();
            cluster.process("stopped").awaitExit(60);
            assertTrue(worker.process.waitFor(SOON_MS, TimeUnit.MILLISECONDS));
        } finally {
            signal(master, "CONT");
        }
        Shell.run(directory.resolve("kernel"), "rm -rf ./*");
    }
}
