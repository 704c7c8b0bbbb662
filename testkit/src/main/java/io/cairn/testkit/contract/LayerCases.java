package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.BIRTH_TIME;
import static io.cairn.testkit.posix.Posix.Capability.UNNAMED_FILES;
import static io.cairn.testkit.posix.Posix.Capability.WHITEOUT;
import static io.cairn.testkit.posix.Posix.Capability.XATTR;
import static io.cairn.testkit.posix.Posix.O_EXCL;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_TMPFILE;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static io.cairn.testkit.posix.Posix.RENAME_WHITEOUT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/**
 * The demands of a union filesystem (overlayfs) on the layer that it writes to: files without a
 * name, whiteouts, times of birth, its attributes.
 */
final class LayerCases extends Scene {
    LayerCases(Posix fs) {
        super(fs);
    }

    private int unnamed(int flags) {
        return fs.open(".", O_TMPFILE | flags, 0640);
    }

    @Case(needs = UNNAMED_FILES)
    void fileWithoutANameIsAFile() {
        int fd = unnamed(O_RDWR);
        assertEquals(5, fs.write(fd, bytes("hello")));
        Posix.Stat stat = fs.fstat(fd);
        assertEquals(FileType.FILE, stat.type());
        assertEquals(0640, stat.mode());
        assertEquals(0, stat.nlink());
        assertEquals(5, stat.size());
        assertEquals("hello", text(fs.pread(fd, 10, 0)));
        fs.fsync(fd);
        fs.ftruncate(fd, 200_000);
        fs.fchmod(fd, 0600);
        assertEquals(0600, fs.fstat(fd).mode());
        assertEquals("hello", text(fs.pread(fd, 5, 0)));
        assertEquals(List.of(), fs.list("."));
    }

    @Case(needs = UNNAMED_FILES)
    void directoryDoesNotChangeByIt() {
        moves("", ".", () -> fs.close(unnamed(O_RDWR)));
    }

    @Case(needs = UNNAMED_FILES)
    void fileGetsItsNameLater() {
        int fd = unnamed(O_WRONLY);
        fs.write(fd, bytes("contents"));
        fs.linkOpen(fd, "f");
        assertEquals(1, fs.fstat(fd).nlink());
        fs.write(fd, bytes(" and more"));
        fs.close(fd);
        assertEquals(List.of("f"), fs.list("."));
        assertEquals("contents and more", get("f"));
        assertEquals(1, fs.stat("f").nlink());
        fs.link("f", "g");
        fs.unlink("f");
        assertEquals("contents and more", get("g"));
    }

    @Case(needs = UNNAMED_FILES)
    void bigFileGetsItsNameLater() {
        int fd = unnamed(O_RDWR);
        String text = repeat('x', 300_000);
        fs.write(fd, bytes(text));
        fs.fsync(fd);
        fs.linkOpen(fd, "f");
        fs.close(fd);
        assertEquals(text, get("f"));
    }

    @Case(needs = UNNAMED_FILES)
    void firstNameIsNotTheLastOne() {
        int fd = unnamed(O_RDWR);
        fs.linkOpen(fd, "f");
        fs.linkOpen(fd, "g");
        assertEquals(2, fs.fstat(fd).nlink());
        fs.unlink("f");
        fs.unlink("g");
        assertEquals(0, fs.fstat(fd).nlink());
        fails(Errno.ENOENT, () -> fs.linkOpen(fd, "h"));
    }

    @Case(needs = UNNAMED_FILES)
    void nameThatIsTakenStays() {
        put("f", "old");
        int fd = unnamed(O_RDWR);
        fs.write(fd, bytes("new"));
        fails(Errno.EEXIST, () -> fs.linkOpen(fd, "f"));
        assertEquals("old", get("f"));
        fs.linkOpen(fd, "g");
        assertEquals("new", get("g"));
    }

    @Case(needs = UNNAMED_FILES)
    void exclusiveOneNeverGetsAName() {
        int fd = unnamed(O_RDWR | O_EXCL);
        fails(Errno.ENOENT, () -> fs.linkOpen(fd, "f"));
        assertEquals(3, fs.write(fd, bytes("abc")));
        isAbsent("f");
    }

    @Case(needs = UNNAMED_FILES)
    void fileWhoseNameHasGoneGetsNone() {
        put("f", "x");
        int fd = fs.open("f", O_RDWR, 0);
        fs.unlink("f");
        fails(Errno.ENOENT, () -> fs.linkOpen(fd, "g"));
    }

    @Case(needs = UNNAMED_FILES)
    void mistakesAreTold() {
        fs.mkdir("d", 0755);
        put("f", "x");
        fails(Errno.EINVAL, () -> fs.open(".", O_TMPFILE | O_RDONLY, 0600));
        fails(Errno.ENOENT, () -> fs.open("missing", O_TMPFILE | O_RDWR, 0600));
        fails(Errno.ENOTDIR, () -> fs.open("f", O_TMPFILE | O_RDWR, 0600));
        fails(Errno.EACCES, () -> ann().open("d", O_TMPFILE | O_RDWR, 0600));
        int fd = ann().open(".", O_TMPFILE | O_RDWR, 0600);
        assertEquals(ANN, fs.fstat(fd).uid());
        assertEquals(ANNS, fs.fstat(fd).gid());
    }

