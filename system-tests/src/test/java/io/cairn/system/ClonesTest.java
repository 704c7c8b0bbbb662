package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.PastInode;
import io.cairn.cluster.Policy;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.metadata.Namespace;
import io.cairn.metadata.job.JobRecord.State;
import io.cairn.metadata.snapshot.SnapshotRecord;
import io.cairn.wire.master.InodeEdit;
import io.cairn.wire.master.JobMutation;
import io.cairn.wire.master.JobOrder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Clones of files that are written meanwhile, over the Java door and through a mount. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class ClonesTest {
    private static final int CHUNK = 1 << 16;
    private static final int CHUNKS = 8;

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

    private void cloneFile(long ino, long parent, String name) throws Exception {
        cluster.embedded()
                .service()
                .snapshots()
                .cloneFile(ino, parent, Name.of(name))
                .get(60, TimeUnit.SECONDS);
    }

    private static byte[] bytes(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static byte[] read(CairnFileSystem from, long ino) {
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

    /** Write n goes to chunk n % CHUNKS: the contents are those after some of the writes. */
    private static long requirePrefix(byte[] contents) {
        assertEquals(CHUNKS * CHUNK, contents.length);
        ByteBuffer all = ByteBuffer.wrap(contents);
        long last = 0;
        for (int i = 0; i < CHUNKS; i++) {
            last = Math.max(last, all.getLong(i * CHUNK));
        }
        for (int i = 0; i < CHUNKS; i++) {
            long expected = Math.max(0, last - Math.floorMod(last - i, CHUNKS));
            for (int at = 0; at < 512; at += 8) {
                assertEquals(expected, all.getLong(i * CHUNK + at), "chunk " + i);
            }
        }
        return last;
    }

    /** What a clone shows when it was written to, which its source is meanwhile. */
    private static byte[] written(CairnFileSystem by, long clone, byte[] shown) {
        try (OpenFile own = by.open(Caller.ROOT, clone, FileSystem.O_RDWR)) {
            own.write(CHUNK + 1024, ByteBuffer.wrap(bytes(700, 7)));
            own.write(CHUNKS * CHUNK, ByteBuffer.wrap(bytes(CHUNK / 2, 17)));
            own.sync(false);
        }
        byte[] expected = Arrays.copyOf(shown, CHUNKS * CHUNK + CHUNK / 2);
        Arrays.fill(expected, CHUNK + 1024, CHUNK + 1724, (byte) 7);
        Arrays.fill(expected, CHUNKS * CHUNK, expected.length, (byte) 17);
        return expected;
    }

    @Test
    void clonesShowAPrefixAndGoTheirOwnWays() throws Exception {
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("prefix"), 0755).ino();
        FileSystem.Created made =
                fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR);
        long ino = made.attributes().ino();
        AtomicBoolean ends = new AtomicBoolean();
        AtomicLong acknowledged = new AtomicLong();
        CairnFileSystem other = cluster.client("other");
        List<Long> clones = new ArrayList<>();
        List<byte[]> contents = new ArrayList<>();
        try (OpenFile file = made.file();
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            file.write(0, ByteBuffer.allocate(CHUNKS * CHUNK));
            file.sync(false);
            Future<?> writer =
                    thread.submit(
                            () -> {
                                for (long n = 1; !ends.get(); n++) {
                                    file.write(n % CHUNKS * CHUNK, block(n));
                                    file.sync(false);
                                    acknowledged.set(n);
                                }
                            });
            for (int i = 0; i < 3; i++) {
                long before = acknowledged.get();
                Poll.until("writes", 60, () -> writer.isDone() || acknowledged.get() > before + 5);
                long known = acknowledged.get();
                cloneFile(ino, dir, "c" + i);
                long clone = other.lookup(Caller.ROOT, dir, Name.of("c" + i)).ino();
                byte[] shown = read(other, clone);
                assertTrue(requirePrefix(shown) >= known, "what was acknowledged is there");
                clones.add(clone);
                contents.add(written(other, clone, shown));
            }
            ends.set(true);
            writer.get(60, TimeUnit.SECONDS);
        } finally {
            ends.set(true);
        }
        CairnFileSystem fresh = cluster.client("fresh");
        requirePrefix(read(fresh, ino));
        for (int i = 0; i < clones.size(); i++) {
            assertArrayEquals(contents.get(i), read(fresh, clones.get(i)), "clone " + i);
        }
        assertEquals(List.of(), namespace().check());
        fresh.unlink(Caller.ROOT, dir, Name.of("f"));
        fresh.unlink(Caller.ROOT, dir, Name.of("c1"));
        Poll.until("garbage", 60, () -> namespace().garbageCount() == 0);
        assertArrayEquals(contents.get(0), read(cluster.client("last"), clones.get(0)));
        assertEquals(List.of(), namespace().check());
    }

    @Test
    void filesComeBackFromSnapshots() throws Exception {
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("past"), 0755).ino();
        byte[] old = bytes(3 * CHUNK + 100, 1);
        FileSystem.Created made =
                fs.create(Caller.ROOT, dir, Name.of("f"), 0644, FileSystem.O_RDWR);
        long ino = made.attributes().ino();
        SnapshotRecord snapshot;
        try (OpenFile file = made.file()) {
            file.write(0, ByteBuffer.wrap(old));
            file.sync(false);
            snapshot =
                    cluster.embedded()
                            .service()
                            .snapshots()
                            .take(dir, Name.of("s"))
                            .get(60, TimeUnit.SECONDS);
            file.write(CHUNK, ByteBuffer.wrap(bytes(CHUNK, 2)));
            file.sync(false);
        }
        fs.unlink(Caller.ROOT, dir, Name.of("f"));
        cloneFile(PastInode.of(snapshot.number(), ino), dir, "c");
        CairnFileSystem other = cluster.client("past");
        long clone = other.lookup(Caller.ROOT, dir, Name.of("c")).ino();
        assertArrayEquals(old, read(other, clone));
        byte[] now = old.clone();
        Arrays.fill(now, 0, 50, (byte) 3);
        try (OpenFile own = other.open(Caller.ROOT, clone, FileSystem.O_RDWR)) {
            own.write(0, ByteBuffer.wrap(bytes(50, 3)));
            own.sync(false);
        }
        assertArrayEquals(old, read(other, PastInode.of(snapshot.number(), ino)));
        cluster.embedded().service().snapshots().drop(snapshot).get(60, TimeUnit.SECONDS);
        Poll.until(
                "sweep and garbage",
                60,
                () ->
                        !namespace().snapshotStatus().isSweeping()
                                && namespace().garbageCount() == 0);
        assertArrayEquals(now, read(cluster.client("after"), clone));
        assertEquals(List.of(), namespace().check());
    }

    private static int exitCode(String... words) throws Exception {
        Process process = new ProcessBuilder(words).inheritIO().start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it ends");
        return process.exitValue();
    }

    @Test
    void aTreeIsTheSameInAMount() throws Exception {
        Path tree = Files.createDirectory(mount.resolve("tree"));
        Path sub = Files.createDirectory(tree.resolve("sub"));
        Files.write(tree.resolve("large"), bytes(300_001, 1));
        Files.writeString(sub.resolve("small"), "old");
        Files.createLink(sub.resolve("linked"), tree.resolve("large"));
        Files.createSymbolicLink(tree.resolve("symbolic"), Path.of("sub/small"));
        long ino = (Long) Files.getAttribute(tree, "unix:ino");
        var service = cluster.embedded().service();
        SnapshotRecord taken =
                service.snapshots().take(ino, Name.of("s")).get(60, TimeUnit.SECONDS);
        Files.writeString(sub.resolve("small"), "new contents");
        JobOrder order =
                new JobOrder(
                        JobOrder.Kind.CLONE,
                        "/copy".getBytes(StandardCharsets.UTF_8),
                        PastInode.of(taken.number(), ino),
                        FileSystem.ROOT_INO,
                        Name.of("copy"),
                        InodeEdit.NONE,
                        "somebody",
                        JobOrder.STANDARD_PER_SECOND);
        service.submit(new JobMutation.Submit(1, order)).get(60, TimeUnit.SECONDS);
        Poll.until(
                "clone",
                60,
                () -> namespace().jobs().stream().allMatch(job -> job.state() == State.DONE));
        Path copy = mount.resolve("copy");
        Poll.until("the mount sees it", 60, () -> Files.exists(copy.resolve("sub/linked")));
        String past = tree.resolve(".snapshots/s").toString();
        assertEquals(0, exitCode("diff", "-r", "--no-dereference", past, copy.toString()));
        assertEquals(1, exitCode("diff", "-rq", "--no-dereference", "" + tree, "" + copy));
        assertEquals("old", Files.readString(copy.resolve("symbolic")));
        assertEquals(
                Files.getAttribute(copy.resolve("large"), "unix:ino"),
                Files.getAttribute(copy.resolve("sub/linked"), "unix:ino"));
        Files.write(copy.resolve("large"), bytes(10, 2));
        assertArrayEquals(bytes(300_001, 1), Files.readAllBytes(tree.resolve("large")));
        service.snapshots().drop(taken).get(60, TimeUnit.SECONDS);
        assertEquals("old", Files.readString(copy.resolve("sub/small")));
        assertEquals(List.of(), namespace().check());
    }

    @Test
    void aMountSeesThem() throws Exception {
        Path work = Files.createDirectory(mount.resolve("work"));
        byte[] old = bytes(300_001, 1);
        Path large = Files.write(work.resolve("large"), old);
        Path small = Files.writeString(work.resolve("small"), "old");
        assertEquals(2, work.toFile().list().length, "now the mount knows all names");
        long dir = (Long) Files.getAttribute(work, "unix:ino");
        cloneFile((Long) Files.getAttribute(large, "unix:ino"), dir, "large2");
        cloneFile((Long) Files.getAttribute(small, "unix:ino"), dir, "small2");
        Path clone = work.resolve("large2");
        assertArrayEquals(old, Files.readAllBytes(clone));
        assertEquals("old", Files.readString(work.resolve("small2")));
        // Appended to, cut, and written over, each on one side.
        Files.write(large, bytes(10, 2), StandardOpenOption.APPEND);
        Files.write(clone, bytes(20, 3), StandardOpenOption.APPEND);
        byte[] longer = Arrays.copyOf(old, 300_011);
        Arrays.fill(longer, 300_001, 300_011, (byte) 2);
        byte[] cloned = Arrays.copyOf(old, 300_021);
        Arrays.fill(cloned, 300_001, 300_021, (byte) 3);
        assertArrayEquals(longer, Files.readAllBytes(large));
        assertArrayEquals(cloned, Files.readAllBytes(clone));
        Files.write(large, bytes(5, 4));
        assertArrayEquals(cloned, Files.readAllBytes(clone));
        assertEquals(List.of(), namespace().check());
    }
}
