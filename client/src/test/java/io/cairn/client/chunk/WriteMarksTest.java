package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.util.List;
import org.junit.jupiter.api.Test;

class WriteMarksTest {
    private static WriteMark mark(long epoch, long sequence) {
        return new WriteMark(epoch, sequence);
    }

    private static WriteMarks marks(long unbrokenSince, WriteMark... added) {
        WriteMarks marks = WriteMarks.NONE;
        for (WriteMark mark : added) {
            marks = marks.with(mark, unbrokenSince);
        }
        return marks;
    }

    @Test
    void theLastWriteStandsForAllWithinATimeWithoutLoss() {
        assertEquals(List.of(mark(4, 9)), marks(1, mark(2, 7), mark(4, 9), mark(3, 8)).list());
    }

    @Test
    void anEarlierTimeKeepsItsOwnMark() {
        WriteMarks before = marks(1, mark(2, 7), mark(3, 8));
        assertEquals(List.of(mark(3, 8), mark(5, 9)), before.with(mark(5, 9), 5).list());
        assertEquals(
                List.of(mark(3, 8), mark(6, 10)),
                before.with(mark(5, 9), 5).with(mark(6, 10), 5).list());
    }

    @Test
    void anAnswerThatComesLateKeepsItsPlace() {
        WriteMarks young = marks(5, mark(6, 10));
        assertEquals(List.of(mark(3, 8), mark(6, 10)), young.with(mark(3, 8), 5).list());
        assertEquals(
                List.of(mark(3, 8), mark(6, 10)),
                young.with(mark(3, 8), 5).with(mark(3, 7), 5).list());
    }

    @Test
    void ofManyTimesTheOldestAndTheYoungestAreKept() {
        WriteMarks marks = WriteMarks.NONE;
        for (int epoch = 1; epoch <= 9; epoch++) {
            marks = marks.with(mark(epoch, 1), epoch);
        }
        assertEquals(List.of(mark(1, 1), mark(2, 1), mark(3, 1), mark(9, 1)), marks.list());
    }
}