    @Case(needs = UNNAMED_FILES)
    void groupOfADirectoryIsInherited() {
        fs.mkdir("d", 0755);
        fs.chown("d", -1, BOTH);
        fs.chmod("d", 02755);
        int fd = fs.open("d", O_TMPFILE | O_RDWR, 0600);
        assertEquals(BOTH, fs.fstat(fd).gid());
    }

    private void isWhiteout(String path) {
        Posix.Stat stat = fs.lstat(path);
        assertEquals(FileType.CHARACTER_DEVICE, stat.type());
        assertEquals(0, stat.rdev());
        assertEquals(0, stat.mode());
        assertEquals(1, stat.nlink());
    }

    @Case(needs = WHITEOUT)
    void whiteoutStaysBehind() {
        put("a", "contents");
        fs.rename("a", "b", RENAME_WHITEOUT);
        isWhiteout("a");
        assertEquals("contents", get("b"));
        assertEquals(List.of("a", "b"), fs.list("."));
        fs.unlink("a");
        isAbsent("a");
    }

    @Case(needs = WHITEOUT)
    void whiteoutStaysBehindInAnotherDirectory() {
        fs.mkdir("from", 0755);
        fs.mkdir("to", 0755);
        fs.mkdir("from/d", 0755);
        put("from/d/f", "x");
        fs.mkdir("to/d", 0755);
        fs.rename("from/d", "to/d", RENAME_WHITEOUT);
        isWhiteout("from/d");
        assertEquals("x", get("to/d/f"));
        assertEquals(2, fs.stat("from").nlink());
        assertEquals(3, fs.stat("to").nlink());
        fails(Errno.ENOTEMPTY, () -> fs.rmdir("from"));
    }

    @Case(needs = WHITEOUT)
    void whiteoutIsOfWhoRenames() {
        fs.chmod(".", 0777);
        ann().create("a", 0644);
        ann().rename("a", "b", RENAME_WHITEOUT);
        assertEquals(ANN, fs.lstat("a").uid());
        assertEquals(ANNS, fs.lstat("a").gid());
    }

    @Case(needs = WHITEOUT)
    void whiteoutGoesWithNoReplaceOnly() {
        put("a", "1");
        put("b", "2");
        int noReplace = FileSystem.RENAME_NOREPLACE;
        int exchange = FileSystem.RENAME_EXCHANGE;
        fails(Errno.EEXIST, () -> fs.rename("a", "b", RENAME_WHITEOUT | noReplace));
        fails(Errno.EINVAL, () -> fs.rename("a", "b", RENAME_WHITEOUT | exchange));
        fails(Errno.ENOENT, () -> fs.rename("missing", "c", RENAME_WHITEOUT));
        assertEquals("1", get("a"));
        fs.rename("a", "c", RENAME_WHITEOUT | noReplace);
        isWhiteout("a");
        fs.rename("c", "b", RENAME_WHITEOUT);
        isWhiteout("c");
        assertEquals("1", get("b"));
    }

    @Case(needs = WHITEOUT)
    void linksOfOneFileLeaveNoWhiteout() {
        put("a", "1");
        fs.link("a", "b");
        fs.rename("a", "b", RENAME_WHITEOUT);
        assertEquals("1", get("a"));
        assertEquals("1", get("b"));
    }

    @Case(needs = BIRTH_TIME)
    void birthIsWhenItWasMade() {
        put("a", "1");
        tick();
        put("b", "2");
        Posix.Stat a = fs.stat("a");
        Posix.Stat b = fs.stat("b");
        assertTrue(a.birthNs() > 0, a::toString);
        assertTrue(a.birthNs() <= a.ctimeNs(), a::toString);
        assertTrue(a.birthNs() < b.birthNs(), () -> a + " before " + b);
    }

    @Case(needs = BIRTH_TIME)
    void birthNeverChanges() {
        put("a", "1");
        long birth = fs.stat("a").birthNs();
        tick();
        int fd = fs.open("a", O_RDWR, 0);
        fs.pwrite(fd, bytes("more"), 10_000);
        fs.fsync(fd);
        fs.ftruncate(fd, 5);
        fs.chmod("a", 0600);
        fs.utimens("a", PAST, PAST);
        fs.link("a", "b");
        fs.rename("a", "c", 0);
        assertEquals(birth, fs.stat("b").birthNs());
        assertEquals(birth, fs.fstat(fd).birthNs());
    }

    @Case(needs = BIRTH_TIME)
    void everythingHasABirth() {
        fs.mkdir("d", 0755);
        fs.symlink("target", "l");
        for (String path : List.of("d", "l", ".")) {
            Posix.Stat stat = fs.lstat(path);
            assertTrue(stat.birthNs() > 0 && stat.birthNs() <= stat.ctimeNs(), stat::toString);
        }
    }

    @Case(needs = XATTR)
    void attributesOfOverlaysAreKept() {
        fs.mkdir("d", 0755);
        for (String name : List.of("trusted.overlay.opaque", "user.overlay.opaque")) {
            fs.setxattr("d", name, bytes("y"), 0);
            assertArrayEquals(bytes("y"), fs.getxattr("d", name, 10));
        }
        assertTrue(fs.listxattr("d").contains("trusted.overlay.opaque"));
    }
}
