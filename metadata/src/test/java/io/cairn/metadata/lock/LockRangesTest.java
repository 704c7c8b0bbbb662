package io.cairn.metadata.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Lock;
import java.util.List;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class LockRangesTest {
    private static Lock lock(Lock.Mode mode, long start, long end) {
        return new Lock(Lock.Kind.POSIX, mode, 1, start, end, 9);
    }

    private static LockRanges held(long... startsAndEnds) {
        LockRanges ranges = LockRanges.NONE;
        for (int i = 0; i < startsAndEnds.length; i += 2) {
            ranges =
                    ranges.with(
                            lock(Lock.Mode.EXCLUSIVE, startsAndEnds[i], startsAndEnds[i + 1]), 0);
        }
        return ranges;
    }

    private static String shown(LockRanges ranges) {
        StringBuilder out = new StringBuilder();
        for (LockRange range : ranges.list()) {
            out.append(range.mode() == Lock.Mode.SHARED ? 's' : 'x');
            out.append(range.startByte()).append('-');
            out.append(range.endByte() == Lock.TO_END ? "end" : range.endByte()).append(' ');
        }
        return out.toString().strip();
    }

    @Test
    void unlockInTheMiddleSplits() {
        assertEquals(
                "x0-9 x20-end",
                shown(held(0, Lock.TO_END).with(lock(Lock.Mode.UNLOCK, 10, 19), 0)));
    }

    @Test
    void downgradeInTheMiddleSplits() {
        assertEquals(
                "x0-9 s10-19 x20-29", shown(held(0, 29).with(lock(Lock.Mode.SHARED, 10, 19), 0)));
    }

    @Test
    void upgradeReplacesAndMergesWithNeighbours() {
        LockRanges ranges = held(0, 9, 20, 29).with(lock(Lock.Mode.SHARED, 10, 19), 0);
        assertEquals("x0-9 s10-19 x20-29", shown(ranges));
        assertEquals("x0-29", shown(ranges.with(lock(Lock.Mode.EXCLUSIVE, 10, 19), 0)));
    }

    @Test
    void neighboursMergeAndGapsStay() {
        assertEquals("x0-19", shown(held(10, 19, 0, 9)));
        assertEquals("x0-8 x10-19", shown(held(10, 19, 0, 8)));
    }

    @Test
    void oneLockSwallowsMany() {
        assertEquals("x0-end", shown(held(3, 4, 8, 9, 20, 30, 0, Lock.TO_END)));
    }

    @Test
    void theEndOfTheRangeDoesNotOverflow() {
        assertEquals(
                "x0-9",
                shown(held(0, Lock.TO_END).with(lock(Lock.Mode.UNLOCK, 10, Lock.TO_END), 0)));
        assertEquals(
                "x" + (Lock.TO_END - 1) + "-end",
                shown(held(Lock.TO_END, Lock.TO_END, Lock.TO_END - 1, Lock.TO_END - 1)));
    }

    @Test
    void rangesOfDifferentRequestsDoNotMerge() {
        LockRanges ranges =
                LockRanges.NONE
                        .with(lock(Lock.Mode.EXCLUSIVE, 0, 9), 5)
                        .with(lock(Lock.Mode.EXCLUSIVE, 10, 19), 6);
        assertTrue(ranges.wasSetBy(5));
        assertEquals("x10-19", shown(ranges.without(5)));
        assertFalse(ranges.without(5).wasSetBy(5));
    }

    @Test
    void conflictsNeedAnExclusiveSide() {
        LockRanges shared = LockRanges.NONE.with(lock(Lock.Mode.SHARED, 5, 9), 0);
        assertNull(shared.conflict(lock(Lock.Mode.SHARED, 0, 100)));
        assertNotNull(shared.conflict(lock(Lock.Mode.EXCLUSIVE, 9, 9)));
        assertNull(shared.conflict(lock(Lock.Mode.EXCLUSIVE, 10, 10)));
        assertNotNull(held(5, 9).conflict(lock(Lock.Mode.SHARED, 0, 5)));
    }

    @Property
    void encodingIsRoundTrip(@ForAll @Size(max = 20) List<@IntRange(max = 300) Integer> numbers) {
        LockRanges ranges = LockRanges.NONE;
        for (int number : numbers) {
            Lock.Mode mode = Lock.Mode.CODES.all().get(number % 3);
            ranges = ranges.with(lock(mode, number, number + number % 7), number % 5);
        }
        assertEquals(ranges, LockRanges.decode(ranges.encode()));
    }

    @Property
    void everyByteIsAsItWasSetLast(
            @ForAll @Size(max = 40) List<@IntRange(max = 100_000) Integer> numbers) {
        Lock.Mode[] bytes = new Lock.Mode[32];
        java.util.Arrays.fill(bytes, Lock.Mode.UNLOCK);
        LockRanges ranges = LockRanges.NONE;
        for (int number : numbers) {
            int start = number % 32;
            int end = Math.min(31, start + number / 32 % 32);
            Lock.Mode mode = Lock.Mode.CODES.all().get(number / 1024 % 3);
            java.util.Arrays.fill(bytes, start, end + 1, mode);
            ranges = ranges.with(lock(mode, start, end), 0);
        }
        Lock.Mode[] found = new Lock.Mode[32];
        java.util.Arrays.fill(found, Lock.Mode.UNLOCK);
        LockRange last = null;
        for (LockRange range : ranges.list()) {
            assertTrue(last == null || last.endByte() < range.startByte());
            assertFalse(last != null && last.continuesIn(range), "unmerged neighbours");
            java.util.Arrays.fill(
                    found, (int) range.startByte(), (int) range.endByte() + 1, range.mode());
            last = range;
        }
        assertEquals(List.of(bytes), List.of(found));
    }
}
