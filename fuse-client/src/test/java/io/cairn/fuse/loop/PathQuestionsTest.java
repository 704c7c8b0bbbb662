package io.cairn.fuse.loop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileSystem;
import io.cairn.fuse.MountTest;
import io.cairn.runtime.PendingRequest;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Paths of inodes, also when nobody tells them. */
@Timeout(60)
class PathQuestionsTest {
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();

    private static FileSystem telling(LongFunction<byte[]> path) {
        return (FileSystem)
                Proxy.newProxyInstance(
                        FileSystem.class.getClassLoader(),
                        new Class<?>[] {FileSystem.class},
                        (_, method, arguments) -> {
                            assertEquals("path", method.getName());
                            return path.apply((long) arguments[0]);
                        });
    }

    /** A master that does not answer before the question is given up. */
    private byte[] silent(long ino) {
        int now = underWay.incrementAndGet();
        most.accumulateAndGet(now, Math::max);
        try {
            PendingRequest.aboutToWait();
            while (!PendingRequest.isCurrentCancelled()) {
                LockSupport.parkNanos(PAUSE_NS);
            }
            PendingRequest.waited();
            return new byte[] {(byte) ino};
        } finally {
            underWay.decrementAndGet();
        }
    }

    private static Set<Long> inodes(int count) {
        Set<Long> inodes = new LinkedHashSet<>();
        for (long ino = 1; ino <= count; ino++) {
            inodes.add(ino);
        }
        return inodes;
    }

    @Test
    void pathsAreToldAndWhatHasNoneIsEmpty() {
        PathQuestions questions =
                new PathQuestions(
                        telling(
                                ino -> {
                                    if (ino == 2) {
                                        throw new FsException(Errno.ENOENT);
                                    }
                                    return ("/f\n" + ino).getBytes(StandardCharsets.UTF_8);
                                }));
        assertEquals(Map.of(1L, "/f\\x0a1", 2L, "", 3L, "/f\\x0a3"), questions.ask(inodes(3)));
        assertEquals(PathQuestions.MOST, questions.ask(inodes(100)).size());
    }

    @Test
    void questionsWithoutAnAnswerAreGivenUpAndNeverTooMany() throws Exception {
        PathQuestions questions = new PathQuestions(telling(this::silent));
        CompletableFuture<Map<Long, String>> other =
                CompletableFuture.supplyAsync(() -> questions.ask(inodes(100)));
        Map<Long, String> told = questions.ask(inodes(100));
        assertEquals(Set.of(""), Set.copyOf(told.values()));
        assertEquals(Set.of(""), Set.copyOf(other.get(30, TimeUnit.SECONDS).values()));
        assertTrue(most.get() > 0 && most.get() <= PathQuestions.MOST, "under way: " + most);
        MountTest.await("no question is left", () -> underWay.get() == 0);
    }
}
