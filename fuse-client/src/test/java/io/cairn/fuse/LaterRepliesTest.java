package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Caller;
import io.cairn.fs.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.FsException;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.MountOptions.DriverKind;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Polled;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are begun, and answered when somebody looks for the answers. */
@Timeout(60)
class LaterRepliesTest extends MountTest {
    private static final int FILES = 25;

    private final Answers answers = new Answers();
    private final Set<Thread> began = ConcurrentHashMap.newKeySet();
    private volatile boolean left = true;

    /** What is to be done when somebody looks, but not before it is sent and its time has come. */
    private final class Answers implements Polled {
        private final Queue<Runnable> collected = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
        private volatile long delayNs;

        private <T> CompletableFuture<T> later(Supplier<T> work) {
            began.add(Thread.currentThread());
            CompletableFuture<T> promise = new CompletableFuture<>();
            long fromNs = System.nanoTime() + delayNs;
            collected.add(
                    new Runnable() {
                        @Override
                        public void run() {
                            if (System.nanoTime() - fromNs < 0) {
                                due.add(this);
                                return;
                            }
                            try {
                                promise.complete(work.get());
                            } catch (FsException e) {
                                promise.completeExceptionally(e);
                            }
                        }
                    });
            return promise;
        }

        @Override
        public void enter() {
            left = false;
        }

        @Override
        public int descriptor() {
            return -1;
        }

        @Override
        public int expected() {
            return collected.size() + due.size();
        }

        @Override
        public void flush() {
            for (Runnable next = collected.poll(); next != null; next = collected.poll()) {
                due.add(next);
            }
        }

        @Override
        public boolean poll() {
            flush();
            Runnable next = due.poll();
            if (next != null) {
                next.run();
            }
            return next != null;
        }

        @Override
        public void leave() {
            left = true;
        }
    }

    private static Object invoke(Object target, java.lang.reflect.Method method, Object[] arguments)
            throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(
                Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private OpenFile begins(OpenFile file) {
        return proxy(
                OpenFile.class,
                (_, method, arguments) ->
                        method.getName().equals("beginFlush") && Attendant.isAttending()
                                ? answers.later(
                                        () -> {
                                            file.flush();
                                            return null;
                                        })
                                : invoke(file, method, arguments));
    }

    /** The model, which does not make a file whose name begins with "no". */
    private FileSystem begins() {
        return proxy(
                FileSystem.class,
                (_, method, arguments) ->
                        switch (method.getName()) {
                            case "polled" -> answers;
                            case "beginCreate" ->
                                    Attendant.isAttending()
                                            ? answers.later(() -> create(arguments))
                                            : null;
                            default -> invoke(model, method, arguments);
                        });
    }

    private Created create(Object[] arguments) {
        Name name = (Name) arguments[2];
        if (name.toString().startsWith("no")) {
            throw new FsException(Errno.EDQUOT);
        }
        Created created =
                model.create(
                        (Caller) arguments[0],
                        (long) arguments[1],
                        name,
                        (int) arguments[3],
                        (int) arguments[4]);
        return new Created(created.attributes(), begins(created.file()));
    }

    private FuseMount mounted(Path at) {
        return FuseMount.mount(begins(), at, MountOptions.standard().withDriver(DriverKind.KERNEL));
    }

    @Test
    void manyAreUnderWayAndEachGetsItsOwnAnswer() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mounted(at);
                ExecutorService callers = Executors.newFixedThreadPool(8)) {
            List<Future<?>> calls = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                Path own = Files.createDirectory(at.resolve("d" + i));
                calls.add(
                        callers.submit(
                                () -> {
                                    for (int j = 0; j < FILES; j++) {
                                        Path file = own.resolve("f" + j);
                                        write(file, file.toString());
                                        assertEquals(file.toString(), read(file));
                                    }
                                    return true;
                                }));
            }
            for (Future<?> call : calls) {
                call.get(30, TimeUnit.SECONDS);
            }
        }
        assertTrue(began.size() > 0, "nothing was begun");
        assertTrue(left, "nobody looks when the mount is gone");
    }

    @Test
    void anErrorArrives() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mounted(at)) {
            FileSystemException refused =
                    assertThrows(
                            FileSystemException.class, () -> Files.createFile(at.resolve("no")));
            assertTrue(String.valueOf(refused.getMessage()).contains("quota"), refused.toString());
            write(at.resolve("yes"), "yes");
            assertEquals("yes", read(at.resolve("yes")));
        }
    }

    /** Without a descriptor the reader does not wake when an answer comes. */
    @Test
    void aSleepingReaderHoldsUpNoAnswer() throws Exception {
        Path at = directory("mnt");
        try (FuseMount _ = mounted(at)) {
            answers.delayNs = TimeUnit.MILLISECONDS.toNanos(10);
            long beganNs = System.nanoTime();
            for (int i = 0; i < FILES; i++) {
                write(at.resolve("f" + i), "late");
            }
            long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - beganNs);
            assertTrue(seconds < FILES, "each waited for a second: " + seconds + " s");
        }
    }
}
