package io.cairn.client.chunk;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.FsException;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork.Fate;
import io.cairn.client.session.Await;
import io.cairn.cluster.Layout;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What waits to be made durable, and how often the servers are asked. */
class UnsyncedChunksTest {
    private static final int MAX_CHUNKS = 3;
    private static final Layout LAYOUT = new Layout(22, 0, 7, List.of(Layout.Run.of(0, 1, 100)));

    private final FakeCluster cluster = new FakeCluster(22);
    private final AtomicInteger asked = new AtomicInteger();
    private final UnsyncedChunks unsynced =
            new UnsyncedChunks(cluster.connect().mount().chunks(), MAX_CHUNKS);

    @BeforeEach
    void count() {
        answer(Fate.DELIVER);
    }

    @AfterEach
    void close() {
        cluster.network.deliverLate();
        cluster.close();
    }

    private void answer(Fate fate) {
        cluster.network.setFaults(
                (to, header) -> {
                    if (!FakeCluster.CHUNKS.contains(to)) {
                        return Fate.DELIVER;
                    }
                    asked.incrementAndGet();
                    return fate;
                });
    }

    private void add(long ino, long oid) {
        unsynced.add(ino, new ChunkPlace(LAYOUT, oid, 0), new WriteReply(1, 10, 10, 1));
    }

    private boolean isFlushed(long oid) {
        return isFlushed(oid, 0);
    }

    private boolean isFlushed(long oid, long index) {
        return cluster.network.ask(
                () ->
                        cluster.servers.stream()
                                .anyMatch(s -> s.flushed.contains(new ChunkKey(oid, index))));
    }

    private CompletableFuture<Void> flush(long ino) {
        return unsynced.flush(ino, place -> true, error -> {});
    }

    @Test
    void oldestIsMadeDurableWhenThereAreTooMany() {
        for (int i = 1; i <= MAX_CHUNKS; i++) {
            add(i, i);
        }
        assertEquals(0, asked.get());
        add(9, 9);
        cluster.awaitTrue(() -> isFlushed(1), "the oldest is flushed");
        assertFalse(isFlushed(2));
        assertTrue(flush(1).isDone(), "nothing of it is left");
        assertEquals(1, asked.get());
    }

    /** While the servers do not answer, each write more must not make a flush more wait. */
    @Test
    void onlyOneFlushOfTheOldestWaits() {
        answer(Fate.HOLD_ANSWER);
        for (int i = 0; i <= MAX_CHUNKS; i++) {
            add(1, i);
        }
        cluster.awaitTrue(() -> asked.get() == MAX_CHUNKS + 1, "a flush is under way");
        for (int i = 10; i < 30; i++) {
            add(1, i);
        }
        cluster.network.ask(() -> 0);
        assertEquals(MAX_CHUNKS + 1, asked.get());
        answer(Fate.DELIVER);
        CompletableFuture<Void> all = flush(1);
        assertFalse(all.isDone());
        cluster.network.deliverLate();
        Await.get(all, 10_000);
        assertEquals(MAX_CHUNKS + 1 + 20, asked.get());
    }

    /** Others may have written them, or this mount before it was started again. */
    @Test
    void allChunksThatAreSharedAreMadeDurable() {
        Layout layout =
                LAYOUT.withRuns(
                        List.of(
                                Layout.Run.of(0, 1, 100),
                                Layout.Run.of(1, 1, 101),
                                Layout.Run.of(2, 1, 102).cloning(100, 5)));
        unsynced.share(1, 2, layout, 0, 3);
        assertTrue(flush(1).isDone(), "nothing is known of the other file");
        assertEquals(0, asked.get());
        Await.get(flush(2), 10_000);
        assertTrue(isFlushed(100, 0) && isFlushed(101, 1));
        assertTrue(isFlushed(100, 2), "what has still to be cloned");
        assertEquals(3, asked.get());
    }

    @Test
    void tooManySharedChunksAreMadeDurable() {
        unsynced.share(1, 2, LAYOUT, 0, MAX_CHUNKS + 1);
        cluster.awaitTrue(() -> isFlushed(100, MAX_CHUNKS), "all are flushed");
    }

    /** What this mount wrote to the other file must not be lost. */
    @Test
    void lostWritesOfTheOtherFileAreToldOfTheCopyToo() {
        add(1, 100);
        unsynced.share(1, 2, LAYOUT, 0, 1);
        cluster.losePower();
        AtomicInteger lost = new AtomicInteger();
        CompletableFuture<Void> flushed =
                unsynced.flush(2, place -> true, error -> lost.getAndIncrement());
        assertThrows(FsException.class, () -> Await.get(flushed, 10_000));
        assertEquals(1, lost.get());
    }

    @Test
    void flushWaitsForTheOneUnderWay() {
        answer(Fate.HOLD_ANSWER);
        add(1, 1);
        CompletableFuture<Void> first = flush(1);
        cluster.awaitTrue(() -> asked.get() == 1, "the flush is under way");
        CompletableFuture<Void> second = flush(1);
        cluster.network.ask(() -> 0);
        assertFalse(second.isDone());
        cluster.network.deliverLate();
        Await.get(first, 10_000);
        Await.get(second, 10_000);
        assertEquals(1, asked.get(), "it was durable already");
        assertTrue(flush(1).isDone());
    }
}
