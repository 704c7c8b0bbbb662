package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** symlink(2), readlink(2), symlink(7). */
final class SymlinkCases extends Scene {
    SymlinkCases(Posix fs) {
        super(fs);
    }

    @Case
    void newSymlinkHasItsTarget() {
        fs.symlink("some/where", "l");
        assertEquals("some/where", fs.readlink("l"));
        Posix.Stat l = fs.lstat("l");
        assertEquals(FileType.SYMLINK, l.type());
        assertEquals(0777, l.mode());
        assertEquals(10, l.size());
        assertEquals(1, l.nlink());
    }

    @Case
    void symlinkMovesTheTimesOfTheDirectory() {
        moves("mc", ".", () -> fs.symlink("x", "l"));
    }

    @Case
    void targetIsKeptByteByByte() {
        String odd = "\u0001 \u00ff//..//\n";
        fs.symlink(odd, "l");
        assertEquals(odd, fs.readlink("l"));
    }

    @Case
    void symlinkOverAnythingIsEexist() {
        fs.create("f", 0644);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.symlink("x", "f"));
        fails(Errno.EEXIST, () -> fs.symlink("x", "l"));
        assertEquals("missing", fs.readlink("l"));
    }

    @Case
    void emptyTargetIsEnoent() {
        fails(Errno.ENOENT, () -> fs.symlink("", "l"));
    }

    @Case
    void readlinkOfOtherTypesIsEinval() {
        fs.create("f", 0644);
        fails(Errno.EINVAL, () -> fs.readlink("f"));
        fails(Errno.EINVAL, () -> fs.readlink("."));
        fails(Errno.ENOENT, () -> fs.readlink("missing"));
    }

    @Case
    void relativeTargetStartsAtTheLink() {
        fs.mkdir("d", 0755);
        put("d/f", "inside");
        put("f", "outside");
        fs.symlink("f", "d/l");
        assertEquals("inside", get("d/l"));
        fs.symlink("../f", "d/up");
        assertEquals("outside", get("d/up"));
    }

    @Case
    void absoluteTargetStartsAtTheRoot() {
        put("f", "abc");
        fs.symlink(fs.workingDirectory() + "/f", "l");
        assertEquals("abc", get("l"));
    }

    @Case
    void linksOfLinksAreFollowed() {
        put("f", "abc");
        fs.symlink("f", "l1");
        fs.symlink("l1", "l2");
        fs.symlink("l2", "l3");
        assertEquals("abc", get("l3"));
    }

    @Case
    void linkOnTheWayIsFollowed() {
        fs.mkdir("d", 0755);
        fs.symlink("d", "l");
        fs.create("l/f", 0644);
        assertEquals(List.of("f"), fs.list("d"));
        fs.unlink("l/f");
        assertEquals(List.of(), fs.list("d"));
    }

    @Case
    void danglingLinkIsEnoent() {
        fs.symlink("missing", "l");
        fails(Errno.ENOENT, () -> fs.stat("l"));
        fails(Errno.ENOENT, () -> fs.open("l", O_RDONLY, 0));
        assertEquals(FileType.SYMLINK, fs.lstat("l").type());
    }

    @Case
    void linkToAFileOnTheWayIsEnotdir() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fails(Errno.ENOTDIR, () -> fs.stat("l/x"));
        fails(Errno.ENOTDIR, () -> fs.stat("l/"));
        fails(Errno.ENOTDIR, () -> fs.lstat("l/"));
    }

    @Case
    void slashAtTheEndFollowsALinkToADirectory() {
        fs.mkdir("d", 0755);
        fs.symlink("d", "l");
        assertEquals(FileType.DIRECTORY, fs.lstat("l/").type());
        assertEquals(FileType.SYMLINK, fs.lstat("l").type());
    }

    @Case
    void loopIsEloop() {
        fs.symlink("b", "a");
        fs.symlink("a", "b");
        fs.symlink("self", "self");
        fails(Errno.ELOOP, () -> fs.stat("a"));
        fails(Errno.ELOOP, () -> fs.stat("self/x"));
        fails(Errno.ELOOP, () -> fs.open("self", O_RDONLY, 0));
        fails(Errno.ELOOP, () -> fs.create("self", 0644));
        fs.unlink("self");
    }

    @Case
    void fortyLinksAreFollowedAndNoMore() {
        put("l0", "end");
        for (int i = 1; i <= 41; i++) {
            fs.symlink("l" + (i - 1), "l" + i);
        }
        assertEquals("end", get("l40"));
        fails(Errno.ELOOP, () -> fs.stat("l41"));
    }

    @Case
    void readlinkOfALongTarget() {
        String target = repeat('t', 4095);
        fs.symlink(target, "l");
        assertEquals(target, fs.readlink("l"));
        assertEquals(4095, fs.lstat("l").size());
        fails(Errno.ENAMETOOLONG, () -> fs.symlink(target + "t", "m"));
    }

    @Case
    void chmodFollowsAndLchownDoesNot() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fs.chmod("l", 0600);
        assertEquals(0600, fs.stat("f").mode());
        assertEquals(0777, fs.lstat("l").mode());
        fs.lchown("l", ANN, ANNS);
        assertEquals(ANN, fs.lstat("l").uid());
        assertEquals(0, fs.stat("f").uid());
        fs.chown("l", BOB, BOBS);
        assertEquals(BOB, fs.stat("f").uid());
        assertEquals(ANN, fs.lstat("l").uid());
    }

    @Case
    void timesOfALinkAreItsOwn() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fs.lutimens("l", PAST, PAST + 7);
        assertEquals(PAST, fs.lstat("l").atimeNs());
        assertEquals(PAST + 7, fs.lstat("l").mtimeNs());
        assertEquals(true, fs.stat("f").mtimeNs() > PAST + 7);
    }

    @Case
    void linksAreRenamedAsTheyAre() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fs.rename("l", "m", 0);
        assertEquals("f", fs.readlink("m"));
        fs.rename("f", "m", 0);
        assertEquals(FileType.FILE, fs.lstat("m").type());
    }

    @Case
    void permissionOfALinkItselfDoesNotMatter() {
        put("f", "abc");
        fs.symlink("f", "l");
        assertEquals("f", ann().readlink("l"));
        int fd = ann().open("l", O_RDONLY, 0);
        assertEquals("abc", text(ann().read(fd, 10)));
    }
}
