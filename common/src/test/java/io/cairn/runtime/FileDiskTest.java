package io.cairn.runtime;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Scanner;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileDiskTest {
    private static final int MIB = 1 << 20;

    @TempDir Path directory;

    private final FileDisk disk = new FileDisk();

    private static byte[] random(int length, long seed) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    private static ByteBuffer direct(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    private static byte[] readFully(DiskFile file, int length, boolean direct) throws IOException {
        ByteBuffer buffer =
                direct ? ByteBuffer.allocateDirect(length) : ByteBuffer.allocate(length);
        while (buffer.hasRemaining() && file.read(buffer, buffer.position()) >= 0) {}
        byte[] bytes = new byte[buffer.flip().remaining()];
        buffer.get(bytes);
        return bytes;
    }

    @Test
    void whatIsWrittenIsRead() throws IOException {
        byte[] bytes = random(3 * MIB + 17, 1);
        for (boolean direct : new boolean[] {true, false}) {
            try (DiskFile file = disk.openOrCreate(directory.resolve("file" + direct))) {
                ByteBuffer source = direct ? direct(bytes) : ByteBuffer.wrap(bytes);
                file.write(source, 0);
                assertFalse(source.hasRemaining());
                file.force(false);
                file.force(true);
                assertEquals(bytes.length, file.size());
                assertArrayEquals(bytes, readFully(file, bytes.length + 5, direct));
                assertArrayEquals(bytes, readFully(file, bytes.length + 5, !direct));
                ByteBuffer one = ByteBuffer.allocate(1);
                assertEquals(-1, file.read(one, bytes.length));
                assertEquals(1, file.read(one, bytes.length - 1));
                assertEquals(bytes[bytes.length - 1], one.get(0));
            }
        }
    }

    @Test
    void slicesAreHonoured() throws IOException {
        try (DiskFile file = disk.openOrCreate(directory.resolve("slice"))) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}, 1, 2), 0);
            ByteBuffer target = ByteBuffer.allocateDirect(8).position(3).limit(5);
            assertEquals(2, file.read(target, 0));
            assertEquals(5, target.position());
            assertEquals(2, target.get(3));
            assertEquals(3, target.get(4));
            assertEquals(0, target.limit(6).get(5));
            assertEquals(2, file.size());
        }
    }

    @Test
    void truncateCutsAndExtends() throws IOException {
        try (DiskFile file = disk.openOrCreate(directory.resolve("cut"))) {
            file.write(ByteBuffer.wrap(new byte[] {1, 2, 3, 4}), 0);
            file.truncate(2);
            file.truncate(4);
            assertArrayEquals(new byte[] {1, 2, 0, 0}, readFully(file, 4, true));
        }
    }

    @Test
    void holesReadAsZerosAndFreeSpace() throws IOException {
        Path path = directory.resolve("hole");
        byte[] bytes = random(4 * MIB, 2);
        try (DiskFile file = disk.openOrCreate(path)) {
            file.write(direct(bytes), 0);
            file.force(true);
            file.punchHole(MIB + 1, 2 * MIB);
            file.force(true);
            Arrays.fill(bytes, MIB + 1, 3 * MIB + 1, (byte) 0);
            assertArrayEquals(bytes, readFully(file, bytes.length, true));
            assertEquals(bytes.length, file.size());
            file.punchHole(4L * MIB - 1, 100);
            assertEquals(bytes.length, file.size());
            file.punchHole(0, 0);
        }
    }

    @Test
    void copyPrefixCopiesAndKeepsTheRest() throws IOException {
        Path from = directory.resolve("from");
        Path to = directory.resolve("to");
        byte[] source = random(3 * MIB, 3);
        byte[] old = random(4 * MIB, 4);
        try (DiskFile file = disk.openOrCreate(from)) {
            file.write(direct(source), 0);
            file.punchHole(MIB, MIB);
            file.truncate(6L * MIB);
        }
        Files.write(to, old);
        Arrays.fill(source, MIB, 2 * MIB, (byte) 0);
        int length = 2 * MIB + 4097;
        disk.copyPrefix(from, to, length);
        System.arraycopy(source, 0, old, 0, length);
        assertArrayEquals(old, Files.readAllBytes(to));
    }

    @Test
    void copyPrefixMakesTheTargetAndEndsWithTheSource() throws IOException {
        Path from = directory.resolve("from");
        Path to = directory.resolve("to");
        byte[] source = random(10_000, 3);
        try (DiskFile file = disk.openOrCreate(from)) {
            file.write(direct(source), 0);
            file.truncate(5L * MIB);
        }
        disk.copyPrefix(from, to, Long.MAX_VALUE);
        assertArrayEquals(Files.readAllBytes(from), Files.readAllBytes(to));
        disk.copyPrefix(from, directory.resolve("part"), 5_000);
        assertArrayEquals(
                Arrays.copyOf(source, 5_000), Files.readAllBytes(directory.resolve("part")));
        assertThrows(
                NoSuchFileException.class, () -> disk.copyPrefix(directory.resolve("none"), to, 1));
    }

    @Test
    void directoriesListRenameAndDelete() throws IOException {
        Path deep = directory.resolve("a/b/c");
        disk.makeDirectories(deep);
        disk.makeDirectories(deep);
        disk.openOrCreate(deep.resolve("x")).close();
        disk.openOrCreate(deep.resolve("y")).close();
        assertEquals(Set.of("x", "y"), Set.copyOf(disk.list(deep)));
        assertEquals(List.of(), disk.list(directory.resolve("none")));
        disk.rename(deep.resolve("x"), deep.resolve("y"));
        assertEquals(List.of("y"), disk.list(deep));
        disk.forceDirectory(deep);
        assertThrows(FileSystemException.class, () -> disk.delete(deep));
        assertTrue(disk.delete(deep.resolve("y")));
        assertFalse(disk.delete(deep.resolve("y")));
        assertTrue(disk.exists(deep));
        assertTrue(disk.delete(deep));
        assertFalse(disk.exists(deep));
    }

    @Test
    void errorsNameThePath() {
        Path none = directory.resolve("none");
        NoSuchFileException error = assertThrows(NoSuchFileException.class, () -> disk.open(none));
        assertEquals(none.toString(), error.getFile());
        FileSystemException isDirectory =
                assertThrows(FileSystemException.class, () -> disk.open(directory));
        assertTrue(String.valueOf(isDirectory.getMessage()).contains("Is a directory"));
        assertThrows(NoSuchFileException.class, () -> disk.usableBytes(none));
    }

    @Test
    void aFullDiskIsItsOwnError() {
        // The kernel's always-full device.
        DiskFullException error =
                assertThrows(
                        DiskFullException.class,
                        () -> {
                            try (DiskFile file = disk.open(Path.of("/dev/full"))) {
                                file.write(ByteBuffer.wrap(new byte[1]), 0);
                            }
                        });
        assertTrue(String.valueOf(error.getMessage()).contains("No space left on device"));
    }

    /** As df(1) counts: what is kept for root is neither used nor available. */
    @Test
    void whatIsKeptForRootIsNoPartOfTheDisk() throws IOException {
        Process df =
                new ProcessBuilder("df", "-B1", "--output=used,avail", directory.toString())
                        .start();
        try (Scanner line = new Scanner(df.getInputStream(), UTF_8)) {
            line.nextLine();
            long difference = disk.totalBytes(directory) - line.nextLong() - line.nextLong();
            // Two looks at a disk that others write to.
            assertTrue(Math.abs(difference) < 256L * MIB, () -> difference + " bytes");
        }
    }

    @Test
    void sizesOfTheDiskAreTold() throws IOException {
        assertTrue(disk.totalBytes(directory) > 0);
        assertTrue(disk.usableBytes(directory) <= disk.totalBytes(directory));
        assertNotEquals(0, disk.filesystem(directory));
        Path below = Files.createDirectory(directory.resolve("below"));
        assertEquals(disk.filesystem(directory), disk.filesystem(below));
        assertNotEquals(disk.filesystem(directory), disk.filesystem(Path.of("/proc")));
    }

    @Test
    void aClosedFileRefusesAndCloseIsIdempotent() throws IOException {
        DiskFile file = disk.openOrCreate(directory.resolve("closed"));
        file.close();
        file.close();
        assertThrows(ClosedChannelException.class, file::size);
    }

    @Test
    void anInterruptedThreadDoesNotCloseTheFile() throws IOException {
        try (DiskFile file = disk.openOrCreate(directory.resolve("interrupted"))) {
            Thread.currentThread().interrupt();
            file.write(ByteBuffer.wrap(new byte[] {1}), 0);
            assertTrue(Thread.interrupted());
            assertEquals(1, file.size());
        }
    }

    @Test
    void closingUnderUseIsClean() throws Exception {
        for (int round = 0; round < 50; round++) {
            DiskFile file = disk.openOrCreate(directory.resolve("busy"));
            AtomicInteger unexpected = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                threads.add(Thread.ofPlatform().start(() -> useUntilClosed(file, unexpected)));
            }
            file.close();
            for (Thread thread : threads) {
                thread.join();
            }
            assertEquals(0, unexpected.get());
        }
    }

    private static void useUntilClosed(DiskFile file, AtomicInteger unexpected) {
        try {
            while (true) {
                file.write(ByteBuffer.wrap(new byte[100]), 0);
            }
        } catch (ClosedChannelException expected) {
            return;
        } catch (IOException e) {
            unexpected.incrementAndGet();
        }
    }
}
