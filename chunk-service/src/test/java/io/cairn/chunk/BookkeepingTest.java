package io.cairn.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.group.EpochFence;
import io.cairn.chunk.peer.ConcurrencyLimit;
import io.cairn.chunk.peer.Futures;
import io.cairn.chunk.peer.Lease;
import io.cairn.chunk.peer.OperationMemory;
import io.cairn.chunk.peer.Tombstones;
import io.cairn.testkit.simulated.Simulation;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.chunk.OperationId;
import io.cairn.wire.master.ClusterRequest.GarbageTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

/** The small classes that count and remember. */
class BookkeepingTest {
    private static final ChunkKey KEY = new ChunkKey(1, 0);

    private static WriteReply reply(long sequence) {
        return new WriteReply(sequence, 10, 0, 1);
    }

    @Test
    void operationsAreRememberedByChunkUpToALimit() {
        OperationMemory memory = new OperationMemory(1);
        for (int i = 1; i <= 1025; i++) {
            memory.remember(KEY, new OperationId(1, i), reply(i));
        }
        assertNull(memory.find(KEY, new OperationId(1, 1)));
        assertEquals(reply(2), memory.find(KEY, new OperationId(1, 2)));
        assertEquals(reply(1025), memory.find(KEY, new OperationId(1, 1025)));
        assertNull(memory.find(new ChunkKey(1, 1), new OperationId(1, 1025)));
        assertNull(memory.find(KEY, new OperationId(2, 1025)));
        memory.forget(KEY);
        assertNull(memory.find(KEY, new OperationId(1, 1025)));
    }

    /** A few chunks have many, and each has its last 64. */
    @Test
    void theOperationsOfAllChunksOfTheMemoryAreLimited() {
        OperationMemory memory = new OperationMemory(8);
        fill(memory, 0);
        memory.forget(new ChunkKey(1, 0));
        for (int chunk = 1; chunk <= 9; chunk++) {
            fill(memory, chunk);
        }
        OperationId first = new OperationId(1, 1);
        assertNull(memory.find(new ChunkKey(1, 1), first), "not written for longest");
        assertNull(memory.find(new ChunkKey(1, 1), new OperationId(1, 960)));
        assertEquals(reply(961), memory.find(new ChunkKey(1, 1), new OperationId(1, 961)));
        for (int chunk = 2; chunk <= 9; chunk++) {
            assertEquals(reply(1), memory.find(new ChunkKey(1, chunk), first));
        }
    }

    private static void fill(OperationMemory memory, int chunk) {
        for (int i = 1; i <= 1024; i++) {
            memory.remember(new ChunkKey(1, chunk), new OperationId(1, i), reply(i));
        }
    }

    @Test
    void theChunksOfTheMemoryAreLimitedToo() {
        OperationMemory memory = new OperationMemory(1);
        for (int i = 0; i <= 4096; i++) {
            memory.remember(new ChunkKey(1, i), new OperationId(1, i), reply(1));
        }
        assertNull(memory.find(new ChunkKey(1, 0), new OperationId(1, 0)));
        assertEquals(reply(1), memory.find(new ChunkKey(1, 4096), new OperationId(1, 4096)));
    }

    @Test
    void theDisksOfAServerShareTheLimit() {
        for (int disks : new int[] {4, 100}) {
            int most = disks == 4 ? 1024 : 512;
            OperationMemory memory = new OperationMemory(disks);
            for (int i = 0; i <= most; i++) {
                memory.remember(new ChunkKey(1, i), new OperationId(1, i), reply(1));
            }
            assertNull(memory.find(new ChunkKey(1, 0), new OperationId(1, 0)));
            assertEquals(reply(1), memory.find(new ChunkKey(1, 1), new OperationId(1, 1)));
        }
    }

    @Test
    void aLeaseCountsFromTheSendingOfTheHeartbeat() {
        Simulation clock = new Simulation(1);
        Lease lease = new Lease(clock);
        assertFalse(lease.runs());
        assertEquals(Errno.NOT_READY, assertThrows(FsException.class, lease::check).errno());
        long sent = clock.nanoTime();
        clock.run(400);
        lease.renew(sent, 1_000);
        assertTrue(lease.runs());
        assertEquals(1_000, lease.lengthMs());
        clock.run(599);
        assertTrue(lease.runs());
        clock.run(1);
        assertFalse(lease.runs());
    }

    @Test
    void aLeaseIsNotShortenedByALateAnswerNorByOneOfLengthZero() {
        Simulation clock = new Simulation(1);
        Lease lease = new Lease(clock);
        long early = clock.nanoTime();
        clock.run(500);
        lease.renew(clock.nanoTime(), 1_000);
        lease.renew(early, 1_000);
        lease.renew(clock.nanoTime(), 0);
        clock.run(999);
        assertTrue(lease.runs());
        assertEquals(1_000, lease.lengthMs());
        assertFalse(lease.allowsReads());
        lease.renew(clock.nanoTime(), 1_200);
        clock.run(199);
        assertTrue(lease.allowsReads());
        clock.run(1);
        assertFalse(lease.allowsReads());
        assertTrue(lease.runs());
        lease.end();
        lease.renew(clock.nanoTime(), 1_000);
        assertFalse(lease.runs());
    }

