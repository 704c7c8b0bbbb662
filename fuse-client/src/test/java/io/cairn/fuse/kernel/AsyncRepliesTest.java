package io.cairn.fuse.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AsyncChanges;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileSystem.Created;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.FuseMount;
import io.cairn.fuse.MountTest;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.runtime.PollLoop;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
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
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests that are begun, and answered when somebody looks for the answers. */
@Timeout(60)
class AsyncRepliesTest extends MountTest {
    private static final int FILES = 25;

    private final Answers answers = new Answers();
    private final Set<String> began = ConcurrentHashMap.newKeySet();
    private volatile boolean left = true;

    /** What is to be done when somebody looks, but not before it is sent and its time has come. */
    private final class Answers implements PollLoop {
        private final Queue<Runnable> collected = new ConcurrentLinkedQueue<>();
        private final Queue<Runnable> due = new ConcurrentLinkedQueue<>();
        private volatile long delayNs;
        private volatile @Nullable Thread owner;

        private <T extends @Nullable Object> CompletableFuture<T> later(Supplier<T> work) {
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
            if (!isOwned()) {
                flush();
            }
            return promise;
        }

        @Override
        public void enter() {
            left = false;
        }

        @Override
        public boolean isEntered() {
            return !left;
        }

        @Override
        public void own() {
            owner = Thread.currentThread();
        }

        @Override
        public boolean isOwned() {
            return Thread.currentThread().equals(owner);
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

    private static @Nullable Object invoke(Object target, Method method, Object[] arguments)
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
                        method.getName().equals("beginFlush")
                                ? answers.later(
                                        () -> {
                                            began.add("flush");
                                            file.flush();
                                            return null;
                                        })
                                : invoke(file, method, arguments));
    }

    /** The model, which begins all changes that it can. */
    private FileSystem begins() {
        AsyncChanges changes =
                proxy(
                        AsyncChanges.class,
                        (_, method, arguments) -> answers.later(() -> change(method, arguments)));
        return proxy(
                FileSystem.class,
                (_, method, arguments) ->
                        switch (method.getName()) {
                            case "async" -> changes;
                            default -> invoke(model, method, arguments);
                        });
    }

    private @Nullable Object change(Method method, Object[] arguments) {
        began.add(method.getName());
        if (method.getName().equals("create")) {
            return create(arguments);
        }
        try {
            return invoke(
                    model,
                    FileSystem.class.getMethod(method.getName(), method.getParameterTypes()),
                    arguments);
        } catch (FsException e) {
            throw e;
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    /** Does not make a file whose name begins with "no". */
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
        return FuseMount.mount(
                begins(),
                FileSystem.ROOT_INO,
                at,
                MountOptions.standard().withDriver(DriverKind.KERNEL),
                answers);
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
        assertEquals(Set.of("create", "flush", "mkdir"), began);
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

    @Test
    void namesAndAttributesAreChanged() throws Exception {
        Set<String> all =
                Set.of("create", "flush", "mkdir", "rename", "rmdir", "setAttributes", "unlink");
        Path at = directory("mnt");
        try (FuseMount _ = mounted(at)) {
            changeNamesAndAttributes(at);
        }
        assertEquals(all, began);
    }

    private static void changeNamesAndAttributes(Path at) throws Exception {
        Path dir = Files.createDirectory(at.resolve("dir"));
        Path file = dir.resolve("f");
        write(file, "bytes");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        FileTime time = FileTime.from(1_000_000, TimeUnit.SECONDS);
        Files.setLastModifiedTime(file, time);
        assertThrows(DirectoryNotEmptyException.class, () -> Files.delete(dir));
        Path moved = at.resolve("moved");
        Files.move(file, moved, StandardCopyOption.ATOMIC_MOVE);
        assertThrows(
                NoSuchFileException.class,
                () -> Files.move(file, moved, StandardCopyOption.ATOMIC_MOVE));
        assertEquals("bytes", read(moved));
        assertEquals(time, Files.getLastModifiedTime(moved));
        assertEquals(
                "rw-r-----", PosixFilePermissions.toString(Files.getPosixFilePermissions(moved)));
        Files.delete(moved);
        Files.delete(dir);
        try (Stream<Path> left = Files.list(at)) {
            assertEquals(List.of(), left.toList());
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
