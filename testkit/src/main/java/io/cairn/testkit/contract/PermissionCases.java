package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.F_OK;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_TRUNC;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static io.cairn.testkit.posix.Posix.R_OK;
import static io.cairn.testkit.posix.Posix.W_OK;
import static io.cairn.testkit.posix.Posix.X_OK;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.Caller;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** The rights of callers: mode bits, groups, search, sticky directories, access(2). */
final class PermissionCases extends Scene {
    PermissionCases(Posix fs) {
        super(fs);
    }

    private void annsFile(String path, int mode) {
        ann().create(path, mode);
        ann().chmod(path, mode);
    }

    private void annsDirectory(String path, int mode) {
        ann().mkdir(path, 0700);
        ann().chmod(path, mode);
    }

    private void opens(Posix who, int flags) {
        who.close(who.open("f", flags, 0));
    }

    private void refuses(Posix who, int flags) {
        fails(Errno.EACCES, () -> who.open("f", flags, 0));
    }

    @Case
    void whatIsNoDirectoryIsToldBeforeWhoMay() {
        fs.create("f", 0600);
        fs.create("g", 0666);
        Posix ann = ann();
        fails(Errno.ENOTDIR, () -> ann.stat("f/x"));
        fails(Errno.ENOTDIR, () -> ann.open("f/x", O_RDONLY, 0));
        fails(Errno.ENOTDIR, () -> ann.create("f/x", 0644));
        fails(Errno.ENOTDIR, () -> ann.mkdir("f/x", 0755));
        fails(Errno.ENOTDIR, () -> ann.symlink("t", "f/x"));
        fails(Errno.ENOTDIR, () -> ann.unlink("f/x"));
        fails(Errno.ENOTDIR, () -> ann.rmdir("f/x"));
        fails(Errno.ENOTDIR, () -> ann.rename("f/x", "h", 0));
        fails(Errno.ENOTDIR, () -> ann.rename("g", "f/x", 0));
        fails(Errno.ENOTDIR, () -> ann.opendir("f"));
        fails(Errno.ENOTDIR, () -> ann.truncate("f/x", 0));
        fails(Errno.ENOTDIR, () -> ann.chmod("f/x", 0));
    }

    @Case
    void ownerBitsRuleForTheOwner() {
        annsFile("f", 0400);
        opens(ann(), O_RDONLY);
        refuses(ann(), O_WRONLY);
        refuses(ann(), O_RDWR);
        annsFile("f2", 0200);
        fails(Errno.EACCES, () -> ann().open("f2", O_RDONLY, 0));
    }

    @Case
    void groupBitsRuleForTheGroup() {
        annsFile("f", 0040);
        fs.chown("f", ANN, BOBS);
        opens(bob(), O_RDONLY);
        refuses(bob(), O_WRONLY);
        fs.chmod("f", 0020);
        refuses(bob(), O_RDONLY);
        opens(bob(), O_WRONLY);
    }

    @Case
    void groupBitsRuleForSupplementaryGroupsToo() {
        annsFile("f", 0040);
        fs.chown("f", ANN, BOTH);
        opens(bob(), O_RDONLY);
        refuses(bob(), O_WRONLY);
    }

    @Case
    void otherBitsRuleForOthers() {
        annsFile("f", 0004);
        opens(bob(), O_RDONLY);
        refuses(bob(), O_WRONLY);
        fs.chmod("f", 0002);
        refuses(bob(), O_RDONLY);
        opens(bob(), O_WRONLY);
    }

    @Case
    void ownerWithoutBitsIsNotHelpedByTheOthers() {
        annsFile("f", 0066);
        refuses(ann(), O_RDONLY);
        refuses(ann(), O_WRONLY);
    }

    @Case
    void groupWithoutBitsIsNotHelpedByTheOthers() {
        annsFile("f", 0606);
        fs.chown("f", ANN, BOTH);
        refuses(bob(), O_RDONLY);
    }

