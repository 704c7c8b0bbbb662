package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fuse.loop.MountOptions.DriverKind;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Memory maps, of a mount in another process. */
class MapTest extends MountTest {
    private static final int BYTES = 3 << 20;

    private static FileChannel open(Path file) throws java.io.IOException {
        return FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    @ParameterizedTest
    @EnumSource
    void writersAndReadersShareAFile(DriverKind driver) throws Exception {
        Path root = directory("maps");
        String option = driver == DriverKind.JNR ? "driver=jnr" : "driver=kernel";
        try (MountProcess process = MountProcess.start(root, option, 65_000)) {
            Path file = process.directory().resolve("file");
            byte[] expected = new byte[BYTES];
            try (FileChannel one = open(file);
                    FileChannel two = open(file)) {
                MappedByteBuffer writer = one.map(MapMode.READ_WRITE, 0, BYTES);
                MappedByteBuffer reader = two.map(MapMode.READ_ONLY, 0, BYTES);
                for (int i = 0; i < BYTES; i += 1000) {
                    writer.put(i, (byte) i);
                    expected[i] = (byte) i;
                    assertEquals((byte) i, reader.get(i));
                }
                writer.force();
                two.write(java.nio.ByteBuffer.wrap(new byte[] {42}), 1_000_003);
                expected[1_000_003] = 42;
                assertEquals(42, writer.get(1_000_003));
                assertArrayEquals(expected, Files.readAllBytes(file));
            }
            // What the kernel kept is gone with the mount: this comes from the filesystem.
            try (FileChannel again = open(file)) {
                again.truncate(BYTES - 1);
            }
            byte[] stored = Files.readAllBytes(file);
            assertArrayEquals(Arrays.copyOf(expected, BYTES - 1), stored);
        }
    }
}
