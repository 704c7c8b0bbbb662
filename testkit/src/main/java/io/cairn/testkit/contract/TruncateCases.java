package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;

/** truncate(2) and ftruncate(2). */
final class TruncateCases extends Scene {
    TruncateCases(Posix fs) {
        super(fs);
    }

    @Case
    void shorteningCutsTheEnd() {
        put("f", "0123456789");
        fs.truncate("f", 4);
        assertEquals("0123", get("f"));
        assertEquals(4, fs.stat("f").size());
    }

    @Case
    void extendingAddsZeros() {
        put("f", "abc");
        fs.truncate("f", 6);
        assertEquals("abc\0\0\0", get("f"));
    }

    @Case
    void bytesCutOffNeverComeBack() {
        put("f", "secret-secret");
        fs.truncate("f", 2);
        fs.truncate("f", 13);
        assertEquals("se" + repeat('\0', 11), get("f"));
    }

    @Case
    void bytesCutOffNeverComeBackInBigFiles() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes(repeat('s', 200_000)));
        fs.ftruncate(fd, 70_001);
        fs.ftruncate(fd, 200_000);
        assertEquals(repeat('s', 70_001), text(fs.pread(fd, 70_001, 0)));
        assertEquals(repeat('\0', 129_999), text(fs.pread(fd, 200_000, 70_001)));
    }

    @Case
    void writeBeyondTheEndAfterCuttingLeavesZeros() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes(repeat('s', 10_000)));
        fs.ftruncate(fd, 5_000);
        fs.pwrite(fd, bytes("x"), 9_000);
        assertEquals(repeat('\0', 4_000), text(fs.pread(fd, 4_000, 5_000)));
    }

    @Case
    void truncationToZeroFreesTheBlocks() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, new byte[200_000]);
        fs.ftruncate(fd, 0);
        fs.fsync(fd);
        assertEquals(0, fs.fstat(fd).size());
        assertEquals(0, fs.fstat(fd).blocks());
    }

    @Case
    void shorteningMovesTheTimes() {
        put("f", "abcdef");
        moves("", ".", () -> moves("mc", "f", () -> fs.truncate("f", 3)));
    }

    @Case
    void extendingMovesTheTimes() {
        put("f", "abcdef");
        moves("mc", "f", () -> fs.truncate("f", 30));
    }

    @Case
    void descriptorTruncationMovesTheTimes() {
        put("f", "abcdef");
        int fd = fs.open("f", O_RDWR, 0);
        moves("mc", "f", () -> fs.ftruncate(fd, 3));
        moves("mc", "f", () -> fs.ftruncate(fd, 8));
    }

    @Case
    void truncationDoesNotMoveTheOffset() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abcdef"));
        fs.ftruncate(fd, 0);
        fs.write(fd, bytes("X"));
        assertEquals(repeat('\0', 6) + "X", get("f"));
    }

    @Case
    void badArgumentsOfTruncateAreRefused() {
        put("f", "abc");
        fs.mkdir("d", 0755);
        fails(Errno.EINVAL, () -> fs.truncate("f", -1));
        fails(Errno.EISDIR, () -> fs.truncate("d", 0));
        fails(Errno.ENOENT, () -> fs.truncate("missing", 0));
        fails(Errno.EINVAL, () -> fs.truncate("missing", -1));
        assertEquals("abc", get("f"));
    }

    @Case
    void badArgumentsOfFtruncateAreRefused() {
        put("f", "abc");
        int fd = fs.open("f", O_RDWR, 0);
        int reader = fs.open("f", O_RDONLY, 0);
        int directory = fs.open(".", O_RDONLY, 0);
        fails(Errno.EINVAL, () -> fs.ftruncate(fd, -1));
        fails(Errno.EINVAL, () -> fs.ftruncate(reader, 0));
        fails(Errno.EINVAL, () -> fs.ftruncate(directory, 0));
        fails(Errno.EBADF, () -> fs.ftruncate(-1, 0));
    }

    @Case(needs = Posix.Capability.SPECIAL_FILES)
    void truncationOfAFifoIsEinval() {
        fs.mknod("p", FileType.FIFO, 0644, 0);
        fails(Errno.EINVAL, () -> fs.truncate("p", 0));
    }

    @Case
    void truncationFollowsLinks() {
        put("f", "abcdef");
        fs.symlink("f", "l");
        fs.truncate("l", 2);
        assertEquals("ab", get("f"));
        assertEquals(1, fs.lstat("l").size());
    }

    @Case
    void truncationNeedsWritePermission() {
        fs.create("f", 0644);
        fails(Errno.EACCES, () -> ann().truncate("f", 0));
    }

    @Case
    void truncationIsSeenThroughEveryName() {
        put("a", "abcdef");
        fs.link("a", "b");
        fs.truncate("a", 3);
        assertEquals(3, fs.stat("b").size());
        assertEquals("abc", get("b"));
    }
}
