package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ThreadSchedulerTest {
    private final ThreadScheduler scheduler = new ThreadScheduler("test", 1);

    @AfterEach
    void close() {
        scheduler.close();
    }

    private static void await(CountDownLatch latch) throws InterruptedException {
        assertTrue(latch.await(60, TimeUnit.SECONDS));
    }

    @Test
    void tasksRunInOrderOnNamedDaemonThreads() throws InterruptedException {
        List<String> ran = new CopyOnWriteArrayList<>();
        CountDownLatch done = new CountDownLatch(1);
        for (int i = 0; i < 100; i++) {
            String name = "task" + i;
            scheduler.execute(() -> ran.add(name));
        }
        scheduler.execute(
                () -> {
                    ran.add(Thread.currentThread().getName());
                    ran.add("daemon " + Thread.currentThread().isDaemon());
                    done.countDown();
                });
        await(done);
        assertEquals(102, ran.size());
        for (int i = 0; i < 100; i++) {
            assertEquals("task" + i, ran.get(i));
        }
        assertEquals(List.of("test-1", "daemon true"), ran.subList(100, 102));
    }

    @Test
    void aDelayIsKept() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        long begin = System.nanoTime();
        scheduler.schedule(done::countDown, 50);
        await(done);
        assertTrue(System.nanoTime() - begin >= 50_000_000);
    }

    @Test
    void aCancelledTaskDoesNotRun() throws InterruptedException {
        AtomicBoolean ran = new AtomicBoolean();
        CountDownLatch done = new CountDownLatch(1);
        Scheduler.Timer timer = scheduler.schedule(() -> ran.set(true), 20);
        timer.cancel();
        timer.cancel();
        scheduler.schedule(done::countDown, 60);
        await(done);
        assertFalse(ran.get());
    }

    @Test
    void aFailingTaskDoesNotStopTheOthers() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(1);
        scheduler.execute(
                () -> {
                    throw new IllegalStateException("expected by the test");
                });
        scheduler.execute(done::countDown);
        await(done);
    }

    @Test
    void afterCloseNothingRuns() {
        AtomicBoolean ran = new AtomicBoolean();
        scheduler.schedule(() -> ran.set(true), 60_000);
        scheduler.close();
        scheduler.execute(() -> ran.set(true));
        scheduler.schedule(() -> ran.set(true), 0).cancel();
        scheduler.close();
        assertFalse(ran.get());
    }
}
