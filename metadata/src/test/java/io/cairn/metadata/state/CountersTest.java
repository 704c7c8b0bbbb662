package io.cairn.metadata.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.metadata.state.Store.Change;
import io.cairn.metadata.state.Store.Family;
import java.util.List;
import org.junit.jupiter.api.Test;

class CountersTest {
    @Test
    void numbersBeginBehindTheRootAndGoOnAfterARestart() {
        MemoryStore store = new MemoryStore();
        Counters counters = Counters.load(store);
        assertFalse(counters.takeChanged());
        assertEquals(2, counters.takeIno());
        assertEquals(3, counters.takeIno());
        assertEquals(1, counters.takeOid());
        assertEquals(1, counters.takeSession());
        assertEquals(1, counters.takeGarbage());
        assertEquals(1, counters.takeTicket());
        counters.countInodes(1);
        assertTrue(counters.takeChanged());
        assertFalse(counters.takeChanged());
        store.commit(List.of(new Change(Family.META, Keys.counters(), counters.encode())), 1, 1);
        Counters again = Counters.load(store);
        assertEquals(1, again.inodeCount());
        assertEquals(4, again.takeIno());
        assertEquals(2, again.takeOid());
        assertEquals(2, again.takeSession());
        assertEquals(2, again.takeGarbage());
        assertEquals(2, again.takeTicket());
    }

    /** One and the same state is recovered twice: no number is given both times. */
    @Test
    void numbersArePassedOverWithTheTime() {
        long firstNs = 1_795_000_000L * 1_000_000_000L;
        Counters first = Counters.load(new MemoryStore());
        first.passOver(firstNs);
        Counters second = Counters.load(new MemoryStore());
        second.passOver(firstNs + 10 * 1_000_000_000L);
        assertTrue(second.takeIno() - first.takeIno() > 500_000);
        assertTrue(second.takeOid() - first.takeOid() > 500_000);
        assertTrue(second.takeSession() - first.takeSession() > 500_000);
        Counters early = Counters.load(new MemoryStore());
        early.passOver(0);
        assertTrue(early.takeOid() > 1L << 32, "the clock stands at its begin");
        Counters late = Counters.load(new MemoryStore());
        late.passOver(Long.MAX_VALUE);
        late.requireRoom();
    }

    @Test
    void aShardEndsWhereTheNextOneBegins() {
        MemoryStore store = new MemoryStore();
        byte[] full =
                Keys.value(61)
                        .i64(1L << 48)
                        .i64(5)
                        .i64(1)
                        .i64(1)
                        .i64(1)
                        .i64(1)
                        .i64(0)
                        .i32(0)
                        .toBytes();
        store.commit(List.of(new Change(Family.META, Keys.counters(), full)), 1, 1);
        Counters counters = Counters.load(store);
        FsException e = assertThrows(FsException.class, counters::requireRoom);
        assertEquals(Errno.ENOSPC, e.errno());
    }
}
