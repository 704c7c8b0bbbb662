package io.cairn.master.access;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.testkit.ManualClock;
import org.junit.jupiter.api.Test;

final class FailureLimitTest {
    private final ManualClock clock = new ManualClock(1000);
    private final FailureLimit limit = new FailureLimit(clock);

    private void fail(String address, int times) {
        for (int i = 0; i < times; i++) {
            limit.require(address, "alice");
            limit.add(address, "alice");
        }
    }

    @Test
    void anAddressThatFailsTooOftenWaitsAMinute() {
        fail("10.0.0.7", FailureLimit.MOST);
        var refusal = assertThrows(FsException.class, () -> limit.require("10.0.0.7", "alice"));
        assertEquals(Errno.EACCES, refusal.errno());
        assertTrue(String.valueOf(refusal.getMessage()).contains("wait a minute"));
        limit.require("10.0.0.8", "alice");
        limit.require("10.0.0.7", "bob");
        clock.advance(59_999);
        assertThrows(FsException.class, () -> limit.require("10.0.0.7", "alice"));
        clock.advance(1);
        fail("10.0.0.7", FailureLimit.MOST);
        assertThrows(FsException.class, () -> limit.require("10.0.0.7", "alice"));
    }

    @Test
    void manyUsersOfAnAddressAreStillOneAddress() {
        for (int i = 0; i < FailureLimit.MOST_OF_ADDRESS; i++) {
            limit.add("10.0.0.7", "user " + i);
        }
        assertThrows(FsException.class, () -> limit.require("10.0.0.7", "bob"));
        limit.require("10.0.0.8", "bob");
    }

    @Test
    void addressesWithoutEndTakeNoMoreMemory() {
        for (int i = 0; i < 3 * FailureLimit.MAX_KNOWN; i++) {
            limit.add("address " + i, "alice");
        }
        assertEquals(FailureLimit.MAX_KNOWN, limit.size());
    }
}
