package io.cairn.client.cache;

import static io.cairn.client.cache.KnownDirectory.ABSENT;
import static io.cairn.client.cache.KnownDirectory.UNKNOWN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Name;
import io.cairn.testkit.ManualClock;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What is known of a directory of which nobody else changes the names. */
class OwnNamesTest {
    private static final Name A = Name.of("a");
    private static final Name B = Name.of("b");
    private static final Name NONE = Name.of("none");

    private final ManualClock clock = new ManualClock(50_000);
    private final KnownDirectory directory =
            new KnownDirectory(
                    new KnownDirectory.Shared(
                            clock, 3000, 1000, new AtomicLong(), new AtomicInteger()));

    private void made() {
        directory.madeEmpty(directory.stamp(), clock.millis());
    }

    private void change(long changes, Name name, long ino) {
        directory.begin(name);
        directory.changed(changes, clock.millis(), Map.of(name, ino));
        directory.end(name);
    }

    @Test
    void whatNobodyElseChangesStaysKnown() {
        made();
        change(1, A, 5);
        clock.advance(100_000);
        assertEquals(UNKNOWN, directory.child(A), "others may have changed it");
        assertEquals(5, directory.ownChild(A));
        assertEquals(ABSENT, directory.ownChild(B));
        directory.begin(A);
        assertEquals(UNKNOWN, directory.ownChild(A), "under way");
        directory.end(A);
        directory.told(2, clock.millis());
        assertEquals(UNKNOWN, directory.ownChild(A), "somebody has changed something");
        assertEquals(UNKNOWN, directory.ownChild(B));
    }

    @Test
    void whatIsLeftWhenSomeNamesGo() {
        made();
        assertTrue(directory.hasOnly(Set.of()));
        change(1, A, 5);
        change(2, B, 6);
        assertFalse(directory.hasOnly(Set.of(A)));
        assertTrue(directory.hasOnly(Set.of(A, B)));
        directory.begin(NONE);
        assertFalse(directory.hasOnly(Set.of(A, B)), "something may be made");
        directory.end(NONE);
        change(3, B, 0);
        assertTrue(directory.hasOnly(Set.of(A)));
        directory.doubt();
        assertFalse(directory.hasOnly(Set.of(A)));
    }
}
