package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.cluster.Inode;
import io.cairn.cluster.Layout;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.fuse.loop.MountOptions;
import io.cairn.metadata.Namespace;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.Reply;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Copies of ranges that share chunks, and those that do not: over the Java door, by the system call
 * and by cp.
 */
@Timeout(300)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class CopyRangeTest {
    private static final int MB = 1 << 20;
    private static final int LARGE = 65 * MB + 77;
    private static final int QUOTA = 8 * MB;

    /** Chunk servers of a slow machine may answer too late: then bytes are copied. */
    private static final int MAX_TRIES = 4;

    @TempDir private static Path directory;
    private TestCluster cluster;
    private CairnFileSystem fs;
    private Path mount = Path.of("/");

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 1, 1);
        fs = cluster.client("java");
        mount = cluster.mount("mount", MountOptions.standard());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private Namespace namespace() {
        return cluster.embedded().service().namespace();
    }

    private OpenFile create(CairnFileSystem by, String name) {
        return by.create(Caller.ROOT, FileSystem.ROOT_INO, Name.of(name), 0644, FileSystem.O_RDWR)
                .file();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }

    private static long copyAll(OpenFile from, OpenFile to, long length) {
        long done = 0;
        for (long count = 1; count > 0 && done < length; done += count) {
            count = to.copyFrom(from, done, done, length - done);
        }
        return done;
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

    private Layout layout(long ino) {
        Inode inode = Objects.requireNonNull(namespace().inode(ino));
        return Objects.requireNonNull(inode.layout());
    }

    /** From now on chunk servers refuse changes of all chunks that there are. */
    private void takeSnapshot(String name) throws Exception {
        cluster.embedded()
                .service()
                .snapshots()
                .take(FileSystem.ROOT_INO, Name.of(name))
                .get(60, TimeUnit.SECONDS);
    }

    private boolean isShared(long one, long other) {
        Layout layout = layout(one);
        return layout.runOf(0).oid() == layout(other).runOf(0).oid();
    }

    private static int run(String... words) throws Exception {
        Process process = new ProcessBuilder(words).inheritIO().start();
        assertTrue(process.waitFor(120, TimeUnit.SECONDS), "it ends");
        return process.exitValue();
    }

    /** Older ones than of coreutils 9 read and write. */
    private static boolean copiesRangesByCp() throws Exception {
        Process process = new ProcessBuilder("cp", "--version").start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            Matcher version = Pattern.compile("coreutils\\) (\\d+)").matcher(text);
            return version.find() && Integer.parseInt(version.group(1)) >= 9;
        }
    }

    /** Copies a file in the mount by copy_file_range. */
    private void copyNative(String from, String to) {
        try (NativePosix posix = new NativePosix(mount, Set.of(), 0)) {
            int source = posix.open(from, Posix.O_RDONLY, 0);
            int target = posix.open(to, Posix.O_WRONLY | Posix.O_CREAT | Posix.O_EXCL, 0644);
            long done = 0;
            for (long count = 1; count > 0; done += count) {
                count = posix.copyRange(source, done, target, done, 1L << 30);
            }
            assertEquals(LARGE, done);
            posix.close(target);
            posix.close(source);
        }
    }

    private static long ino(Path path) throws Exception {
        return (Long) Files.getAttribute(path, "unix:ino");
    }

    @Test
    void holesStayHolesAndWhatIsNotStoredIsCopied() {
        byte[] data = random(100_000);
        try (OpenFile from = create(fs, "sparse");
                OpenFile to = create(fs, "sparse2")) {
            from.write(5 * MB, ByteBuffer.wrap(data));
            fs.setAttributes(Caller.ROOT, from.ino(), AttributeChange.NONE.withSize(40L * MB));
            from.write(20 * MB, ByteBuffer.wrap(data));
            assertEquals(40L * MB, copyAll(from, to, 100L * MB));
            to.flush();
            assertEquals(40L * MB, to.attributes().size());
            assertTrue(to.attributes().usedBytes() < MB, () -> "" + to.attributes());
            byte[] expected = new byte[40 * MB];
            System.arraycopy(data, 0, expected, 5 * MB, data.length);
            System.arraycopy(data, 0, expected, 20 * MB, data.length);
            assertArrayEquals(expected, read(cluster.client("sparse"), to.ino()));
            assertFalse(isShared(from.ino(), to.ino()));
            // Over bytes that are there: a hole takes them away.
            assertEquals(MB, to.copyFrom(from, 30L * MB, 20L * MB, MB));
            Arrays.fill(expected, 20 * MB, 21 * MB, (byte) 0);
            assertArrayEquals(expected, read(fs, to.ino()));
        }
    }

    @Test
    void aCopyOfWhatNoSnapshotHasSharesNothing() throws Exception {
        Path fresh = Files.write(mount.resolve("fresh"), random(LARGE));
        Path copy = mount.resolve("fresh2");
        copyNative("fresh", "fresh2");
        assertEquals(-1, Files.mismatch(fresh, copy));
        assertFalse(isShared(ino(fresh), ino(copy)));
        long fence = namespace().snapshotStatus().fence().firstOid();
        assertTrue(fence <= layout(ino(fresh)).lastOid(), "chunk servers change its chunks");
        assertNull(namespace().snapshotStatus().begun());
    }

    @Test
    void aCopyOfWhatASnapshotHasIsAClone() throws Exception {
        byte[] contents = random(LARGE);
        Path large = Files.write(mount.resolve("large"), contents);
        Path copy = mount.resolve("copy");
        assertEquals(1, run("cp", "--reflink=always", large.toString(), copy.toString()));
        takeSnapshot("large");
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            Files.deleteIfExists(copy);
            copyNative("large", "copy");
            if (isShared(ino(large), ino(copy))) {
                break;
            }
        }
        assertTrue(isShared(ino(large), ino(copy)));
        assertEquals(-1, Files.mismatch(large, copy));
        requireCpCopies(large, mount.resolve("byCp"));
        Files.write(copy, new byte[] {1, 2, 3}, StandardOpenOption.WRITE);
        Files.write(large, new byte[] {4}, StandardOpenOption.APPEND);
        byte[] changed = contents.clone();
        System.arraycopy(new byte[] {1, 2, 3}, 0, changed, 0, 3);
        assertArrayEquals(changed, Files.readAllBytes(copy));
        byte[] longer = Arrays.copyOf(contents, LARGE + 1);
        longer[LARGE] = 4;
        assertArrayEquals(longer, Files.readAllBytes(large));
        assertEquals(List.of(), namespace().check());
        Files.delete(large);
        assertArrayEquals(changed, read(cluster.client("cp"), ino(copy)));
    }

    private void requireCpCopies(Path from, Path to) throws Exception {
        boolean isSharing = copiesRangesByCp();
        for (int tries = 1; ; tries++) {
            assertEquals(0, run("cp", from.toString(), to.toString()));
            assertEquals(-1, Files.mismatch(from, to));
            if (!isSharing || isShared(ino(from), ino(to))) {
                return;
            }
            assertTrue(tries < MAX_TRIES, "cp shares chunks");
            Files.delete(to);
        }
    }

    /** A copy that shares chunks, if chunk servers answer in time. */
    private OpenFile copied(CairnFileSystem by, long from) {
        for (int tries = 1; ; tries++) {
            OpenFile to = create(by, "g" + tries);
            try (OpenFile read = by.open(Caller.ROOT, from, FileSystem.O_RDONLY)) {
                assertEquals(LARGE, copyAll(read, to, LARGE));
            }
            if (tries == MAX_TRIES || isShared(from, to.ino())) {
                return to;
            }
            to.close();
        }
    }

    @Test
    void aCopyOfTwoClientsIsACloneAndGoesItsOwnWay() throws Exception {
        byte[] contents = random(LARGE);
        CairnFileSystem other = cluster.client("other");
        try (OpenFile from = create(fs, "f")) {
            from.write(0, ByteBuffer.wrap(contents));
            from.sync(false);
            takeSnapshot("two");
            try (OpenFile to = copied(other, from.ino())) {
                assertTrue(isShared(from.ino(), to.ino()));
                from.write(7, ByteBuffer.wrap(new byte[100]));
                to.write(MB, ByteBuffer.wrap(new byte[100]));
                to.write(LARGE, ByteBuffer.wrap(new byte[100]));
                to.sync(false);
                byte[] expected = Arrays.copyOf(contents, LARGE + 100);
                Arrays.fill(expected, MB, MB + 100, (byte) 0);
                assertArrayEquals(expected, read(cluster.client("third"), to.ino()));
            }
        }
        assertEquals(List.of(), namespace().check());
    }

    /** A directory that takes {@link #QUOTA} bytes. */
    private long limited() throws Exception {
        long dir = fs.mkdir(Caller.ROOT, FileSystem.ROOT_INO, Name.of("limited"), 0755).ino();
        Quota quota = new Quota(Sums.ZERO, new Sums(0, QUOTA, 0), 0);
        LeaderMutation limit = new LeaderMutation.SetQuota(Account.directory(dir), quota, false);
        Reply reply = cluster.embedded().service().submit(limit).get(60, TimeUnit.SECONDS);
        assertEquals(new Reply.Done(), reply);
        return dir;
    }

    @Test
    void aQuotaThatIsReachedEndsACopyAfterWhatItTells() throws Exception {
        byte[] contents = random(20 * MB);
        long source;
        try (OpenFile from = create(fs, "whole")) {
            source = from.ino();
            from.write(0, ByteBuffer.wrap(contents));
        }
        long dir = limited();
        CairnFileSystem limited = cluster.client("limited");
        long copy;
        long done = 0;
        Name name = Name.of("to");
        try (OpenFile from = limited.open(Caller.ROOT, source, FileSystem.O_RDONLY);
                OpenFile to =
                        limited.create(Caller.ROOT, dir, name, 0644, FileSystem.O_RDWR).file()) {
            copy = to.ino();
            FsException full = null;
            while (full == null) {
                try {
                    long count = to.copyFrom(from, done, done, contents.length - done);
                    assertTrue(count > 0, "it ends with an error");
                    done += count;
                } catch (FsException e) {
                    full = e;
                }
                assertTrue(done > 0 && done <= QUOTA, "copied " + done);
            }
            assertEquals(Errno.EDQUOT, full.errno());
            to.sync(false);
            long end = done;
            FsException again =
                    assertThrows(
                            FsException.class,
                            () -> to.copyFrom(from, end, end, contents.length - end));
            assertEquals(Errno.EDQUOT, again.errno());
            assertEquals(done, to.attributes().size());
        }
        byte[] found = read(cluster.client("reader"), copy);
        assertArrayEquals(Arrays.copyOf(contents, (int) done), found);
    }
}
