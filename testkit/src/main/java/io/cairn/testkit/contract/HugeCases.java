package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.HUGE_FILES;
import static io.cairn.testkit.posix.Posix.Capability.PUNCH_HOLE;
import static io.cairn.testkit.posix.Posix.Capability.SEEK_HOLES;
import static io.cairn.testkit.posix.Posix.FALLOC_KEEP_SIZE;
import static io.cairn.testkit.posix.Posix.FALLOC_PUNCH_HOLE;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.SEEK_DATA;
import static io.cairn.testkit.posix.Posix.SEEK_HOLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.testkit.posix.Posix;

/**
 * Files that are far larger than what they hold: the work follows what is there. One step for each
 * piece of a hole of exbibytes would not end before the time of the test.
 */
final class HugeCases extends Scene {
    private static final long EIB = 1L << 60;
    private static final long MB4 = 4L << 20;

    HugeCases(Posix fs) {
        super(fs);
    }

    /** 4 EiB with an {@code a} at 1 EiB and {@code bc} 5 bytes behind 3 EiB. */
    private int sparse() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 4 * EIB);
        fs.pwrite(fd, bytes("a"), EIB);
        fs.pwrite(fd, bytes("bc"), 3 * EIB + 5);
        fs.fsync(fd);
        return fd;
    }

    @Case(needs = HUGE_FILES)
    void bytesAreWhereTheyWerePut() {
        int fd = sparse();
        assertEquals(4 * EIB, fs.fstat(fd).size());
        assertEquals("\0a\0", text(fs.pread(fd, 3, EIB - 1)));
        assertEquals("bc", text(fs.pread(fd, 2, 3 * EIB + 5)));
        assertEquals("\0", text(fs.pread(fd, 10, 4 * EIB - 1)));
        assertTrue(fs.fstat(fd).blocks() < MB4, () -> "" + fs.fstat(fd));
    }

    @Case(needs = {SEEK_HOLES, HUGE_FILES})
    void holesOfExbibytesAreSkipped() {
        int fd = sparse();
        assertEquals(EIB, fs.lseek(fd, 0, SEEK_DATA));
        long hole = fs.lseek(fd, EIB, SEEK_HOLE);
        assertTrue(hole > EIB && hole <= EIB + MB4, () -> "hole at " + hole);
        assertEquals(3 * EIB, fs.lseek(fd, hole, SEEK_DATA));
        assertEquals(2 * EIB, fs.lseek(fd, 2 * EIB, SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 3 * EIB + MB4, SEEK_DATA));
    }

    @Case(needs = {SEEK_HOLES, PUNCH_HOLE, HUGE_FILES})
    void exbibytesArePunched() {
        int fd = sparse();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 3, 2 * EIB);
        assertEquals("\0", text(fs.pread(fd, 1, EIB)));
        assertEquals(3 * EIB, fs.lseek(fd, 0, SEEK_DATA));
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, EIB, 2 * EIB + 6);
        assertEquals("\0c", text(fs.pread(fd, 2, 3 * EIB + 5)));
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 0, 4 * EIB);
        assertEquals("\0\0", text(fs.pread(fd, 2, 3 * EIB + 5)));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 0, SEEK_DATA));
        assertEquals(4 * EIB, fs.fstat(fd).size());
    }

    @Case(needs = HUGE_FILES)
    void exbibytesAreCutAndExtended() {
        int fd = sparse();
        fs.ftruncate(fd, EIB + 1);
        fs.ftruncate(fd, 4 * EIB);
        assertEquals("a\0", text(fs.pread(fd, 2, EIB)));
        assertEquals("\0\0", text(fs.pread(fd, 2, 3 * EIB + 5)));
        fs.ftruncate(fd, 0);
        fs.ftruncate(fd, 4 * EIB);
        assertEquals("\0", text(fs.pread(fd, 1, EIB)));
        fs.unlink("f");
    }

    @Case(needs = HUGE_FILES)
    void largestFileIsAFile() {
        long size = FileSystem.MAX_FILE_BYTES;
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, size);
        fs.pwrite(fd, bytes("end"), size - 3);
        fs.fsync(fd);
        assertEquals(size, fs.fstat(fd).size());
        assertEquals("\0end", text(fs.pread(fd, 100, size - 4)));
        assertEquals("\0", text(fs.pread(fd, 1, 0)));
        fs.ftruncate(fd, size - 1);
        assertEquals("en", text(fs.pread(fd, 100, size - 3)));
    }

    @Case(needs = {SEEK_HOLES, PUNCH_HOLE, HUGE_FILES})
    void largestFileIsSearched() {
        long size = FileSystem.MAX_FILE_BYTES;
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.pwrite(fd, bytes("end"), size - 3);
        fs.fsync(fd);
        long data = fs.lseek(fd, 0, SEEK_DATA);
        assertTrue(data <= size - 3 && data > size - MB4, () -> "data at " + data);
        assertEquals(size, fs.lseek(fd, size - 2, SEEK_HOLE));
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 0, size);
        fails(Errno.ENXIO, () -> fs.lseek(fd, 0, SEEK_DATA));
    }

    @Case
    void fileThatGrowsAndIsCutAThousandTimesStaysWhole() {
        int steps = 1200;
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        for (int i = 1; i <= steps; i++) {
            if (i % 100 == 0) {
                fs.pwrite(fd, bytes(mark(i)), i * MB4 - 1);
            }
            fs.ftruncate(fd, (i + 1) * MB4);
            fs.ftruncate(fd, i * MB4 + 3);
        }
        assertEquals(steps * MB4 + 3, fs.fstat(fd).size());
        for (int i = 100; i < steps; i += 100) {
            assertEquals("\0" + mark(i) + "\0", text(fs.pread(fd, 6, i * MB4 - 2)));
        }
        assertEquals(mark(steps), text(fs.pread(fd, 10, steps * MB4 - 1)));
    }

    /** Four bytes, of which three are behind the border where the file is cut. */
    private static String mark(int step) {
        return "x" + (100 + step / 100);
    }
}
