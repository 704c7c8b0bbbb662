package io.cairn.testkit.contract;

import static io.cairn.fs.FileSystem.RENAME_EXCHANGE;
import static io.cairn.fs.FileSystem.RENAME_NOREPLACE;
import static io.cairn.testkit.posix.Posix.Capability.RENAME_FLAGS;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** rename(2) and renameat2(2). */
final class RenameCases extends Scene {
    RenameCases(Posix fs) {
        super(fs);
    }

    private void renames(String from, String to) {
        fs.rename(from, to, 0);
    }

    @Case
    void fileKeepsItsIdentity() {
        put("a", "abc");
        Posix.Stat before = fs.stat("a");
        renames("a", "b");
        isAbsent("a");
        Posix.Stat after = fs.stat("b");
        assertEquals(before.ino(), after.ino());
        assertEquals(before.mtimeNs(), after.mtimeNs());
        assertEquals("abc", get("b"));
    }

    @Case
    void fileMovesBetweenDirectories() {
        fs.mkdir("d", 0755);
        fs.mkdir("e", 0755);
        put("d/f", "abc");
        renames("d/f", "e/g");
        assertEquals(List.of(), fs.list("d"));
        assertEquals(List.of("g"), fs.list("e"));
        assertEquals("abc", get("e/g"));
    }

    @Case
    void renameMovesTimesOfBothDirectoriesAndCtimeOfTheFile() {
        fs.mkdir("d", 0755);
        fs.mkdir("e", 0755);
        fs.create("d/f", 0644);
        moves(
                "mc",
                "d",
                () ->
                        moves(
                                "mc",
                                "e",
                                () -> moves("c", "d/f", "e/f", () -> renames("d/f", "e/f"))));
    }

    @Case
    void renameInsideADirectoryMovesItsTimes() {
        fs.create("f", 0644);
        moves("mc", ".", () -> renames("f", "g"));
    }

    @Case
    void fileReplacesAFile() {
        put("a", "new");
        put("b", "old");
        renames("a", "b");
        assertEquals("new", get("b"));
        assertEquals(List.of("b"), fs.list("."));
    }

    @Case
    void replacedFileLosesALink() {
        fs.create("a", 0644);
        put("b", "old");
        fs.link("b", "c");
        moves("c", "c", () -> renames("a", "b"));
        assertEquals(1, fs.stat("c").nlink());
        assertEquals("old", get("c"));
    }

    @Case
    void fileReplacesASymlinkItself() {
        fs.create("target", 0644);
        put("a", "new");
        fs.symlink("target", "l");
        renames("a", "l");
        assertEquals(FileType.FILE, fs.lstat("l").type());
        assertEquals("", get("target"));
    }

    @Case(needs = Posix.Capability.SPECIAL_FILES)
    void fileReplacesAFifo() {
        put("a", "new");
        fs.mknod("p", FileType.FIFO, 0644, 0);
        renames("a", "p");
        assertEquals("new", get("p"));
    }

    @Case
    void renameToItselfDoesNothing() {
        put("a", "abc");
        moves("", ".", () -> moves("", "a", () -> renames("a", "a")));
        fs.mkdir("d", 0755);
        renames("d", "d");
        assertEquals("abc", get("a"));
    }

    @Case
    void renameToAnotherNameOfTheSameFileDoesNothing() {
        put("a", "abc");
        fs.link("a", "b");
        moves("", ".", () -> renames("a", "b"));
        assertEquals(List.of("a", "b"), fs.list("."));
        assertEquals(2, fs.stat("a").nlink());
    }

    @Case
    void missingSourceIsEnoent() {
        fs.create("f", 0644);
        fails(Errno.ENOENT, () -> renames("missing", "g"));
        fails(Errno.ENOENT, () -> renames("missing", "f"));
        fails(Errno.ENOENT, () -> renames("missing", "missing"));
        fails(Errno.ENOENT, () -> renames("f", "missing/g"));
        assertEquals(List.of("f"), fs.list("."));
    }

