package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.FALLOCATE;
import static io.cairn.testkit.posix.Posix.Capability.PUNCH_HOLE;
import static io.cairn.testkit.posix.Posix.Capability.SEEK_HOLES;
import static io.cairn.testkit.posix.Posix.Capability.WHOLE_ALLOCATION;
import static io.cairn.testkit.posix.Posix.Capability.ZERO_RANGE;
import static io.cairn.testkit.posix.Posix.FALLOC_KEEP_SIZE;
import static io.cairn.testkit.posix.Posix.FALLOC_PUNCH_HOLE;
import static io.cairn.testkit.posix.Posix.FALLOC_ZERO_RANGE;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.SEEK_DATA;
import static io.cairn.testkit.posix.Posix.SEEK_HOLE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.testkit.posix.Posix;

/** Holes, fallocate(2), lseek(2) with SEEK_DATA and SEEK_HOLE, files beyond 4 GiB. */
final class SparseCases extends Scene {
    private static final int KB64 = 64 << 10;
    private static final long GB5 = 5L << 30;

    SparseCases(Posix fs) {
        super(fs);
    }

    private int open() {
        return fs.open("f", O_CREAT | O_RDWR, 0644);
    }

    /** A file of 4 * 64 KiB, all {@code x}. */
    private int full() {
        int fd = open();
        fs.write(fd, bytes(repeat('x', 4 * KB64)));
        return fd;
    }

    private void isZero(int fd, long offset, int length) {
        assertEquals(repeat('\0', length), text(fs.pread(fd, length, offset)));
    }

    private void isX(int fd, long offset, int length) {
        assertEquals(repeat('x', length), text(fs.pread(fd, length, offset)));
    }

    @Case
    void holeReadsAsZeros() {
        int fd = open();
        fs.pwrite(fd, bytes("end"), 100_000);
        assertEquals(100_003, fs.fstat(fd).size());
        isZero(fd, 0, 100_000);
        assertEquals("end", text(fs.pread(fd, 10, 100_000)));
    }

    @Case
    void holeTakesNoSpace() {
        int fd = open();
        fs.pwrite(fd, bytes("end"), 64L << 20);
        fs.fsync(fd);
        assertTrue(fs.fstat(fd).blocks() * 512 < 8 << 20, () -> "" + fs.fstat(fd));
    }

    @Case
    void holeOfASmallFileReadsAsZeros() {
        int fd = open();
        fs.pwrite(fd, bytes("a"), 0);
        fs.pwrite(fd, bytes("b"), 2);
        assertEquals("a\0b", get("f"));
    }

    @Case
    void fileBeyondFourGigabytesIsExact() {
        int fd = open();
        fs.pwrite(fd, bytes("start"), 0);
        fs.pwrite(fd, bytes("far"), GB5);
        assertEquals(GB5 + 3, fs.fstat(fd).size());
        assertEquals("far", text(fs.pread(fd, 10, GB5)));
        assertEquals("start", text(fs.pread(fd, 5, 0)));
        isZero(fd, GB5 - 4096, 4096);
        isZero(fd, (1L << 32) - 10, 20);
        assertEquals(0, fs.pread(fd, 10, GB5 + 3).length);
    }

    @Case
    void writeAcrossTheFourGigabyteBorderIsExact() {
        int fd = open();
        fs.pwrite(fd, bytes("0123456789"), (1L << 32) - 5);
        assertEquals("456", text(fs.pread(fd, 3, (1L << 32) - 1)));
        assertEquals((1L << 32) + 5, fs.stat("f").size());
    }

    @Case
    void bigFileIsTruncatedAndExtended() {
        int fd = open();
        fs.ftruncate(fd, GB5);
        assertEquals(GB5, fs.stat("f").size());
        fs.pwrite(fd, bytes("x"), GB5 - 1);
        fs.ftruncate(fd, GB5 - 1);
        fs.ftruncate(fd, GB5 + 1);
        isZero(fd, GB5 - 2, 3);
    }

    @Case(needs = SEEK_HOLES)
    void seekFindsDataAndHoles() {
        int fd = open();
        fs.ftruncate(fd, 16L * KB64);
        fs.pwrite(fd, bytes(repeat('x', KB64)), 4L * KB64);
        fs.fsync(fd);
        assertEquals(4L * KB64, fs.lseek(fd, 0, SEEK_DATA));
        assertEquals(4L * KB64 + 10, fs.lseek(fd, 4L * KB64 + 10, SEEK_DATA));
        assertEquals(0, fs.lseek(fd, 0, SEEK_HOLE));
        assertEquals(5L * KB64, fs.lseek(fd, 4L * KB64 + 1, SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 5L * KB64, SEEK_DATA));
    }

