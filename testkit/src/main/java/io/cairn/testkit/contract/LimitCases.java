package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.SEEK_SET;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** NAME_MAX, PATH_MAX, LINK_MAX, the largest file, statvfs(3). */
final class LimitCases extends Scene {
    private static final int NAME_MAX = 255;
    private static final int PATH_MAX = 4096;

    LimitCases(Posix fs) {
        super(fs);
    }

    @Case
    void namesHaveTwoHundredFiftyFiveBytes() {
        String name = repeat('n', NAME_MAX);
        fs.create(name, 0644);
        assertEquals(List.of(name), fs.list("."));
        fs.rename(name, repeat('m', NAME_MAX), 0);
        fs.unlink(repeat('m', NAME_MAX));
        fs.mkdir(name, 0755);
        fs.create(name + "/" + name, 0644);
        assertEquals(FileType.FILE, fs.stat(name + "/" + name).type());
    }

    @Case
    void longerNamesAreRefusedByEveryCall() {
        String tooLong = repeat('n', NAME_MAX + 1);
        fs.create("f", 0644);
        fails(Errno.ENAMETOOLONG, () -> fs.stat(tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.create(tooLong, 0644));
        fails(Errno.ENAMETOOLONG, () -> fs.open(tooLong, O_RDONLY, 0));
        fails(Errno.ENAMETOOLONG, () -> fs.mkdir(tooLong, 0755));
        fails(Errno.ENAMETOOLONG, () -> fs.symlink("x", tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.link("f", tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.rename("f", tooLong, 0));
        fails(Errno.ENAMETOOLONG, () -> fs.rename(tooLong, "g", 0));
        fails(Errno.ENAMETOOLONG, () -> fs.unlink(tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.rmdir(tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.truncate(tooLong, 0));
        fails(Errno.ENAMETOOLONG, () -> fs.chmod(tooLong, 0));
        fails(Errno.ENAMETOOLONG, () -> fs.readlink(tooLong));
        fails(Errno.ENAMETOOLONG, () -> fs.mknod(tooLong, FileType.FILE, 0600, 0));
    }

    @Case
    void longNameOnTheWayIsRefused() {
        fails(Errno.ENAMETOOLONG, () -> fs.stat(repeat('n', NAME_MAX + 1) + "/f"));
    }

    @Case
    void limitCountsBytesNotLetters() {
        String letters = Posix.text("\u00e9".repeat(128));
        assertEquals(256, letters.length());
        fails(Errno.ENAMETOOLONG, () -> fs.create(letters, 0644));
        fs.create(letters.substring(0, 254), 0644);
    }

    /** A tree of directories whose path has exactly {@code length} bytes. */
    private String deepDirectory(int length) {
        StringBuilder path = new StringBuilder();
        while (path.length() < length) {
            int left = length - path.length() - (path.isEmpty() ? 0 : 1);
            int next = left > 210 ? 200 : left;
            path.append(path.isEmpty() ? "" : "/").append(repeat('d', next));
            fs.mkdir(path.toString(), 0755);
        }
        return path.toString();
    }

    @Case
    void pathsHaveFourThousandNinetyFiveBytes() {
        String directory = deepDirectory(PATH_MAX - 1 - 10);
        String path = directory + "/" + repeat('f', 9);
        assertEquals(PATH_MAX - 1, path.length());
        fs.create(path, 0644);
        assertEquals(FileType.FILE, fs.stat(path).type());
        fails(Errno.ENAMETOOLONG, () -> fs.stat(path + "f"));
        fails(Errno.ENAMETOOLONG, () -> fs.create(path + "f", 0644));
        fails(Errno.ENAMETOOLONG, () -> fs.rename(path, path + "f", 0));
        fails(Errno.ENAMETOOLONG, () -> fs.mkdir(path + "f", 0755));
    }

    @Case
    void slashesCountForThePath() {
        String slashes = repeat('/', PATH_MAX - 2);
        assertEquals(fs.stat(".").ino(), fs.stat("." + slashes).ino());
        fails(Errno.ENAMETOOLONG, () -> fs.stat("." + slashes + "/"));
    }

    @Case
    void treesMayBeDeeperThanPaths() {
        String directory = deepDirectory(3000);
        try (Posix inside = fs.process(directory)) {
            String more = repeat('e', 200);
            StringBuilder path = new StringBuilder(more);
            for (int i = 0; i < 10; i++) {
                inside.mkdir(path.toString(), 0755);
                path.append('/').append(more);
            }
            inside.create(path.toString(), 0644);
            assertEquals(FileType.FILE, inside.stat(path.toString()).type());
            clear(inside);
        }
    }

    private static void clear(Posix fs) {
        FileSystemContract.clear(fs, ".");
    }

    @Case(reachesLinkMax = true)
    void filesHaveAtMostLinkMaxLinks() {
        fs.create("f", 0644);
        for (int i = 1; i < fs.reachableLinks(); i++) {
            fs.link("f", "l" + i);
        }
        assertEquals(fs.reachableLinks(), fs.stat("f").nlink());
        fails(Errno.EMLINK, () -> fs.link("f", "more"));
        fs.unlink("l1");
        fs.link("f", "more");
    }

    @Case(reachesLinkMax = true)
    void directoriesWithMoreLinksThanLinkMaxShowOne() {
        fs.mkdir("d", 0755);
        for (int i = 2; i < fs.reachableLinks(); i++) {
            fs.mkdir("d/" + i, 0755);
        }
        assertEquals(fs.reachableLinks(), fs.stat("d").nlink());
        fs.mkdir("d/more", 0755);
        assertEquals(1, fs.stat("d").nlink());
        fs.mkdir("e", 0755);
        fs.rename("e", "d/most", 0);
        assertEquals(1, fs.stat("d").nlink());
        fails(Errno.ENOTEMPTY, () -> fs.rmdir("d"));
        for (String name : fs.list("d")) {
            fs.rmdir("d/" + name);
        }
        fs.rmdir("d");
        isAbsent("d");
    }

    @Case
    void rangesBeyondTheLargestOffsetAreEinval() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fails(Errno.EINVAL, () -> fs.pwrite(fd, bytes("x"), Long.MAX_VALUE));
        assertEquals(0, fs.stat("f").size());
    }

    @Case
    void seekToABigOffsetIsAllowed() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        assertEquals(1L << 40, fs.lseek(fd, 1L << 40, SEEK_SET));
        assertEquals(0, fs.fstat(fd).size());
    }

    @Case
    void volumeTellsSensibleNumbers() {
        Posix.Volume v = fs.statvfs(".");
        assertTrue(v.blockBytes() >= 512, v.toString());
        assertTrue(v.blocks() > 0 && v.freeBlocks() <= v.blocks(), v.toString());
        assertTrue(v.availableBlocks() <= v.freeBlocks(), v.toString());
        assertTrue(v.freeFiles() <= v.files(), v.toString());
        assertEquals(NAME_MAX, v.maxNameBytes());
    }

    @Case
    void volumeIsToldThroughAnyPath() {
        fs.create("f", 0644);
        fs.symlink("f", "l");
        assertEquals(fs.statvfs(".").blocks(), fs.statvfs("f").blocks());
        assertEquals(fs.statvfs(".").blocks(), fs.statvfs("l").blocks());
        fails(Errno.ENOENT, () -> fs.statvfs("missing"));
        fails(Errno.ENOTDIR, () -> fs.statvfs("f/x"));
    }

    @Case
    void thousandFilesInADirectory() {
        for (int i = 0; i < 1000; i++) {
            fs.create("file-" + i, 0644);
        }
        assertEquals(1000, fs.list(".").size());
        for (int i = 0; i < 1000; i += 2) {
            fs.unlink("file-" + i);
        }
        assertEquals(500, fs.list(".").size());
    }
}
