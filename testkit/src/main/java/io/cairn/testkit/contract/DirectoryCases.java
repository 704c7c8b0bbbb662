package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** mkdir(2), rmdir(2), readdir(3). */
final class DirectoryCases extends Scene {
    DirectoryCases(Posix fs) {
        super(fs);
    }

    @Case
    void newDirectoryHasTheAttributesAskedFor() {
        fs.mkdir("d", 0750);
        Posix.Stat d = fs.stat("d");
        assertEquals(FileType.DIRECTORY, d.type());
        assertEquals(0750, d.mode());
        assertEquals(List.of(), fs.list("d"));
    }

    @Case
    void newDirectoryKeepsStickyButNotSetuid() {
        fs.mkdir("d", 05777);
        assertEquals(01777, fs.stat("d").mode());
    }

    @Case
    void newDirectoryBelongsToItsMaker() {
        ann().mkdir("d", 0755);
        assertEquals(ANN, fs.stat("d").uid());
        assertEquals(ANNS, fs.stat("d").gid());
    }

    @Case
    void linkCountOfADirectoryCountsItsSubdirectories() {
        fs.mkdir("d", 0755);
        assertEquals(2, fs.stat("d").nlink());
        fs.mkdir("d/a", 0755);
        fs.mkdir("d/b", 0755);
        fs.create("d/f", 0644);
        assertEquals(4, fs.stat("d").nlink());
        fs.rmdir("d/a");
        assertEquals(3, fs.stat("d").nlink());
    }

    @Case
    void mkdirMovesTheTimesOfTheParent() {
        moves("mc", ".", () -> fs.mkdir("d", 0755));
    }

    @Case
    void rmdirMovesTheTimesOfTheParent() {
        fs.mkdir("d", 0755);
        moves("mc", ".", () -> fs.rmdir("d"));
        isAbsent("d");
    }

    @Case
    void mkdirOfAnythingThatExistsIsEexist() {
        fs.mkdir("d", 0755);
        fs.create("f", 0644);
        fs.symlink("missing", "l");
        fails(Errno.EEXIST, () -> fs.mkdir("d", 0755));
        fails(Errno.EEXIST, () -> fs.mkdir("f", 0755));
        fails(Errno.EEXIST, () -> fs.mkdir("l", 0755));
        isAbsent("missing");
    }

    @Case
    void failedMkdirMovesNoTimes() {
        fs.create("f", 0644);
        moves("", ".", () -> fails(Errno.EEXIST, () -> fs.mkdir("f", 0755)));
    }

    @Case
    void rmdirOfAFullDirectoryIsEnotempty() {
        fs.mkdir("d", 0755);
        fs.create("d/f", 0644);
        moves("", ".", () -> fails(Errno.ENOTEMPTY, () -> fs.rmdir("d")));
        fs.unlink("d/f");
        fs.rmdir("d");
    }

