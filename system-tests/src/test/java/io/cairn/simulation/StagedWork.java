package io.cairn.simulation;

import io.cairn.client.CairnFileSystem;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Steps that a test orders by stages, perhaps among those of other clients: each waits for its
 * stage, and begins the next one when it is done.
 *
 * @param stage the present one, common to all
 * @param restMs how long the mount stays open after the last step
 */
record StagedWork(AtomicInteger stage, long restMs, List<Step> steps)
        implements SimulatedClient.Work {
    /**
     * What is done.
     *
     * @param when the stage that it waits for
     */
    record Step(int when, Consumer<CairnFileSystem> action) {}

    @Override
    public void run(CairnFileSystem fs, SimulatedClient.Sleeper sleeper) {
        for (Step step : steps) {
            while (stage.get() != step.when) {
                sleeper.sleep(1);
            }
            step.action.accept(fs);
            stage.incrementAndGet();
        }
        sleeper.sleep(restMs);
    }

    @Override
    public void crashed() {
        // The test looks at what others see then.
    }
}
