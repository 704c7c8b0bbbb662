package io.cairn.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReceiveBudgetTest {
    private final ReceiveBudget budget = new ReceiveBudget(100);
    private final List<String> woken = new ArrayList<>();

    @Test
    void reservationsFitUntilTheLimit() {
        assertTrue(budget.reserve(60, () -> woken.add("a")));
        assertTrue(budget.reserve(40, () -> woken.add("b")));
        assertFalse(budget.reserve(1, () -> woken.add("c")));
        assertEquals(List.of(), woken);
        assertEquals(100, budget.usedBytes());
    }

    @Test
    void whoDidNotFitIsWokenOnce() {
        assertTrue(budget.reserve(100, () -> {}));
        assertFalse(budget.reserve(10, () -> woken.add("a")));
        assertFalse(budget.reserve(10, () -> woken.add("b")));
        budget.release(50);
        assertEquals(List.of("a", "b"), woken);
        budget.release(50);
        assertEquals(2, woken.size());
    }

    @Test
    void oneRequestBiggerThanTheBudgetFitsAlone() {
        assertTrue(budget.reserve(1_000, () -> {}));
        assertFalse(budget.reserve(1, () -> woken.add("a")));
        budget.release(1_000);
        assertEquals(List.of("a"), woken);
        assertEquals(0, budget.usedBytes());
    }

    @Test
    void releasingNothingWakesNobody() {
        assertTrue(budget.reserve(100, () -> {}));
        assertFalse(budget.reserve(1, () -> woken.add("a")));
        budget.release(0);
        assertEquals(List.of(), woken);
    }
}
