package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RealPathTest {
    @TempDir Path directory;
    private Path base;
    private Path mount;

    @BeforeEach
    void makeLinks() throws IOException {
        base = directory.toRealPath();
        mount = Files.createDirectories(base.resolve("real/mount"));
        Files.createSymbolicLink(base.resolve("absolute"), mount);
        Files.createSymbolicLink(base.resolve("relative"), Path.of("real/../real/mount/d"));
        Files.createSymbolicLink(base.resolve("round"), Path.of("round"));
        // In the mount, where nothing may be looked at.
        Files.createSymbolicLink(mount.resolve("inside"), base);
    }

    private String of(String path) {
        return RealPath.of(base.resolve(path), List.of(mount)).toString();
    }

    @Test
    void linksOutsideAreFollowed() {
        assertEquals(mount + "/f", of("real/mount/f"));
        assertEquals(mount + "/f", of("absolute/f"));
        assertEquals(mount + "/d/f", of("relative/f"));
        assertEquals(base + "/real/x", of("absolute/../x"));
        assertEquals(base + "/gone/f", of("gone/./f"));
        assertEquals(base + "/round", of("round"));
        assertEquals("/", RealPath.of(Path.of("/"), List.of(mount)).toString());
    }

    @Test
    void linksInTheMountAreNames() {
        assertEquals(mount + "/inside/f", of("absolute/inside/f"));
        assertEquals(base + "/f", RealPath.of(mount.resolve("inside/f"), List.of()).toString());
    }
}
