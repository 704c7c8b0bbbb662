package io.cairn.client.file;

import static io.cairn.client.CairnFileSystemTest.bytes;
import static io.cairn.client.CairnFileSystemTest.readAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.ClientFile;
import io.cairn.client.FakeCluster;
import io.cairn.client.FakeNetwork;
import io.cairn.client.session.Await;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import org.junit.jupiter.api.Test;

/** What a client wrote and did not commit before it was lost is never seen beyond the end (I14). */
class GrowthTest {
    private static final int CHUNK = 1 << 16;
    private static final int[] SIZES = {0, 100, 4000, CHUNK - 1, CHUNK, 100_000, 3 * CHUNK};
    private static final int END = 12 * CHUNK;

    /** Commits only when asked to. */
    private static CairnFileSystem slowClient(FakeCluster cluster) {
        return cluster.connect(cluster.settings().withWriteBackDelayMs(600_000));
    }

    private static OpenFile create(CairnFileSystem fs) {
        return fs.create(Caller.ROOT, 1, Name.of("f"), 0644, FileSystem.O_RDWR).file();
    }

    private static OpenFile open(CairnFileSystem fs, long ino) {
        return fs.open(Caller.ROOT, ino, FileSystem.O_RDWR);
    }

    /** Brings to the chunk servers what was written, and tells the master nothing. */
    private static void store(OpenFile file) {
        Await.get(((ClientFile) file).state().drain(), 10_000);
    }

    private static void write(OpenFile file, long offset, byte[] bytes) {
        file.write(offset, ByteBuffer.wrap(bytes));
    }

    /** A file with committed bytes, and many beyond them that are not. */
    private static OpenFile leave(CairnFileSystem fs, byte[] committed, Random random) {
        OpenFile file = create(fs);
        write(file, 0, committed);
        file.flush();
        for (int i = 1 + random.nextInt(5); i > 0; i--) {
            int at = committed.length + random.nextInt(END / 2);
            write(file, at, bytes(1 + random.nextInt(2 * CHUNK), i));
        }
        write(file, committed.length + END / 2, bytes(CHUNK, 7));
        store(file);
        return file;
    }

    @Property(tries = 150, shrinking = ShrinkingMode.OFF)
    void whatALostClientLeftIsZeros(@ForAll long seed) {
        Random random = new Random(seed);
        try (FakeCluster cluster = new FakeCluster(16)) {
            byte[] model = bytes(SIZES[random.nextInt(SIZES.length)], seed);
            CairnFileSystem other = cluster.connect();
            OpenFile left = leave(slowClient(cluster), model, random);
            OpenFile before = random.nextBoolean() ? open(other, left.ino()) : null;
            cluster.namespace.doubtObjects();
            OpenFile file = before == null ? open(other, left.ino()) : before;
            for (int i = 1 + random.nextInt(3); i > 0; i--) {
                model = extend(other, file, model, random);
                assertArrayEquals(model, readAll(file));
            }
            file.close();
            assertArrayEquals(model, readAll(cluster.connect(), file.ino()));
        }
    }

    /** Makes the file longer in one of all possible ways; its contents then. */
    private static byte[] extend(CairnFileSystem fs, OpenFile file, byte[] model, Random random) {
        int gap = 1 + random.nextInt(random.nextBoolean() ? 5000 : 4 * CHUNK);
        int length = 1 + random.nextInt(random.nextBoolean() ? 3000 : 2 * CHUNK);
        byte[] more = bytes(length, gap);
        switch (random.nextInt(5)) {
            case 0 -> {
                AttributeChange size = AttributeChange.NONE.withSize(model.length + gap);
                fs.setAttributes(Caller.ROOT, file.ino(), size);
                return Arrays.copyOf(model, model.length + gap);
            }
            case 1 -> {
                file.allocate(0, model.length, gap);
                return Arrays.copyOf(model, model.length + gap);
            }
            case 2 -> write(file, model.length + gap, more);
            case 3 -> {
                // Without a gap; what is left beyond waits for the next extension.
                gap = 0;
                write(file, model.length, more);
            }
            default -> {
                write(file, model.length + gap, more);
                file.flush();
            }
        }
        byte[] longer = Arrays.copyOf(model, model.length + gap + length);
        System.arraycopy(more, 0, longer, model.length + gap, length);
        return longer;
    }

