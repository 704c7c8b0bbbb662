package io.cairn.client.chunk;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.cluster.Layout;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Written bytes on their way to the chunk servers. */
class WriteBackTest {
    private static final int CHUNK = 1 << 16;
    private static final long WAIT_MS = 60_000;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs = cluster.connect();
    private final Mount mount = fs.mount();
    private final FakeWriteOwner owner =
            new FakeWriteOwner(
                    new Layout(16, 0, 5, List.of(Layout.Run.of(0, 1, 77))),
                    new WritePermit(mount.master().session(), 0));
    private final WriteBack data = new WriteBack(owner, mount.chunks(), mount.pool());

    @AfterEach
    void close() {
        cluster.close();
    }

    private void put(long offset, byte[] bytes) {
        ByteBuffer source = ByteBuffer.wrap(bytes);
        while (source.hasRemaining()) {
            long at = offset + source.position();
            assertTrue(owner.locked(() -> data.put(at, source, false)) > 0, "there is room");
        }
    }

    private void locked(Runnable event) {
        owner.locked(
                () -> {
                    event.run();
                    return true;
                });
    }

    private void drain() {
        CompletableFuture<Void> drained = owner.locked(data::drain);
        Await.get(drained, WAIT_MS);
    }

    /** Drains while answers are kept back, and lets them go then. */
    private void drainHeld() {
        CompletableFuture<Void> drained = owner.locked(data::drain);
        deliver();
        Await.get(drained, WAIT_MS);
    }

    private byte[] stored(long index, int length) {
        ChunkPlace place = new ChunkPlace(owner.layout(), 77, index);
        ChunkIo.Piece piece = Await.get(mount.chunks().read(place, 0, length), WAIT_MS);
        byte[] found = new byte[length];
        piece.copyTo(0, ByteBuffer.wrap(found));
        piece.release();
        return found;
    }

    /** All answers of chunk servers are kept back. */
    private void hold() {
        cluster.network.setFaults(
                (to, header) ->
                        to.equals(FakeCluster.MASTER)
                                ? FakeNetwork.Fate.DELIVER
                                : FakeNetwork.Fate.HOLD_ANSWER);
    }

    private void deliver() {
        cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
        cluster.network.deliverLate();
    }

    private void awaitWrites(int count) {
        cluster.awaitTrue(() -> cluster.writes() == count, count + " writes");
    }

    @Test
    void aSequenceOfSmallWritesGoesInWholeWindows() {
        byte[] all = bytes(2 * CHUNK + 100, 1);
        for (int at = 0; at < all.length; at += 1000) {
            put(at, Arrays.copyOfRange(all, at, Math.min(all.length, at + 1000)));
        }
        awaitWrites(2);
        assertEquals(1, (int) owner.locked(data::count), "the rest waits for more");
        drain();
        assertEquals(3, cluster.writes());
        assertArrayEquals(Arrays.copyOf(all, CHUNK), stored(0, CHUNK));
        assertArrayEquals(Arrays.copyOfRange(all, 2 * CHUNK, all.length), stored(2, 100));
        assertEquals(0, mount.pool().usedBytes());
    }

    @Test
    void theYoungerOfTwoThatOverlapIsSentWhenTheOlderIsAnswered() {
        hold();
        put(0, bytes(2000, 1));
        locked(() -> data.sendAll());
        awaitWrites(1);
        byte[] younger = bytes(2000, 2);
        put(1000, younger);
        CompletableFuture<Void> drained = owner.locked(data::drain);
        assertEquals(1, cluster.writes());
        assertEquals(2, (int) owner.locked(() -> data.held(1000, 2000).size()));
        deliver();
        Await.get(drained, WAIT_MS);
        byte[] model = Arrays.copyOf(bytes(2000, 1), 3000);
        System.arraycopy(younger, 0, model, 1000, 2000);
        assertArrayEquals(model, stored(0, 3000));
    }

    @Test
    void whatIsCutOffOnTheWayDoesNotCount() {
        hold();
        put(0, bytes(3000, 1));
        put(CHUNK, bytes(3000, 2));
        CompletableFuture<Void> drained = owner.locked(data::drain);
        awaitWrites(2);
        locked(() -> data.cut(1000));
        deliver();
        Await.get(drained, WAIT_MS);
        assertEquals(List.of(1000L), owner.writtenEnds);
        assertEquals(List.of(), owner.lost);
    }