    @Case
    void superuserReadsAndWritesEverything() {
        annsFile("f", 0000);
        opens(fs, O_RDWR);
        annsDirectory("d", 0000);
        fs.create("d/g", 0644);
        assertEquals(List.of("g"), fs.list("d"));
    }

    @Case
    void truncationNeedsWritePermission() {
        annsFile("f", 0644);
        refuses(bob(), O_RDONLY | O_TRUNC);
        annsFile("g", 0444);
        fails(Errno.EACCES, () -> ann().truncate("g", 0));
    }

    @Case
    void searchPermissionIsNeededOnTheWay() {
        annsDirectory("d", 0666);
        fs.create("d/f", 0666);
        fails(Errno.EACCES, () -> bob().stat("d/f"));
        fails(Errno.EACCES, () -> bob().open("d/f", O_RDONLY, 0));
        fails(Errno.EACCES, () -> ann().stat("d/f"));
        fails(Errno.EACCES, () -> bob().stat("d/missing"));
        fails(Errno.EACCES, () -> bob().stat("d/."));
    }

    @Case
    void searchPermissionIsEnoughToReachAFile() {
        annsDirectory("d", 0711);
        fs.create("d/f", 0644);
        assertEquals(0, bob().stat("d/f").size());
        fails(Errno.EACCES, () -> bob().list("d"));
        fails(Errno.ENOENT, () -> bob().stat("d/missing"));
    }

    @Case
    void readPermissionIsEnoughToList() {
        annsDirectory("d", 0744);
        fs.create("d/f", 0644);
        assertEquals(List.of("f"), bob().list("d"));
        fails(Errno.EACCES, () -> bob().stat("d/f"));
    }

    @Case
    void makingNamesNeedsWriteAndSearch() {
        for (int mode : new int[] {0755, 0754, 0752}) {
            annsDirectory("d" + mode, mode);
            String d = "d" + mode;
            fails(Errno.EACCES, () -> bob().create(d + "/f", 0644));
            fails(Errno.EACCES, () -> bob().mkdir(d + "/d", 0755));
            fails(Errno.EACCES, () -> bob().symlink("x", d + "/l"));
        }
        annsDirectory("d", 0733);
        bob().create("d/f", 0644);
    }

    @Case
    void linkNeedsWritePermissionOnTheDirectory() {
        bob().create("f", 0644);
        annsDirectory("d", 0755);
        fails(Errno.EACCES, () -> bob().link("f", "d/g"));
    }

    @Case
    void removingNamesNeedsWriteAndSearch() {
        annsDirectory("d", 0755);
        fs.create("d/f", 0666);
        fs.mkdir("d/e", 0777);
        fails(Errno.EACCES, () -> bob().unlink("d/f"));
        fails(Errno.EACCES, () -> bob().rmdir("d/e"));
        fails(Errno.EACCES, () -> bob().rename("d/f", "d/g", 0));
        fails(Errno.EACCES, () -> bob().rename("d/f", "g", 0));
        assertEquals(List.of("e", "f"), fs.list("d"));
    }

    @Case
    void filesOfOthersCanBeRemovedFromAWritableDirectory() {
        annsFile("f", 0400);
        bob().unlink("f");
        isAbsent("f");
    }

    @Case
    void renameIntoADirectoryNeedsWritePermissionThere() {
        bob().create("f", 0644);
        annsDirectory("d", 0755);
        fails(Errno.EACCES, () -> bob().rename("f", "d/f", 0));
    }

    @Case
    void movingADirectoryNeedsWritePermissionOnItself() {
        annsDirectory("d", 0755);
        fs.mkdir("e", 0777);
        fs.chmod("e", 0777);
        fails(Errno.EACCES, () -> bob().rename("d", "e/d", 0));
        bob().rename("d", "d2", 0);
        assertEquals(List.of("d2", "e"), fs.list("."));
    }

    @Case
    void existenceIsToldBeforePermission() {
        annsDirectory("d", 0755);
        fs.create("d/f", 0644);
        fails(Errno.EEXIST, () -> bob().mkdir("d/f", 0755));
        fails(Errno.EEXIST, () -> bob().symlink("x", "d/f"));
        fails(Errno.ENOENT, () -> bob().unlink("d/missing"));
        fails(Errno.ENOENT, () -> bob().rmdir("d/missing"));
    }