    @Test
    void aGapInsideTheInodeThatMovesOutIsZeros() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            OpenFile left = create(slowClient(cluster));
            write(left, 0, bytes(CHUNK, 1));
            store(left);
            cluster.namespace.doubtObjects();
            byte[] more = bytes(9000, 5);
            byte[] model = new byte[12_000];
            System.arraycopy(more, 0, model, 3000, 9000);
            try (OpenFile file = open(cluster.connect(), left.ino())) {
                write(file, 3000, Arrays.copyOf(more, 10));
                write(file, 3010, Arrays.copyOfRange(more, 10, 9000));
                assertArrayEquals(model, readAll(file));
            }
            assertArrayEquals(model, readAll(cluster.connect(), left.ino()));
        }
    }

    @Test
    void bytesWithoutAGapAskTheMasterNothing() {
        int[] requests = new int[2];
        for (int doubtful = 0; doubtful < 2; doubtful++) {
            try (FakeCluster cluster = new FakeCluster(16)) {
                CairnFileSystem fs = slowClient(cluster);
                OpenFile made = create(fs);
                write(made, 0, bytes(100_000, 1));
                made.close();
                if (doubtful == 1) {
                    cluster.namespace.doubtObjects();
                }
                int before = cluster.shared.executed;
                try (OpenFile file = open(fs, made.ino())) {
                    for (int i = 0; i < 10; i++) {
                        write(file, 100_000 + i * 30_000, bytes(30_000, i));
                    }
                }
                requests[doubtful] = cluster.shared.executed - before;
            }
        }
        assertEquals(1, requests[0]);
        assertEquals(1, requests[1]);
    }

    @Test
    void aTailIsRenewedOnce() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            OpenFile left = leave(slowClient(cluster), bytes(100_000, 1), new Random(2));
            cluster.namespace.doubtObjects();
            OpenFile file = open(slowClient(cluster), left.ino());
            write(file, 150_000, bytes(10, 1));
            int executed = cluster.shared.executed;
            for (int i = 0; i < 20; i++) {
                write(file, 200_000 + i * 50_000L, bytes(10, 1));
            }
            assertEquals(executed, cluster.shared.executed);
        }
    }

    @Test
    void aLivingWriterHearsOfWhatWasGivenUp() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            byte[] committed = bytes(100_000, 1);
            OpenFile living = leave(slowClient(cluster), committed, new Random(3));
            cluster.namespace.doubtObjects();
            try (OpenFile file = open(cluster.connect(), living.ino())) {
                write(file, END, bytes(10, 1));
            }
            assertEquals(Errno.EIO, assertThrows(FsException.class, living::flush).errno());
            living.flush();
            byte[] model = Arrays.copyOf(committed, END + 10);
            System.arraycopy(bytes(10, 1), 0, model, END, 10);
            assertArrayEquals(model, readAll(cluster.connect(), living.ino()));
        }
    }

    @Test
    void whoTruncatesGivesUpSilentlyWhatIsBeyond() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            OpenFile living = leave(slowClient(cluster), bytes(100_000, 1), new Random(3));
            AttributeChange cut = AttributeChange.NONE.withSize(90_000);
            cluster.connect().setAttributes(Caller.ROOT, living.ino(), cut);
            living.flush();
            assertEquals(90_000, living.attributes().size());
        }
    }

    @Test
    void whatCouldNotBeCommittedIsGivenUpWithTheLastClose() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            byte[] committed = bytes(100_000, 1);
            CairnFileSystem fs =
                    cluster.connect(
                            cluster.settings()
                                    .withWriteBackDelayMs(600_000)
                                    .withRequestTimeoutMs(1500));
            OpenFile file = leave(fs, committed, new Random(4));
            long oid = cluster.namespace.require(file.ino()).layout().lastOid();
            cluster.network.setFaults(
                    (to, header) ->
                            to.equals(FakeCluster.MASTER)
                                    ? FakeNetwork.Fate.LOSE_REQUEST
                                    : FakeNetwork.Fate.DELIVER);
            assertThrows(FsException.class, file::close);
            cluster.network.setFaults((to, header) -> FakeNetwork.Fate.DELIVER);
            cluster.awaitTrue(
                    () -> cluster.namespace.require(file.ino()).layout().lastOid() != oid,
                    "the tail is renewed");
            try (OpenFile again = open(fs, file.ino())) {
                again.allocate(0, 0, END);
                assertArrayEquals(Arrays.copyOf(committed, END), readAll(again));
            }
        }
    }

    @Test
    void nothingIsLeftWhenNothingIsDirty() {
        try (FakeCluster cluster = new FakeCluster(16)) {
            ClientFile file = (ClientFile) create(cluster.connect());
            CompletableFuture<Void> done = file.state().growth().abandon();
            assertEquals(true, done.isDone());
            file.close();
        }
    }
}
