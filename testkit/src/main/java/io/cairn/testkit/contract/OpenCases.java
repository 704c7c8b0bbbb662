package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_APPEND;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_DIRECTORY;
import static io.cairn.testkit.posix.Posix.O_EXCL;
import static io.cairn.testkit.posix.Posix.O_NOFOLLOW;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_TRUNC;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;

/** open(2) and close(2). */
final class OpenCases extends Scene {
    OpenCases(Posix fs) {
        super(fs);
    }

    @Case
    void newFileHasTheAttributesAskedFor() {
        fs.create("f", 0640);
        Posix.Stat f = fs.stat("f");
        assertEquals(FileType.FILE, f.type());
        assertEquals(0640, f.mode());
        assertEquals(1, f.nlink());
        assertEquals(0, f.size());
        assertEquals(0, f.blocks());
        assertEquals(0, f.uid());
        assertEquals(0, f.gid());
    }

    @Case
    void newFileBelongsToItsMaker() {
        ann().create("f", 0644);
        assertEquals(ANN, fs.stat("f").uid());
        assertEquals(ANNS, fs.stat("f").gid());
    }

    @Case
    void createMovesTheTimesOfTheDirectory() {
        moves("mc", ".", () -> fs.create("f", 0644));
    }

    @Case
    void newFileHasThreeEqualFreshTimes() {
        long before = fs.stat(".").ctimeNs();
        tick();
        fs.close(fs.open("f", O_CREAT | O_WRONLY | O_EXCL, 0644));
        Posix.Stat f = fs.stat("f");
        assertEquals(f.atimeNs(), f.mtimeNs());
        assertEquals(f.mtimeNs(), f.ctimeNs());
        assertEquals(true, f.ctimeNs() > before);
    }

    @Case
    void openOfAnExistingFileWithCreatChangesNothing() {
        put("f", "old");
        fs.chmod("f", 0600);
        moves("", ".", () -> moves("", "f", () -> fs.close(fs.open("f", O_CREAT | O_RDWR, 0777))));
        assertEquals("old", get("f"));
        assertEquals(0600, fs.stat("f").mode());
    }

    @Case
    void exclusiveCreationOfAnExistingFileIsEexist() {
        put("f", "old");
        fails(Errno.EEXIST, () -> fs.open("f", O_CREAT | O_EXCL | O_WRONLY | O_TRUNC, 0644));
        assertEquals("old", get("f"));
    }

