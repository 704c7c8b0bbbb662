package io.cairn.master.raft.member;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.master.raft.member.StateComparison.Difference;
import io.cairn.metadata.state.StateHash.Mark;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Who is wrong when masters hold different states. */
class StateComparisonTest {
    private static List<Mark> marks(long... indexAndHash) {
        List<Mark> marks = new java.util.ArrayList<>();
        for (int i = 0; i < indexAndHash.length; i += 2) {
            marks.add(new Mark(indexAndHash[i], indexAndHash[i + 1]));
        }
        return marks;
    }

    @Test
    void equalStatesAndOthersThanTheSameEntryTellNothing() {
        assertEquals(
                Map.of(),
                StateComparison.of(
                        Map.of(
                                "m1",
                                marks(64, 1, 128, 2),
                                "m2",
                                marks(128, 2),
                                "m3",
                                marks(192, 3)),
                        3,
                        "m1"));
        assertEquals(Map.of(), StateComparison.of(Map.of("m1", marks()), 1, "m1"));
    }

    @Test
    void theMajorityIsRightAlsoAgainstTheLeader() {
        assertEquals(
                Map.of("m1", new Difference(64, true)),
                StateComparison.of(
                        Map.of("m1", marks(64, 9), "m2", marks(64, 1), "m3", marks(64, 1)),
                        3,
                        "m1"));
    }

    @Test
    void theFirstDifferenceIsTold() {
        assertEquals(
                Map.of("m3", new Difference(64, true)),
                StateComparison.of(
                        Map.of(
                                "m1", marks(64, 1, 128, 2),
                                "m2", marks(64, 1, 128, 2),
                                "m3", marks(64, 7, 128, 8)),
                        3,
                        "m1"));
    }

    @Test
    void withoutAMajorityTheLeaderCountsAndNothingIsCertain() {
        assertEquals(
                Map.of("m1", new Difference(64, false)),
                StateComparison.of(Map.of("m1", marks(64, 9), "m2", marks(64, 1)), 2, "m2"));
        assertEquals(
                Map.of("m1", new Difference(64, false)),
                StateComparison.of(Map.of("m1", marks(64, 9), "m2", marks(64, 1)), 3, "m2"));
        assertEquals(
                Map.of(),
                StateComparison.of(Map.of("m1", marks(64, 9), "m2", marks(64, 1)), 3, null));
    }
}
