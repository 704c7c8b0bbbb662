package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.fs.Caller;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.fs.Name;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Listing 20,000 entries while others come and go. */
class BigDirectoryTest extends MountTest {
    private static final int ENTRIES = 20_000;

    private void fill() {
        for (int i = 0; i < ENTRIES; i++) {
            model.mknod(
                    Caller.ROOT, FileSystem.ROOT_INO, Name.of("stays" + i), FileType.FILE, 0644, 0);
        }
    }

    @ParameterizedTest
    @EnumSource
    void whatStaysIsListedOnce(DriverKind driver) throws Exception {
        fill();
        Path root = directory("big");
        AtomicBoolean done = new AtomicBoolean();
        try (FuseMount mount = mount(root, driver)) {
            Thread changer =
                    Thread.ofPlatform()
                            .start(
                                    () -> {
                                        for (int i = 0; !done.get(); i++) {
                                            Path file = root.resolve("comes" + i % 300);
                                            try {
                                                write(file, "x");
                                                Files.delete(file);
                                            } catch (java.io.IOException e) {
                                                throw new java.io.UncheckedIOException(e);
                                            }
                                        }
                                    });
            try {
                for (int round = 0; round < 3; round++) {
                    list(root);
                }
            } finally {
                done.set(true);
                changer.join();
            }
            assertEquals(ENTRIES, list(root));
            assertTrue(mount.isMounted());
        }
    }

    /** Lists with attributes, as {@code ls -l}; how many entries there are. */
    private static int list(Path root) throws Exception {
        Set<String> names = new HashSet<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(root)) {
            for (Path entry : entries) {
                String name = entry.getFileName().toString();
                assertTrue(names.add(name), "twice: " + name);
                if (name.startsWith("stays") && names.size() % 50 == 0) {
                    assertTrue(Files.isRegularFile(entry));
                }
            }
        }
        for (int i = 0; i < ENTRIES; i++) {
            assertTrue(names.contains("stays" + i), "missing: stays" + i);
        }
        assertFalse(names.contains("."));
        return names.size();
    }
}
