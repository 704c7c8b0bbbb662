package io.cairn.verify.history;

import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.verify.history.NameHistory.Kind;
import io.cairn.verify.history.NameHistory.Operation;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class NameHistoryTest {
    private static final List<Kind> KINDS = List.of(Kind.values());

    private final NameHistory history = new NameHistory();

    private void done(Kind kind, int name, int other, long from, long to) {
        history.done(history.begin(kind, name, other, "x", from), to);
    }

    private void refused(Kind kind, int name, int other, long from, long to) {
        history.refused(history.begin(kind, name, other, "x", from), to, 0);
    }

    private void listed(int names, long from, long to) {
        history.listed(history.begin(Kind.LIST, 0, 0, "x", from), names, to, 0);
    }

    @Test
    void oneAfterTheOtherIsExplained() {
        done(Kind.CREATE, 0, 0, 0, 1);
        refused(Kind.CREATE, 0, 0, 2, 3);
        done(Kind.RENAME, 0, 1, 4, 5);
        refused(Kind.REMOVE, 0, 0, 6, 7);
        listed(0b10, 8, 9);
        done(Kind.REMOVE, 1, 0, 10, 11);
        assertNull(history.mismatch());
    }

    @Test
    void twoCreationsOfOneNameAreFound() {
        done(Kind.CREATE, 0, 0, 0, 10);
        done(Kind.CREATE, 0, 0, 5, 15);
        assertNotNull(history.mismatch());
    }

    @Test
    void aLostNameIsFound() {
        done(Kind.CREATE, 0, 0, 0, 1);
        refused(Kind.REMOVE, 0, 0, 2, 3);
        String told = String.valueOf(history.mismatch());
        assertTrue(told.contains("CREATE 0 by x"), told);
    }

    @Test
    void aNameThatComesBackIsFound() {
        done(Kind.CREATE, 0, 0, 0, 1);
        done(Kind.REMOVE, 0, 0, 2, 3);
        listed(0b1, 4, 5);
        assertNotNull(history.mismatch());
    }

    @Test
    void aRemovalThatWasDoneTwiceIsFound() {
        done(Kind.CREATE, 2, 0, 0, 1);
        done(Kind.REMOVE, 2, 0, 2, 9);
        done(Kind.REMOVE, 2, 0, 3, 8);
        assertNotNull(history.mismatch());
    }

    @Test
    void aRenameThatLeavesBothNamesIsFound() {
        done(Kind.CREATE, 0, 0, 0, 1);
        done(Kind.RENAME, 0, 1, 2, 3);
        listed(0b11, 4, 5);
        assertNotNull(history.mismatch());
    }

    @Test
    void overlappingOperationsMayHaveAnyOrder() {
        done(Kind.CREATE, 0, 0, 0, 10);
        done(Kind.REMOVE, 0, 0, 1, 9);
        refused(Kind.REMOVE, 0, 0, 2, 8);
        done(Kind.CREATE, 0, 0, 3, 7);
        assertNull(history.mismatch());
    }

    @Test
    void whatGotNoAnswerMayHappenLateOrNever() {
        history.begin(Kind.CREATE, 0, 0, "dead", 0);
        listed(0, 1, 2);
        listed(0b1, 3, 4);
        history.begin(Kind.CREATE, 1, 0, "dead", 5);
        listed(0b1, 6, 7);
        assertNull(history.mismatch());
    }

    @Test
    void whatGotNoAnswerHappensAtMostOnce() {
        history.begin(Kind.CREATE, 0, 0, "dead", 0);
        done(Kind.REMOVE, 0, 0, 1, 2);
        done(Kind.REMOVE, 0, 0, 3, 4);
        assertNotNull(history.mismatch());
    }

    @Test
    void anOldBeliefMayRefuse() {
        done(Kind.CREATE, 0, 0, 0, 1);
        done(Kind.REMOVE, 0, 0, 2, 3);
        Operation late = history.begin(Kind.CREATE, 0, 0, "x", 10);
        history.refused(late, 11, 8);
        assertNull(history.mismatch());
    }

    /** Histories of a set with a lock are explained; with one answer turned round some are not. */
    @Test
    void randomHistoriesOfARealDirectoryAreExplained() {
        int found = 0;
        for (int seed = 0; seed < 200; seed++) {
            Random random = new Random(seed);
            NameHistory good = run(random, -1);
            assertNull(good.mismatch(), "seed " + seed);
            NameHistory bad = run(new Random(seed), random.nextInt(40));
            found += bad.mismatch() == null ? 0 : 1;
        }
        assertTrue(found > 100, found + " of 200 wrong answers were found");
    }

    /** Operations that take effect at their numbers, with intervals around; one answer may lie. */
    private static NameHistory run(Random random, int lie) {
        NameHistory history = new NameHistory();
        int names = 0;
        for (int i = 0; i < 40; i++) {
            Kind kind = KINDS.get(random.nextInt(3));
            int name = random.nextInt(3);
            int other = (name + 1) % 3;
            boolean there = (names & 1 << name) != 0;
            boolean success = (kind == Kind.CREATE) != there;
            if (success) {
                names = kind == Kind.CREATE ? names | 1 << name : names & ~(1 << name);
                names = kind == Kind.RENAME ? names | 1 << other : names;
            }
            long at = i * 10L;
            Operation operation = history.begin(kind, name, other, "x", at - random.nextInt(15));
            if (random.nextInt(10) != 0) {
                long end = at + random.nextInt(15);
                if (success != (i == lie)) {
                    history.done(operation, end);
                } else {
                    history.refused(operation, end, 0);
                }
            }
        }
        return history;
    }
}
