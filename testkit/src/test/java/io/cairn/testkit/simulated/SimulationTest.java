package io.cairn.testkit.simulated;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Scheduler;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class SimulationTest {
    private final Simulation simulation = new Simulation(1);
    private final SimulatedScheduler scheduler = new SimulatedScheduler(simulation);
    private final List<String> log = new ArrayList<>();

    @Test
    void timeJumpsFromTaskToTask() {
        scheduler.schedule(() -> log.add("late"), 1_000_000);
        scheduler.schedule(() -> log.add("soon"), 5);
        long before = simulation.wallNs();
        assertTrue(simulation.step());
        assertEquals(List.of("soon"), log);
        long passedNs = simulation.wallNs() - before;
        assertTrue(passedNs >= 5_000_000 && passedNs < 6_000_000);
        assertTrue(simulation.step());
        assertTrue(simulation.millis() >= 1_000_000);
        assertFalse(simulation.step());
    }

    @Test
    void tasksOfAMomentRunInOrder() {
        for (int i = 0; i < 10; i++) {
            String name = "t" + i;
            scheduler.execute(() -> log.add(name));
        }
        simulation.run(0);
        assertEquals(10, log.size());
        assertEquals("t0", log.get(0));
        assertEquals("t9", log.get(9));
    }

    @Test
    void runLetsExactlyTheTimePass() {
        scheduler.schedule(() -> log.add("in"), 10);
        scheduler.schedule(() -> log.add("out"), 30);
        simulation.run(20);
        assertEquals(List.of("in"), log);
        assertEquals(20, simulation.millis());
    }

    @Test
    void cancelledAndStoppedTasksDoNotRun() {
        Scheduler.Timer timer = scheduler.schedule(() -> log.add("cancelled"), 5);
        scheduler.schedule(() -> log.add("stopped"), 5);
        timer.cancel();
        scheduler.stop();
        simulation.run(100);
        assertEquals(List.of(), log);
    }

    @Test
    void runUntilAndAwaitHaveLimits() {
        CompletableFuture<String> future = new CompletableFuture<>();
        scheduler.schedule(() -> future.complete("done"), 50);
        assertFalse(simulation.runUntil(future::isDone, 10));
        assertEquals("done", simulation.await(future, 100));
        CompletionException error =
                assertThrows(
                        CompletionException.class,
                        () -> simulation.await(new CompletableFuture<String>(), 100));
        assertInstanceOf(TimeoutException.class, error.getCause());
    }

    @Test
    void theSeedDecides() {
        assertEquals(trace(5), trace(5));
        assertFalse(trace(5).equals(trace(6)));
    }

    private static List<Long> trace(long seed) {
        Simulation run = new Simulation(seed);
        SimulatedScheduler tasks = new SimulatedScheduler(run);
        List<Long> times = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            tasks.schedule(() -> times.add(run.nanoTime()), run.random().nextInt(100));
        }
        run.run(1000);
        return times;
    }
}