    @Case
    void fileOverADirectoryIsEisdir() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        fails(Errno.EISDIR, () -> renames("f", "d"));
        fs.create("d/g", 0644);
        fails(Errno.EISDIR, () -> renames("f", "d"));
    }

    @Case
    void directoryOverAFileIsEnotdir() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        fs.symlink("d", "l");
        fails(Errno.ENOTDIR, () -> renames("d", "f"));
        fails(Errno.ENOTDIR, () -> renames("d", "l"));
    }

    @Case
    void directoryReplacesAnEmptyDirectory() {
        fs.mkdir("a", 0755);
        fs.create("a/f", 0644);
        fs.mkdir("b", 0755);
        renames("a", "b");
        assertEquals(List.of("b"), fs.list("."));
        assertEquals(List.of("f"), fs.list("b"));
        assertEquals(3, fs.stat(".").nlink());
    }

    @Case
    void directoryOverAFullDirectoryIsEnotempty() {
        fs.mkdir("a", 0755);
        fs.mkdir("b", 0755);
        fs.create("b/f", 0644);
        moves("", ".", () -> fails(Errno.ENOTEMPTY, () -> renames("a", "b")));
        assertEquals(List.of("a", "b"), fs.list("."));
    }

    @Case
    void directoryOverItsOwnParentIsEnotempty() {
        fs.mkdir("a", 0755);
        fs.mkdir("a/b", 0755);
        fs.mkdir("a/b/c", 0755);
        fails(Errno.ENOTEMPTY, () -> renames("a/b", "a"));
        fails(Errno.ENOTEMPTY, () -> renames("a/b/c", "a"));
    }

    @Case
    void directoryIntoItselfIsEinval() {
        fs.mkdir("a", 0755);
        fs.mkdir("a/b", 0755);
        fails(Errno.EINVAL, () -> renames("a", "a/x"));
        fails(Errno.EINVAL, () -> renames("a", "a/b"));
        fails(Errno.EINVAL, () -> renames("a", "a/b/x"));
        assertEquals(List.of("b"), fs.list("a"));
    }

    @Case
    void nameThatBeginsLikeAnotherIsNotInsideIt() {
        fs.mkdir("a", 0755);
        fs.mkdir("ab", 0755);
        renames("a", "ab/a");
        assertEquals(List.of("a"), fs.list("ab"));
    }

    @Case
    void movedDirectoryTakesItsLinkAlong() {
        fs.mkdir("a", 0755);
        fs.mkdir("b", 0755);
        fs.mkdir("a/d", 0755);
        renames("a/d", "b/d");
        assertEquals(2, fs.stat("a").nlink());
        assertEquals(3, fs.stat("b").nlink());
        assertEquals(2, fs.stat("b/d").nlink());
    }

    @Case
    void movedDirectoryKeepsItsContents() {
        fs.mkdir("a", 0755);
        fs.mkdir("a/b", 0755);
        put("a/b/f", "abc");
        fs.mkdir("x", 0755);
        renames("a", "x/y");
        assertEquals("abc", get("x/y/b/f"));
        isAbsent("a");
    }

    @Case
    void directoryNamesMayEndInASlash() {
        fs.mkdir("a", 0755);
        renames("a/", "b/");
        assertEquals(List.of("b"), fs.list("."));
    }

    @Case(needs = RENAME_FLAGS)
    void noReplaceMovesToAFreeName() {
        put("a", "abc");
        fs.rename("a", "b", RENAME_NOREPLACE);
        assertEquals(List.of("b"), fs.list("."));
    }

    @Case(needs = RENAME_FLAGS)
    void noReplaceOverAnythingIsEexist() {
        put("a", "abc");
        put("b", "old");
        fs.mkdir("d", 0755);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.rename("a", "b", RENAME_NOREPLACE));
        fails(Errno.EEXIST, () -> fs.rename("a", "d", RENAME_NOREPLACE));
        fails(Errno.EEXIST, () -> fs.rename("a", "l", RENAME_NOREPLACE));
        fails(Errno.EEXIST, () -> fs.rename("a", "a", RENAME_NOREPLACE));
        assertEquals("old", get("b"));
    }

    @Case(needs = RENAME_FLAGS)
    void exchangeSwapsFiles() {
        put("a", "A");
        put("b", "B");
        moves("mc", ".", () -> fs.rename("a", "b", RENAME_EXCHANGE));
        assertEquals("B", get("a"));
        assertEquals("A", get("b"));
    }

    @Case(needs = RENAME_FLAGS)
    void exchangeMovesCtimeOfBoth() {
        put("a", "A");
        put("b", "B");
        moves(
                "c",
                "a",
                "b",
                () -> moves("c", "b", "a", () -> fs.rename("a", "b", RENAME_EXCHANGE)));
    }

    @Case(needs = RENAME_FLAGS)
    void exchangeSwapsAFileAndAFullDirectory() {
        fs.mkdir("x", 0755);
        fs.mkdir("y", 0755);
        put("x/f", "F");
        fs.mkdir("y/d", 0755);
        put("y/d/g", "G");
        fs.rename("x/f", "y/d", RENAME_EXCHANGE);
        assertEquals("G", get("x/f/g"));
        assertEquals("F", get("y/d"));
        assertEquals(3, fs.stat("x").nlink());
        assertEquals(2, fs.stat("y").nlink());
        assertEquals(fs.stat("x").ino(), fs.stat("x/f/..").ino());
    }

    @Case(needs = RENAME_FLAGS)
    void exchangeWithNothingIsEnoent() {
        put("a", "A");
        fails(Errno.ENOENT, () -> fs.rename("a", "b", RENAME_EXCHANGE));
        fails(Errno.ENOENT, () -> fs.rename("b", "a", RENAME_EXCHANGE));
    }

    @Case(needs = RENAME_FLAGS)
    void exchangeWithAnAncestorIsEinval() {
        fs.mkdir("a", 0755);
        fs.mkdir("a/b", 0755);
        fails(Errno.EINVAL, () -> fs.rename("a", "a/b", RENAME_EXCHANGE));
        fails(Errno.EINVAL, () -> fs.rename("a/b", "a", RENAME_EXCHANGE));
    }

    @Case(needs = RENAME_FLAGS)
    void bothFlagsTogetherAreEinval() {
        put("a", "A");
        put("b", "B");
        int both = RENAME_EXCHANGE | RENAME_NOREPLACE;
        fails(Errno.EINVAL, () -> fs.rename("a", "b", both));
        fails(Errno.EINVAL, () -> fs.rename("a", "b", 64));
    }

    @Case
    void manyRenamesOverOneNameLeaveOneFile() {
        for (int i = 0; i < 50; i++) {
            put("tmp" + i, "version " + i);
            renames("tmp" + i, "file");
            assertEquals("version " + i, get("file"));
        }
        assertEquals(List.of("file"), fs.list("."));
    }
}
