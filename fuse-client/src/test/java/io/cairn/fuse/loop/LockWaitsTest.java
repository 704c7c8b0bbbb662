package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Lock;
import io.cairn.fs.Name;
import io.cairn.runtime.Clock;
import io.cairn.testkit.model.ModelFileSystem;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class LockWaitsTest {
    private final ModelFileSystem model = new ModelFileSystem(Clock.system());
    private final LockWaits waits = new LockWaits(model);
    private long ino;

    @BeforeEach
    void lockTheFile() {
        FileSystem.Created created =
                model.create(Caller.ROOT, FileSystem.ROOT_INO, Name.of("f"), 0644, 2);
        ino = created.attributes().ino();
        model.setLock(ino, lock(1, Lock.Mode.EXCLUSIVE), 0);
    }

    private static Lock lock(long owner, Lock.Mode mode) {
        return new Lock(Lock.Kind.FLOCK, mode, owner, 0, Lock.TO_END, 0);
    }

    /** What the wait of a request ends with: the error, or null. */
    private CompletableFuture<Void> waiting(long request) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        Thread.ofPlatform()
                .daemon()
                .start(
                        () -> {
                            try {
                                waits.await(request, ino, lock(request, Lock.Mode.EXCLUSIVE));
                                assertFalse(Thread.currentThread().isInterrupted());
                                end.complete(null);
                            } catch (FsException e) {
                                end.completeExceptionally(e);
                            }
                        });
        return end;
    }

    private static void isInterrupted(CompletableFuture<Void> wait) {
        ExecutionException e =
                assertThrows(ExecutionException.class, () -> wait.get(60, TimeUnit.SECONDS));
        FsException cause = assertInstanceOf(FsException.class, e.getCause());
        assertEquals(Errno.EINTR, cause.errno());
    }

    @Test
    void endsWithTheLock() throws Exception {
        CompletableFuture<Void> wait = waiting(2);
        model.setLock(ino, lock(1, Lock.Mode.UNLOCK), 0);
        wait.get(60, TimeUnit.SECONDS);
    }

    @Test
    void endsByInterruptionOfItsRequestOnly() throws Exception {
        CompletableFuture<Void> two = waiting(2);
        CompletableFuture<Void> three = waiting(3);
        waits.interrupt(2);
        isInterrupted(two);
        assertFalse(three.isDone());
        model.setLock(ino, lock(1, Lock.Mode.UNLOCK), 0);
        three.get(60, TimeUnit.SECONDS);
    }

    @Test
    void anInterruptionMayOvertakeItsRequest() {
        waits.interrupt(4);
        isInterrupted(waiting(4));
    }

    @Test
    void closingEndsAll() {
        CompletableFuture<Void> two = waiting(2);
        CompletableFuture<Void> three = waiting(3);
        waits.close();
        isInterrupted(two);
        isInterrupted(three);
        isInterrupted(waiting(5));
    }
}
