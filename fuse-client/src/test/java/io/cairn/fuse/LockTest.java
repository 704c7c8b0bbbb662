package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.fs.Lock;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes that wait for locks. */
class LockTest extends MountTest {
    private static Process flock(Path file) throws IOException {
        return new ProcessBuilder("flock", file.toString(), "true").start();
    }

    /** Five times as many as there are threads at the start. */
    @ParameterizedTest
    @EnumSource
    void waitersDoNotStarveOthers(DriverKind driver) throws Exception {
        Path root = directory("locks");
        try (FuseMount mount = mount(root, driver);
                Posix holder = new NativePosix(mount.path(), Set.of(), 0)) {
            int fd = holder.open("file", Posix.O_CREAT | Posix.O_RDWR, 0644);
            holder.flock(fd, Lock.Mode.EXCLUSIVE, false);
            List<Process> waiters = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                waiters.add(flock(root.resolve("file")));
            }
            for (int i = 0; i < 100; i++) {
                write(root.resolve("other" + i), "free");
                assertEquals("free", read(root.resolve("other" + i)));
            }
            waiters.forEach(waiter -> assertTrue(waiter.isAlive()));
            holder.flock(fd, Lock.Mode.UNLOCK, false);
            for (Process waiter : waiters) {
                assertTrue(waiter.waitFor(60, TimeUnit.SECONDS), "a waiter was forgotten");
                assertEquals(0, waiter.exitValue());
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aKilledWaiterIsGoneAtOnce(DriverKind driver) throws Exception {
        Path root = directory("killed");
        try (FuseMount mount = mount(root, driver);
                Posix holder = new NativePosix(mount.path(), Set.of(), 0)) {
            int fd = holder.open("file", Posix.O_CREAT | Posix.O_RDWR, 0644);
            holder.flock(fd, Lock.Mode.EXCLUSIVE, false);
            Process waiter = flock(root.resolve("file"));
            assertFalse(waiter.waitFor(500, TimeUnit.MILLISECONDS));
            waiter.destroyForcibly();
            assertTrue(waiter.waitFor(30, TimeUnit.SECONDS), "cannot be killed");
            holder.flock(fd, Lock.Mode.UNLOCK, false);
            Process next = flock(root.resolve("file"));
            assertTrue(next.waitFor(30, TimeUnit.SECONDS), "the lock went to the dead");
        }
    }

    @ParameterizedTest
    @EnumSource
    void unmountingEndsTheWaits(DriverKind driver) throws Exception {
        Path root = directory("ended");
        FuseMount mount = mount(root, driver);
        Path file = root.resolve("file");
        Process holder = new ProcessBuilder("flock", file.toString(), "sleep", "100").start();
        Process waiter = null;
        try {
            await("the holder holds", () -> !isFree(root));
            waiter = flock(file);
            assertFalse(waiter.waitFor(300, TimeUnit.MILLISECONDS));
            mount.close(100);
            assertTrue(waiter.waitFor(30, TimeUnit.SECONDS));
            assertTrue(mount.awaitEnd(0));
        } finally {
            holder.destroyForcibly();
            if (waiter != null) {
                waiter.destroyForcibly();
            }
        }
    }

    private static boolean isFree(Path root) {
        try (Posix process = new NativePosix(root, Set.of(), 0)) {
            int fd = process.open("file", Posix.O_CREAT | Posix.O_RDWR, 0644);
            process.flock(fd, Lock.Mode.EXCLUSIVE, false);
            return true;
        } catch (FsException e) {
            return false;
        }
    }
}
