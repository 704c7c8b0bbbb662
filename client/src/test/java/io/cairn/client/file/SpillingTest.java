package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Layout.Run;
import org.junit.jupiter.api.Test;

final class SpillingTest {
    private static final byte[] CONTENTS = {1, 2, 3};

    /** Another object, or the same one in another pool, has nothing of what was stored. */
    @Test
    void whatWasStoredElsewhereIsStoredAnew() {
        Spilling moving = new Spilling(Run.of(0, 1, 5), CONTENTS);
        assertFalse(moving.see(CONTENTS, Run.of(0, 1, 5)));
        assertTrue(moving.see(CONTENTS, Run.of(0, 2, 5)), "another pool");
        assertFalse(moving.see(CONTENTS, Run.of(0, 2, 5)), "as before");
        assertTrue(moving.see(CONTENTS, Run.of(0, 2, 6)), "another object");
    }
}