    @Case
    void exclusiveCreationOfOtherTypesIsEexist() {
        fs.mkdir("d", 0755);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.open("d", O_CREAT | O_EXCL | O_WRONLY, 0644));
        fails(Errno.EEXIST, () -> fs.open("l", O_CREAT | O_EXCL | O_WRONLY, 0644));
        isAbsent("missing");
    }

    @Case
    void creationThroughADanglingLinkMakesTheTarget() {
        fs.symlink("target", "l");
        fs.close(fs.open("l", O_CREAT | O_WRONLY, 0644));
        assertEquals(FileType.FILE, fs.lstat("target").type());
        assertEquals(FileType.SYMLINK, fs.lstat("l").type());
    }

    @Case
    void truncationAtOpenEmptiesTheFile() {
        put("f", "contents");
        moves("mc", "f", () -> fs.close(fs.open("f", O_WRONLY | O_TRUNC, 0)));
        assertEquals(0, fs.stat("f").size());
        assertEquals("", get("f"));
    }

    @Case
    void truncationAtOpenMovesTheTimesOfAnEmptyFileToo() {
        fs.create("f", 0644);
        moves("mc", "f", () -> fs.close(fs.open("f", O_WRONLY | O_TRUNC, 0)));
    }

    @Case
    void truncationAtOpenIsSeenByOtherDescriptors() {
        put("f", "contents");
        int fd = fs.open("f", O_RDONLY, 0);
        fs.close(fs.open("f", O_WRONLY | O_TRUNC, 0));
        assertEquals(0, fs.fstat(fd).size());
        assertEquals(0, fs.pread(fd, 10, 0).length);
    }

    @Case
    void openOfADirectoryForWritingIsEisdir() {
        fs.mkdir("d", 0755);
        fails(Errno.EISDIR, () -> fs.open("d", O_WRONLY, 0));
        fails(Errno.EISDIR, () -> fs.open("d", O_RDWR, 0));
        fails(Errno.EISDIR, () -> fs.open("d", O_RDONLY | O_TRUNC, 0));
        fails(Errno.EISDIR, () -> fs.open("d", O_RDONLY | O_CREAT, 0644));
    }

    @Case
    void readAndWriteOfADirectoryAreRefused() {
        int fd = fs.open(".", O_RDONLY, 0);
        fails(Errno.EISDIR, () -> fs.read(fd, 10));
        fails(Errno.EBADF, () -> fs.write(fd, bytes("x")));
    }

    @Case
    void directoryFlagOnAFileIsEnotdir() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fails(Errno.ENOTDIR, () -> fs.open("f", O_RDONLY | O_DIRECTORY, 0));
        fails(Errno.ENOTDIR, () -> fs.open("l", O_RDONLY | O_DIRECTORY, 0));
    }

    @Case
    void nofollowOnALinkIsEloop() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        fails(Errno.ELOOP, () -> fs.open("l", O_RDONLY | O_NOFOLLOW, 0));
        fails(Errno.ELOOP, () -> fs.open("l", O_RDWR | O_CREAT | O_NOFOLLOW, 0644));
        fs.close(fs.open("f", O_RDONLY | O_NOFOLLOW, 0));
    }

    @Case
    void nofollowMattersOnlyForTheLastComponent() {
        fs.mkdir("d", 0755);
        fs.create("d/f", 0644);
        fs.symlink("d", "l");
        fs.close(fs.open("l/f", O_RDONLY | O_NOFOLLOW, 0));
    }

    @Case
    void readOnlyDescriptorDoesNotWrite() {
        put("f", "x");
        int fd = fs.open("f", O_RDONLY, 0);
        fails(Errno.EBADF, () -> fs.write(fd, bytes("y")));
        fails(Errno.EBADF, () -> fs.pwrite(fd, bytes("y"), 0));
        fails(Errno.EINVAL, () -> fs.ftruncate(fd, 0));
        assertEquals("x", get("f"));
    }

    @Case
    void writeOnlyDescriptorDoesNotRead() {
        put("f", "x");
        int fd = fs.open("f", O_WRONLY, 0);
        fails(Errno.EBADF, () -> fs.read(fd, 1));
        fails(Errno.EBADF, () -> fs.pread(fd, 1, 0));
    }

    @Case
    void closedDescriptorIsEbadf() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.close(fd);
        fails(Errno.EBADF, () -> fs.read(fd, 1));
        fails(Errno.EBADF, () -> fs.fstat(fd));
        fails(Errno.EBADF, () -> fs.close(fd));
    }

    @Case
    void rightsOfADescriptorOutliveTheMode() {
        int fd = ann().open("f", O_CREAT | O_RDWR, 0000);
        ann().write(fd, bytes("mine"));
        assertEquals("mine", text(ann().pread(fd, 10, 0)));
        ann().ftruncate(fd, 2);
        assertEquals(2, fs.stat("f").size());
        fails(Errno.EACCES, () -> ann().open("f", O_RDONLY, 0));
    }

    @Case
    void descriptorFollowsARename() {
        int fd = fs.open("a", O_CREAT | O_RDWR, 0644);
        fs.mkdir("d", 0755);
        fs.rename("a", "d/b", 0);
        fs.write(fd, bytes("moved"));
        assertEquals("moved", get("d/b"));
        assertEquals(fs.stat("d/b").ino(), fs.fstat(fd).ino());
    }

    @Case
    void duplicateDescriptorSharesTheOffset() {
        put("f", "abcdef");
        int fd = fs.open("f", O_RDONLY, 0);
        int twin = fs.dup(fd);
        assertEquals("abc", text(fs.read(fd, 3)));
        assertEquals("def", text(fs.read(twin, 3)));
        fs.close(fd);
        assertEquals(0, fs.read(twin, 3).length);
    }

    @Case
    void appendWithTruncateStartsEmpty() {
        put("f", "old");
        int fd = fs.open("f", O_WRONLY | O_APPEND | O_TRUNC, 0);
        fs.write(fd, bytes("new"));
        assertEquals("new", get("f"));
    }

    @Case
    void modeOfANewFileDoesNotBindItsCreatingDescriptor() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0444);
        assertEquals(3, fs.write(fd, bytes("abc")));
        assertEquals(0444, fs.fstat(fd).mode());
    }

    @Case
    void setuidSetgidAndStickyOfANewFileAreKept() {
        fs.create("f", 07755);
        assertEquals(07755, fs.stat("f").mode());
    }
}
