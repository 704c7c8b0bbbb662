package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.SPECIAL_FILES;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** mknod(2) and mkfifo(3). */
final class SpecialCases extends Scene {
    SpecialCases(Posix fs) {
        super(fs);
    }

    private void make(String path, FileType type, int mode, long rdev) {
        fs.mknod(path, type, mode, rdev);
        Posix.Stat made = fs.lstat(path);
        assertEquals(type, made.type());
        assertEquals(mode, made.mode());
        assertEquals(rdev, made.rdev());
        assertEquals(1, made.nlink());
        assertEquals(0, made.size());
    }

    @Case(needs = SPECIAL_FILES)
    void fifosAreMade() {
        make("p", FileType.FIFO, 0640, 0);
    }

    @Case(needs = SPECIAL_FILES)
    void socketsAreMade() {
        make("s", FileType.SOCKET, 0600, 0);
    }

    @Case(needs = SPECIAL_FILES)
    void devicesAreMade() {
        make("null", FileType.CHARACTER_DEVICE, 0666, Posix.device(1, 3));
        make("disk", FileType.BLOCK_DEVICE, 0660, Posix.device(8, 17));
    }

    @Case(needs = SPECIAL_FILES)
    void bigDeviceNumbersAreKept() {
        make("c", FileType.CHARACTER_DEVICE, 0600, Posix.device(0xabc, 0xabcde));
        make("b", FileType.BLOCK_DEVICE, 0600, Posix.device(259, 300_000));
    }

    @Case
    void regularFilesAreMadeByMknod() {
        make("f", FileType.FILE, 0640, 0);
        assertEquals("", get("f"));
    }

    @Case(needs = SPECIAL_FILES)
    void mknodMovesTheTimesOfTheDirectory() {
        moves("mc", ".", () -> fs.mknod("p", FileType.FIFO, 0600, 0));
    }

    @Case(needs = SPECIAL_FILES)
    void mknodOverAnythingIsEexist() {
        fs.create("f", 0644);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.mknod("f", FileType.FIFO, 0600, 0));
        fails(Errno.EEXIST, () -> fs.mknod("l", FileType.FIFO, 0600, 0));
        fails(Errno.EEXIST, () -> fs.mknod("f", FileType.FILE, 0600, 0));
    }

    @Case(needs = SPECIAL_FILES)
    void devicesAreForTheSuperuser() {
        long zero = Posix.device(1, 5);
        fails(Errno.EPERM, () -> ann().mknod("c", FileType.CHARACTER_DEVICE, 0600, zero));
        fails(Errno.EPERM, () -> ann().mknod("b", FileType.BLOCK_DEVICE, 0600, zero));
        ann().mknod("p", FileType.FIFO, 0600, 0);
        ann().mknod("s", FileType.SOCKET, 0600, 0);
        assertEquals(ANN, fs.stat("p").uid());
        assertEquals(List.of("p", "s"), fs.list("."));
    }

    @Case(needs = SPECIAL_FILES)
    void socketCannotBeOpened() {
        fs.mknod("s", FileType.SOCKET, 0600, 0);
        fails(Errno.ENXIO, () -> fs.open("s", O_RDWR, 0));
    }

    @Case(needs = SPECIAL_FILES)
    void specialFilesAreRenamedLinkedAndRemoved() {
        fs.mknod("p", FileType.FIFO, 0600, 0);
        fs.rename("p", "q", 0);
        fs.link("q", "r");
        fs.chmod("r", 0644);
        fs.chown("r", ANN, ANNS);
        fs.utimens("r", PAST, PAST);
        Posix.Stat q = fs.stat("q");
        assertEquals(2, q.nlink());
        assertEquals(0644, q.mode());
        assertEquals(PAST, q.mtimeNs());
        fs.unlink("q");
        fs.unlink("r");
        assertEquals(List.of(), fs.list("."));
    }

    @Case(needs = SPECIAL_FILES)
    void listingTellsTheTypes() {
        fs.mknod("p", FileType.FIFO, 0600, 0);
        fs.mknod("s", FileType.SOCKET, 0600, 0);
        fs.mknod("c", FileType.CHARACTER_DEVICE, 0600, Posix.device(1, 3));
        fs.mknod("b", FileType.BLOCK_DEVICE, 0600, Posix.device(8, 0));
        int fd = fs.opendir(".");
        int special = 0;
        for (List<Posix.Entry> p = fs.readdir(fd); !p.isEmpty(); p = fs.readdir(fd)) {
            for (Posix.Entry e : p) {
                if (!e.name().startsWith(".")) {
                    assertEquals(fs.lstat(e.name()).type(), e.type());
                    special++;
                }
            }
        }
        assertEquals(4, special);
    }
}
