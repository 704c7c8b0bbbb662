package io.cairn.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

import io.cairn.simulation.SimulationRun.Result;
import org.junit.jupiter.api.Test;

/** Runs many seeds. */
final class SimulationTest {
    private static void hold(Result result) {
        if (result.violation() != null) {
            fail(
                    "seed "
                            + result.seed()
                            + ": "
                            + result.violation()
                            + "\n"
                            + result.report()
                            + "\nagain with -Dcairn.simulation.seed="
                            + result.seed());
        }
    }

    @Test
    void withoutFaultsNothingFails() {
        for (long seed = 1; seed <= 3; seed++) {
            Result result = new SimulationRun(seed, false).run();
            hold(result);
            assertEquals(0, result.failures());
        }
    }
}
