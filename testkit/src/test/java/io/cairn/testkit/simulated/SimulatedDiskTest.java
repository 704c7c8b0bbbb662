package io.cairn.testkit.simulated;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import io.cairn.testkit.simulated.SimulatedDisk.Operation;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SimulatedDiskTest {
    private static final Path DIR = Path.of("/disk/dir");
    private static final Path FILE = DIR.resolve("file");

    private final SimulatedDisk disk = new SimulatedDisk(1 << 20);

    @BeforeEach
    void makeDirectory() throws IOException {
        disk.makeDirectories(DIR);
        disk.forceDirectory(Path.of("/"));
        disk.forceDirectory(Path.of("/disk"));
    }

    private static ByteBuffer bytes(int length, int value) {
        byte[] array = new byte[length];
        Arrays.fill(array, (byte) value);
        return ByteBuffer.wrap(array);
    }

    private byte[] contents(Path path) throws IOException {
        try (DiskFile file = disk.open(path)) {
            ByteBuffer all = ByteBuffer.allocate((int) file.size());
            while (all.hasRemaining() && file.read(all, all.position()) > 0) {}
            return all.array();
        }
    }

    @Test
    void behavesLikeAnArray() throws IOException {
        Random random = new Random(1);
        byte[] model = new byte[100_000];
        int size = 0;
        try (DiskFile file = disk.openOrCreate(FILE)) {
            for (int i = 0; i < 2_000; i++) {
                int offset = random.nextInt(90_000);
                int length = random.nextInt(10_000);
                switch (random.nextInt(5)) {
                    case 0 -> {
                        int end = Math.min(size, offset + length);
                        if (offset < end) {
                            Arrays.fill(model, offset, end, (byte) 0);
                        }
                        file.punchHole(offset, length);
                    }
                    case 1 -> {
                        if (offset < size) {
                            Arrays.fill(model, offset, size, (byte) 0);
                        }
                        size = offset;
                        file.truncate(offset);
                    }
                    case 2 -> file.force(false);
                    default -> {
                        byte[] data = new byte[length];
                        random.nextBytes(data);
                        System.arraycopy(data, 0, model, offset, length);
                        size = length == 0 ? size : Math.max(size, offset + length);
                        file.write(ByteBuffer.wrap(data), offset);
                    }
                }
                assertEquals(size, file.size());
            }
            assertArrayEquals(Arrays.copyOf(model, size), contents(FILE));
            disk.kill();
        }
        assertArrayEquals(Arrays.copyOf(model, size), contents(FILE));
    }

    @Test
    void forcedBytesSurviveACrashOthersMay() throws IOException {
        Set<Byte> survivors = new HashSet<>();
        for (int seed = 0; seed < 100; seed++) {
            try (DiskFile file = disk.openOrCreate(FILE)) {
                file.write(bytes(8192, 1), 0);
                file.force(false);
                disk.forceDirectory(DIR);
                file.write(bytes(4096, 2), 4096);
                disk.crash(seed);
            }
            byte[] after = contents(FILE);
            assertEquals(8192, after.length);
            for (int i = 0; i < 4096; i++) {
                assertEquals(1, after[i]);
            }
            survivors.add(after[4096]);
            assertTrue(after[8191] == 1 || after[8191] == 2);
        }
        assertEquals(Set.of((byte) 1, (byte) 2), survivors);
    }

    @Test
    void pagesMayBeTornUnlessSwitchedOff() throws IOException {
        assertTrue(anyTorn());
        disk.setTearing(false);
        assertFalse(anyTorn());
    }

    private boolean anyTorn() throws IOException {
        boolean torn = false;
        for (int seed = 0; seed < 200; seed++) {
            try (DiskFile file = disk.openOrCreate(FILE)) {
                file.write(bytes(4096, 1), 0);
                file.force(false);
                disk.forceDirectory(DIR);
                file.write(bytes(4096, 2), 0);
                disk.crash(seed);
            }
            byte[] after = contents(FILE);
            torn |= after[0] != after[4095];
        }
        return torn;
    }

    @Test
    void aNameNotForcedMayBeLost() throws IOException {
        Set<Boolean> survived = new HashSet<>();
        for (int seed = 0; seed < 40; seed++) {
            Path path = DIR.resolve("n" + seed);
            try (DiskFile file = disk.openOrCreate(path)) {
                file.write(bytes(10, 1), 0);
                file.force(true);
                disk.crash(seed);
            }
            survived.add(disk.exists(path));
        }
        assertEquals(Set.of(true, false), survived);
    }

    @Test
    void renameIsAtomicOverACrash() throws IOException {
        Set<Integer> seen = new HashSet<>();
        Path fresh = DIR.resolve("fresh");
        for (int seed = 0; seed < 60; seed++) {
            write(FILE, 1);
            write(fresh, 2);
            disk.forceDirectory(DIR);
            disk.rename(fresh, FILE);
            disk.crash(seed);
            int value = contents(FILE)[0];
            assertEquals(value == 1, disk.exists(fresh));
            seen.add(value);
        }
        assertEquals(Set.of(1, 2), seen);
        write(fresh, 3);
        disk.rename(fresh, FILE);
        disk.forceDirectory(DIR);
        disk.crash(0);
        assertEquals(3, contents(FILE)[0]);
    }

    private void write(Path path, int value) throws IOException {
        try (DiskFile file = disk.openOrCreate(path)) {
            file.write(bytes(10, value), 0);
            file.force(false);
        }
    }

    @Test
    void aFailedForceNeverHappens() throws IOException {
        write(FILE, 1);
        disk.forceDirectory(DIR);
        for (int seed = 0; seed < 20; seed++) {
            try (DiskFile file = disk.open(FILE)) {
                file.write(bytes(10, 2), 0);
                disk.fail(Operation.FORCE, FILE::equals);
                assertThrows(FileSystemException.class, () -> file.force(false));
                disk.heal();
                file.force(false);
                assertEquals(2, contents(FILE)[0]);
                disk.crash(seed);
            }
            assertEquals(1, contents(FILE)[0]);
        }
    }

    @Test
    void errorsAreInjectedWhereAsked() throws IOException {
        write(FILE, 1);
        Path other = DIR.resolve("other");
        write(other, 1);
        disk.fail(Operation.READ, FILE::equals);
        assertThrows(FileSystemException.class, () -> contents(FILE));
        assertEquals(1, contents(other)[0]);
        disk.fail(Operation.WRITE, other::equals);
        assertThrows(FileSystemException.class, () -> write(other, 2));
        disk.fail(Operation.NAME, path -> true);
        assertThrows(FileSystemException.class, () -> disk.open(other));
        disk.heal();
        write(other, 3);
        assertEquals(3, contents(other)[0]);
    }

    @Test
    void aBitTurnsOver() throws IOException {
        write(FILE, 1);
        disk.flipBit(FILE, 5, 3);
        assertEquals(9, contents(FILE)[5]);
        disk.crash(1);
        disk.forceDirectory(DIR);
    }

    @Test
    void theDiskIsFullAtItsCapacity() throws IOException {
        try (DiskFile file = disk.openOrCreate(FILE)) {
            file.write(bytes(1 << 20, 1), 0);
            assertEquals(0, disk.usableBytes(DIR));
            ByteBuffer more = bytes(8192, 2);
            DiskFullException full =
                    assertThrows(DiskFullException.class, () -> file.write(more, (1 << 20) - 4096));
            assertTrue(String.valueOf(full.getMessage()).contains("No space left on device"));
            assertEquals(4096, more.remaining());
            file.punchHole(0, 8192);
            file.write(bytes(4096, 2), 1 << 20);
            assertEquals(4096, disk.usableBytes(DIR));
            assertTrue(disk.delete(FILE));
            assertEquals(4096, disk.usableBytes(DIR));
        }
        assertEquals(disk.totalBytes(DIR), disk.usableBytes(DIR));
    }

    @Test
    void killAndCrashCloseFiles() throws IOException {
        DiskFile file = disk.openOrCreate(FILE);
        file.write(bytes(10, 1), 0);
        disk.kill();
        assertThrows(ClosedChannelException.class, file::size);
        file.close();
        assertEquals(1, contents(FILE)[0]);
    }

    @Test
    void copyPrefixCopiesHolesAsHoles() throws IOException {
        try (DiskFile file = disk.openOrCreate(FILE)) {
            file.write(bytes(4096, 1), 0);
            file.write(bytes(4096, 2), 40_960);
        }
        Path copy = DIR.resolve("copy");
        disk.copyPrefix(FILE, copy, 41_000);
        assertArrayEquals(Arrays.copyOf(contents(FILE), 41_000), contents(copy));
        assertEquals(4 * 4096, disk.usedBytes());
    }

    @Test
    void namesBehave() throws IOException {
        write(FILE, 1);
        assertEquals(List.of("file"), disk.list(DIR));
        assertEquals(List.of(), disk.list(DIR.resolve("none")));
        assertThrows(FileSystemException.class, () -> disk.delete(DIR));
        assertThrows(NoSuchFileException.class, () -> disk.open(DIR.resolve("none")));
        assertThrows(FileSystemException.class, () -> disk.open(DIR));
        assertThrows(NoSuchFileException.class, () -> disk.openOrCreate(Path.of("/none/file")));
        assertTrue(disk.delete(FILE));
        assertFalse(disk.delete(FILE));
        assertTrue(disk.delete(DIR));
        assertFalse(disk.exists(DIR));
    }

    @Test
    void aTruncationNotForcedMayBeUndone() throws IOException {
        Set<Integer> sizes = new HashSet<>();
        for (int seed = 0; seed < 60; seed++) {
            try (DiskFile file = disk.openOrCreate(FILE)) {
                file.truncate(0);
                file.write(bytes(10_000, 1), 0);
                file.force(true);
                disk.forceDirectory(DIR);
                file.truncate(5_000);
                disk.crash(seed);
            }
            byte[] after = contents(FILE);
            sizes.add(after.length);
            assertEquals(1, after[0]);
            assertNotEquals(2, after[4_999]);
        }
        assertEquals(Set.of(5_000, 10_000), sizes);
    }
}
