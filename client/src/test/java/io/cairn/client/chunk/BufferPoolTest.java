package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.Waiter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class BufferPoolTest {
    private static final long LIMIT = 1 << 20;
    private static final long WINDOW = LIMIT / 2;
    private static final int PIECE = 4096;
    private static final long LONG_MS = 30_000;

    private final CountDownLatch pressed = new CountDownLatch(1);
    private final BufferPool pool = new BufferPool(LIMIT, pressed::countDown);

    /** A writer that waits for room already. */
    private Waiter writer(long timeoutMs) throws InterruptedException {
        Waiter writer = new Waiter(() -> pool.awaitRoom(WINDOW, timeoutMs));
        assertTrue(pressed.await(30, TimeUnit.SECONDS));
        return writer;
    }

    @Test
    void whatIsGivenBackOftenDoesNotUseUpTheTimeOfWhoWaits() throws Exception {
        pool.reserve(LIMIT);
        Waiter writer = writer(LONG_MS);
        for (int i = 0; i < 1000; i++) {
            writer.awaitWaiting();
            pool.free(PIECE);
            pool.reserve(PIECE);
        }
        assertFalse(writer.isThrough(), "there was no room, and the time is not over");
        pool.free(WINDOW);
        assertTrue(writer.result());
        assertEquals(LIMIT - WINDOW, pool.usedBytes());
    }

    @Test
    void smallPiecesDoNotOvertakeWhoWaits() throws Exception {
        pool.reserve(LIMIT);
        Waiter writer = writer(LONG_MS);
        pool.free(PIECE);
        assertFalse(pool.tryReserve(PIECE));
        assertFalse(pool.tryReserveReadAhead(PIECE));
        pool.free(WINDOW - PIECE);
        assertTrue(writer.result());
        assertTrue(pool.tryReserve(PIECE));
        assertTrue(pool.tryReserveReadAhead(PIECE));
        pool.freeReadAhead(PIECE);
    }

    @Test
    void whereNoRoomComesTheWaitEnds() throws Exception {
        pool.reserve(LIMIT);
        assertFalse(writer(50).result());
        pool.free(LIMIT);
        assertTrue(pool.tryReserve(LIMIT), "nobody waits any more");
    }

    @Test
    void readAheadHasHalfAtMost() {
        assertTrue(pool.tryReserveReadAhead(LIMIT / 2));
        assertFalse(pool.tryReserveReadAhead(1));
        assertTrue(pool.tryReserve(LIMIT / 2));
        assertFalse(pool.tryReserve(1));
        pool.freeReadAhead(LIMIT / 2);
        assertEquals(LIMIT / 2, pool.usedBytes());
        assertTrue(pool.tryReserveReadAhead(1));
    }

    /** Who has waited finds room, though others wait beside it. */
    @Test
    void severalWhoWaitDoNotKeepEachOtherOut() throws Exception {
        int writers = 4;
        int pieces = 2000;
        BlockingQueue<Integer> sent = new LinkedBlockingQueue<>();
        AtomicInteger waits = new AtomicInteger();
        List<Waiter> all = new ArrayList<>();
        for (int i = 0; i < writers; i++) {
            all.add(new Waiter(() -> write(pieces, sent, waits)));
        }
        for (int i = 0; i < writers * pieces; i++) {
            Integer piece = sent.poll(30, TimeUnit.SECONDS);
            assertNotNull(piece, "nobody writes");
            pool.free(piece);
        }
        for (Waiter each : all) {
            assertTrue(each.result());
        }
        assertEquals(0, pool.usedBytes());
        assertTrue(waits.get() < 2 * writers * pieces, waits + " waits");
    }

    private boolean write(int pieces, BlockingQueue<Integer> sent, AtomicInteger waits) {
        int piece = (int) (WINDOW / 2);
        for (int i = 0; i < pieces; i++) {
            while (!pool.tryReserve(piece)) {
                waits.incrementAndGet();
                if (!pool.awaitRoom(WINDOW, LONG_MS)) {
                    return false;
                }
            }
            sent.add(piece);
        }
        return true;
    }
}