    @Case
    void rmdirOfOtherTypesIsEnotdir() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        fs.symlink("d", "l");
        fails(Errno.ENOTDIR, () -> fs.rmdir("f"));
        fails(Errno.ENOTDIR, () -> fs.rmdir("l"));
        fails(Errno.ENOTDIR, () -> fs.rmdir("l/"));
        fails(Errno.ENOENT, () -> fs.rmdir("missing"));
    }

    @Case
    void unlinkOfADirectoryIsEisdir() {
        fs.mkdir("d", 0755);
        fails(Errno.EISDIR, () -> fs.unlink("d"));
        fails(Errno.EISDIR, () -> fs.unlink("d/"));
        assertEquals(FileType.DIRECTORY, fs.stat("d").type());
    }

    @Case
    void nothingCanBeMadeInARemovedDirectory() {
        fs.mkdir("d", 0755);
        try (Posix inside = fs.process("d")) {
            fs.rmdir("d");
            fails(Errno.ENOENT, () -> inside.create("f", 0644));
            fails(Errno.ENOENT, () -> inside.mkdir("e", 0755));
            fails(Errno.ENOENT, () -> inside.symlink("x", "l"));
            fails(Errno.ENOENT, () -> inside.stat("f"));
        }
    }

    @Case
    void listingHasDotsAndEveryNameWithTypeAndNumber() {
        fs.create("f", 0644);
        fs.mkdir("d", 0755);
        fs.symlink("f", "l");
        int fd = fs.opendir(".");
        List<String> seen = new ArrayList<>();
        for (Posix.Entry e : all(fd)) {
            seen.add(e.name() + " " + e.type());
            assertEquals(fs.lstat(e.name()).ino(), e.ino(), e.name());
        }
        seen.sort(null);
        assertEquals(
                List.of(". DIRECTORY", ".. DIRECTORY", "d DIRECTORY", "f FILE", "l SYMLINK"), seen);
    }

    private List<Posix.Entry> all(int fd) {
        List<Posix.Entry> entries = new ArrayList<>();
        for (List<Posix.Entry> p = fs.readdir(fd); !p.isEmpty(); p = fs.readdir(fd)) {
            entries.addAll(p);
        }
        return entries;
    }

    private Set<String> make(String prefix, int count) {
        Set<String> names = new HashSet<>();
        for (int i = 0; i < count; i++) {
            fs.create(prefix + i, 0644);
            names.add(prefix + i);
        }
        return names;
    }

    @Case
    void bigListingHasEveryNameOnce() {
        Set<String> names = make("some-longer-name-", 700);
        assertEquals(names.stream().sorted().toList(), fs.list("."));
    }

    @Case
    void endedListingStaysEnded() {
        make("f", 20);
        int fd = fs.opendir(".");
        assertEquals(22, all(fd).size());
        assertEquals(0, fs.readdir(fd).size());
    }

    @Case
    void rewoundListingSeesNewNames() {
        make("f", 20);
        int fd = fs.opendir(".");
        assertEquals(22, all(fd).size());
        fs.create("new", 0644);
        fs.unlink("f0");
        fs.seekdir(fd, 0);
        List<String> names = all(fd).stream().map(Posix.Entry::name).toList();
        assertEquals(22, names.size());
        assertTrue(names.contains("new") && !names.contains("f0"));
    }

    @Case
    void listingContinuesAfterAnyCookie() {
        make("f", 60);
        int fd = fs.opendir(".");
        List<Posix.Entry> all = all(fd);
        for (int i = 0; i < all.size(); i += 5) {
            fs.seekdir(fd, all.get(i).cookie());
            List<String> rest = all(fd).stream().map(Posix.Entry::name).toList();
            assertEquals(
                    all.subList(i + 1, all.size()).stream().map(Posix.Entry::name).toList(), rest);
        }
    }

    @Case
    void namesThatStayAreListedOnceWhileOthersGo() {
        Set<String> staying = make("stay", 150);
        make("go", 150);
        int fd = fs.opendir(".");
        List<String> seen = new ArrayList<>();
        int round = 0;
        for (List<Posix.Entry> p = fs.readdir(fd); !p.isEmpty(); p = fs.readdir(fd)) {
            p.forEach(e -> seen.add(e.name()));
            for (int i = 0; i < 4 && round < 150; i++, round++) {
                fs.unlink("go" + round);
            }
        }
        seen.removeIf(name -> !name.startsWith("stay"));
        assertEquals(staying.stream().sorted().toList(), seen.stream().sorted().toList());
    }

    @Case
    void namesThatStayAreListedOnceWhileOthersCome() {
        Set<String> staying = make("stay", 150);
        int fd = fs.opendir(".");
        List<String> seen = new ArrayList<>();
        int round = 0;
        for (List<Posix.Entry> p = fs.readdir(fd); !p.isEmpty(); p = fs.readdir(fd)) {
            p.forEach(e -> seen.add(e.name()));
            for (int i = 0; i < 3 && round < 200; i++, round++) {
                fs.create("come" + round, 0644);
            }
        }
        seen.removeIf(name -> !name.startsWith("stay"));
        assertEquals(staying.stream().sorted().toList(), seen.stream().sorted().toList());
    }

    @Case
    void directoryCanBeEmptiedWhileItIsListed() {
        make("f", 200);
        int fd = fs.opendir(".");
        for (List<Posix.Entry> p = fs.readdir(fd); !p.isEmpty(); p = fs.readdir(fd)) {
            p.stream()
                    .map(Posix.Entry::name)
                    .filter(name -> name.startsWith("f"))
                    .forEach(fs::unlink);
        }
        assertEquals(List.of(), fs.list("."));
    }

    @Case
    void opendirOfAFileIsEnotdir() {
        fs.create("f", 0644);
        fails(Errno.ENOTDIR, () -> fs.opendir("f"));
        fails(Errno.ENOENT, () -> fs.opendir("missing"));
        int fd = fs.open("f", O_RDONLY, 0);
        fails(Errno.ENOTDIR, () -> fs.readdir(fd));
    }

    @Case
    void cookieOfANameSurvivesOtherChanges() {
        make("f", 30);
        int fd = fs.opendir(".");
        Posix.Entry middle = all(fd).get(15);
        make("g", 30);
        fs.seekdir(fd, middle.cookie());
        List<String> rest = all(fd).stream().map(Posix.Entry::name).toList();
        assertTrue(!rest.contains(middle.name()), "listing continues after " + middle);
    }

    @Case
    void sizeOfADirectoryIsNotNegative() {
        make("f", 100);
        assertTrue(fs.stat(".").size() >= 0);
    }

    @Case
    void deepTreesWork() {
        StringBuilder path = new StringBuilder("d");
        fs.mkdir("d", 0755);
        for (int i = 0; i < 100; i++) {
            path.append("/d");
            fs.mkdir(path.toString(), 0755);
        }
        fs.close(fs.open(path + "/f", O_CREAT | O_WRONLY, 0644));
        assertEquals(List.of("f"), fs.list(path.toString()));
    }
}
