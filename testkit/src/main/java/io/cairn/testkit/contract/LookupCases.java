package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** Names and path resolution: path_resolution(7). */
final class LookupCases extends Scene {
    LookupCases(Posix fs) {
        super(fs);
    }

    @Case
    void missingNameIsEnoent() {
        fails(Errno.ENOENT, () -> fs.stat("missing"));
        fails(Errno.ENOENT, () -> fs.open("missing", O_RDONLY, 0));
    }

    @Case
    void missingDirectoryOnTheWayIsEnoent() {
        fails(Errno.ENOENT, () -> fs.stat("missing/f"));
        fails(Errno.ENOENT, () -> fs.create("missing/f", 0644));
        fails(Errno.ENOENT, () -> fs.mkdir("missing/d", 0755));
    }

    @Case
    void fileOnTheWayIsEnotdir() {
        fs.create("f", 0644);
        fails(Errno.ENOTDIR, () -> fs.stat("f/x"));
        fails(Errno.ENOTDIR, () -> fs.create("f/x", 0644));
        fails(Errno.ENOTDIR, () -> fs.mkdir("f/x", 0755));
        fails(Errno.ENOTDIR, () -> fs.unlink("f/x"));
        fails(Errno.ENOTDIR, () -> fs.rmdir("f/x"));
        fails(Errno.ENOTDIR, () -> fs.rename("f/x", "y", 0));
        fails(Errno.ENOTDIR, () -> fs.rename("f", "f/x", 0));
    }

    @Case
    void emptyPathIsEnoent() {
        fails(Errno.ENOENT, () -> fs.stat(""));
        fails(Errno.ENOENT, () -> fs.mkdir("", 0755));
        fails(Errno.ENOENT, () -> fs.unlink(""));
        fails(Errno.ENOENT, () -> fs.create("", 0644));
    }

    @Case
    void dotIsTheDirectoryItself() {
        fs.mkdir("d", 0755);
        assertEquals(fs.stat("d").ino(), fs.stat("d/.").ino());
        assertEquals(fs.stat("d").ino(), fs.stat("./d/././.").ino());
    }

    @Case
    void dotDotIsTheParent() {
        fs.mkdir("d", 0755);
        fs.mkdir("d/e", 0755);
        assertEquals(fs.stat("d").ino(), fs.stat("d/e/..").ino());
        assertEquals(fs.stat(".").ino(), fs.stat("d/e/../..").ino());
    }

    @Case
    void dotDotFollowsARename() {
        fs.mkdir("a", 0755);
        fs.mkdir("b", 0755);
        fs.mkdir("a/d", 0755);
        fs.rename("a/d", "b/d", 0);
        assertEquals(fs.stat("b").ino(), fs.stat("b/d/..").ino());
    }

    @Case
    void dotOnAFileIsEnotdir() {
        fs.create("f", 0644);
        fails(Errno.ENOTDIR, () -> fs.stat("f/."));
        fails(Errno.ENOTDIR, () -> fs.stat("f/.."));
    }

    @Case
    void slashesInTheMiddleAreOne() {
        fs.mkdir("d", 0755);
        fs.create("d/f", 0644);
        assertEquals(fs.stat("d/f").ino(), fs.stat("d////f").ino());
    }

    @Case
    void slashAtTheEndOfADirectoryIsIgnored() {
        fs.mkdir("d", 0755);
        assertEquals(fs.stat("d").ino(), fs.stat("d/").ino());
        assertEquals(fs.stat("d").ino(), fs.lstat("d//").ino());
        fs.rmdir("d/");
        isAbsent("d");
    }

    @Case
    void slashAtTheEndOfAFileIsEnotdir() {
        fs.create("f", 0644);
        fails(Errno.ENOTDIR, () -> fs.stat("f/"));
        fails(Errno.ENOTDIR, () -> fs.open("f/", O_RDONLY, 0));
        fails(Errno.ENOTDIR, () -> fs.unlink("f/"));
        fails(Errno.ENOTDIR, () -> fs.truncate("f/", 0));
        fails(Errno.ENOTDIR, () -> fs.chmod("f/", 0600));
        fails(Errno.ENOTDIR, () -> fs.rename("f/", "g", 0));
        fails(Errno.ENOTDIR, () -> fs.rename("f", "g/", 0));
        fails(Errno.ENOTDIR, () -> fs.link("f/", "g"));
    }

