package io.cairn.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.session.ClientSettings;
import io.cairn.cluster.Endpoint;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the whole client does, on a cluster in memory. */
public class CairnFileSystemTest {
    private static final Caller ROOT = Caller.ROOT;
    private static final Name A = Name.of("a");

    private FakeCluster cluster;
    private CairnFileSystem fs;

    @BeforeEach
    void connect() {
        cluster = new FakeCluster(20);
        fs = cluster.connect();
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    public static byte[] bytes(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    public static byte[] readAll(FileSystem fs, long ino) {
        try (OpenFile file = fs.open(ROOT, ino, FileSystem.O_RDONLY)) {
            return readAll(file);
        }
    }

    public static byte[] readAll(OpenFile file) {
        int size = (int) file.attributes().size();
        ByteBuffer target = ByteBuffer.allocate(size + 10);
        int at = 0;
        while (true) {
            int count = file.read(at, target);
            if (count == 0) {
                return Arrays.copyOf(target.array(), at);
            }
            at += count;
        }
    }

    private OpenFile create(Name name) {
        return fs.create(ROOT, 1, name, 0644, FileSystem.O_RDWR).file();
    }

    @Test
    void smallFileStaysInline() {
        byte[] text = bytes(100, 1);
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(text));
            assertEquals(100, file.attributes().size());
            assertEquals(100, fs.getAttributes(ROOT, ino).size());
            assertArrayEquals(text, readAll(file));
        }
        assertArrayEquals(text, readAll(cluster.connect(), ino));
        assertTrue(cluster.servers.stream().allMatch(s -> s.writes.get() == 0));
    }

