package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.FILE_CAPABILITIES;
import static io.cairn.testkit.posix.Posix.Capability.KILL_PRIVILEGE;
import static io.cairn.testkit.posix.Posix.O_APPEND;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_TRUNC;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;

/** chmod(2), chown(2), setuid, setgid, and the group of new files. */
final class OwnershipCases extends Scene {
    OwnershipCases(Posix fs) {
        super(fs);
    }

    private int mode(String path) {
        return fs.lstat(path).mode();
    }

    private void annsFile(int mode) {
        ann().create("f", 0600);
        fs.chmod("f", mode);
    }

    @Case
    void chmodSetsAllTwelveBits() {
        fs.create("f", 0644);
        for (int bits : new int[] {0, 0777, 04711, 02711, 01644, 07777, 0600}) {
            fs.chmod("f", bits);
            assertEquals(bits, mode("f"));
        }
        assertEquals(FileType.FILE, fs.stat("f").type());
    }

    @Case
    void chmodMovesCtimeOnly() {
        fs.create("f", 0644);
        moves("", ".", () -> moves("c", "f", () -> fs.chmod("f", 0600)));
        moves("c", "f", () -> fs.chmod("f", 0600));
    }

    @Case
    void chmodOfADirectory() {
        fs.mkdir("d", 0755);
        fs.chmod("d", 03770);
        assertEquals(03770, mode("d"));
    }

