package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Extents are found where they are, whatever comes and goes. */
class ExtentQueueTest {
    private static final int WINDOW = WriteBack.WINDOW_BYTES;

    private final ExtentQueue queue = new ExtentQueue();
    private long lastNumber;

    private WriteExtent extent(long offset, int length) {
        return new WriteExtent(
                ++lastNumber, offset, Unpooled.wrappedBuffer(new byte[length]), length);
    }

    private WriteExtent add(long offset, int length) {
        WriteExtent made = extent(offset, length);
        queue.add(made);
        return made;
    }

    private void seal(WriteExtent extent) {
        extent.seal();
        queue.sealed(extent);
    }

    private static @Nullable WriteExtent olderOverlapping(
            List<WriteExtent> model, WriteExtent extent) {
        for (WriteExtent older : model.subList(0, model.indexOf(extent))) {
            if (older.overlaps(extent.offset, extent.end())) {
                return older;
            }
        }
        return null;
    }

    @Test
    void answersAsAListThatIsSearchedFromItsBeginning() {
        Random random = new Random(4711);
        List<WriteExtent> model = new ArrayList<>();
        for (int step = 0; step < 5_000; step++) {
            int chosen = model.isEmpty() ? 0 : random.nextInt(3);
            if (chosen == 0 || model.size() < 20) {
                long window = random.nextInt(5);
                model.add(add(window * WINDOW + random.nextInt(60_000), 1 + random.nextInt(5_000)));
            } else if (chosen == 1) {
                queue.remove(model.remove(random.nextInt(model.size())));
            } else {
                seal(model.get(random.nextInt(model.size())));
            }
            assertEquals(model, List.copyOf(queue.all()));
            assertEquals(model.getFirst().number, queue.oldest());
            assertEquals(model.stream().filter(e -> !e.sealed).toList(), queue.open());
            WriteExtent some = model.get(random.nextInt(model.size()));
            assertEquals(olderOverlapping(model, some), queue.olderOverlapping(some));
            long from = random.nextLong(5L * WINDOW);
            long to = from + 1 + random.nextLong(2L * WINDOW);
            List<WriteExtent> found = queue.within(from, to);
            List<WriteExtent> expected = model.stream().filter(e -> e.overlaps(from, to)).toList();
            assertEquals(expected.size(), found.size());
            assertTrue(found.containsAll(expected));
        }
    }

    @Test
    void ofTwoThatOverlapTheOlderOneIsFoundFirst() {
        WriteExtent older = add(3L * WINDOW + 100, 1_000);
        WriteExtent younger = add(3L * WINDOW, 1_000);
        assertEquals(List.of(older, younger), queue.within(3L * WINDOW, 4L * WINDOW));
        assertEquals(List.of(older, younger), queue.within(0, 5L * WINDOW));
    }

    @Test
    void bytesAreNotMergedIntoAnExtentBehindOneThatTheyOverlap() {
        WriteExtent first = add(0, 1_000);
        assertEquals(first, queue.openAt(1_000, 10, WINDOW));
        WriteExtent younger = add(1_000, 500);
        seal(younger);
        assertNull(queue.openAt(1_000, 10, WINDOW));
        seal(first);
        assertNull(queue.openAt(1_500, 10, WINDOW));
    }

    @Test
    void bytesAreNotMergedAcrossABorder() {
        WriteExtent whole = add(0, 1 << 16);
        assertEquals(whole, queue.openAt(1 << 16, 10, WINDOW));
        assertNull(queue.openAt(1 << 16, 10, 1 << 16));
    }

    @Test
    void aPromiseIsKeptWhenAllUpToItsNumberAreGone() {
        WriteExtent first = add(0, 10);
        CompletableFuture<Void> promise = queue.drain(lastNumber);
        WriteExtent later = add(WINDOW, 10);
        queue.remove(later);
        assertEquals(List.of(), queue.drained());
        queue.remove(first);
        assertEquals(List.of(promise), queue.drained());
        assertEquals(List.of(), queue.drained());
    }

    @Test
    void whatWaitsIsSealedAndNotOnItsWay() {
        WriteExtent extent = add(0, 10);
        assertTrue(queue.waiting().isEmpty());
        seal(extent);
        assertEquals(List.of(extent), List.copyOf(queue.waiting()));
        queue.sent(extent);
        assertTrue(queue.waiting().isEmpty());
        assertFalse(queue.isEmpty());
    }
}
