package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.cluster.Layout;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What is fetched ahead of a reader. */
class ReadAheadTest {
    private static final int WINDOW = 1 << 20;
    private static final int KIB = 1 << 10;
    private static final long CHUNK = 4 << 20;
    private static final long SIZE = 3 * CHUNK;

    private final List<ReadAhead.Segment> unused = new ArrayList<>();
    private final ReadAhead ahead = new ReadAhead(WINDOW, unused);

    /** A read, all that is to be fetched being fetched; what covers it. */
    private List<ReadAhead.Segment> read(long from, long to, long nowMs) {
        List<ReadAhead.Segment> found = ahead.use(from, to, nowMs);
        ReadAhead.Range range;
        while ((range = ahead.next(SIZE, CHUNK)) != null) {
            ahead.fetching(range, (int) (range.offset() % CHUNK), source(range), nowMs);
        }
        return found == null ? ahead.find(from, to) : found;
    }

    private static ChunkSource source(ReadAhead.Range range) {
        Layout layout = new Layout(22, 0, 5, List.of(Layout.Run.of(0, 1, 1)));
        return new ChunkSource(new ChunkPlace(layout, 1, range.offset() / CHUNK), CHUNK);
    }

    @Test
    void aRunIsFetchedAheadInAGrowingWindow() {
        assertNull(read(0, 4 * KIB, 0), "nothing is there yet");
        List<ReadAhead.Segment> second = read(4 * KIB, 8 * KIB, 0);
        assertNotNull(second);
        assertEquals(1, second.size());
        long end = 0;
        for (long at = 8 * KIB; at < SIZE; at += 64 * KIB) {
            List<ReadAhead.Segment> found = read(at, Math.min(SIZE, at + 64 * KIB), 0);
            assertNotNull(found, "fetched before it is read at " + at);
            for (ReadAhead.Segment segment : found) {
                assertTrue(segment.range.end() - at <= 2L * WINDOW);
                assertEquals(
                        segment.range.offset() / CHUNK,
                        (segment.range.end() - 1) / CHUNK,
                        "within one chunk");
                end = segment.range.end();
                ahead.done(segment);
            }
        }
        assertEquals(SIZE, end);
    }

    @Test
    void aReaderThatJumpsGetsNothing() {
        read(0, 4 * KIB, 0);
        assertNull(read(2 * CHUNK, 2 * CHUNK + 4 * KIB, 0));
        assertNull(ahead.next(SIZE, CHUNK));
        assertNull(read(CHUNK, CHUNK + 4 * KIB, 0));
        assertNull(ahead.next(SIZE, CHUNK));
    }

    @Test
    void whatIsWrittenIsForgottenWhenItsReaderIsDone() {
        read(0, 4 * KIB, 0);
        List<ReadAhead.Segment> used = read(4 * KIB, 8 * KIB, 0);
        assertNotNull(used);
        ahead.forget(0, SIZE);
        assertFalse(unused.contains(used.getFirst()));
        ahead.done(used.getFirst());
        assertTrue(unused.contains(used.getFirst()));
    }

    @Test
    void whatIsNotReadInTimeIsNotBelieved() {
        read(0, 4 * KIB, 0);
        List<ReadAhead.Segment> early = read(4 * KIB, 8 * KIB, 0);
        assertNotNull(early);
        early.forEach(ahead::done);
        List<ReadAhead.Segment> late = read(8 * KIB, 12 * KIB, 20_000);
        assertTrue(unused.contains(early.getFirst()));
        assertTrue(late == null || !late.contains(early.getFirst()));
    }

    @Test
    void withoutAWindowNothingIsFetched() {
        ReadAhead none = new ReadAhead(0, unused);
        assertNull(none.use(0, 4 * KIB, 0));
        assertNull(none.next(SIZE, CHUNK));
        ReadAhead small = new ReadAhead(4 * KIB, unused);
        assertNull(small.use(0, 4 * KIB, 0));
        ReadAhead.Range range = small.next(SIZE, CHUNK);
        assertNotNull(range);
        assertEquals(4 * KIB, range.offset());
    }
}
