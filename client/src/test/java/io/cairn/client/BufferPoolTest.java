package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
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
        assertTrue(pressed.await(10, TimeUnit.SECONDS));
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
}
