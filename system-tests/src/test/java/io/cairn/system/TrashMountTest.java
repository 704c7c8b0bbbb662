package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.node.ExitCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** The trash on two mounts, and its commands. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
final class TrashMountTest {
    @TempDir private static Path directory;
    private TestCluster cluster;
    private Path one = Path.of("/");
    private Path other = Path.of("/");

    @BeforeAll
    void start() throws Exception {
        cluster = new TestCluster(directory, 1, 1);
        one = cluster.mount("one", MountOptions.standard());
        other = cluster.mount("other", MountOptions.standard());
        ok("fs", "set", "--trash", "7d", one.toString());
    }

    @AfterAll
    void stop() {
        cluster.close();
    }

    private String ok(String... words) {
        CommandResult result = cluster.cairn(words);
        assertEquals(ExitCode.OK, result.code(), result.errors() + result.out());
        return result.out();
    }

    private static List<String> names(Path place) throws IOException {
        try (Stream<Path> all = Files.list(place)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    /** A place in the trash of the last day on which something was removed. */
    private static Path trashed(Path mount, String path) throws IOException {
        Path trash = mount.resolve(".trash");
        return trash.resolve(names(trash).getLast()).resolve(path);
    }

    private static byte[] contents(int bytes) {
        byte[] contents = new byte[bytes];
        new Random(bytes).nextBytes(contents);
        return contents;
    }

    @Test
    void whatOneMountRemovesTheOtherFindsInTheTrashAtOnce() throws Exception {
        byte[] bytes = contents(300_000);
        Files.createDirectory(one.resolve("shared"));
        Files.write(one.resolve("shared/file"), bytes);
        assertArrayEquals(bytes, Files.readAllBytes(other.resolve("shared/file")));
        try (FileChannel open = FileChannel.open(one.resolve("shared/file"))) {
            Files.delete(other.resolve("shared/file"));
            Path kept = trashed(one, "shared/file");
            assertArrayEquals(bytes, Files.readAllBytes(kept));
            assertEquals(bytes.length, open.size());
            assertFalse(names(one).contains(".trash"));
            assertThrows(
                    FileSystemException.class,
                    () -> Files.writeString(kept.resolveSibling("new"), "no"));
            assertThrows(
                    FileSystemException.class,
                    () ->
                            Files.move(
                                    Files.writeString(one.resolve("in"), ""),
                                    kept.resolveSibling("in")));
            Files.move(kept, one.resolve("back"));
        }
        assertArrayEquals(bytes, Files.readAllBytes(other.resolve("back")));
        Files.write(one.resolve("back"), contents(5), StandardOpenOption.TRUNCATE_EXISTING);
        assertEquals(5, Files.readAllBytes(other.resolve("back")).length);
    }

    @Test
    void aTreeComesBackAndIsPurged() throws Exception {
        byte[] bytes = contents(100_000);
        Path tree = one.resolve("tree");
        Files.createDirectories(tree.resolve("inner"));
        Files.setPosixFilePermissions(tree, PosixFilePermissions.fromString("rwxr-x--x"));
        Files.write(tree.resolve("inner/f"), bytes);
        Files.delete(tree.resolve("inner/f"));
        Files.delete(tree.resolve("inner"));
        Files.delete(tree);
        Path seen = other.resolve("tree");
        assertTrue(Files.notExists(seen));
        assertTrue(ok("trash", "list", tree.toString()).contains("/tree/inner/f"));
        assertTrue(ok("trash", "restore", "/tree", "--plan").contains("1 file"));
        ok("trash", "restore", tree.toString());
        assertEquals(
                "rwxr-x--x", PosixFilePermissions.toString(Files.getPosixFilePermissions(seen)));
        assertArrayEquals(bytes, Files.readAllBytes(seen.resolve("inner/f")));
        assertEquals(ExitCode.OK, cluster.cairn("trash", "kept", one.toString()).code());

        Files.delete(seen.resolve("inner/f"));
        ok("trash", "purge", "/tree", "--yes", "--until-free");
        assertFalse(ok("trash", "list").contains("/tree/inner/f"));
        CommandResult nothing = cluster.cairn("trash", "restore", "/tree/inner/f");
        assertTrue(nothing.errors().contains("cairn trash list"), nothing.errors());
        CommandResult never = cluster.cairn("fs", "set", "--trash", "soon", one.toString());
        assertEquals(ExitCode.USAGE, never.code());
    }
}