    @Case
    void chmodThroughADescriptor() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        moves("c", "f", () -> fs.fchmod(fd, 0640));
        assertEquals(0640, fs.fstat(fd).mode());
    }

    @Case
    void chmodIsForTheOwner() {
        annsFile(0666);
        ann().chmod("f", 0640);
        assertEquals(0640, mode("f"));
        fails(Errno.EPERM, () -> bob().chmod("f", 0666));
        int fd = fs.open("f", O_RDWR, 0);
        fails(Errno.EPERM, () -> bob().fchmod(fd, 0666));
        fails(Errno.ENOENT, () -> fs.chmod("missing", 0));
    }

    @Case
    void chmodByTheOwnerOutsideTheGroupLosesSetgid() {
        annsFile(0755);
        fs.chown("f", ANN, BOBS);
        ann().chmod("f", 02755);
        assertEquals(0755, mode("f"));
        fs.chmod("f", 02755);
        assertEquals(02755, mode("f"));
    }

    @Case
    void chmodByTheOwnerInsideTheGroupKeepsSetgid() {
        annsFile(0755);
        fs.chown("f", ANN, BOTH);
        ann().chmod("f", 06755);
        assertEquals(06755, mode("f"));
    }

    @Case
    void superuserChownsToAnybody() {
        fs.create("f", 0644);
        fs.chown("f", ANN, BOBS);
        assertEquals(ANN, fs.stat("f").uid());
        assertEquals(BOBS, fs.stat("f").gid());
    }

    @Case
    void chownMovesCtimeOnly() {
        fs.create("f", 0644);
        moves("", ".", () -> moves("c", "f", () -> fs.chown("f", ANN, ANNS)));
    }

    @Case
    void chownOfMinusOneLeavesTheId() {
        fs.create("f", 0644);
        fs.chown("f", ANN, -1);
        assertEquals(0, fs.stat("f").gid());
        fs.chown("f", -1, BOBS);
        assertEquals(ANN, fs.stat("f").uid());
        assertEquals(BOBS, fs.stat("f").gid());
    }

    @Case
    void chownThroughADescriptor() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.fchown(fd, ANN, ANNS);
        assertEquals(ANN, fs.fstat(fd).uid());
    }

    @Case
    void ownerGivesTheFileToAGroupOfTheirs() {
        annsFile(0644);
        ann().chown("f", -1, BOTH);
        assertEquals(BOTH, fs.stat("f").gid());
        ann().chown("f", ANN, ANNS);
        assertEquals(ANNS, fs.stat("f").gid());
    }

    @Case
    void ownerCannotGiveTheFileAway() {
        annsFile(0644);
        fails(Errno.EPERM, () -> ann().chown("f", BOB, -1));
        fails(Errno.EPERM, () -> ann().chown("f", -1, BOBS));
        fails(Errno.EPERM, () -> ann().chown("f", 0, ANNS));
    }

    @Case
    void othersCannotChown() {
        annsFile(0666);
        fails(Errno.EPERM, () -> bob().chown("f", BOB, -1));
        fails(Errno.EPERM, () -> bob().chown("f", -1, BOTH));
        fails(Errno.EPERM, () -> bob().chown("f", -1, BOBS));
    }

    @Case
    void chownClearsSetuidAndSetgid() {
        annsFile(06755);
        ann().chown("f", -1, BOTH);
        assertEquals(0755, mode("f"));
        fs.chmod("f", 06755);
        fs.chown("f", BOB, BOBS);
        assertEquals(0755, mode("f"));
    }

    @Case
    void chownKeepsSetgidWithoutGroupExecution() {
        annsFile(06644);
        fs.chown("f", BOB, BOBS);
        assertEquals(02644, mode("f"));
    }

    @Case
    void chownOfADirectoryKeepsItsBits() {
        fs.mkdir("d", 0755);
        fs.chmod("d", 07755);
        fs.chown("d", ANN, ANNS);
        assertEquals(07755, mode("d"));
    }

    @Case(needs = KILL_PRIVILEGE)
    void writeByAUserClearsSetuidAndSetgid() {
        annsFile(06777);
        int fd = ann().open("f", O_WRONLY, 0);
        ann().write(fd, bytes("x"));
        ann().close(fd);
        assertEquals(0777, mode("f"));
    }

    @Case(needs = KILL_PRIVILEGE)
    void anAppendByAUserClearsSetuidAndSetgid() {
        annsFile(06777);
        int fd = ann().open("f", O_WRONLY | O_APPEND, 0);
        ann().write(fd, bytes("x"));
        assertEquals(0777, mode("f"));
        ann().close(fd);
    }

    @Case(needs = KILL_PRIVILEGE)
    void truncationByAUserClearsSetuidAndSetgid() {
        annsFile(06777);
        ann().truncate("f", 10);
        assertEquals(0777, mode("f"));
        fs.chmod("f", 06777);
        ann().close(ann().open("f", O_WRONLY | O_TRUNC, 0));
        assertEquals(0777, mode("f"));
    }

    /** CAP_NET_BIND_SERVICE, effective (struct vfs_cap_data, revision 2). */
    private static final byte[] BIND = {1, 0, 0, 2, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    private void losesCapability(Runnable change) {
        fs.setxattr("f", "security.capability", BIND, 0);
        assertEquals(BIND.length, fs.getxattr("f", "security.capability", 100).length);
        change.run();
        fails(Errno.ENODATA, () -> fs.getxattr("f", "security.capability", 100));
    }

    private void write(String path, int flags) {
        int fd = fs.open(path, O_WRONLY | flags, 0);
        fs.write(fd, bytes("y"));
        fs.close(fd);
    }

    @Case(needs = FILE_CAPABILITIES)
    void capabilityGoesWithAnyChangeOfContentsOrOwner() {
        put("f", "contents");
        losesCapability(() -> write("f", 0));
        losesCapability(() -> write("f", O_APPEND));
        losesCapability(() -> write("f", O_TRUNC));
        losesCapability(() -> fs.truncate("f", 3));
        losesCapability(() -> fs.chown("f", ANN, ANNS));
        int fd = fs.open("f", O_RDWR, 0);
        losesCapability(() -> fs.ftruncate(fd, 2));
        losesCapability(() -> fs.pwrite(fd, bytes("z"), 0));
        fs.link("f", "g");
        losesCapability(() -> write("f", 0));
        losesCapability(() -> write("g", O_APPEND));
    }

    @Case
    void writeByTheSuperuserKeepsSetuid() {
        annsFile(06777);
        int fd = fs.open("f", O_WRONLY, 0);
        fs.write(fd, bytes("x"));
        fs.close(fd);
        assertEquals(06777, mode("f"));
    }

    @Case
    void filesInASetgidDirectoryTakeItsGroup() {
        fs.mkdir("d", 0777);
        fs.chown("d", 0, BOTH);
        fs.chmod("d", 02777);
        ann().create("d/f", 0644);
        ann().symlink("x", "d/l");
        assertEquals(BOTH, fs.stat("d/f").gid());
        assertEquals(ANN, fs.stat("d/f").uid());
        assertEquals(0644, mode("d/f"));
        assertEquals(BOTH, fs.lstat("d/l").gid());
    }

    @Case
    void directoriesInASetgidDirectoryAreSetgidToo() {
        fs.mkdir("d", 0777);
        fs.chown("d", 0, BOTH);
        fs.chmod("d", 02777);
        ann().mkdir("d/e", 0755);
        ann().mkdir("d/e/f", 0700);
        assertEquals(BOTH, fs.stat("d/e").gid());
        assertEquals(02755, mode("d/e"));
        assertEquals(BOTH, fs.stat("d/e/f").gid());
        assertEquals(02700, mode("d/e/f"));
    }

    @Case
    void filesInAnOrdinaryDirectoryTakeTheGroupOfTheirMaker() {
        fs.mkdir("d", 0777);
        fs.chmod("d", 0777);
        fs.chown("d", 0, BOTH);
        ann().create("d/f", 0644);
        assertEquals(ANNS, fs.stat("d/f").gid());
    }

    @Case
    void setgidFileOfAnotherGroupLosesTheBit() {
        fs.mkdir("d", 0777);
        fs.chown("d", 0, BOBS);
        fs.chmod("d", 02777);
        ann().create("d/f", 02775);
        assertEquals(BOBS, fs.stat("d/f").gid());
        assertEquals(0775, mode("d/f"));
    }

    @Case
    void renameKeepsOwnerAndGroup() {
        annsFile(0644);
        fs.mkdir("d", 0777);
        fs.chown("d", 0, BOTH);
        fs.chmod("d", 02777);
        fs.rename("f", "d/f", 0);
        assertEquals(ANN, fs.stat("d/f").uid());
        assertEquals(ANNS, fs.stat("d/f").gid());
    }

    @Case
    void largeIdsAreKept() {
        fs.create("f", 0644);
        fs.chown("f", Integer.MAX_VALUE, Integer.MAX_VALUE - 1);
        assertEquals(Integer.MAX_VALUE, fs.stat("f").uid());
        fs.chown("f", -2, -3);
        assertEquals(-2, fs.stat("f").uid());
        assertEquals(-3, fs.stat("f").gid());
    }
}
