package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Attributes;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.snapshot.SnapshotRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Snapshots of files that are written meanwhile, over the Java door and through a mount. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class SnapshotsTest {
    private static final int CHUNK = 1 << 16;
    private static final int CHUNKS = 24;

    @TempDir private static Path directory;
    private TestCluster cluster;
    private CairnFileSystem fs;
    private Path mount = Path.of("/");

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 2, 2);
        fs = cluster.client("java");
        fs.setPolicy(Caller.ROOT, FileSystem.ROOT_INO, FileSystem.ROOT_INO, new Policy(0, 16, -1));
        mount = cluster.mount("mount", MountOptions.standard());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private Namespace namespace() {
        return cluster.embedded().service().namespace();
    }

    private SnapshotRecord take(long root, String name) throws Exception {
        return cluster.embedded()
                .service()
                .snapshots()
                .take(root, Name.of(name))
                .get(60, TimeUnit.SECONDS);
    }

    private void drop(SnapshotRecord snapshot) throws Exception {
        cluster.embedded().service().snapshots().drop(snapshot).get(60, TimeUnit.SECONDS);
    }

    private byte[] read(CairnFileSystem from, long ino) {
        try (OpenFile file = from.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            int size = (int) from.freshAttributes(Caller.ROOT, ino).size();
            ByteBuffer all = ByteBuffer.allocate(size);
            while (all.hasRemaining() && file.read(all.position(), all) > 0) {
                // on
            }
            return all.array();
        }
    }

    private static ByteBuffer block(long number) {
        ByteBuffer block = ByteBuffer.allocate(512);
        while (block.hasRemaining()) {
            block.putLong(number);
        }
        return block.flip();
    }

    /** Write number n goes there. */
    private static int chunkOf(long number) {
        return (int) (number * 7 % CHUNKS);
    }

    /** The contents are those after some of the writes, and all before it. */
    private static long requirePrefix(byte[] contents) {
        assertEquals(CHUNKS * CHUNK, contents.length);
        ByteBuffer all = ByteBuffer.wrap(contents);
        long last = 0;
        for (int i = 0; i < CHUNKS; i++) {
            last = Math.max(last, all.getLong(i * CHUNK));
        }
        for (int i = 0; i < CHUNKS; i++) {
            long expected = last;
            while (expected > 0 && chunkOf(expected) != i) {
                expected--;
            }
            for (int at = 0; at < 512; at += 8) {
                assertEquals(expected, all.getLong(i * CHUNK + at), "chunk " + i);
            }
        }
        return last;
    }

    private record Seen(SnapshotRecord snapshot, byte[] contents) {}

    @Test
    void eachSnapshotShowsAPrefixAndNeverChanges() throws Exception {
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("prefix"), 0755).ino();
        FileSystem.Created made =
                fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR);
        long ino = made.attributes().ino();
        AtomicBoolean ends = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        CairnFileSystem other = cluster.client("other");
        List<Seen> seen = new ArrayList<>();
        try (OpenFile file = made.file();
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            file.write(0, ByteBuffer.allocate(CHUNKS * CHUNK));
            file.sync(false);
            Future<?> writer =
                    thread.submit(
                            () -> {
                                for (long n = 1; !ends.get(); n++) {
                                    file.write((long) chunkOf(n) * CHUNK, block(n));
                                    file.sync(false);
                                    acknowledged.set(n);
                                }
                            });
            for (int i = 0; i < 5; i++) {
                long before = acknowledged.get();
                Poll.until("writes", 60, () -> writer.isDone() || acknowledged.get() > before + 5);
                long known = acknowledged.get();
                SnapshotRecord taken = take(dir, "s" + i);
                byte[] contents = read(other, PastInode.of(taken.number(), ino));
                long last = requirePrefix(contents);
                assertTrue(last >= known, last + " of " + known);
                assertTrue(last <= acknowledged.get() + 1);
                seen.add(new Seen(taken, contents));
                if (i == 3) {
                    drop(seen.removeFirst().snapshot());
                }
            }
            ends.set(true);
            writer.get(60, TimeUnit.SECONDS);
        } finally {
            ends.set(true);
        }
        requirePrefix(read(other, ino));
        CairnFileSystem fresh = cluster.client("fresh");
        for (Seen each : seen) {
            assertArrayEquals(
                    each.contents(), read(fresh, PastInode.of(each.snapshot().number(), ino)));
        }
        assertEquals(List.of(), namespace().check());
        for (Seen each : seen) {
            drop(each.snapshot());
        }
        Poll.until("the sweep", 60, () -> !namespace().snapshotStatus().isSweeping());
        assertEquals(List.of(), namespace().check());
        requirePrefix(read(fresh, ino));
    }

    /** Every second chunk of a sparse file, and then others, in any order. */
    @Test
    void aFileIsChangedInManyPlaces() throws Exception {
        long places = 150;
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("many"), 0755).ino();
        FileSystem.Created made =
                fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR);
        long ino = made.attributes().ino();
        List<Long> order = new ArrayList<>();
        for (long i = 0; i < places; i++) {
            order.add(2 * i);
        }
        Collections.shuffle(order, new Random(1));
        for (long i = 0; i < 40; i++) {
            order.add(7 * i);
        }
        try (OpenFile file = made.file()) {
            for (long chunk = 0; chunk < 2 * places; chunk += 100) {
                file.write(chunk * CHUNK, block(chunk + 1));
            }
            file.write(2 * places * CHUNK, block(1));
            file.sync(false);
            SnapshotRecord taken = take(dir, "s");
            for (long chunk : order) {
                file.write(chunk * CHUNK + 1024, block(chunk + 2));
            }
            file.sync(false);
            CairnFileSystem fresh = cluster.client("many");
            long past = PastInode.of(taken.number(), ino);
            try (OpenFile now = fresh.open(Caller.ROOT, ino, FileSystem.O_RDONLY);
                    OpenFile then = fresh.open(Caller.ROOT, past, FileSystem.O_RDONLY)) {
                for (long chunk = 0; chunk < 2 * places; chunk += 10) {
                    long first = chunk % 100 == 0 ? chunk + 1 : 0;
                    boolean isChanged = chunk % 2 == 0 || (chunk % 7 == 0 && chunk < 280);
                    assertEquals(first, numberAt(now, chunk * CHUNK));
                    assertEquals(first, numberAt(then, chunk * CHUNK));
                    assertEquals(isChanged ? chunk + 2 : 0, numberAt(now, chunk * CHUNK + 1024));
                    assertEquals(0, numberAt(then, chunk * CHUNK + 1024));
                }
            }
            assertEquals(List.of(), namespace().check());
            drop(taken);
        }
    }

    private static long numberAt(OpenFile file, long offset) {
        ByteBuffer number = ByteBuffer.allocate(Long.BYTES);
        file.read(offset, number);
        return number.getLong(0);
    }

    @Test
    void aMountShowsThem() throws Exception {
        Path work = Files.createDirectory(mount.resolve("work"));
        Path small = Files.writeString(work.resolve("small"), "old");
        byte[] old = new byte[300_000];
        Arrays.fill(old, (byte) 1);
        Path large = Files.write(work.resolve("large"), old);
        Files.createDirectory(work.resolve("sub"));
        long ino = (Long) Files.getAttribute(work, "unix:ino");
        SnapshotRecord taken = take(ino, "monday");
        Files.writeString(small, "newer");
        byte[] fresh = new byte[300_000];
        Arrays.fill(fresh, (byte) 2);
        Files.write(work.resolve("large"), fresh);
        Files.delete(work.resolve("sub"));
        Files.writeString(work.resolve("comes"), "x");

        Path past = work.resolve(".snapshots/monday");
        assertEquals("old", Files.readString(past.resolve("small")));
        assertArrayEquals(old, Files.readAllBytes(past.resolve("large")));
        assertArrayEquals(fresh, Files.readAllBytes(large));
        assertTrue(Files.isDirectory(past.resolve("sub")));
        assertFalse(Files.exists(past.resolve("comes")));
        assertEquals(List.of("large", "small", "sub"), names(past));
        assertEquals(List.of("monday"), names(work.resolve(".snapshots")));
        assertEquals(List.of("comes", "large", "small"), names(work), "it is hidden");
        assertNotEquals(
                Files.getAttribute(small, "unix:ino"),
                Files.getAttribute(past.resolve("small"), "unix:ino"));
        Files.copy(past.resolve("small"), work.resolve("restored"));
        assertEquals("old", Files.readString(work.resolve("restored")));
        requireReadOnly(past, work);
        drop(taken);
        Poll.until("gone", 60, () -> !Files.exists(work.resolve(".snapshots/monday")));
    }

    private static List<String> names(Path dir) throws IOException {
        try (Stream<Path> all = Files.list(dir)) {
            return all.map(path -> path.getFileName().toString()).sorted().toList();
        }
    }

    private interface Attempt {
        void run() throws IOException;
    }

    private static void refused(String why, Attempt attempt) {
        FileSystemException e = assertThrows(FileSystemException.class, attempt::run);
        assertTrue(e.toString().contains(why), e::toString);
    }

    private static void requireReadOnly(Path past, Path work) {
        String readOnly = "Read-only file system";
        refused(readOnly, () -> Files.writeString(past.resolve("small"), "x"));
        refused(readOnly, () -> Files.writeString(past.resolve("new"), "x"));
        refused(readOnly, () -> Files.createDirectory(past.resolve("new")));
        refused(readOnly, () -> Files.delete(past.resolve("small")));
        refused(readOnly, () -> Files.move(past.resolve("small"), work.resolve("stolen")));
        refused(readOnly, () -> Files.move(work.resolve("comes"), past.resolve("stolen")));
        refused(readOnly, () -> Files.delete(work.resolve(".snapshots")));
        refused(readOnly, () -> Files.move(work.resolve(".snapshots"), work.resolve("snapshots")));
        refused("AlreadyExists", () -> Files.createDirectory(work.resolve(".snapshots")));
    }

    @Test
    void whatWasWrittenAndNotSyncedIsInASnapshot() throws Exception {
        AtomicInteger tries = new AtomicInteger();
        // Clients have two seconds: on a machine that stands still another snapshot is due.
        Poll.until("all that was written", 60, () -> isAllInASnapshot(tries.incrementAndGet()));
    }

    private boolean isAllInASnapshot(int number) throws Exception {
        String name = "open" + number;
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name), 0755).ino();
        FileSystem.Created made =
                fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR);
        Path other = mount.resolve(name).resolve("g");
        try (OpenFile file = made.file();
                SeekableByteChannel mounted =
                        Files.newByteChannel(
                                other, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            file.write(0, ByteBuffer.allocate(300_000));
            mounted.write(ByteBuffer.wrap(new byte[200_000]));
            long inode = (Long) Files.getAttribute(other, "unix:ino");
            SnapshotRecord taken = take(dir, "s");
            long past = PastInode.of(taken.number(), made.attributes().ino());
            int length = read(cluster.client("reader"), past).length;
            past = PastInode.of(taken.number(), inode);
            int lengthOfOther = read(cluster.client("other reader"), past).length;
            drop(taken);
            return length == 300_000 && lengthOfOther == 200_000;
        }
    }

    @Test
    void namesInASnapshotAreFoundOverTheJavaDoor() throws Exception {
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("java"), 0755).ino();
        fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR).file().close();
        Attributes list = fs.lookup(Caller.ROOT, dir, PastInode.DIRECTORY);
        FsException none =
                assertThrows(
                        FsException.class, () -> fs.lookup(Caller.ROOT, list.ino(), Name.of("s")));
        assertEquals(Errno.ENOENT, none.errno());
        take(dir, "s");
        Attributes root = fs.lookup(Caller.ROOT, list.ino(), Name.of("s"));
        assertEquals(list.ino(), fs.parent(root.ino()));
        assertEquals(dir, fs.parent(list.ino()));
        Attributes file = fs.lookup(Caller.ROOT, root.ino(), Name.of("f"));
        FsException refused =
                assertThrows(
                        FsException.class,
                        () -> fs.open(Caller.ROOT, file.ino(), FileSystem.O_RDWR));
        assertEquals(Errno.EROFS, refused.errno());
    }
}