    @Case(needs = SEEK_HOLES)
    void endOfFileIsAHole() {
        int fd = full();
        assertEquals(4L * KB64, fs.lseek(fd, 0, SEEK_HOLE));
        assertEquals(0, fs.lseek(fd, 0, SEEK_DATA));
    }

    @Case(needs = SEEK_HOLES)
    void seekAtOrAfterTheEndIsEnxio() {
        int fd = full();
        fails(Errno.ENXIO, () -> fs.lseek(fd, 4L * KB64, SEEK_DATA));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 4L * KB64, SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 100L * KB64, SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(fd, -1, SEEK_DATA));
    }

    @Case(needs = SEEK_HOLES)
    void emptyFileHasNeitherDataNorHole() {
        int fd = open();
        fails(Errno.ENXIO, () -> fs.lseek(fd, 0, SEEK_DATA));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 0, SEEK_HOLE));
    }

    @Case(needs = SEEK_HOLES)
    void seekInASmallFileFindsItsEnd() {
        int fd = open();
        fs.pwrite(fd, bytes("a"), 0);
        fs.pwrite(fd, bytes("b"), 2000);
        assertEquals(0, fs.lseek(fd, 0, SEEK_DATA));
        assertEquals(1000, fs.lseek(fd, 1000, SEEK_DATA));
        assertEquals(2001, fs.lseek(fd, 0, SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 2001, SEEK_DATA));
        fails(Errno.ENXIO, () -> fs.lseek(fd, 2001, SEEK_HOLE));
    }

    @Case(needs = {SEEK_HOLES, PUNCH_HOLE})
    void punchedRangeIsAHole() {
        int fd = full();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, KB64, KB64);
        fs.fsync(fd);
        assertEquals(KB64, fs.lseek(fd, 0, SEEK_HOLE));
        assertEquals(2L * KB64, fs.lseek(fd, KB64, SEEK_DATA));
    }

    @Case(needs = PUNCH_HOLE)
    void punchMakesZerosAndKeepsTheRest() {
        int fd = full();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 1000, 2L * KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
        isX(fd, 0, 1000);
        isZero(fd, 1000, 2 * KB64);
        isX(fd, 1000 + 2L * KB64, 2 * KB64 - 1000);
    }

    @Case(needs = PUNCH_HOLE)
    void punchInsideABlockIsExact() {
        int fd = full();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 10, 5);
        isX(fd, 0, 10);
        isZero(fd, 10, 5);
        isX(fd, 15, 5000);
    }

    @Case(needs = PUNCH_HOLE)
    void punchFreesSpace() {
        int fd = full();
        fs.fsync(fd);
        long before = fs.fstat(fd).blocks();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, KB64, 2L * KB64);
        fs.fsync(fd);
        assertTrue(fs.fstat(fd).blocks() <= before - KB64 / 512, () -> "" + fs.fstat(fd));
    }

    @Case(needs = PUNCH_HOLE)
    void punchBeyondTheEndChangesNothing() {
        int fd = full();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 10L * KB64, KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
        isX(fd, 0, 4 * KB64);
    }

    @Case(needs = PUNCH_HOLE)
    void punchAcrossTheEndKeepsTheSize() {
        int fd = full();
        fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 3L * KB64, 10L * KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
        isX(fd, 0, 3 * KB64);
        isZero(fd, 3L * KB64, KB64);
    }

    @Case(needs = PUNCH_HOLE)
    void punchWithoutKeepSizeIsUnsupported() {
        int fd = full();
        fails(Errno.EOPNOTSUPP, () -> fs.fallocate(fd, FALLOC_PUNCH_HOLE, 0, KB64));
    }

    @Case(needs = PUNCH_HOLE)
    void punchMovesTheTimes() {
        int fd = full();
        moves("mc", "f", () -> fs.fallocate(fd, FALLOC_PUNCH_HOLE | FALLOC_KEEP_SIZE, 0, KB64));
    }

    @Case(needs = FALLOCATE)
    void allocateExtendsWithZeros() {
        int fd = open();
        fs.write(fd, bytes("abc"));
        fs.fallocate(fd, 0, 0, KB64);
        assertEquals(KB64, fs.fstat(fd).size());
        assertEquals("abc", text(fs.pread(fd, 3, 0)));
        isZero(fd, 3, KB64 - 3);
    }

    @Case(needs = FALLOCATE)
    void allocateInsideChangesNoByte() {
        int fd = full();
        fs.fallocate(fd, 0, 100, KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
        isX(fd, 0, 4 * KB64);
    }

    @Case(needs = FALLOCATE)
    void allocateWithKeepSizeKeepsTheSize() {
        int fd = open();
        fs.write(fd, bytes("abc"));
        fs.fallocate(fd, FALLOC_KEEP_SIZE, 0, KB64);
        assertEquals(3, fs.fstat(fd).size());
        fs.ftruncate(fd, 10);
        isZero(fd, 3, 7);
    }

    @Case(needs = {FALLOCATE, WHOLE_ALLOCATION})
    void allocateOfMoreThanIsFreeIsEnospc() {
        put("f", "abc");
        int fd = open();
        Posix.Volume volume = fs.statvfs(".");
        long tooMuch = Math.min(1L << 60, 4 * volume.blocks() * volume.blockBytes());
        fails(Errno.ENOSPC, () -> fs.fallocate(fd, 0, 0, tooMuch));
        fails(Errno.ENOSPC, () -> fs.fallocate(fd, FALLOC_KEEP_SIZE, 0, tooMuch));
        fails(Errno.ENOSPC, () -> fs.fallocate(fd, 0, 1L << 30, tooMuch));
        assertEquals(3, fs.fstat(fd).size());
        assertEquals("abc", get("f"));
        fs.fallocate(fd, 0, 0, KB64);
    }

    @Case(needs = {FALLOCATE, ZERO_RANGE, WHOLE_ALLOCATION})
    void zeroingOfMoreThanIsFreeIsEnospc() {
        put("f", "abc");
        int fd = open();
        Posix.Volume volume = fs.statvfs(".");
        long tooMuch = Math.min(1L << 60, 4 * volume.blocks() * volume.blockBytes());
        fails(Errno.ENOSPC, () -> fs.fallocate(fd, FALLOC_ZERO_RANGE, 0, tooMuch));
        assertEquals("abc", get("f"));
    }

    @Case(needs = FALLOCATE)
    void allocateOfBadRangesIsEinval() {
        int fd = open();
        fails(Errno.EINVAL, () -> fs.fallocate(fd, 0, 0, 0));
        fails(Errno.EINVAL, () -> fs.fallocate(fd, 0, -1, 10));
        fails(Errno.EINVAL, () -> fs.fallocate(fd, 0, 0, -1));
        fails(Errno.EFBIG, () -> fs.fallocate(fd, 0, Long.MAX_VALUE - 5, 10));
    }

    @Case(needs = FALLOCATE)
    void allocateNeedsAWritableDescriptor() {
        put("f", "x");
        int fd = fs.open("f", O_RDONLY, 0);
        fails(Errno.EBADF, () -> fs.fallocate(fd, 0, 0, 10));
    }

    @Case(needs = ZERO_RANGE)
    void zeroRangeMakesZerosAndKeepsTheRest() {
        int fd = full();
        fs.fallocate(fd, FALLOC_ZERO_RANGE, 100, KB64);
        isX(fd, 0, 100);
        isZero(fd, 100, KB64);
        isX(fd, 100 + KB64, KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
    }

    @Case(needs = ZERO_RANGE)
    void zeroRangeExtends() {
        int fd = full();
        fs.fallocate(fd, FALLOC_ZERO_RANGE, 3L * KB64, 2L * KB64);
        assertEquals(5L * KB64, fs.fstat(fd).size());
        isZero(fd, 3L * KB64, 2 * KB64);
    }

    @Case(needs = ZERO_RANGE)
    void zeroRangeWithKeepSizeKeepsTheSize() {
        int fd = full();
        int mode = FALLOC_ZERO_RANGE | FALLOC_KEEP_SIZE;
        fs.fallocate(fd, mode, 3L * KB64, 2L * KB64);
        assertEquals(4L * KB64, fs.fstat(fd).size());
        isZero(fd, 3L * KB64, KB64);
    }
}
