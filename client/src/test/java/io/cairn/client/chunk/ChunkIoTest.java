package io.cairn.client.chunk;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.client.file.Mount;
import io.cairn.client.session.Await;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.cluster.Layout;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkReply.WriteReply;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One chunk at whichever servers have it: maps that change, permits, time that runs out. */
class ChunkIoTest {
    private static final int LENGTH = 5000;
    private static final long WAIT_MS = 30_000;
    private static final ChunkPlace PLACE =
            new ChunkPlace(new Layout(16, 0, 5, List.of(Layout.Run.of(0, 1, 77))), 77, 3);

    private final FakeCluster cluster = new FakeCluster(16);
    private final Mount mount =
            cluster.connect(cluster.settings().withRequestTimeoutMs(3000)).mount();
    private final ChunkIo io = mount.chunks();

    @AfterEach
    void close() {
        cluster.close();
    }

    private CompletableFuture<WriteReply> write(byte[] bytes, WritePermit permit) {
        int[] crcs = Crc32c.ofPieces(ByteBuffer.wrap(bytes), 0);
        return io.write(PLACE, io.newOperation(), 0, Unpooled.wrappedBuffer(bytes), crcs, permit);
    }

    private WritePermit always() {
        return new WritePermit(mount.master().session(), 0);
    }

    private byte[] read(int length) {
        ChunkIo.Piece piece = Await.get(io.read(PLACE, 0, length), WAIT_MS);
        ByteBuffer target = ByteBuffer.allocate(length);
        piece.copyTo(0, target);
        piece.release();
        return target.array();
    }

    private static Errno failure(CompletableFuture<?> call) {
        return assertThrows(FsException.class, () -> Await.get(call, WAIT_MS)).errno();
    }

    @Test
    void aChunkThatIsNotThereReadsAsZerosAndSaysSo() {
        ChunkIo.Piece piece = Await.get(io.read(PLACE, 100, LENGTH), WAIT_MS);
        assertEquals(0, piece.chunkLengthBytes());
        assertArrayEquals(new byte[LENGTH], read(LENGTH));
    }

    @Test
    void anotherEpochIsLearntOnTheWay() {
        byte[] bytes = bytes(LENGTH, 1);
        Await.get(write(bytes, always()), WAIT_MS);
        cluster.changeEpochs();
        assertArrayEquals(bytes, read(LENGTH));
        cluster.changeEpochs();
        byte[] younger = bytes(LENGTH, 2);
        Await.get(write(younger, always()), WAIT_MS);
        assertArrayEquals(younger, read(LENGTH));
    }

    private static boolean asksForMap(byte[] header) {
        Decoder in = new Decoder(header);
        if (MasterRequest.read(in) != MasterRequest.QUERY) {
            return false;
        }
        in.i64();
        return Query.decode(in) instanceof Query.GetMap;
    }

    /** The map is right, and is not fetched for it. */
    @Test
    void aMemberThatCannotTellSendsToTheHead() {
        cluster.addFollowers();
        read(LENGTH);
        AtomicInteger asked = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    // A sign of life may fall due meanwhile.
                    asked.addAndGet(to.equals(FakeCluster.MASTER) && asksForMap(header) ? 1 : 0);
                    return FakeNetwork.Fate.DELIVER;
                });
        int before = cluster.reads();
        for (int index = 0; index < 16; index++) {
            readOf(index);
        }
        int tries = cluster.reads() - before;
        assertTrue(tries > 16 && tries <= 32, tries + " tries");
        assertEquals(0, asked.get());
    }

    /** A stopped process keeps its connections; an answer may take long before it fails. */
    @Test
    void aReadDoesNotWaitForAServerThatIsSilent() {
        ClientSettings patient =
                cluster.settings().withRequestTimeoutMs(600_000).withAttemptTimeoutMs(300_000);
        ChunkIo chunks = cluster.connect(patient).mount().chunks();
        cluster.addCopies();
        for (int index = 0; index < 16; index++) {
            readOf(chunks, index);
        }
        AtomicReference<Endpoint> silent = new AtomicReference<>();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER)) {
                        silent.compareAndSet(null, to);
                    }
                    return to.equals(silent.get())
                            ? FakeNetwork.Fate.HOLD_ANSWER
                            : FakeNetwork.Fate.DELIVER;
                });
        for (int index = 0; index < 16; index++) {
            readOf(chunks, index);
        }
    }

    private void readOf(int index) {
        readOf(io, index);
    }

    private static void readOf(ChunkIo chunks, int index) {
        ChunkPlace place = new ChunkPlace(PLACE.layout(), 77, index);
        Await.get(chunks.read(place, 0, LENGTH), WAIT_MS).release();
    }

    @Test
    void aWriteWhosePermitIsWithdrawnIsNotSent() {
        WritePermit permit = always();
        permit.withdraw();
        assertEquals(Errno.EIO, failure(write(bytes(LENGTH, 1), permit)));
        WritePermit lost = new WritePermit(mount.master().session(), -1);
        assertEquals(Errno.EIO, failure(write(bytes(LENGTH, 1), lost)));
        assertEquals(0, cluster.writes());
    }

    @Test
    void anAnswerThatIsLostIsAskedForAgainAndTheWriteDoneOnce() {
        int[] tries = new int[1];
        cluster.network.setFaults(
                (to, header) ->
                        !to.equals(FakeCluster.MASTER) && tries[0]++ == 0
                                ? FakeNetwork.Fate.LOSE_ANSWER
                                : FakeNetwork.Fate.DELIVER);
        byte[] bytes = bytes(LENGTH, 1);
        Await.get(write(bytes, always()), WAIT_MS);
        assertTrue(tries[0] > 1);
        assertEquals(1, cluster.writes());
    }

    @Test
    void whoGetsNoAnswerIsToldWhichChunkAndWhenTheTimeIsOver() {
        cluster.network.setFaults(
                (to, header) ->
                        to.equals(FakeCluster.MASTER)
                                ? FakeNetwork.Fate.DELIVER
                                : FakeNetwork.Fate.LOSE_REQUEST);
        FsException error =
                assertThrows(
                        FsException.class, () -> Await.get(io.read(PLACE, 0, LENGTH), WAIT_MS));
        assertEquals(Errno.ETIMEDOUT, error.errno());
        assertTrue(error.getMessage().contains(PLACE.toString()), error.getMessage());
    }
}
