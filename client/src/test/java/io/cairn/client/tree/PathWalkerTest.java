package io.cairn.client.tree;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.client.CairnFileSystem;
import io.cairn.client.CairnFileSystemTest;
import io.cairn.client.FakeCluster;
import io.cairn.client.chunk.FilePlacement;
import io.cairn.cluster.Layout;
import io.cairn.cluster.Policy;
import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fs.OpenFile;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Paths, conveniences, and what operators ask. */
class PathWalkerTest {
    private final FakeCluster cluster = new FakeCluster(16);
    private CairnFileSystem fs;
    private PathWalker paths;

    @BeforeEach
    void connect() {
        fs = cluster.connect();
        paths = new PathWalker(fs, Caller.ROOT);
    }

    @AfterEach
    void close() {
        cluster.close();
    }

    private byte[] readFile(String path) {
        long ino = paths.resolve(path).ino();
        try (OpenFile file = fs.open(Caller.ROOT, ino, FileSystem.O_RDONLY)) {
            ByteBuffer target = ByteBuffer.allocate((int) file.attributes().size());
            while (target.hasRemaining() && file.read(target.position(), target) > 0) {
                // A read is short only at the end of the file.
            }
            return Arrays.copyOf(target.array(), target.position());
        }
    }

    private void writeFile(String path, byte[] contents) {
        PathWalker.Place place = paths.locate(path(path), true);
        int flags = FileSystem.O_WRONLY | FileSystem.O_CREAT;
        Name name = Objects.requireNonNull(place.name());
        FileSystem.Created made = fs.create(Caller.ROOT, place.parentIno(), name, 0644, flags);
        try (OpenFile file = made.file()) {
            ByteBuffer source = ByteBuffer.wrap(contents);
            while (source.hasRemaining()) {
                file.write(source.position(), source);
            }
        }
    }

    private static byte[] path(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private void refused(Errno errno, String text) {
        FsException error = assertThrows(FsException.class, () -> paths.resolve(text));
        assertEquals(errno, error.errno(), text);
    }

    @Test
    void resolvesDotsSlashesAndLinks() {
        long a = fs.mkdir(Caller.ROOT, 1, Name.of("a"), 0755).ino();
        long b = fs.mkdir(Caller.ROOT, a, Name.of("b"), 0755).ino();
        writeFile("/a/b/f", path("text"));
        fs.symlink(Caller.ROOT, a, Name.of("up"), path("../a/b"));
        fs.symlink(Caller.ROOT, b, Name.of("abs"), path("/a/b/f"));
        assertEquals(b, paths.resolve("a//b/").ino());
        assertEquals(1, paths.resolve("/").ino());
        assertEquals(1, paths.resolve("/a/../..").ino());
        assertEquals(a, paths.resolve("/a/b/..").ino());
        assertEquals(b, paths.resolve("/a/up/.").ino());
        assertArrayEquals(path("text"), readFile("/a/up/abs"));
        assertEquals(FileType.SYMLINK, paths.resolve(path("/a/up"), false).type());
        assertEquals(FileType.DIRECTORY, paths.resolve(path("/a/up/"), false).type());
        assertNull(paths.locate(path("/a/none"), true).target());
        refused(Errno.ENOENT, "/none/x");
        refused(Errno.ENOTDIR, "/a/b/f/x");
        refused(Errno.ENOTDIR, "/a/b/f/");
        refused(Errno.ENOENT, "");
        refused(Errno.ENAMETOOLONG, "/" + "x".repeat(4096));
        assertEquals(2, fs.readDirectory(Caller.ROOT, b, 0, 10, true).entries().size());
    }

    @Test
    void circleOfLinksEnds() {
        fs.symlink(Caller.ROOT, 1, Name.of("x"), path("y"));
        fs.symlink(Caller.ROOT, 1, Name.of("y"), path("x"));
        refused(Errno.ELOOP, "/x");
    }

    @Test
    void replicasOfEachChunkAreTold() {
        writeFile("/f", CairnFileSystemTest.bytes(200_000, 1));
        FilePlacement placement = fs.placement(paths.resolve("/f").ino(), 100);
        assertEquals(4, placement.chunks().size());
        for (FilePlacement.Chunk chunk : placement.chunks()) {
            assertEquals(1, chunk.replicas().size());
            assertEquals(1, chunk.replicas().get(0).state().sequence());
        }
        assertEquals(
                200_000 - 3 * 65536,
                placement.chunks().get(3).replicas().get(0).state().lengthBytes());
    }

    @Test
    void contentsMoveToAnotherPolicy() {
        byte[] text = CairnFileSystemTest.bytes(300_000, 2);
        writeFile("/f", text);
        long ino = paths.resolve("/f").ino();
        long oid = fs.placement(ino, 0).inode().layout().lastOid();
        fs.setPolicy(Caller.ROOT, 1, ino, new Policy(0, 18, -1));
        Layout layout = fs.placement(ino, 0).inode().layout();
        assertEquals(18, layout.chunkSizeLog2());
        assertEquals(18, fs.policy(ino).chunkSizeLog2());
        assertEquals(false, oid == layout.lastOid());
        assertArrayEquals(text, readFile("/f"));
        assertEquals(1, fs.readDirectory(Caller.ROOT, 1, 0, 10, true).entries().size());
        FsException error =
                assertThrows(
                        FsException.class,
                        () -> fs.setPolicy(Caller.of(5, 5), 1, ino, Policy.STANDARD));
        assertEquals(Errno.EPERM, error.errno());
    }
}
