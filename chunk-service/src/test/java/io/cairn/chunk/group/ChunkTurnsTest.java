package io.cairn.chunk.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.chunk.peer.Futures;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class ChunkTurnsTest {
    private static final ChunkKey KEY = new ChunkKey(1, 0);
    private static final ChunkKey OTHER = new ChunkKey(1, 1);

    private final ChunkTurns turns = new ChunkTurns(Runnable::run);
    private final List<String> log = new ArrayList<>();

    private CompletableFuture<Void> begin(ChunkKey key, boolean exclusive, String name) {
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture<Void> work =
                exclusive
                        ? turns.exclusive(key, () -> logged(name, end))
                        : turns.shared(key, () -> logged(name, end));
        Futures.finish(work, (done, thrown) -> log.add("-" + name));
        return end;
    }

    private CompletableFuture<Void> logged(String name, CompletableFuture<Void> end) {
        log.add("+" + name);
        return end;
    }

    @Test
    void exclusiveTurnsFollowOneAnother() {
        CompletableFuture<Void> a = begin(KEY, true, "a");
        CompletableFuture<Void> b = begin(KEY, true, "b");
        assertEquals(List.of("+a"), log);
        a.complete(null);
        b.complete(null);
        assertEquals(List.of("+a", "+b", "-a", "-b"), log);
        assertTrue(turns.active().isEmpty());
    }

    @Test
    void sharedTurnsRunTogetherAndInOrderWithExclusiveOnes() {
        CompletableFuture<Void> a = begin(KEY, false, "a");
        CompletableFuture<Void> b = begin(KEY, false, "b");
        CompletableFuture<Void> c = begin(KEY, true, "c");
        CompletableFuture<Void> d = begin(KEY, false, "d");
        assertEquals(List.of("+a", "+b"), log);
        b.complete(null);
        assertFalse(log.contains("+c"));
        a.complete(null);
        assertTrue(log.contains("+c"));
        assertFalse(log.contains("+d"), "a reader overtook a writer that waited");
        c.complete(null);
        assertTrue(log.contains("+d"));
        d.complete(null);
        assertTrue(turns.active().isEmpty());
    }

    @Test
    void chunksDoNotWaitForEachOther() {
        var _ = begin(KEY, true, "a");
        var _ = begin(OTHER, true, "b");
        assertEquals(List.of("+a", "+b"), log);
    }

    @Test
    void workThatFailsOrThrowsEndsItsTurn() {
        CompletableFuture<Void> thrown =
                turns.exclusive(
                        KEY,
                        () -> {
                            throw new IllegalStateException("x");
                        });
        assertTrue(thrown.isCompletedExceptionally());
        var _ = begin(KEY, true, "a").completeExceptionally(new IllegalStateException("y"));
        var _ = begin(KEY, true, "b").complete(null);
        assertEquals(List.of("+a", "-a", "+b", "-b"), log);
    }

    @Test
    void aFullLinePushesBack() {
        var _ = begin(KEY, true, "a");
        for (int i = 0; i < 512; i++) {
            var _ = begin(KEY, true, "w" + i);
        }
        CompletableFuture<Void> tooMany = turns.exclusive(KEY, () -> Futures.DONE);
        Throwable thrown = assertThrows(CompletionException.class, tooMany::join);
        assertEquals(Errno.NOT_READY, Futures.failure(thrown).errno());
    }

    @Test
    void quietWaitsForWhatWasAskedForBefore() {
        assertTrue(turns.quiet().isDone());
        CompletableFuture<Void> a = begin(KEY, true, "a");
        CompletableFuture<Void> b = begin(KEY, false, "b");
        CompletableFuture<Void> c = begin(OTHER, false, "c");
        CompletableFuture<Void> quiet = turns.quiet();
        a.complete(null);
        c.complete(null);
        assertFalse(quiet.isDone());
        b.complete(null);
        assertTrue(quiet.isDone());
        assertTrue(turns.active().isEmpty());
    }

    @Test
    void anExecutorThatHasStoppedFailsTheTurn() {
        ChunkTurns stopped =
                new ChunkTurns(
                        task -> {
                            throw new RejectedExecutionException("stopped");
                        });
        assertTrue(stopped.exclusive(KEY, () -> Futures.DONE).isCompletedExceptionally());
        assertTrue(stopped.active().isEmpty());
    }

    @Test
    void manyThreadsKeepTheRules() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(4);
        try {
            ChunkTurns real = new ChunkTurns(threads);
            AtomicInteger writers = new AtomicInteger();
            AtomicInteger readers = new AtomicInteger();
            AtomicInteger violations = new AtomicInteger();
            List<CompletableFuture<Void>> all = new ArrayList<>();
            Random random = new Random(1);
            for (int i = 0; i < 400; i++) {
                boolean exclusive = random.nextBoolean();
                AtomicInteger own = exclusive ? writers : readers;
                Runnable work =
                        () -> {
                            int mine = own.incrementAndGet();
                            boolean bad =
                                    exclusive ? mine > 1 || readers.get() > 0 : writers.get() > 0;
                            violations.addAndGet(bad ? 1 : 0);
                            Thread.onSpinWait();
                            own.decrementAndGet();
                        };
                all.add(
                        exclusive
                                ? real.exclusive(KEY, () -> CompletableFuture.runAsync(work))
                                : real.shared(KEY, () -> CompletableFuture.runAsync(work)));
            }
            Futures.all(all).get(30, TimeUnit.SECONDS);
            assertEquals(0, violations.get());
            assertTrue(real.active().isEmpty());
        } finally {
            threads.shutdown();
        }
    }
}
