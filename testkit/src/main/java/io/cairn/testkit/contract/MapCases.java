package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.MMAP;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.testkit.posix.Posix;

/** mmap(2) with MAP_SHARED. */
final class MapCases extends Scene {
    MapCases(Posix fs) {
        super(fs);
    }

    @Case(needs = MMAP)
    void mapShowsWhatWasWritten() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes(repeat('x', 10_000)));
        assertEquals(repeat('x', 10_000), text(fs.mapRead(fd, 0, 10_000)));
        fs.pwrite(fd, bytes("new"), 5_000);
        assertEquals("new", text(fs.mapRead(fd, 4096, 1000)).substring(904, 907));
    }

    @Case(needs = MMAP)
    void readShowsWhatWasWrittenThroughAMap() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 20_000);
        fs.mapWrite(fd, 8192, bytes("mapped"));
        assertEquals("mapped", text(fs.pread(fd, 6, 8192)));
        assertEquals(20_000, fs.fstat(fd).size());
        assertEquals("mapped", get("f").substring(8192, 8198));
    }

    @Case(needs = MMAP)
    void bytesAfterTheEndAreZeroAndNotStored() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abc"));
        assertEquals("abc" + repeat('\0', 97), text(fs.mapRead(fd, 0, 100)));
        assertEquals(3, fs.fstat(fd).size());
    }

    @Case(needs = MMAP)
    void writingThroughAMapMovesMtime() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 4096);
        fs.futimens(fd, PAST, PAST);
        fs.mapWrite(fd, 0, bytes("x"));
        fs.fsync(fd);
        assertTrue(fs.fstat(fd).mtimeNs() > PAST + 1_000_000_000L);
    }

    @Case(needs = MMAP)
    void mapOfAnUnlinkedFileWorks() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 4096);
        fs.unlink("f");
        fs.mapWrite(fd, 0, bytes("still here"));
        assertEquals("still here", text(fs.mapRead(fd, 0, 10)));
    }
}
