package io.cairn.master;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.testkit.ManualClock;
import io.cairn.wire.Limits;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class SessionTableTest {
    private static final long LEASE_MS = 15_000;
    private static final long TICK_MS = 100;

    private final ManualClock clock = new ManualClock(0);
    private final SessionTable sessions = new SessionTable(new LivedClock(clock), LEASE_MS);

    /** Lets time go by with looks, until one finds something or the time is over. */
    private List<Long> expiredWithin(long timeMs) {
        for (long at = 0; at < timeMs; at += TICK_MS) {
            clock.advance(TICK_MS);
            List<Long> expired = sessions.expire();
            if (!expired.isEmpty()) {
                return expired;
            }
        }
        return List.of();
    }

    @Test
    void aSessionThatIsSilentEndsAQuarterAfterItsLease() {
        sessions.reset(1, List.of(7L));
        assertEquals(List.of(), expiredWithin(LEASE_MS * 5 / 4 - TICK_MS));
        assertEquals(List.of(7L), expiredWithin(1000));
    }

    @Test
    void timeInWhichTheMasterStoodStillCountsForNobody() {
        sessions.reset(1, List.of(7L));
        assertEquals(List.of(), expiredWithin(10_000));
        clock.advance(60_000);
        assertEquals(List.of(), sessions.expire());
        assertEquals(List.of(), expiredWithin(8_000));
        assertEquals(List.of(7L), expiredWithin(2_000));
    }

    @Test
    void aSessionHoldsNoMoreOpenThanAClientTells() {
        sessions.reset(1, List.of());
        sessions.opened(7);
        sessions.opened(8);
        for (int i = 0; i < Limits.MAX_OPEN; i++) {
            sessions.requireRoomToOpen(7);
            sessions.open(7, i % 1000);
        }
        FsException full = assertThrows(FsException.class, () -> sessions.requireRoomToOpen(7));
        assertEquals(Errno.ENOMEM, full.errno());
        sessions.requireRoomToOpen(8);
        sessions.release(7, new long[] {5});
        sessions.requireRoomToOpen(7);
    }

    @Test
    void aTermBeginsWithAFullLease() {
        sessions.reset(1, List.of(7L));
        clock.advance(100_000);
        sessions.reset(2, List.of(7L));
        assertEquals(List.of(), expiredWithin(LEASE_MS));
        sessions.touch(7);
        assertEquals(List.of(), expiredWithin(LEASE_MS));
    }

    @Test
    void onlyWhoTellsWhatItHoldsOpenIsRenewedInANewTerm() {
        LoneTransport.Peer peer = new LoneTransport.Peer();
        sessions.opened(7);
        sessions.keepAlive(7, peer, false, new long[0]);
        sessions.open(7, 100);
        assertEquals(List.of(), sessions.othersWithOpen(8, 200));
        assertEquals(Set.of(peer), sessions.reset(2, List.of(7L)));
        assertEquals(List.of(7L), sessions.othersWithOpen(8, 200), "it may be any file");
        FsException refusal =
                assertThrows(
                        FsException.class, () -> sessions.keepAlive(7, peer, false, new long[0]));
        assertEquals(Errno.NOT_READY, refusal.errno());
        CompletableFuture<Void> heard = sessions.heard(7);
        assertFalse(heard.isDone());
        sessions.keepAlive(7, peer, true, new long[] {100});
        assertTrue(heard.isDone());
        sessions.keepAlive(7, peer, false, new long[0]);
        assertEquals(List.of(), sessions.othersWithOpen(8, 200));
        assertEquals(List.of(7L), sessions.othersWithOpen(8, 100));
    }
}