    @Case
    void mkdirMayEndInASlash() {
        fs.mkdir("d/", 0755);
        assertEquals(FileType.DIRECTORY, fs.stat("d").type());
    }

    @Case
    void newNamesOfOtherTypesMayNotEndInASlash() {
        fs.create("f", 0644);
        fails(Errno.EISDIR, () -> fs.create("new/", 0644));
        fails(Errno.ENOENT, () -> fs.symlink("f", "new/"));
        fails(Errno.ENOENT, () -> fs.link("f", "new/"));
        fails(Errno.ENOENT, () -> fs.mknod("new/", FileType.FILE, 0644, 0));
        assertEquals(List.of("f"), fs.list("."));
    }

    @Case
    void mkdirOfDotsIsEexist() {
        fails(Errno.EEXIST, () -> fs.mkdir(".", 0755));
        fails(Errno.EEXIST, () -> fs.mkdir("..", 0755));
        fails(Errno.EEXIST, () -> fs.symlink("x", "."));
    }

    @Case
    void unlinkOfDotsIsEisdir() {
        fs.mkdir("d", 0755);
        fails(Errno.EISDIR, () -> fs.unlink("d/."));
        fails(Errno.EISDIR, () -> fs.unlink("d/.."));
    }

    @Case
    void rmdirOfDotsIsRefused() {
        fs.mkdir("d", 0755);
        fs.mkdir("d/e", 0755);
        fails(Errno.EINVAL, () -> fs.rmdir("d/."));
        fails(Errno.ENOTEMPTY, () -> fs.rmdir("d/e/.."));
    }

    @Case
    void renameOfDotsIsEbusy() {
        fs.mkdir("d", 0755);
        fails(Errno.EBUSY, () -> fs.rename("d/.", "e", 0));
        fails(Errno.EBUSY, () -> fs.rename("d/..", "e", 0));
        fails(Errno.EBUSY, () -> fs.rename("d", ".", 0));
        fails(Errno.EBUSY, () -> fs.rename("d", "..", 0));
    }

    @Case
    void upperAndLowerCaseAreDifferentNames() {
        fs.create("Name", 0644);
        isAbsent("name");
        fs.create("name", 0644);
        assertNotEquals(fs.stat("name").ino(), fs.stat("Name").ino());
    }

    @Case
    void namesAreBytesNotText() {
        String notUtf8 = "\u00ff\u00fe\u0080x\u0001";
        fs.create(notUtf8, 0644);
        assertEquals(List.of(notUtf8), fs.list("."));
        assertEquals(FileType.FILE, fs.stat(notUtf8).type());
        fs.unlink(notUtf8);
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void composedAndDecomposedLettersAreDifferentNames() {
        String composed = Posix.text("\u00e9");
        String decomposed = Posix.text("e\u0301");
        fs.create(composed, 0644);
        isAbsent(decomposed);
        fs.create(decomposed, 0644);
        assertEquals(2, fs.list(".").size());
    }

    @Case
    void oddNamesAreOrdinary() {
        List<String> names =
                List.of("\n", " ", "'", "*", "-rf", "...", "..x", ".hidden", "\\", "a:b", "~");
        names.forEach(name -> fs.create(name, 0644));
        assertEquals(names.stream().sorted().toList(), fs.list("."));
        names.forEach(fs::unlink);
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void renamedNameIsGoneAtOnce() {
        fs.create("a", 0644);
        assertEquals(FileType.FILE, fs.stat("a").type());
        isAbsent("b");
        fs.rename("a", "b", 0);
        isAbsent("a");
        assertEquals(FileType.FILE, fs.stat("b").type());
    }

    @Case
    void createdNameIsThereAtOnceAfterAMiss() {
        isAbsent("a");
        fs.create("a", 0644);
        assertEquals(FileType.FILE, fs.stat("a").type());
        fs.unlink("a");
        isAbsent("a");
        fs.mkdir("a", 0755);
        assertEquals(FileType.DIRECTORY, fs.stat("a").type());
    }
}
