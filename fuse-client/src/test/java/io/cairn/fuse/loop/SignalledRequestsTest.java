package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.FileSystem;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.MountTest;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.runtime.PendingRequest;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Processes that wait for a filesystem that does not answer, and get a signal. */
@Timeout(120)
class SignalledRequestsTest extends MountTest {
    private static final long WAIT_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final int MANY = 100;

    /** More than the second that is promised: the machine may be busy. */
    private static final long SOON_MS = 30_000;

    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicBoolean away = new AtomicBoolean();

    /** The model, all of which waits while it is away. */
    private FileSystem absent() {
        return (FileSystem)
                Proxy.newProxyInstance(
                        FileSystem.class.getClassLoader(),
                        new Class<?>[] {FileSystem.class},
                        (_, method, arguments) -> {
                            if (!method.getName().equals("async")) {
                                await();
                            }
                            try {
                                return method.invoke(model, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void await() {
        if (!away.get()) {
            return;
        }
        waiting.incrementAndGet();
        PendingRequest.aboutToWait();
        while (away.get() && !PendingRequest.isCurrentCancelled()) {
            LockSupport.parkNanos(WAIT_NS);
        }
        waiting.decrementAndGet();
        PendingRequest.waited();
    }

    /** A shell in the mount that comes to wait with a command. */
    private Process waiter(Path at, String command) throws Exception {
        Process process =
                new ProcessBuilder(
                                "bash", "-c", "cd '" + at + "' && echo there && read && " + command)
                        .start();
        assertEquals('t', process.getInputStream().read());
        away.set(true);
        int before = waiting.get();
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        MountTest.await(command + " waits", () -> waiting.get() > before);
        return process;
    }

    private static void signal(Process process, String name) throws Exception {
        assertEquals(
                0,
                new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                        .start()
                        .waitFor());
    }

    private FuseMount mountOf(DriverKind driver, Path at) throws IOException {
        return FuseMount.mount(absent(), at, MountOptions.standard().withDriver(driver));
    }

    @AfterEach
    void comeBack() {
        away.set(false);
    }

    @ParameterizedTest
    @EnumSource
    void whoIsKilledIsGone(DriverKind driver) throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mountOf(driver, at)) {
            write(at.resolve("f"), "text");
            for (String command :
                    List.of("mkdir d", ": >g", "ln f l", "mv f g", "ls", "chmod 1 f", "cat f")) {
                Process process = waiter(at, command + "; true");
                // Bash itself waits for its child; both are killed, as by a terminal.
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                signal(process, "KILL");
                assertTrue(process.waitFor(SOON_MS, TimeUnit.MILLISECONDS), command);
                MountTest.await("nobody waits", () -> waiting.get() == 0);
                away.set(false);
                assertEquals("text", read(at.resolve("f")), command);
            }
            assertFalse(at.resolve("d").toFile().exists(), "what was given up was done later");
        }
    }

    @ParameterizedTest
    @EnumSource
    void otherSignalsEndALongWaitOnly(DriverKind driver) throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mountOf(driver, at)) {
            // Bash waits in its own open(2); its trap runs when that has ended.
            Process process = waiter(at, "trap 'exit 7' USR1 && : >new; sleep 0; exit 3");
            long beganNs = System.nanoTime();
            signal(process, "USR1");
            assertTrue(process.waitFor(SOON_MS + 1000, TimeUnit.MILLISECONDS));
            assertEquals(7, process.exitValue());
            long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
            assertTrue(tookMs >= 700, "a signal ended a wait after " + tookMs + " ms");
            away.set(false);
        }
    }

    @Test
    void manyThatWaitCanAllBeKilled() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mountOf(DriverKind.KERNEL, at)) {
            for (int i = 0; i < MANY; i++) {
                write(at.resolve("f" + i), "text");
            }
            away.set(true);
            List<Process> processes = new ArrayList<>();
            for (int i = 0; i < MANY; i++) {
                processes.add(
                        new ProcessBuilder("chmod", "600", at.resolve("f" + i).toString()).start());
            }
            MountTest.await("all wait", () -> waiting.get() == MANY);
            for (Process process : processes) {
                process.destroyForcibly();
            }
            for (Process process : processes) {
                assertTrue(
                        process.waitFor(SOON_MS, TimeUnit.MILLISECONDS),
                        "a killed process still waits");
            }
            MountTest.await("nobody waits", () -> waiting.get() == 0);
            away.set(false);
            assertEquals("text", read(at.resolve("f1")));
        }
    }
}
