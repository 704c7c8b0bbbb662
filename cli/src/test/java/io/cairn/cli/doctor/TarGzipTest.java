package io.cairn.cli.doctor;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.cairn.testkit.Shell;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class TarGzipTest {
    @TempDir private Path directory;

    @Test
    void tarUnderstandsIt() throws Exception {
        Path file = directory.resolve("a.tar.gz");
        byte[] odd = new byte[1537];
        odd[1536] = 9;
        try (TarGzip archive = new TarGzip(file, 1_700_000_000)) {
            archive.add("a/empty", new byte[0]);
            archive.add("a/block", new byte[512]);
            archive.add("odd", odd);
            assertThrows(
                    IllegalArgumentException.class,
                    () -> archive.add("n".repeat(101), new byte[0]));
        }
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
        String listed = Shell.run(directory, "tar --utc -tvzf a.tar.gz && tar -xzf a.tar.gz");
        assertEquals(3, listed.lines().count(), listed);
        assertEquals(true, listed.contains("2023-11-14 22:13"), listed);
        assertEquals(0, Files.size(directory.resolve("a/empty")));
        assertArrayEquals(odd, Files.readAllBytes(directory.resolve("odd")));
        Path copy = directory.resolve("again");
        Files.writeString(copy, "x", StandardCharsets.UTF_8);
        assertThrows(FileAlreadyExistsException.class, () -> new TarGzip(copy, 0));
    }
}
