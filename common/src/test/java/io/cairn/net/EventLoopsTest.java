package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;

import io.cairn.runtime.Clock;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class EventLoopsTest {
    private final EventLoops loops = new EventLoops("loops-test", 2, Clock.system());

    @AfterEach
    void close() {
        loops.close();
    }

    @Test
    void theEndOfATurnIsOnTheSameLoopAfterTheTaskThatAsks() throws Exception {
        List<String> order = new ArrayList<>();
        CompletableFuture<Thread> later = new CompletableFuture<>();
        CompletableFuture<Thread> asking = new CompletableFuture<>();
        loops.group()
                .next()
                .execute(
                        () -> {
                            loops.endOfTurn(0)
                                    .execute(
                                            () -> {
                                                order.add("end");
                                                later.complete(Thread.currentThread());
                                            });
                            order.add("turn");
                            asking.complete(Thread.currentThread());
                        });
        assertSame(asking.get(60, TimeUnit.SECONDS), later.get(60, TimeUnit.SECONDS));
        assertEquals(List.of("turn", "end"), order);
    }

    @Test
    void otherThreadsHaveNoTurn() {
        List<Thread> ran = new ArrayList<>();
        loops.endOfTurn(0).execute(() -> ran.add(Thread.currentThread()));
        assertEquals(List.of(Thread.currentThread()), ran);
    }

    @Test
    void aLoopThatStaysAwakeServesOthers() throws Exception {
        EventLoop loop = loops.group().next();
        CompletableFuture<Void> turn = new CompletableFuture<>();
        loop.execute(
                () ->
                        loops.endOfTurn(TimeUnit.HOURS.toNanos(1))
                                .execute(() -> turn.complete(null)));
        turn.get(60, TimeUnit.SECONDS);
        CompletableFuture<Void> other = new CompletableFuture<>();
        loop.execute(() -> other.complete(null));
        other.get(60, TimeUnit.SECONDS);
    }

    /** The answer of a task elsewhere is a task of the loop; neither waits for the hour. */
    @Test
    void workElsewhereHoldsUpNothing() throws Exception {
        EventLoop loop = loops.group().next();
        try (ExecutorService disk = Executors.newSingleThreadExecutor()) {
            CompletableFuture<Thread> answered = new CompletableFuture<>();
            Runnable work = () -> loop.execute(() -> answered.complete(Thread.currentThread()));
            loop.execute(() -> loops.awake(disk, TimeUnit.HOURS.toNanos(1)).execute(work));
            assertNotSame(Thread.currentThread(), answered.get(60, TimeUnit.SECONDS));
            loops.awake(disk, 1).execute(() -> {});
        }
    }
}