    @Test
    void largeFileGoesToChunksInWholeBlocks() {
        byte[] text = bytes(3_500_000, 2);
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            for (int at = 0; at < text.length; at += 100_000) {
                file.write(at, ByteBuffer.wrap(text, at, 100_000));
            }
        }
        assertEquals(0, cluster.servers.stream().mapToInt(s -> s.unalignedWrites.get()).sum());
        assertEquals(4, cluster.servers.stream().mapToInt(s -> s.writes.get()).sum());
        assertArrayEquals(text, readAll(fs, ino));
        assertArrayEquals(text, readAll(cluster.connect(), ino));
        assertEquals(0, fs.mount().pool().usedBytes());
    }

    @Test
    void createWriteCloseOfSmallFileTakesTwoRequests() {
        create(Name.of("warm")).close();
        int before = cluster.shared.executed;
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(4096, 3)));
        }
        assertEquals(2, cluster.shared.executed - before);
    }

    @Test
    void statAfterWriteShowsTheSameTimeBeforeAndAfterTheCommit() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(10, 1)));
            long mtimeNs = file.attributes().mtimeNs();
            file.flush();
            assertEquals(mtimeNs, file.attributes().mtimeNs());
            assertEquals(mtimeNs, fs.lookup(ROOT, 1, A).mtimeNs());
        }
    }

    @Test
    void truncateToTheMiddleKeepsTheHeadAndReadsZerosWhenExtended() {
        byte[] text = bytes(2_500_000, 4);
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(text));
            fs.setAttributes(ROOT, file.ino(), AttributeChange.NONE.withSize(1_500_000));
            assertEquals(1_500_000, file.attributes().size());
            fs.setAttributes(ROOT, file.ino(), AttributeChange.NONE.withSize(2_000_000));
            byte[] expected = Arrays.copyOf(Arrays.copyOf(text, 1_500_000), 2_000_000);
            assertArrayEquals(expected, readAll(file));
            file.write(1_600_000, ByteBuffer.wrap(text, 0, 1000));
            System.arraycopy(text, 0, expected, 1_600_000, 1000);
            assertArrayEquals(expected, readAll(file));
            file.flush();
            assertArrayEquals(expected, readAll(cluster.connect(), file.ino()));
        }
    }

    @Test
    void truncateToNothingMakesTheFileInlineAgain() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(1_000_000, 5)));
            file.flush();
            fs.setAttributes(ROOT, file.ino(), AttributeChange.NONE.withSize(0));
            file.write(10, ByteBuffer.wrap(new byte[] {1, 2, 3}));
            file.flush();
            byte[] expected = new byte[13];
            expected[10] = 1;
            expected[11] = 2;
            expected[12] = 3;
            assertArrayEquals(expected, readAll(cluster.connect(), file.ino()));
        }
    }

    @Test
    void inlineFileIsExtendedBeyondTheLimit() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(new byte[] {7}));
            fs.setAttributes(ROOT, file.ino(), AttributeChange.NONE.withSize(100_000));
            byte[] expected = new byte[100_000];
            expected[0] = 7;
            assertArrayEquals(expected, readAll(cluster.connect(), file.ino()));
        }
    }

    @Test
    void openTruncatesAndExclusiveCreateRefuses() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(10, 1)));
        }
        FsException refused =
                assertThrows(
                        FsException.class,
                        () -> fs.create(ROOT, 1, A, 0644, FileSystem.O_RDWR | FileSystem.O_EXCL));
        assertEquals(Errno.EEXIST, refused.errno());
        try (OpenFile file =
                fs.create(ROOT, 1, A, 0644, FileSystem.O_RDWR | FileSystem.O_TRUNC).file()) {
            assertEquals(0, file.attributes().size());
        }
    }

    @Test
    void anotherClientSeesWhatWasClosed() {
        CairnFileSystem other = cluster.connect();
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(bytes(50_000, 6)));
        }
        assertArrayEquals(bytes(50_000, 6), readAll(other, ino));
        try (OpenFile file = other.open(ROOT, ino, FileSystem.O_WRONLY)) {
            file.write(10, ByteBuffer.wrap(new byte[] {1, 2, 3}));
        }
        byte[] expected = bytes(50_000, 6);
        expected[10] = 1;
        expected[11] = 2;
        expected[12] = 3;
        assertArrayEquals(expected, readAll(fs, ino));
    }

    @Test
    void appendsOfTwoClientsAreNeitherLostNorTorn() throws InterruptedException {
        CairnFileSystem other = cluster.connect();
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
        }
        int records = 200;
        Thread[] threads = new Thread[2];
        CairnFileSystem[] clients = {fs, other};
        for (int t = 0; t < 2; t++) {
            CairnFileSystem client = clients[t];
            byte mark = (byte) (t + 1);
            threads[t] =
                    new Thread(
                            () -> {
                                byte[] record = new byte[100];
                                Arrays.fill(record, mark);
                                int flags = FileSystem.O_WRONLY | FileSystem.O_APPEND;
                                try (OpenFile file = client.open(ROOT, ino, flags)) {
                                    for (int i = 0; i < records; i++) {
                                        file.write(0, ByteBuffer.wrap(record));
                                    }
                                }
                            });
            threads[t].start();
        }
        for (Thread thread : threads) {
            thread.join(30_000);
        }
        byte[] all = readAll(cluster.connect(), ino);
        assertEquals(2 * records * 100, all.length);
        int[] counts = new int[3];
        for (int at = 0; at < all.length; at += 100) {
            for (int i = 1; i < 100; i++) {
                assertEquals(all[at], all[at + i], "torn record at " + at);
            }
            counts[all[at]]++;
        }
        assertEquals(records, counts[1]);
        assertEquals(records, counts[2]);
    }

    @Test
    void fullDiskIsReportedOnceAtCloseAndSizeGoesBack() {
        cluster.servers.forEach(server -> server.full = true);
        OpenFile file = create(A);
        file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
        FsException error = assertThrows(FsException.class, file::flush);
        assertEquals(Errno.ENOSPC, error.errno());
        file.flush();
        file.close();
        assertEquals(0, fs.mount().pool().usedBytes());
    }

    @Test
    void whatWasThereStaysWhenTheFileCannotMoveToChunks() {
        byte[] text = bytes(100, 1);
        OpenFile file = create(A);
        file.write(0, ByteBuffer.wrap(text));
        file.sync(false);
        cluster.servers.forEach(server -> server.full = true);
        file.write(100, ByteBuffer.wrap(bytes(100_000, 2)));
        assertEquals(Errno.ENOSPC, assertThrows(FsException.class, file::close).errno());
        assertArrayEquals(text, readAll(fs, file.ino()));
        assertArrayEquals(text, readAll(cluster.connect(), file.ino()));
    }

    @Test
    void corruptReplicaGivesErrorAndNeverWrongBytes() {
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
        }
        cluster.servers.forEach(server -> server.corrupt = true);
        try (OpenFile file = fs.open(ROOT, ino, FileSystem.O_RDONLY)) {
            FsException error =
                    assertThrows(FsException.class, () -> file.read(0, ByteBuffer.allocate(1000)));
            assertEquals(Errno.EIO, error.errno());
        }
        cluster.awaitTrue(
                () -> cluster.servers.stream().anyMatch(s -> s.reportedBad.get() > 0),
                "the bad block is reported");
    }

    @Test
    void aReadWaitsForAMemberThatIsAwayUnlessTheHeadSaysThatItHasNothing() throws Exception {
        long ino;
        byte[] data = bytes(100_000, 1);
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(data));
        }
        cluster.addAbsentMembers();
        for (Errno errno : new Errno[] {null, Errno.NOT_READY}) {
            cluster.servers.forEach(server -> server.corrupt = errno == null);
            cluster.servers.forEach(server -> server.failure = errno);
            CairnFileSystem client = cluster.connect();
            Waiter reader = new Waiter(() -> Arrays.equals(data, readAll(client, ino)));
            int before = cluster.reads();
            cluster.awaitTrue(() -> cluster.reads() > before + 3, "it asks again");
            assertFalse(reader.isThrough());
            cluster.servers.forEach(server -> server.corrupt = false);
            cluster.servers.forEach(server -> server.failure = null);
            assertTrue(reader.result());
        }
        cluster.servers.forEach(server -> server.failure = Errno.EIO);
        CairnFileSystem client = cluster.connect();
        FsException error = assertThrows(FsException.class, () -> readAll(client, ino));
        assertEquals(Errno.EIO, error.errno());
    }

    @Test
    void syncFlushesWhatAnEarlierOpenFileWrote() {
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(bytes(3_000_000, 1)));
        }
        assertEquals(0, cluster.servers.stream().mapToInt(s -> s.flushed.size()).sum());
        try (OpenFile file = fs.open(ROOT, ino, FileSystem.O_RDONLY)) {
            file.sync(false);
        }
        assertEquals(3, cluster.servers.stream().mapToInt(s -> s.flushed.size()).sum());
    }

    @Test
    void whatIsLostIsToldToEveryOpenFileOnce() {
        try (OpenFile file = create(A);
                OpenFile other = fs.open(ROOT, file.ino(), FileSystem.O_RDWR)) {
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
            file.sync(false);
            file.write(0, ByteBuffer.wrap(bytes(100_000, 2)));
            file.flush();
            cluster.losePower();
            for (OpenFile each : List.of(file, other)) {
                FsException error = assertThrows(FsException.class, () -> each.sync(false));
                assertEquals(Errno.EIO, error.errno());
                each.sync(false);
            }
            file.flush();
        }
    }

    /** The close may be that of a copy of the descriptor in another process. */
    @Test
    void whatACloseTellsIsToldByFsyncToo() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
            file.sync(false);
            cluster.fillDisks();
            file.write(100_000, ByteBuffer.wrap(bytes(100_000, 2)));
            assertEquals(Errno.ENOSPC, assertThrows(FsException.class, file::flush).errno());
            file.flush();
            FsException error = assertThrows(FsException.class, () -> file.sync(false));
            assertEquals(Errno.ENOSPC, error.errno());
            file.sync(false);
            file.flush();
        }
    }

    /** The write after the loss has the mount ask at once, in the background, what is left. */
    @Test
    void whatIsLostIsToldOnceAlsoWhenTheFileIsWrittenAgain() {
        try (OpenFile file = create(A);
                OpenFile other = fs.open(ROOT, file.ino(), FileSystem.O_RDWR)) {
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
            file.flush();
            cluster.losePower();
            file.write(0, ByteBuffer.wrap(bytes(100_000, 2)));
            for (OpenFile each : List.of(file, other)) {
                FsException error = assertThrows(FsException.class, () -> each.sync(false));
                assertEquals(Errno.EIO, error.errno());
                each.sync(false);
            }
        }
    }

    @Test
    void changeOfEpochIsFollowed() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
            file.flush();
            cluster.changeEpochs();
            file.write(0, ByteBuffer.wrap(bytes(100_000, 2)));
            file.flush();
            cluster.changeEpochs();
            assertArrayEquals(bytes(100_000, 2), readAll(fs, file.ino()));
        }
    }

    @Test
    void holesAndFallocate() {
        try (OpenFile file = create(A)) {
            file.write(0, ByteBuffer.wrap(bytes(8192, 1)));
            file.write(3 << 20, ByteBuffer.wrap(bytes(8192, 2)));
            assertEquals(0, file.seek(0, true));
            assertEquals(8192, file.seek(0, false));
            assertEquals(3 << 20, file.seek(8192, true));
            file.allocate(3, 0, 4096);
            assertEquals(4096, file.seek(0, true));
            file.allocate(0, 0, 5 << 20);
            assertEquals(5 << 20, file.attributes().size());
            file.allocate(1, 0, 50 << 20);
            assertEquals(5 << 20, file.attributes().size());
            FsException error = assertThrows(FsException.class, () -> file.seek(4 << 20, true));
            assertEquals(Errno.ENXIO, error.errno());
            error = assertThrows(FsException.class, () -> file.allocate(1, 0, 1L << 30));
            assertEquals(Errno.ENOSPC, error.errno());
        }
    }

    @Test
    void readerWithAnOldLayoutDoesNotSeeZerosOfCollectedChunks() {
        CairnFileSystem other = cluster.connect();
        long ino;
        try (OpenFile file = create(A)) {
            ino = file.ino();
            file.write(0, ByteBuffer.wrap(bytes(100_000, 1)));
        }
        try (OpenFile reader = fs.open(ROOT, ino, FileSystem.O_RDONLY);
                OpenFile writer = other.open(ROOT, ino, FileSystem.O_WRONLY | FileSystem.O_TRUNC)) {
            writer.write(0, ByteBuffer.wrap(bytes(100_000, 2)));
            writer.flush();
            ByteBuffer target = ByteBuffer.allocate(1000);
            assertEquals(1000, reader.read(50_000, target));
            assertArrayEquals(
                    Arrays.copyOfRange(bytes(100_000, 2), 50_000, 51_000), target.array());
        }
    }

    @Test
    void namesAreCachedAndOwnChangesSeenAtOnce() {
        Attributes dir = fs.mkdir(ROOT, 1, Name.of("d"), 0755);
        assertThrows(FsException.class, () -> fs.lookup(ROOT, dir.ino(), A));
        Attributes made = fs.mknod(ROOT, dir.ino(), A, io.cairn.fs.FileType.FILE, 0644, 0);
        int before = cluster.shared.requests;
        assertEquals(made.ino(), fs.lookup(ROOT, dir.ino(), A).ino());
        assertEquals(before, cluster.shared.requests);
        fs.rename(ROOT, dir.ino(), A, 1, Name.of("b"), 0);
        assertThrows(FsException.class, () -> fs.lookup(ROOT, dir.ino(), A));
        assertEquals(made.ino(), fs.lookup(ROOT, 1, Name.of("b")).ino());
        fs.unlink(ROOT, 1, Name.of("b"));
        assertThrows(FsException.class, () -> fs.lookup(ROOT, 1, Name.of("b")));
    }

    @Test
    void nobodyAnswersInBoundedTime() {
        ClientSettings nowhere =
                ClientSettings.of(List.of(new Endpoint("nowhere", 9)), "test")
                        .withConnectTimeoutMs(300);
        FsException error = assertThrows(FsException.class, () -> cluster.connect(nowhere));
        assertTrue(
                error.getMessage().contains("no master answered at nowhere:9"), error.getMessage());
    }
}
