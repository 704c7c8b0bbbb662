package io.cairn.testkit.simulated;

import io.cairn.runtime.Scheduler;

/**
 * Delayed work of one simulated process, on simulated time. Tasks of {@link #execute} run in the
 * order given; delays are never cut short but may be exceeded by a random little, as on a real
 * machine.
 */
public final class SimulatedScheduler implements Scheduler {
    private static final int MAX_LATENESS_NS = 200_000;

    private final Simulation simulation;
    private boolean stopped;

    /** A scheduler of a process that has just begun. */
    public SimulatedScheduler(Simulation simulation) {
        this.simulation = simulation;
    }

    @Override
    public void execute(Runnable task) {
        add(task, 0);
    }

    @Override
    public Timer schedule(Runnable task, long delayMs) {
        long latenessNs = delayMs > 0 ? simulation.random().nextInt(MAX_LATENESS_NS) : 0;
        return add(task, delayMs * 1_000_000 + latenessNs)::cancel;
    }

    private Simulation.Event add(Runnable task, long delayNs) {
        return simulation.after(
                delayNs,
                () -> {
                    if (!stopped) {
                        task.run();
                    }
                });
    }

    /** The process has ended: nothing of it runs any more. */
    public void stop() {
        stopped = true;
    }
}
