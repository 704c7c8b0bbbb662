package io.cairn.nfs.v3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.cairn.testkit.ManualClock;
import io.cairn.testkit.model.ModelFileSystem;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Files between calls, on a clock that stands still until it is moved. */
final class OpenFilesTest {
    private static final int MAX_OPEN = 8;
    private static final long IDLE_MS = 1000;
    private static final int ERRORS_REMEMBERED = 1024;

    private final FileSystem model = new ModelFileSystem(Clock.system());
    private final Deque<Runnable> checks = new ArrayDeque<>();
    private boolean failing;

    private final ManualClock clock = new ManualClock(0);

    private final Scheduler scheduler =
            new Scheduler() {
                @Override
                public Timer schedule(Runnable task, long delayMs) {
                    checks.add(task);
                    return () -> checks.remove(task);
                }

                @Override
                public void execute(Runnable task) {
                    checks.add(task);
                }
            };

    private final OpenFiles files =
            new OpenFiles(
                    (FileSystem) failing(FileSystem.class, model),
                    new OpenFiles.Bounds(MAX_OPEN, IDLE_MS),
                    clock,
                    scheduler,
                    Runnable::run,
                    new Random(1));

    /** The same object, but closing a file of it fails when the test wants it. */
    private Object failing(Class<?> type, Object target) {
        return Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(target, arguments);
                        if (method.getName().equals("close") && failing) {
                            throw new FsException(Errno.EIO, "as the test wants");
                        }
                        return result instanceof OpenFile
                                ? failing(OpenFile.class, result)
                                : result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private long make(String name) {
        return model.mknod(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name), FileType.FILE, 0644, 0)
                .ino();
    }

    private void touch(long ino) {
        touch(ino, true);
    }

    private void touch(long ino, boolean forWriting) {
        files.use(ino, forWriting).close();
    }

    private void later(long ms) {
        clock.advance(ms);
        checks.remove().run();
    }

    @Test
    void filesStayOpenUntilTheyAreIdle() {
        long ino = make("f");
        OpenFiles.Use first = files.use(ino, true);
        OpenFile file = first.file();
        later(10 * IDLE_MS);
        assertEquals(1, files.size(), "in use");
        first.close();
        later(IDLE_MS - 1);
        OpenFiles.Use second = files.use(ino, true);
        assertSame(file, second.file());
        second.close();
        later(IDLE_MS);
        assertEquals(0, files.size());
    }

    @Test
    void noMoreStayOpenThanAllowed() {
        for (int i = 0; i < 100; i++) {
            clock.advance(1);
            touch(make("f" + i));
            assertEquals(true, files.size() <= MAX_OPEN + 1, "open: " + files.size());
        }
    }

    @Test
    void errorOfAClosedFileIsToldOnce() {
        long ino = make("f");
        long verifier = files.verifier();
        touch(ino);
        failing = true;
        later(IDLE_MS);
        FsException lost = files.takeError(ino);
        assertNotNull(lost);
        assertEquals(Errno.EIO, lost.errno());
        assertNull(files.takeError(ino));
        assertEquals(verifier, files.verifier());
    }

    @Test
    void moreErrorsThanCanBeRememberedChangeTheVerifier() {
        long verifier = files.verifier();
        failing = true;
        for (int i = 0; i <= ERRORS_REMEMBERED; i++) {
            touch(make("f" + i));
        }
        later(IDLE_MS);
        assertNotEquals(verifier, files.verifier());
    }

    @Test
    void whatCannotBeOpenedIsNotRemembered() {
        assertThrows(FsException.class, () -> files.use(4711, false));
        assertThrows(FsException.class, () -> files.use(FileSystem.ROOT_INO, false));
        assertEquals(0, files.size());
    }

    private void flag(long ino, int flags) {
        AttributeChange change = AttributeChange.NONE.withFlags(Attributes.ALL_FLAGS, flags);
        model.setAttributes(Caller.ROOT, ino, change);
    }

    private static void fails(Errno errno, Executable action) {
        assertEquals(errno, assertThrows(FsException.class, action).errno());
    }

    private static int read(OpenFiles.Use use) {
        return use.file().read(0, ByteBuffer.allocate(1));
    }

    @Test
    void aProtectedFileIsOpenForReadingUntilItMayBeWritten() {
        long ino = make("f");
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            flag(ino, flag);
            fails(Errno.EPERM, () -> files.use(ino, true));
            OpenFiles.Use reader = files.use(ino, false);
            fails(Errno.EPERM, () -> files.use(ino, true));
            touch(ino, false);
            flag(ino, 0);
            touch(ino, false);
            try (OpenFiles.Use writer = files.use(ino, true)) {
                assertEquals(FileSystem.O_RDWR, writer.file().flags());
                assertEquals(0, read(reader), "in use");
            }
            reader.close();
            fails(Errno.EBADF, () -> read(reader));
            assertEquals(1, files.size());
            later(IDLE_MS);
        }
        assertEquals(0, files.size());
    }

    @Test
    void whatWasOpenForReadingIsClosedWhenItIsOpenedForWriting() {
        long ino = make("f");
        flag(ino, Attributes.IMMUTABLE);
        OpenFiles.Use reader = files.use(ino, false);
        reader.close();
        flag(ino, 0);
        touch(ino, true);
        fails(Errno.EBADF, () -> read(reader));
        assertEquals(1, files.size());
    }

    @Test
    void closedForGoodItAsksToComeAgain() {
        long ino = make("f");
        touch(ino);
        files.close();
        assertEquals(0, files.size());
        FsException e = assertThrows(FsException.class, () -> files.use(ino, true));
        assertEquals(NfsStatus.JUKEBOX, NfsStatus.of(e.errno()));
    }
}
