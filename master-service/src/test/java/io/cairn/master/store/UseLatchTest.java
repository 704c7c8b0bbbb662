package io.cairn.master.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class UseLatchTest {
    private final UseLatch gate = new UseLatch();

    @Test
    void closesOnce() {
        assertTrue(gate.close(1000));
        assertFalse(gate.close(1000));
        assertThrows(IllegalStateException.class, gate::enter);
    }

    @Test
    void waitsForWhoIsInside() {
        gate.enter();
        CompletableFuture<Boolean> closing =
                CompletableFuture.supplyAsync(() -> gate.close(60_000));
        boolean refused = false;
        while (!refused) {
            try {
                gate.enter();
                gate.leave();
            } catch (IllegalStateException e) {
                refused = true; // it is closing
            }
        }
        assertFalse(closing.isDone());
        gate.leave();
        assertTrue(closing.join());
    }

    @Test
    void givesUpOnWhoStays() {
        gate.enter();
        assertThrows(IllegalStateException.class, () -> gate.close(10));
    }
}