    @Case
    void existingFileCanBeOpenedWithCreatInAReadOnlyDirectory() {
        annsDirectory("d", 0755);
        fs.create("d/f", 0666);
        bob().close(bob().open("d/f", O_CREAT | O_RDWR, 0644));
    }

    @Case
    void stickyDirectoryKeepsFilesOfOthers() {
        annsDirectory("d", 01777);
        fs.create("d/roots", 0666);
        bob().create("d/bobs", 0644);
        fails(Errno.EPERM, () -> bob().unlink("d/roots"));
        fails(Errno.EPERM, () -> bob().rename("d/roots", "d/x", 0));
        fails(Errno.EPERM, () -> bob().rename("d/roots", "x", 0));
        fails(Errno.EPERM, () -> bob().rename("d/bobs", "d/roots", 0));
        bob().unlink("d/bobs");
        assertEquals(List.of("roots"), fs.list("d"));
    }

    @Case
    void stickyDirectoryKeepsDirectoriesOfOthers() {
        annsDirectory("d", 01777);
        fs.mkdir("d/e", 0777);
        fails(Errno.EPERM, () -> bob().rmdir("d/e"));
        fails(Errno.EPERM, () -> bob().rename("d/e", "d/x", 0));
    }

    @Case
    void ownerOfAStickyDirectoryRemovesEverything() {
        annsDirectory("d", 01777);
        bob().create("d/f", 0644);
        fs.create("d/g", 0644);
        ann().unlink("d/f");
        ann().rename("d/g", "d/h", 0);
        assertEquals(List.of("h"), fs.list("d"));
    }

    @Case
    void superuserRemovesFromAStickyDirectory() {
        annsDirectory("d", 01777);
        bob().create("d/f", 0644);
        fs.unlink("d/f");
        assertEquals(List.of(), fs.list("d"));
    }

    @Case
    void accessTellsWhatTheBitsGrant() {
        annsFile("f", 0640);
        fs.chown("f", ANN, BOTH);
        ann().access("f", R_OK | W_OK);
        fails(Errno.EACCES, () -> ann().access("f", X_OK));
        bob().access("f", R_OK);
        fails(Errno.EACCES, () -> bob().access("f", W_OK));
        Posix stranger = fs.as(Caller.of(60_003, 60_013));
        stranger.access("f", F_OK);
        fails(Errno.EACCES, () -> stranger.access("f", R_OK));
    }

    @Case
    void typesAreLookedAtBeforeRights() {
        fs.mkdir("d", 0700);
        fs.mkdir("open", 0777);
        annsFile("f", 0600);
        fails(Errno.EISDIR, () -> bob().truncate("d", 0));
        fails(Errno.EACCES, () -> bob().truncate("f", 0));
        fails(Errno.EINVAL, () -> bob().truncate("f", -1));
        fails(Errno.ENOTDIR, () -> bob().stat("f/x"));
        fails(Errno.ENOTDIR, () -> bob().rmdir("f"));
        fails(Errno.EISDIR, () -> bob().open("open", O_WRONLY, 0));
    }

    @Case
    void accessOfTheSuperuserNeedsOneExecuteBit() {
        annsFile("f", 0644);
        fs.access("f", R_OK | W_OK);
        fails(Errno.EACCES, () -> fs.access("f", X_OK));
        fs.chmod("f", 0654);
        fs.access("f", X_OK);
        annsDirectory("d", 0000);
        fs.access("d", R_OK | W_OK | X_OK);
    }

    @Case
    void accessOfAMissingFileIsEnoent() {
        fails(Errno.ENOENT, () -> fs.access("missing", F_OK));
        fails(Errno.EINVAL, () -> fs.access(".", 8));
    }

    @Case
    void statNeedsNoPermissionOnTheFile() {
        annsFile("f", 0000);
        assertEquals(ANN, bob().stat("f").uid());
    }
}
