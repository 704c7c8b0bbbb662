package io.cairn.runtime;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class MeasuredDiskTest {
    @TempDir private Path directory;

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    private double count(String name) {
        return registry.get(name).tag("target", "t1").counter().count();
    }

    @Test
    void bytesSyncsAndErrorsAreCounted() throws IOException {
        Disk disk = new MeasuredDisk(new FileDisk(), Clock.system(), registry, "t1");
        Path path = directory.resolve("a/file");
        disk.makeDirectories(directory.resolve("a"));
        try (Disk.DiskFile file = disk.openOrCreate(path)) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 0);
            file.force(true);
            file.truncate(3);
            file.punchHole(0, 1);
            ByteBuffer read = ByteBuffer.allocate(8);
            assertEquals(3, file.read(read, 0));
            assertArrayEquals(new byte[] {0, 2, 3, 0, 0, 0, 0, 0}, read.array());
            assertEquals(3, file.size());
        }
        disk.forceDirectory(directory.resolve("a"));
        disk.copyPrefix(path, directory.resolve("copy"), 3);
        disk.rename(directory.resolve("copy"), directory.resolve("b"));
        assertTrue(disk.exists(directory.resolve("b")));
        assertTrue(disk.delete(directory.resolve("b")));
        assertEquals(1, disk.list(directory).size());
        assertTrue(disk.totalBytes(directory) >= disk.usableBytes(directory));
        assertEquals(new FileDisk().filesystem(directory), disk.filesystem(directory));
        assertEquals(4, count("cairn.disk.written.bytes"));
        assertEquals(3, count("cairn.disk.read.bytes"));
        assertEquals(2, registry.get("cairn.disk.sync").timer().count());
        assertThrows(NoSuchFileException.class, () -> disk.open(directory.resolve("none")));
        assertEquals(0, count("cairn.disk.errors"));
        assertThrows(IOException.class, () -> disk.open(directory));
        assertEquals(1, count("cairn.disk.errors"));
    }
}