    @Test
    void whatIsPausedGoesWhenItGoesOn() {
        locked(() -> data.pause(0));
        put(0, bytes(CHUNK, 1));
        CompletableFuture<Void> drained = owner.locked(data::drain);
        assertFalse(drained.isDone());
        assertEquals(0, cluster.writes());
        locked(() -> data.resume());
        Await.get(drained, WAIT_MS);
        assertEquals(1, cluster.writes());
    }

    private void putPaused(int count, int gap) {
        locked(() -> data.pause(0));
        for (int i = 0; i < count; i++) {
            put((long) i * gap, bytes(100 + i, i));
        }
        locked(
                () -> {
                    data.sendAll();
                    data.resume();
                });
    }

    @Test
    void whatWaitsForOneChunkGoesWithOneRequest() {
        putPaused(20, 3000);
        drain();
        assertEquals(20, cluster.writes());
        assertEquals(1, cluster.batches());
        byte[] model = new byte[19 * 3000 + 119];
        for (int i = 0; i < 20; i++) {
            System.arraycopy(bytes(100 + i, i), 0, model, i * 3000, 100 + i);
        }
        assertArrayEquals(model, stored(0, model.length));
        assertEquals(20, owner.writtenEnds.size());
        assertEquals(model.length, owner.allocatedBytes.get(), "counted once");
        assertEquals(0, mount.pool().usedBytes());
    }

    @Test
    void noRequestHasExtentsOfTwoChunksOrThatOverlap() {
        putPaused(4, CHUNK / 2);
        drain();
        assertEquals(2, cluster.batches());
        hold();
        put(0, bytes(2000, 1));
        locked(() -> data.sendAll());
        put(1000, bytes(2000, 2));
        put(9000, bytes(2000, 3));
        CompletableFuture<Void> drained = owner.locked(data::drain);
        awaitWrites(6);
        assertEquals(2, cluster.batches(), "the second one waits for the first one");
        deliver();
        Await.get(drained, WAIT_MS);
        byte[] model = new byte[1000];
        System.arraycopy(bytes(2000, 2), 0, model, 0, 1000);
        assertArrayEquals(model, Arrays.copyOfRange(stored(0, 2000), 1000, 2000));
    }

    /** Some of them may be stored, and others could be. */
    @Test
    void whenARequestFailsEachOfItsExtentsGoesAlone() {
        cluster.refusePieces(Errno.EROFS);
        putPaused(5, 3000);
        drain();
        assertEquals(5, cluster.writes());
        assertEquals(List.of(), owner.lost);
        assertEquals(5, owner.writtenEnds.size());
        assertArrayEquals(bytes(104, 4), Arrays.copyOfRange(stored(0, 12_104), 12_000, 12_104));
    }

    @Test
    void whatIsGivenUpOnItsWayTakesNothingElseAlong() {
        hold();
        putPaused(5, 3000);
        awaitWrites(5);
        locked(() -> data.cut(3200));
        drainHeld();
        assertEquals(List.of(100L, 3101L), owner.writtenEnds);
        assertEquals(List.of(), owner.lost);
    }

    /** The reply tells only what all of them allocated. */
    @Test
    void whatOthersAllocatedCountsAlthoughTheFirstOfARequestIsGivenUp() {
        hold();
        locked(() -> data.pause(0));
        put(12_000, bytes(100, 1));
        put(0, bytes(200, 2));
        locked(
                () -> {
                    data.sendAll();
                    data.resume();
                });
        awaitWrites(2);
        locked(() -> data.cut(3000));
        drainHeld();
        assertEquals(List.of(200L), owner.writtenEnds);
        assertEquals(12_100, owner.allocatedBytes.get());
    }

    @Test
    void aServerThatIsFullLosesEachOfARequest() {
        cluster.fillDisks();
        putPaused(3, 3000);
        drain();
        assertEquals(3, owner.lost.size());
        assertTrue(owner.locked(data::isEmpty));
        assertEquals(0, mount.pool().usedBytes());
    }

    @Test
    void aServerThatIsFullLosesIt() {
        cluster.fillDisks();
        put(0, bytes(100, 1));
        drain();
        assertEquals(1, owner.lost.size());
        assertEquals(Errno.ENOSPC, owner.lost.getFirst().errno());
        assertTrue(owner.locked(data::isEmpty));
    }

    @Test
    void whatIsGivenUpIsForgottenAndItsRoomIsFree() {
        put(0, bytes(100, 1));
        put(CHUNK, bytes(100, 1));
        locked(() -> data.abandon());
        assertTrue(owner.locked(data::isEmpty));
        assertEquals(0, mount.pool().usedBytes());
        assertFalse(owner.locked(() -> data.holds(0, 2L * CHUNK)));
    }
}
