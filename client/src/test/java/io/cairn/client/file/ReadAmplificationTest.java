package io.cairn.client.file;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.chunk.ChunkPlace;
import io.cairn.client.chunk.ChunkSource;
import io.cairn.cluster.Layout;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** How much more is fetched than is asked for. */
class ReadAmplificationTest {
    private static final int KIB = 1 << 10;
    private static final int MIB = 1 << 20;
    private static final long CHUNK = 4L * MIB;
    private static final long SIZE = 512L * MIB;
    private static final double LIMIT = 1.05;

    private final ReadAhead ahead = new ReadAhead(8 * MIB, new ArrayList<>());
    private final Random random = new Random(11);
    private long asked;
    private long fetched;
    private long direct;

    private void read(long from, long length) {
        long to = Math.min(SIZE, from + length);
        asked += to - from;
        List<ReadAhead.Segment> found = ahead.use(from, to, 0);
        ReadAhead.Range range;
        while ((range = ahead.next(SIZE, CHUNK)) != null) {
            fetched += range.length();
            ahead.fetching(range, (int) (range.offset() % CHUNK), source(range), 0);
        }
        found = found == null ? ahead.find(from, to) : found;
        if (found == null) {
            fetched += to - from;
            direct++;
        } else {
            found.forEach(ahead::done);
        }
    }

    private static ChunkSource source(ReadAhead.Range range) {
        Layout layout = new Layout(22, 0, 5, List.of(Layout.Run.of(0, 1, 1)));
        return new ChunkSource(new ChunkPlace(layout, 1, range.offset() / CHUNK), CHUNK);
    }

    private long any(long bytes) {
        return random.nextLong(SIZE / bytes) * bytes;
    }

    private void assertLittleMore() {
        assertTrue(
                fetched <= LIMIT * asked,
                () -> "fetched %d bytes for %d".formatted(fetched, asked));
    }

    @Test
    void smallReadsHereAndThere() {
        for (int i = 0; i < 30_000; i++) {
            read(any(4 * KIB), 4 * KIB);
        }
        assertLittleMore();
    }

    @Test
    void largePiecesHereAndThere() {
        for (int i = 0; i < 300; i++) {
            long start = any(2 * MIB);
            for (int j = 0; j < 16; j++) {
                read(start + j * 128L * KIB, 128 * KIB);
            }
        }
        assertLittleMore();
    }

    @Test
    void largePiecesInOneRequestEach() {
        for (int i = 0; i < 300; i++) {
            read(any(2 * MIB), 2 * MIB);
        }
        assertLittleMore();
    }

    @Test
    void aStreamIsFetchedAheadOnceAndWhole() {
        for (long at = 0; at < SIZE; at += 128 * KIB) {
            read(at, 128 * KIB);
        }
        assertEquals(SIZE, fetched);
        assertTrue(direct <= 1, () -> direct + " reads waited for bytes that nobody had fetched");
    }

    /** The kernel sends several requests at a time, and they are served by several threads. */
    @Test
    void aStreamThatComesOutOfOrderIsFetchedAhead() {
        read(64L * MIB, 128 * KIB);
        for (long at = 64L * MIB + 128 * KIB; at < SIZE; at += 512 * KIB) {
            for (int part : new int[] {2, 0, 3, 1}) {
                read(at + part * 128L * KIB, 128 * KIB);
            }
        }
        assertLittleMore();
        assertTrue(direct <= 8, () -> direct + " reads waited for bytes that nobody had fetched");
    }

    /** After a piece in the middle comes the whole file. */
    @Test
    void aStreamAfterAJumpIsFetchedAhead() {
        read(any(4 * KIB), 4 * KIB);
        for (long at = 0; at < SIZE; at += 128 * KIB) {
            read(at, 128 * KIB);
        }
        assertLittleMore();
        assertTrue(direct <= 8, () -> direct + " reads waited for bytes that nobody had fetched");
    }
}
