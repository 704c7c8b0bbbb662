package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** link(2), unlink(2), and open files without a name. */
final class LinkCases extends Scene {
    LinkCases(Posix fs) {
        super(fs);
    }

    @Case
    void linkIsTheSameFile() {
        put("a", "abc");
        fs.link("a", "b");
        assertEquals(fs.stat("a"), fs.stat("b"));
        assertEquals(2, fs.stat("a").nlink());
        put("b", "changed");
        assertEquals("changed", get("a"));
        fs.chmod("b", 0600);
        assertEquals(0600, fs.stat("a").mode());
    }

    @Case
    void linkMovesCtimeOfTheFileAndTimesOfTheDirectory() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        moves("mc", "d", () -> moves("", ".", () -> moves("c", "f", () -> fs.link("f", "d/g"))));
    }

    @Case
    void unlinkMovesCtimeOfTheOtherNameAndTimesOfTheDirectory() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        fs.link("f", "d/g");
        moves("mc", "d", () -> moves("", ".", () -> moves("c", "f", () -> fs.unlink("d/g"))));
        assertEquals(1, fs.stat("f").nlink());
    }

    @Case
    void linkOverAnythingIsEexist() {
        fs.create("f", 0644);
        fs.create("g", 0644);
        fs.mkdir("d", 0755);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.link("f", "g"));
        fails(Errno.EEXIST, () -> fs.link("f", "f"));
        fails(Errno.EEXIST, () -> fs.link("f", "d"));
        fails(Errno.EEXIST, () -> fs.link("f", "l"));
        assertEquals(1, fs.stat("f").nlink());
    }

    @Case
    void linkOfADirectoryIsEperm() {
        fs.mkdir("d", 0755);
        fails(Errno.EPERM, () -> fs.link("d", "e"));
        assertEquals(2, fs.stat("d").nlink());
    }

    @Case
    void linkOfAMissingFileIsEnoent() {
        fails(Errno.ENOENT, () -> fs.link("missing", "f"));
        fs.create("f", 0644);
        fails(Errno.ENOENT, () -> fs.link("f", "missing/g"));
    }

    @Case
    void linkOfASymlinkLinksTheSymlink() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fs.link("l", "m");
        assertEquals(FileType.SYMLINK, fs.lstat("m").type());
        assertEquals(2, fs.lstat("l").nlink());
        assertEquals("f", fs.readlink("m"));
    }

    @Case(needs = Posix.Capability.SPECIAL_FILES)
    void fifosCanBeLinked() {
        fs.mknod("p", FileType.FIFO, 0644, 0);
        fs.link("p", "q");
        assertEquals(2, fs.stat("q").nlink());
    }

    @Case
    void fileLivesUntilItsLastName() {
        put("a", "abc");
        fs.link("a", "b");
        fs.unlink("a");
        isAbsent("a");
        assertEquals("abc", get("b"));
        fs.unlink("b");
        isAbsent("b");
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void unlinkOfASymlinkKeepsItsTarget() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fs.unlink("l");
        isAbsent("l");
        assertEquals(FileType.FILE, fs.stat("f").type());
    }

    @Case
    void unlinkOfAMissingNameIsEnoent() {
        fails(Errno.ENOENT, () -> fs.unlink("missing"));
        fails(Errno.ENOENT, () -> fs.unlink("missing/f"));
    }

    @Case
    void openFileOutlivesItsName() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abc"));
        fs.unlink("f");
        isAbsent("f");
        fs.write(fd, bytes("def"));
        assertEquals("abcdef", text(fs.pread(fd, 10, 0)));
    }

    @Case(needs = Posix.Capability.OPEN_UNLINKED)
    void openFileWithoutANameHasNoLinks() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abc"));
        fs.unlink("f");
        assertEquals(0, fs.fstat(fd).nlink());
        assertEquals(3, fs.fstat(fd).size());
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void openFileWithoutANameCanBeTruncatedAndExtended() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abcdef"));
        fs.unlink("f");
        fs.ftruncate(fd, 2);
        fs.ftruncate(fd, 4);
        assertEquals("ab\0\0", text(fs.pread(fd, 10, 0)));
        assertEquals(4, fs.fstat(fd).size());
    }

    @Case(needs = Posix.Capability.OPEN_UNLINKED)
    void openFileWithoutANameTakesAttributes() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.unlink("f");
        fs.fchmod(fd, 0600);
        fs.fchown(fd, ANN, ANNS);
        fs.futimens(fd, PAST, PAST + 1);
        Posix.Stat f = fs.fstat(fd);
        assertEquals(0600, f.mode());
        assertEquals(ANN, f.uid());
        assertEquals(PAST + 1, f.mtimeNs());
    }

    @Case
    void nameCanBeUsedAgainWhileTheOldFileIsOpen() {
        int old = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(old, bytes("old"));
        fs.unlink("f");
        put("f", "new");
        assertEquals("old", text(fs.pread(old, 10, 0)));
        assertEquals("new", get("f"));
        assertNotEquals(fs.fstat(old).ino(), fs.stat("f").ino());
    }

    @Case
    void replacedFileOutlivesItsName() {
        put("f", "old");
        put("g", "new");
        int fd = fs.open("f", O_RDONLY, 0);
        fs.rename("g", "f", 0);
        assertEquals("old", text(fs.pread(fd, 10, 0)));
        assertEquals("new", get("f"));
    }

    @Case
    void unlinkedFileCanBeReadByTwoDescriptors() {
        put("f", "abc");
        int one = fs.open("f", O_RDONLY, 0);
        int two = fs.open("f", O_RDWR, 0);
        fs.unlink("f");
        fs.close(one);
        fs.pwrite(two, bytes("X"), 0);
        assertEquals("Xbc", text(fs.pread(two, 10, 0)));
    }
}
