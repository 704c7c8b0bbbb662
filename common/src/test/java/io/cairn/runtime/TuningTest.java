package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class TuningTest {
    @Test
    void halfOfTheProcessorsServeTheNetworkUpToABound() {
        assertEquals(1, Tuning.of(1).eventLoops());
        assertEquals(1, Tuning.of(2).eventLoops());
        assertEquals(4, Tuning.of(8).eventLoops());
        assertEquals(16, Tuning.of(256).eventLoops());
    }

    @Test
    void nobodyLooksWhereThereIsOneProcessor() {
        assertEquals(new Tuning(1, 4, 0, 0, 0, 0), Tuning.of(1));
        assertTrue(Tuning.of(2).answerNs() > Tuning.of(2).nextRequestNs());
    }
}
