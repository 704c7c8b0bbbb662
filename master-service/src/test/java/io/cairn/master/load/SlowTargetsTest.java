package io.cairn.master.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.wire.master.TargetLoad;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class SlowTargetsTest {
    private final SlowTargets watch = new SlowTargets();

    /** A target that has done so many operations a second since the beginning. */
    private void hear(long target, int second, int perSecond, long readMs, long syncMs) {
        long count = (long) perSecond * second;
        watch.heard(
                target,
                new TargetLoad(
                        second * 1_000L,
                        0,
                        0,
                        0,
                        0,
                        count,
                        0,
                        count,
                        count * readMs * 1_000_000,
                        0,
                        count * syncMs * 1_000_000,
                        0,
                        -1));
    }

    @Test
    void aDiskThatTakesMuchLongerThanTheOthersIsSlow() {
        for (int second = 0; second <= 60; second += 5) {
            for (long target = 1; target <= 3; target++) {
                hear(target, second, 10, 4, 9);
            }
            hear(4, second, 2, 4, 200);
        }
        assertEquals(Set.of(4L), watch.slow().keySet());
        assertTrue(watch.slow().get(4L).startsWith("a sync takes 200 ms"), watch.slow()::toString);
        watch.retain(Set.of(1L, 2L));
        assertEquals(Map.of(), watch.slow());
    }

    @Test
    void anIdleDiskIsNotSlowAndNoMeasure() {
        for (int second = 0; second <= 60; second += 5) {
            hear(1, second, 10, 900, 900);
            watch.heard(2, idle(second));
            watch.heard(3, idle(second));
            watch.heard(4, idle(second));
        }
        assertEquals(Map.of(), watch.slow());
        for (int second = 65; second <= 180; second += 5) {
            hear(1, second, 10, 4, 4);
            hear(2, second, 10, 5, 5);
            hear(3, second, 10, 3, 3);
            // One single slow operation after a long rest.
            watch.heard(
                    4, new TargetLoad(second * 1_000L, 0, 0, 0, 0, 1, 0, 0, 5L << 30, 0, 0, 0, -1));
        }
        assertEquals(Map.of(), watch.slow());
    }

    private static TargetLoad idle(int second) {
        return new TargetLoad(second * 1_000L, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, -1);
    }

    @Test
    void twoDisksCannotSayWhichOfThemIsSlow() {
        for (int second = 0; second <= 60; second += 5) {
            hear(1, second, 10, 4, 4);
            hear(2, second, 10, 400, 400);
        }
        assertEquals(Map.of(), watch.slow());
    }

    @Test
    void fastDisksOfDifferentSpeedAreWell() {
        for (int second = 0; second <= 60; second += 5) {
            hear(1, second, 10, 1, 1);
            hear(2, second, 10, 1, 1);
            hear(3, second, 10, 20, 40);
        }
        assertEquals(Map.of(), watch.slow());
    }

    @Test
    void aDiskIsWellAgainWhenItIsFastAgain() {
        for (int second = 0; second <= 60; second += 5) {
            hear(1, second, 10, 4, 4);
            hear(2, second, 10, 4, 4);
            hear(3, second, 10, 400, 4);
        }
        assertEquals(Set.of(3L), watch.slow().keySet());
        long doneNs = 600L * 400 * 1_000_000;
        for (int second = 65; second <= 180; second += 5) {
            hear(1, second, 10, 4, 4);
            hear(2, second, 10, 4, 4);
            long count = 10L * second;
            long ns = doneNs + (count - 600) * 5_000_000;
            watch.heard(
                    3, new TargetLoad(second * 1_000L, 0, 0, 0, 0, count, 0, 0, ns, 0, 0, 0, -1));
        }
        assertEquals(Map.of(), watch.slow());
    }
}
