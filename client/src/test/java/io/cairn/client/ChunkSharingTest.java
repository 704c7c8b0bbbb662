package io.cairn.client;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.cluster.Layout;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.Decoder;
import io.cairn.wire.chunk.ChunkRequest.ChunkKey;
import io.cairn.wire.master.ContentMutation.SharingMutation.ShareChunks;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import io.cairn.wire.master.Query;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a large copy asks of the masters and of other clients. */
class ChunkSharingTest {
    private static final int CHUNK = 1 << 22;
    private static final long LEAST_BYTES = 64L << 20;
    private static final int CHUNKS = (int) (2 * LEAST_BYTES / CHUNK);
    private static final int SIZE = CHUNKS * CHUNK + 77;
    private static final byte[] PIECE = bytes(100_000, 1);
    private static final int[] PLACES = {0, 3 * CHUNK + 11, SIZE - PIECE.length};

    private final FakeCluster cluster = new FakeCluster(22);
    private final CairnFileSystem fs = cluster.connect();
    private final AtomicInteger shares = new AtomicInteger();
    private final AtomicInteger holds = new AtomicInteger();
    private long source;

    @BeforeEach
    void prepare() {
        try (OpenFile made = create("source")) {
            source = made.ino();
            for (int at : PLACES) {
                made.write(at, ByteBuffer.wrap(PIECE));
            }
            made.sync(false);
        }
        cluster.network.setFaults(
                (to, header) -> {
                    if (to.equals(FakeCluster.MASTER)) {
                        count(new Decoder(header));
                    }
                    return FakeNetwork.Fate.DELIVER;
                });
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private void count(Decoder in) {
        if (MasterRequest.read(in) == MasterRequest.MUTATION) {
            boolean isShare = Envelope.decode(in).mutation().unwrapped() instanceof ShareChunks;
            shares.addAndGet(isShare ? 1 : 0);
            return;
        }
        in.i64();
        boolean isHold = Query.decode(in) instanceof Query.HoldStill still && still.ms() > 0;
        holds.addAndGet(isHold ? 1 : 0);
    }

    private OpenFile create(String name) {
        return fs.create(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name), 0644, FileSystem.O_RDWR)
                .file();
    }

    private Layout layout(long ino) {
        return cluster.network.ask(
                () -> Objects.requireNonNull(cluster.namespace.require(ino).layout()));
    }

    private boolean isFlushed(long oid, long chunk) {
        ChunkKey key = new ChunkKey(oid, chunk);
        return cluster.network.ask(
                () -> cluster.servers.stream().anyMatch(each -> each.flushed.contains(key)));
    }

    /** Copies everything, not more than the least for that chunks are shared with one call. */
    private void copy(OpenFile target) {
        try (OpenFile from = fs.open(Caller.ROOT, source, FileSystem.O_RDONLY)) {
            for (long done = 0; done < SIZE; ) {
                long count = target.copyFrom(from, done, done, LEAST_BYTES);
                assertTrue(count > 0, "at " + done);
                done += count;
            }
        }
    }

    private static void requireContents(OpenFile file) {
        assertEquals(SIZE, file.attributes().size());
        for (int at : PLACES) {
            ByteBuffer read = ByteBuffer.allocate(PIECE.length);
            while (read.hasRemaining() && file.read(at + read.position(), read) > 0) {
                // on
            }
            assertArrayEquals(PIECE, read.array(), "at " + at);
        }
        ByteBuffer hole = ByteBuffer.allocate(1000);
        file.read(20L * CHUNK, hole);
        assertArrayEquals(new byte[1000], hole.array());
    }

    @Test
    void withoutSnapshotTheBytesAreCopiedAndNoWriterWaits() {
        try (OpenFile target = create("target")) {
            copy(target);
            assertEquals(1, shares.get(), "one question");
            assertEquals(0, holds.get());
            requireContents(target);
            target.flush();
            assertNotEquals(layout(source).runOf(0).oid(), layout(target.ino()).runOf(0).oid());
        }
    }

    @Test
    void chunksOfASnapshotAreSharedAndFlushed() {
        cluster.network.ask(() -> cluster.namespace.takeSnapshot("s"));
        try (OpenFile target = create("target")) {
            copy(target);
            assertEquals(2, holds.get(), "others keep out of the target");
            assertEquals(4, shares.get(), "what is left is too little");
            requireContents(target);
            long oid = layout(source).runOf(0).oid();
            assertEquals(oid, layout(target.ino()).runOf(0).oid());
            cluster.network.ask(
                    () -> {
                        cluster.servers.forEach(each -> each.flushed.clear());
                        return true;
                    });
            target.sync(false);
            for (int chunk = 0; chunk < CHUNKS; chunk++) {
                assertTrue(isFlushed(oid, chunk), "chunk " + chunk);
            }
        }
    }
}
