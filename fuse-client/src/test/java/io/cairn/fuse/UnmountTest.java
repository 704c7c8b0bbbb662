package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.LoopThread;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.fuse.sys.MountTable;
import io.cairn.os.MountCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The end of a mount. */
class UnmountTest extends MountTest {
    private static final int CYCLES = 20;
    private static final int WORKERS = 4;
    private static final long PATIENCE_MS = 100;

    private static long loopThreads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread instanceof LoopThread)
                .count();
    }

    /** Works on the mount until that fails, because the mount is gone. */
    private static Thread work(Path directory, int number, CountDownLatch started) {
        return Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            Path file = directory.resolve("f" + number);
                            try (FileChannel channel =
                                    FileChannel.open(
                                            file,
                                            StandardOpenOption.CREATE,
                                            StandardOpenOption.WRITE)) {
                                while (true) {
                                    channel.write(ByteBuffer.allocate(20_000), 0);
                                    Files.readAttributes(directory, "unix:ino");
                                    started.countDown();
                                }
                            } catch (IOException e) {
                                started.countDown();
                            }
                        });
    }

    @ParameterizedTest
    @EnumSource
    @Timeout(300)
    void endsByForceUnderLoad(DriverKind driver) throws Exception {
        Path path = directory("busy");
        for (int cycle = 0; cycle < CYCLES; cycle++) {
            FuseMount mount = mount(path, driver);
            CountDownLatch started = new CountDownLatch(WORKERS);
            List<Thread> workers = new ArrayList<>();
            for (int i = 0; i < WORKERS; i++) {
                workers.add(work(path, i, started));
            }
            started.await();
            mount.close(PATIENCE_MS);
            assertNull(MountTable.find(path), "cycle " + cycle);
            assertTrue(mount.awaitEnd(0));
            for (Thread worker : workers) {
                worker.join(60_000);
                assertFalse(worker.isAlive(), "a process hangs in cycle " + cycle);
            }
        }
        await("loop threads are gone", () -> loopThreads() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void idleMountEndsAtOnceAndCanBeMadeAgain(DriverKind driver) throws Exception {
        Path path = directory("idle");
        for (int i = 0; i < 3; i++) {
            FuseMount mount = mount(path, driver);
            write(path.resolve("file"), "round " + i);
            assertEquals("round " + i, read(path.resolve("file")));
            long start = System.nanoTime();
            mount.close(60_000);
            mount.close();
            assertTrue(System.nanoTime() - start < 30_000_000_000L, "it waited before force");
            assertFalse(mount.isMounted());
        }
    }

    @ParameterizedTest
    @EnumSource
    void endsWhenSomebodyElseUnmounts(DriverKind driver) throws Exception {
        Path path = directory("other");
        FuseMount mount = mount(path, driver);
        AtomicBoolean woken = new AtomicBoolean();
        Thread waiter =
                Thread.ofPlatform()
                        .start(
                                () -> {
                                    try {
                                        mount.awaitEnd();
                                        woken.set(true);
                                    } catch (InterruptedException e) {
                                        Thread.currentThread().interrupt();
                                    }
                                });
        assertEquals(0, MountCalls.umount(path, 0));
        waiter.join(20_000);
        assertTrue(woken.get());
        assertFalse(mount.isMounted());
        mount.close();
    }
}
