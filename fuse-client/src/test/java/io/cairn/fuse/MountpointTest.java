package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fuse.loop.MountOptions;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.fuse.sys.MountException;
import io.cairn.fuse.sys.MountException.Category;
import io.cairn.fuse.sys.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Bad mountpoints, and dead ones. */
class MountpointTest extends MountTest {
    private void refused(Path path, String reason, String remedy) {
        MountException e = assertThrows(MountException.class, () -> mount(path, DriverKind.KERNEL));
        String message = String.valueOf(e.getMessage());
        assertEquals(Category.MOUNTPOINT, e.category(), message);
        assertTrue(message.contains(path.toString()), message);
        assertTrue(message.contains(reason), message);
        assertTrue(message.contains(remedy), message);
        assertFalse(message.contains("\n"), message);
    }

    @Test
    void missing() {
        refused(temp.resolve("missing"), "does not exist", "mkdir -p");
    }

    @Test
    void file() throws IOException {
        refused(Files.createFile(temp.resolve("file")), "is not a directory", "name a directory");
    }

    @Test
    void nonEmpty() throws IOException {
        Path path = directory("full");
        Files.createFile(path.resolve("x"));
        refused(path, "is not empty", "-o nonempty");
        MountOptions options = MountOptions.standard().withNonEmpty(true);
        try (FuseMount mount = FuseMount.mount(model, path, options)) {
            assertTrue(mount.isMounted());
            assertFalse(Files.exists(path.resolve("x")));
        }
        assertTrue(Files.exists(path.resolve("x")));
    }

    @Test
    void alreadyMounted() throws IOException {
        Path path = directory("twice");
        try (FuseMount mount = mount(path, DriverKind.KERNEL)) {
            refused(path, "fuse.cairn", "umount");
            assertTrue(mount.isMounted());
        }
        assertFalse(Files.exists(path.resolve("x")));
    }

    @ParameterizedTest
    @EnumSource
    void showsAsFuseCairn(DriverKind driver) throws IOException {
        Path path = directory("type");
        MountOptions options = MountOptions.standard().withDriver(driver).withFsName("a:1,b:2/sub");
        try (FuseMount mount = FuseMount.mount(model, path, options)) {
            assertEquals(path, mount.path());
            MountTable.Entry entry = assertNotNullEntry(MountTable.find(path));
            assertEquals("fuse.cairn", entry.type());
            assertEquals("a:1,b:2/sub", entry.source());
            Path readAhead = Path.of("/sys/class/bdi", entry.device(), "read_ahead_kb");
            assertEquals("1024", read(readAhead).trim());
        }
    }

    private static MountTable.Entry assertNotNullEntry(
            MountTable.@org.jspecify.annotations.Nullable Entry entry) {
        assertNotNull(entry);
        return java.util.Objects.requireNonNull(entry);
    }

    @ParameterizedTest
    @EnumSource
    void readOnly(DriverKind driver) throws IOException {
        Path path = directory("ro");
        MountOptions options = MountOptions.parse("ro").withDriver(driver);
        try (FuseMount mount = FuseMount.mount(model, path, options)) {
            IOException e =
                    assertThrows(
                            IOException.class, () -> Files.createFile(mount.path().resolve("x")));
            assertTrue(e.toString().contains("Read-only"), e.toString());
        }
    }

    @ParameterizedTest
    @EnumSource
    void mountOfAKilledProcessIsRepaired(DriverKind driver) throws Exception {
        Path path = directory("stale");
        String option = driver == DriverKind.JNR ? "driver=jnr" : "driver=kernel";
        try (MountProcess process = MountProcess.start(path, option, 65_000)) {
            write(path.resolve("x"), "of the child");
            process.kill();
            assertNotNull(MountTable.find(path));
            assertThrows(IOException.class, () -> read(path.resolve("x")));
            try (FuseMount mount = mount(path, driver)) {
                write(mount.path().resolve("y"), "mine");
                assertFalse(Files.exists(path.resolve("x")));
                assertEquals("mine", read(path.resolve("y")));
            }
        }
        assertEquals(null, MountTable.find(path));
    }
}
