package io.cairn.client.file;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientFile;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork.Fate;
import io.cairn.client.session.Await;
import io.cairn.cluster.Layout;
import io.cairn.cluster.PlacementGroup;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkRequest;
import io.cairn.wire.master.ContentMutation.MoveChunks;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.TreeMutation;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A chunk with bytes moves off a full disk, and something goes wrong meanwhile. */
class MovedChunksTest {
    private static final int CHUNK = 1 << 16;
    private static final int HALF = CHUNK / 2;
    private static final int BLOCK = 4096;
    private static final long WAIT_MS = 60_000;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs =
            cluster.connect(
                    cluster.settings()
                            .withWriteBackDelayMs(600_000)
                            .withAttemptTimeoutMs(1500)
                            .withRequestTimeoutMs(1500));
    private ClientFile file;
    private int full;

    /** A file with half a chunk, whose disk is full. */
    @BeforeEach
    void make() {
        cluster.keepsGarbage = true;
        FileSystem.Created made = fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR);
        file = (ClientFile) made.file();
        write(0, bytes(HALF, 1));
        file.sync(false);
        Layout layout = Objects.requireNonNull(file.state().layout());
        PlacementGroup group = Objects.requireNonNull(cluster.map().groupOf(layout, 0));
        full = group.members().getFirst().targetId() - 1;
        cluster.fillDisk(full);
    }

    @AfterEach
    void close() {
        cluster.network.setFaults((_, _) -> Fate.DELIVER);
        cluster.network.deliverLate();
        cluster.close();
    }

    private void write(long offset, byte[] bytes) {
        file.write(offset, ByteBuffer.wrap(bytes));
    }

    private static boolean isMove(byte[] header, boolean isFirstStep) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof MoveChunks move
                && move.isFirstStep() == isFirstStep;
    }

    private static boolean isHoldStill(byte[] header) {
        Decoder in = new Decoder(header);
        if (MasterRequest.read(in) == MasterRequest.MUTATION) {
            return false;
        }
        in.i64();
        return Query.decode(in) instanceof Query.HoldStill still && still.ms() > 0;
    }

    private static boolean isRenewal(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof TreeMutation.SetAttributes;
    }

    private static boolean isWrite(byte[] header) {
        return ChunkRequest.decode(new Decoder(header)) instanceof ChunkRequest.Write;
    }

    private CompletableFuture<Void> syncMore() {
        write(HALF, bytes(HALF, 2));
        return CompletableFuture.runAsync(() -> file.sync(false));
    }

    private byte[] expected(byte[] firstBlock) {
        byte[] expected = new byte[CHUNK];
        System.arraycopy(bytes(HALF, 1), 0, expected, 0, HALF);
        System.arraycopy(bytes(HALF, 2), 0, expected, HALF, HALF);
        System.arraycopy(firstBlock, 0, expected, 0, BLOCK);
        return expected;
    }

    /** The master moves it, and is not heard until the client has given up. */
    @Test
    void bytesDoNotGoToTheOldChunkWhenNobodyHeardThatItMoved() throws Exception {
        AtomicInteger seen = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    boolean isEnd = to.equals(FakeCluster.MASTER) && isMove(header, false);
                    if (isEnd) {
                        seen.getAndIncrement();
                    }
                    return isEnd ? Fate.HOLD_ANSWER : Fate.DELIVER;
                });
        CompletableFuture<Void> synced = syncMore();
        cluster.awaitTrue(() -> seen.get() > 0, "the move");
        // What is there can be written over on a full disk, too.
        cluster.makeRoom(full);
        byte[] over = bytes(BLOCK, 3);
        write(0, over);
        file.state().sendBuffered();
        synced.get(WAIT_MS, TimeUnit.MILLISECONDS);
        file.sync(false);
        assertArrayEquals(expected(over), readAll(cluster.connect(), file.ino()));
    }

    /** Others go on after three seconds, unless they are asked again. */
    @Test
    void othersKeepStillForAsLongAsTheCopyTakes() throws Exception {
        CairnFileSystem patient = cluster.connect();
        ClientFile mine = (ClientFile) patient.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR);
        AtomicInteger asked = new AtomicInteger();
        AtomicInteger begun = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (to.equals(FakeCluster.MASTER)) {
                        asked.getAndAdd(isHoldStill(header) ? 1 : 0);
                        begun.getAndAdd(isMove(header, true) ? 1 : 0);
                        return Fate.DELIVER;
                    }
                    boolean isCopied = !to.equals(FakeCluster.CHUNKS.get(full)) && isWrite(header);
                    return isCopied && asked.get() < 3 ? Fate.LOSE_ANSWER : Fate.DELIVER;
                });
        mine.write(HALF, ByteBuffer.wrap(bytes(HALF, 2)));
        mine.sync(false);
        cluster.network.setFaults((_, _) -> Fate.DELIVER);
        assertEquals(1, begun.get(), "moves");
        mine.close();
        assertArrayEquals(expected(bytes(HALF, 1)), readAll(cluster.connect(), file.ino()));
    }

    /** Longer than it takes to hear of a full disk: other disks have room all the time. */
    @Test
    void copiesThatFailForAWhileAreNoLackOfRoom() {
        AtomicInteger begun = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (to.equals(FakeCluster.MASTER)) {
                        begun.getAndAdd(isMove(header, true) ? 1 : 0);
                        return Fate.DELIVER;
                    }
                    boolean isCopied = !to.equals(FakeCluster.CHUNKS.get(full)) && isWrite(header);
                    return isCopied && begun.get() < 5 ? Fate.LOSE_ANSWER : Fate.DELIVER;
                });
        write(HALF, bytes(HALF, 2));
        Await.get(file.state().drain(), WAIT_MS);
        file.sync(false);
        cluster.network.setFaults((_, _) -> Fate.DELIVER);
        assertArrayEquals(expected(bytes(HALF, 1)), readAll(cluster.connect(), file.ino()));
    }

    /** The other client of the two: its writers wait until the last time it was asked is over. */
    @Test
    void anotherOrderToKeepStillProlongsTheFirst() throws Exception {
        CairnFileSystem other = cluster.connect();
        cluster.emptyDisks();
        ClientFile there = (ClientFile) other.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR);
        Standstill still = new Standstill(there.state(), other.mount());
        still.order(3000).get(WAIT_MS, TimeUnit.MILLISECONDS);
        CompletableFuture<Long> wrote =
                CompletableFuture.supplyAsync(
                        () -> {
                            there.write(0, ByteBuffer.wrap(bytes(BLOCK, 4)));
                            return System.nanoTime();
                        });
        TimeUnit.MILLISECONDS.sleep(1000);
        long againNs = System.nanoTime();
        still.order(3000).get(WAIT_MS, TimeUnit.MILLISECONDS);
        long waitedMs = (wrote.get(WAIT_MS, TimeUnit.MILLISECONDS) - againNs) / 1_000_000;
        assertTrue(waitedMs >= 2900, "went on after " + waitedMs + " ms");
        there.close();
    }

    /** It would hear that they keep still, learn the version with which they go on, and copy. */
    @Test
    void whoAsksWhenTheTimeOfTheFirstIsOverWaitsForAStandstillOfItsOwn() throws Exception {
        CairnFileSystem other = cluster.connect();
        cluster.emptyDisks();
        ClientFile there = (ClientFile) other.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR);
        AtomicInteger renewals = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    boolean isRenewal = to.equals(FakeCluster.MASTER) && isRenewal(header);
                    renewals.getAndAdd(isRenewal ? 1 : 0);
                    return isRenewal ? Fate.HOLD_ANSWER : Fate.DELIVER;
                });
        Standstill still = new Standstill(there.state(), other.mount());
        still.order(1).get(WAIT_MS, TimeUnit.MILLISECONDS);
        cluster.awaitTrue(() -> renewals.get() > 0, "another version");
        CompletableFuture<Void> second = still.order(20_000);
        assertFalse(second.isDone(), "the writers of the first one go on before");
        cluster.network.setFaults((_, _) -> Fate.DELIVER);
        cluster.network.deliverLate();
        second.get(WAIT_MS, TimeUnit.MILLISECONDS);
        still.order(0).get(WAIT_MS, TimeUnit.MILLISECONDS);
        there.write(0, ByteBuffer.wrap(bytes(BLOCK, 4)));
        there.close();
    }

    /** All power is lost when others keep still, and what was just stored with it. */
    @Test
    void fsyncTellsOfBytesThatThePowerTookBeforeTheyWereCopied() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    boolean isHeld = to.equals(FakeCluster.MASTER) && isHoldStill(header);
                    if (isHeld) {
                        asked.getAndIncrement();
                    }
                    return isHeld ? Fate.HOLD_ANSWER : Fate.DELIVER;
                });
        write(HALF, bytes(HALF, 2));
        CompletableFuture<Void> drained = file.state().drain();
        cluster.awaitTrue(() -> asked.get() > 0, "others are asked to keep still");
        cluster.makeRoom(full);
        int writes = cluster.writes();
        write(0, bytes(BLOCK, 3));
        file.state().sendBuffered();
        cluster.awaitTrue(() -> cluster.writes() > writes, "stored");
        cluster.network.ask(
                () -> {
                    cluster.losePower();
                    return true;
                });
        cluster.network.setFaults((_, _) -> Fate.DELIVER);
        cluster.network.deliverLate();
        Await.get(drained, WAIT_MS);
        FsException lost = assertThrows(FsException.class, () -> file.sync(false));
        assertEquals(Errno.EIO, lost.errno());
    }

    /** An fsync does not ask of the old chunks once the file has others. */
    @Test
    void whatIsStoredIsDurableBeforeOthersCopyIt() throws Exception {
        CairnFileSystem other = cluster.connect();
        cluster.emptyDisks();
        ClientFile there = (ClientFile) other.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR);
        there.write(0, ByteBuffer.wrap(bytes(BLOCK, 4)));
        there.flush();
        Standstill still = new Standstill(there.state(), other.mount());
        still.order(20_000).get(WAIT_MS, TimeUnit.MILLISECONDS);
        cluster.network.ask(
                () -> {
                    cluster.losePower();
                    return true;
                });
        still.order(0).get(WAIT_MS, TimeUnit.MILLISECONDS);
        there.sync(false); // Fails with EIO if the power took it.
        there.close();
    }
}