    @Test
    void aYoungerEpochHoldsUntilALaterHeartbeatIsAnswered() {
        EpochFence fence = new EpochFence();
        assertFalse(fence.isAbove(1, 0));
        long before = fence.mark();
        fence.note(1, 5);
        fence.note(1, 4);
        assertTrue(fence.isAbove(1, 4));
        assertFalse(fence.isAbove(1, 5));
        assertFalse(fence.isAbove(2, 1));
        fence.clear(before);
        assertTrue(fence.isAbove(1, 4));
        fence.clear(fence.mark());
        assertFalse(fence.isAbove(1, 4));
    }

    @Test
    void tooManyInventedGroupsStopAllUntilTheNextHeartbeat() {
        EpochFence fence = new EpochFence();
        for (int group = 0; group <= 4096; group++) {
            fence.note(group, 5);
        }
        assertTrue(fence.isAbove(1_000_000, 9));
        fence.clear(fence.mark());
        assertFalse(fence.isAbove(1_000_000, 9));
        assertFalse(fence.isAbove(1, 1));
    }

    @Test
    void slotsLetSoManyRunAndTheOthersWaitInOrder() {
        ConcurrencyLimit slots = new ConcurrencyLimit(2);
        List<Integer> begun = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            int number = i;
            CompletableFuture<Void> end = new CompletableFuture<>();
            ends.add(end);
            Futures.finish(
                    slots.run(
                            () -> {
                                begun.add(number);
                                return end;
                            }),
                    (done, thrown) -> {});
        }
        assertEquals(List.of(0, 1), begun);
        ends.get(1).completeExceptionally(new IllegalStateException("x"));
        assertEquals(List.of(0, 1, 2), begun);
        ends.get(0).complete(null);
        assertEquals(List.of(0, 1, 2, 3), begun);
    }

    @Test
    void aBudgetRefusesBeyondItsLimitsAndTakesOneInAnyCase() {
        Budget budget = new Budget(2, 100);
        assertTrue(budget.take(500));
        assertFalse(budget.take(1));
        budget.give(500);
        assertTrue(budget.take(60));
        assertFalse(budget.take(60));
        assertTrue(budget.take(40));
        assertFalse(budget.take(0));
        assertEquals(2, budget.requests());
    }

    @Test
    void theGraveyardKnowsRangesAndForgetsTheOldest() {
        Tombstones tombstones = new Tombstones();
        tombstones.add(new GarbageTask(1, 1, 7, 3, 10));
        assertFalse(tombstones.holds(new ChunkKey(7, 2)));
        assertTrue(tombstones.holds(new ChunkKey(7, 3)));
        assertFalse(tombstones.holds(new ChunkKey(7, 10)));
        tombstones.add(new GarbageTask(2, 1, 7, 10, 12));
        assertTrue(tombstones.holds(new ChunkKey(7, 3)));
        assertTrue(tombstones.holds(new ChunkKey(7, 11)));
        tombstones.add(new GarbageTask(3, 1, 7, 20, 21));
        assertTrue(tombstones.holds(new ChunkKey(7, 11)), "ranges apart are all remembered");
        assertFalse(tombstones.holds(new ChunkKey(7, 15)));
        assertTrue(tombstones.holds(new ChunkKey(7, 20)));
        tombstones.add(new GarbageTask(4, 1, 7, 0, 1));
        tombstones.add(new GarbageTask(5, 1, 7, 12, 20));
        for (int chunk = 0; chunk < 25; chunk++) {
            boolean wasDeleted = chunk == 0 || (chunk >= 3 && chunk < 21);
            assertEquals(wasDeleted, tombstones.holds(new ChunkKey(7, chunk)), "chunk " + chunk);
        }
        for (int i = 0; i < 147_456; i++) {
            tombstones.add(new GarbageTask(i, 1, 100 + i, 0, Long.MAX_VALUE));
        }
        assertFalse(tombstones.holds(new ChunkKey(7, 3)));
        FsException refused =
                assertThrows(FsException.class, () -> tombstones.check(new ChunkKey(200, 0)));
        assertEquals(Errno.ESTALE, refused.errno());
    }

    @Test
    void forEachKeepsItsWidthAndStopsAtAFailure() {
        List<Integer> begun = new ArrayList<>();
        List<CompletableFuture<Void>> ends = new ArrayList<>();
        CompletableFuture<Void> all =
                Futures.forEach(
                        List.of(0, 1, 2, 3, 4),
                        2,
                        i -> {
                            begun.add(i);
                            CompletableFuture<Void> end = new CompletableFuture<>();
                            ends.add(end);
                            return end;
                        });
        assertEquals(List.of(0, 1), begun);
        ends.get(0).complete(null);
        assertEquals(List.of(0, 1, 2), begun);
        ends.get(1).completeExceptionally(new FsException(Errno.ENOSPC));
        assertFalse(all.isDone());
        ends.get(2).complete(null);
        Throwable thrown = assertThrows(CompletionException.class, all::join);
        assertEquals(Errno.ENOSPC, Futures.failure(thrown).errno());
        assertTrue(begun.size() <= 4, "went on after a failure: " + begun);
        Futures.forEach(List.<Integer>of(), 3, i -> Futures.DONE).join();
    }
}
