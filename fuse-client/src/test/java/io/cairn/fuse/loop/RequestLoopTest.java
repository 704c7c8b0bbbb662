package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.MountTest;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.runtime.PendingRequest;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who reads requests while others are served. */
@Timeout(60)
class RequestLoopTest extends MountTest {
    private static final int SLOW_ONES = 40;
    private static final long RELEASE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    private final AtomicInteger waiting = new AtomicInteger();
    private final Set<Thread> served = ConcurrentHashMap.newKeySet();
    private final AtomicBoolean releasedInTime = new AtomicBoolean(true);
    private final CountDownLatch released = new CountDownLatch(1);

    /** The model, whose look-ups of names that begin with "slow" wait until they are released. */
    private FileSystem slow(boolean tells) {
        return (FileSystem)
                Proxy.newProxyInstance(
                        FileSystem.class.getClassLoader(),
                        new Class<?>[] {FileSystem.class},
                        (_, method, arguments) -> {
                            served.add(Thread.currentThread());
                            if (method.getName().equals("lookup")
                                    && ((Name) arguments[2]).toString().startsWith("slow")) {
                                if (tells) {
                                    PendingRequest.aboutToWait();
                                }
                                waiting.incrementAndGet();
                                releasedInTime.compareAndSet(
                                        true, released.await(30, TimeUnit.SECONDS));
                            }
                            if (method.getName().equals("releaseLocks")) {
                                LockSupport.parkNanos(RELEASE_NS);
                            }
                            try {
                                return method.invoke(model, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getCause();
                            }
                        });
    }

    private void othersAreServed(boolean tells) throws Exception {
        Path at = directory("mnt");
        MountOptions options = MountOptions.standard().withDriver(DriverKind.KERNEL);
        try (FuseMount _ = FuseMount.mount(slow(tells), at, options);
                ExecutorService callers = Executors.newCachedThreadPool()) {
            // The kernel lets nobody make a name in a directory while it looks one up there.
            Path elsewhere = Files.createDirectory(at.resolve("elsewhere"));
            List<Future<Boolean>> calls = new ArrayList<>();
            for (int i = 0; i < SLOW_ONES; i++) {
                Path name = at.resolve("slow" + i);
                calls.add(callers.submit(() -> Files.exists(name)));
            }
            await("all slow ones are being served", () -> waiting.get() == SLOW_ONES);
            assertEquals("fast", roundTrip(elsewhere.resolve("fast")));
            released.countDown();
            for (Future<Boolean> call : calls) {
                assertEquals(false, call.get(30, TimeUnit.SECONDS));
            }
            assertTrue(releasedInTime.get(), "who waits is released by the others, not by time");
        } finally {
            released.countDown();
        }
    }

    private static String roundTrip(Path file) throws IOException {
        write(file, "fast");
        return read(file);
    }

    @Test
    void requestsThatTellThatTheyWaitHoldUpNobody() throws Exception {
        othersAreServed(true);
    }

    @Test
    void requestsThatDoNotTellHoldUpNobody() throws Exception {
        othersAreServed(false);
    }

    /** The kernel tells of the last close in the background, when close(2) has returned. */
    @Test
    void aLockIsFreeWhenItsFileIsClosed() throws Exception {
        Path at = directory("mnt");
        MountOptions options = MountOptions.standard().withDriver(DriverKind.KERNEL);
        try (FuseMount _ = FuseMount.mount(slow(false), at, options)) {
            Posix posix = new NativePosix(at, EnumSet.noneOf(Posix.Capability.class), 0);
            for (int i = 0; i < 20; i++) {
                int holder = posix.open("f", Posix.O_RDWR | Posix.O_CREAT, 0600);
                int other = posix.open("f", Posix.O_RDWR, 0);
                posix.flock(holder, Lock.Mode.EXCLUSIVE, false);
                posix.close(holder);
                posix.flock(other, Lock.Mode.EXCLUSIVE, false);
                posix.close(other);
            }
        }
    }

    @Test
    void whoAsksForOneThingAfterTheOtherIsServedByOneThread() throws Exception {
        Path at = directory("mnt");
        MountOptions options = MountOptions.standard().withDriver(DriverKind.KERNEL);
        try (FuseMount _ = FuseMount.mount(slow(false), at, options)) {
            // A pause of the JVM looks like a wait, so that the reader may be relieved now and
            // then, and often beside other work: one quiet round is enough.
            int threads = Integer.MAX_VALUE;
            for (int round = 0; round < 10 && threads > 4; round++) {
                served.clear();
                for (int i = 0; i < 200; i++) {
                    roundTrip(at.resolve("file" + i));
                }
                threads = Math.min(threads, served.size());
            }
            assertTrue(threads <= 4, threads + " threads for one caller");
        }
    }
}
