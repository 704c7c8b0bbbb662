package io.cairn.system;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.Shell;
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
    private static final long SOON_MS = 30_000;

    private static final long BELIEVED_MS = 1_200;

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

    /** What each process does first; then one step, once it is told to. */
    private static final String PREPARED =
            """
            import fcntl, mmap, os, sys
            os.mkdir(sys.argv[1]); os.chdir(sys.argv[1])
            there = lambda name: os.open(name, os.O_CREAT | os.O_RDWR)
            fd = there('file'); os.write(fd, b'x' * 9000); os.fsync(fd)
            os.mkdir('sub'); os.symlink('file', 'link')
            small = there('small')
            mapped = mmap.mmap(fd, 9000)
            others = os.open('../for-readers', os.O_RDONLY)
            foreign = mmap.mmap(others, 0, prot=mmap.PROT_READ)
            print('there', flush=True); sys.stdin.readline()
            """;

    /** A process that does one thing in a directory of its own in a mount. */
    private record Worker(Process process, String step) {
        static Worker start(Path at, String name, String step) throws IOException {
            return new Worker(
                    new ProcessBuilder("python3", "-c", PREPARED + step, name)
                            .directory(at.toFile())
                            .redirectErrorStream(true)
                            .start(),
                    step);
        }

        void awaitReady() throws IOException {
            int first = process.getInputStream().read();
            assertEquals('t', first, () -> step + said());
        }

        /** Waits until it stands in the kernel; where, as words of proc_pid_syscall(5). */
        String standing() {
            String[] found = new String[1];
            Poll.until(
                    "wait: " + step,
                    30,
                    () -> {
                        found[0] = where();
                        return !found[0].startsWith("running");
                    });
            return found[0];
        }

        /** Fails if it is over: it had nothing to wait for. */
        void isWaiting() {
            assertTrue(
                    process.isAlive(),
                    () -> "waits for nothing: " + step + said() + process.exitValue());
        }

        private String where() throws IOException {
            return Files.readString(Path.of("/proc/" + process.pid() + "/syscall"));
        }

        void go() throws IOException {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        }

        private String said() {
            try {
                return new String(process.getInputStream().readAllBytes(), UTF_8);
            } catch (IOException e) {
                return e.toString();
            }
        }

        void isGone() throws InterruptedException {
            assertTrue(process.waitFor(SOON_MS, TimeUnit.MILLISECONDS), "still waits: " + step);
        }

        void isDone() throws InterruptedException {
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "hangs: " + step);
            assertEquals(0, process.exitValue(), () -> step + said());
        }
    }

    /** Waits until each stands at one place in the kernel, at another one than before. */
    private static void awaitWaiting(List<Worker> workers, List<String> before) {
        List<List<String>> seen = new ArrayList<>();
        Poll.until(
                "all wait",
                60,
                () -> {
                    if (!workers.stream().allMatch(worker -> worker.process.isAlive())) {
                        return true;
                    }
                    List<String> now = workers.stream().map(Worker::standing).toList();
                    boolean isAtSame = !seen.isEmpty() && seen.getLast().equals(now);
                    if (!isAtSame) {
                        seen.clear();
                    }
                    seen.add(now);
                    for (int i = 0; i < now.size(); i++) {
                        isAtSame &= !now.get(i).equals(before.get(i));
                    }
                    return isAtSame && seen.size() > 10;
                });
        workers.forEach(Worker::isWaiting);
    }

    /**
     * A process for each step does it while a service stands still, is killed, and gone at once.
     * Others beside some of them wait, and are done when the service goes on.
     */
    private void killWaiting(String service, List<String> steps) throws Exception {
        Path at = Files.createDirectory(directory.resolve("kernel").resolve(service));
        Path soft = directory.resolve("soft").resolve(service);
        Files.writeString(soft.resolve("for-readers"), "r".repeat(3_000_000));
        Files.createDirectory(soft.resolve("for-list"));
        Files.createDirectory(soft.resolve("for-looks"));
        List<Worker> killed = new ArrayList<>();
        List<Worker> patient = new ArrayList<>();
        for (String step : steps) {
            killed.add(Worker.start(at, "killed" + killed.size(), step));
            if (killed.size() % 3 == 0) {
                patient.add(Worker.start(at, "patient" + killed.size(), step));
            }
        }
        List<Worker> all = new ArrayList<>(killed);
        all.addAll(patient);
        for (Worker worker : all) {
            worker.awaitReady();
        }
        List<String> before = all.stream().map(Worker::standing).toList();
        // A mount believes some answers for a second: these are too old now.
        Thread.sleep(BELIEVED_MS);
        CairnProcess stopped = cluster.process(service);
        stopped.signal("STOP");
        try {
            for (Worker worker : all) {
                worker.go();
            }
            awaitWaiting(all, before);
            killed.forEach(worker -> worker.process.destroyForcibly());
            for (Worker worker : killed) {
                worker.isGone();
            }
        } finally {
            stopped.signal("CONT");
        }
        for (Worker worker : patient) {
            worker.isDone();
        }
        Shell.run(at, "rm -rf ../" + service);
    }

    @Test
    void whoWaitsForAChunkServerCanBeKilledAndNothingIsLost() throws Exception {
        killWaiting(
                "c1",
                List.of(
                        "big = os.open('big', os.O_CREAT | os.O_WRONLY)\n"
                                + "for i in range(300): os.write(big, b'x' * 1000000)",
                        "os.pwrite(fd, b'y' * 2000000, 0); os.fsync(fd)",
                        "os.pwrite(fd, b'y' * 2000000, 0); os.close(fd); mapped.close()",
                        "os.write(os.open('file', os.O_WRONLY | os.O_SYNC), b'z' * 200000)",
                        "mapped[10] = 7; mapped.flush()",
                        "assert os.pread(others, 100000, 2000000) == b'r' * 100000",
                        "assert foreign[1000000] == ord('r')",
                        "os.sendfile(small, others, 0, 1000000); os.fsync(small)",
                        "os.copy_file_range(others, small, 500000, 0, 0); os.fsync(small)",
                        "os.pwrite(fd, b'y' * 100, 5000); os.ftruncate(fd, 5050); os.fsync(fd)"));
    }

    @Test
    void whoWaitsForAMasterCanBeKilled() throws Exception {
        killWaiting(
                "m1",
                List.of(
                        "there('new')",
                        "os.mkdir('new')",
                        "os.symlink('a', 'new')",
                        "os.mknod('new')",
                        "os.link('file', 'new')",
                        "os.rename('file', 'new')",
                        "os.unlink('file')",
                        "os.rmdir('sub')",
                        "os.path.lexists('../for-looks/' + sys.argv[1])",
                        "os.listdir('../for-list')",
                        "os.chmod('file', 0o600)",
                        "os.utime('file')",
                        "os.truncate('file', 10)",
                        "os.posix_fallocate(fd, 0, 100000)",
                        "os.setxattr('file', 'user.a', b'b')",
                        "os.listxattr('../for-readers')",
                        "os.statvfs('.')",
                        "fcntl.lockf(fd, fcntl.LOCK_EX)",
                        "fcntl.flock(fd, fcntl.LOCK_EX)",
                        "os.write(small, b'x'); os.fsync(small)",
                        "os.write(small, b'x'); os.close(small)",
                        "mapped[10] = 7; mapped.flush()",
                        "open('link', 'a').write('x')"));
    }

    @Test
    void aSoftMountGivesUp() throws Exception {
        Path at = directory.resolve("soft");
        Files.writeString(at.resolve("for-readers"), "text");
        Worker worker = Worker.start(at, "soft", "os.mkdir('late')");
        worker.awaitReady();
        CairnProcess master = cluster.process("m1");
        master.signal("STOP");
        try {
            worker.go();
            assertTrue(worker.process.waitFor(10, TimeUnit.SECONDS));
            assertEquals(1, worker.process.exitValue());
        } finally {
            master.signal("CONT");
        }
        Shell.run(at, "rm -rf ./*");
    }
}
