package io.cairn.client;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.wire.Decoder;
import io.cairn.wire.master.ContentMutation;
import io.cairn.wire.master.Envelope;
import io.cairn.wire.master.MasterRequest;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A commit of a small file whose answer is late: another client moves the contents meanwhile. */
class LateAnswerTest {
    private static final int SMALL = 3000;
    private static final int LARGE = 100_000;
    private static final long WAIT_MS = 8000;
    private static final int OUTAGE_S = 5;

    private final FakeCluster cluster = new FakeCluster(16);
    private final CairnFileSystem fs =
            cluster.connect(
                    cluster.settings().withWriteBackDelayMs(600_000).withAttemptTimeoutMs(5000));

    @AfterEach
    void close() {
        cluster.close();
    }

    private static boolean isInlineWrite(byte[] header) {
        Decoder in = new Decoder(header);
        return MasterRequest.read(in) == MasterRequest.MUTATION
                && Envelope.decode(in).mutation() instanceof ContentMutation.WriteInline;
    }

    /** The master does inline writes, and nobody hears of it; counts them. */
    private AtomicInteger holdAnswersOfInlineWrites() {
        AtomicInteger seen = new AtomicInteger();
        cluster.network.setFaults(
                (to, header) -> {
                    if (!to.equals(FakeCluster.MASTER) || !isInlineWrite(header)) {
                        return FakeNetwork.Fate.DELIVER;
                    }
                    seen.getAndIncrement();
                    return FakeNetwork.Fate.HOLD_ANSWER;
                });
        return seen;
    }

    @Test
    void whatMovedBeforeItsWriteWasKnownToBeDoneIsNotLeftBehind() throws Exception {
        CairnFileSystem other = cluster.connect();
        long ino;
        try (OpenFile made =
                other.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file()) {
            made.write(0, ByteBuffer.wrap(bytes(SMALL, 1)));
            ino = made.ino();
        }
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
            file.write(0, ByteBuffer.wrap(bytes(100, 2)));
            AtomicInteger seen = holdAnswersOfInlineWrites();
            CompletableFuture<Void> flushed = CompletableFuture.runAsync(file::flush);
            cluster.awaitTrue(() -> seen.get() > 0, "the inline write");
            try (OpenFile moving = other.open(Caller.ROOT, ino, FileSystem.O_RDWR)) {
                moving.write(SMALL, ByteBuffer.wrap(bytes(LARGE - SMALL, 3)));
            }
            fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY).close();
            cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
            cluster.network.deliverLate();
            flushed.get(WAIT_MS, TimeUnit.MILLISECONDS);
            assertEquals(0, fs.mount().pool().usedBytes(), "bytes that nobody will send");
        }
        byte[] model = Arrays.copyOf(bytes(SMALL, 1), LARGE);
        System.arraycopy(bytes(100, 2), 0, model, 0, 100);
        System.arraycopy(bytes(LARGE - SMALL, 3), 0, model, SMALL, LARGE - SMALL);
        assertArrayEquals(model, readAll(cluster.connect(), ino));
    }

    /**
     * In an outage of the master commits of the background must not pile up, one after the other.
     */
    @Test
    void aLongWaitLeavesOneCommitToEnd() throws Exception {
        CairnFileSystem eager =
                cluster.connect(
                        cluster.settings().withWriteBackDelayMs(1).withAttemptTimeoutMs(8000));
        try (OpenFile file =
                eager.create(Caller.ROOT, 1, Name.of("g"), 0644, FileSystem.O_RDWR).file()) {
            AtomicInteger seen = holdAnswersOfInlineWrites();
            file.write(0, ByteBuffer.wrap(bytes(100, 2)));
            cluster.awaitTrue(() -> seen.get() > 0, "the inline write");
            file.write(100, ByteBuffer.wrap(bytes(100, 2)));
            TimeUnit.SECONDS.sleep(OUTAGE_S);
            cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
            cluster.network.deliverLate();
            CompletableFuture.runAsync(file::flush).get(WAIT_MS, TimeUnit.MILLISECONDS);
        }
    }
}
