package io.cairn.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.base.Errno;
import io.cairn.fs.Attributes;
import io.cairn.fs.FileSystem;
import io.cairn.fs.FileType;
import io.cairn.testkit.posix.Posix;
import io.cairn.testkit.posix.Posix.Capability;

/** The flags of chattr(1), as ext4 keeps them. Each case takes its flags away again. */
final class FlagCases extends Scene {
    FlagCases(Posix fs) {
        super(fs);
    }

    /** Does something while an inode has flags. */
    private void with(int flags, String path, Runnable action) {
        fs.setflags(path, flags);
        try {
            action.run();
        } finally {
            fs.setflags(path, 0);
        }
    }

    private static void refused(Runnable action) {
        fails(Errno.EPERM, action);
    }

    private void opensNot(String path, int flags) {
        refused(() -> fs.open(path, flags, 0));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void flagsAreKept() {
        put("f", "x");
        fs.mkdir("d", 0755);
        for (String path : new String[] {"f", "d"}) {
            for (int flags = 0; flags <= Attributes.ALL_FLAGS; flags++) {
                int wanted = flags;
                with(flags, path, () -> assertEquals(wanted, fs.getflags(path)));
                assertEquals(0, fs.getflags(path));
            }
        }
    }

    @Case(needs = Capability.INODE_FLAGS)
    void flagsSetTheTimeOfChange() {
        put("f", "x");
        moves("c", "f", () -> fs.setflags("f", Attributes.NODUMP));
        moves("c", "f", () -> fs.setflags("f", 0));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void contentsOfAnImmutableFileStay() {
        put("f", "bytes");
        with(
                Attributes.IMMUTABLE,
                "f",
                () -> {
                    opensNot("f", Posix.O_WRONLY);
                    opensNot("f", Posix.O_RDWR);
                    opensNot("f", Posix.O_WRONLY | Posix.O_APPEND);
                    opensNot("f", Posix.O_RDONLY | Posix.O_TRUNC);
                    opensNot("f", Posix.O_WRONLY | Posix.O_CREAT);
                    refused(() -> fs.truncate("f", 2));
                    refused(() -> fs.truncate("f", 5000));
                    fs.access("f", 4);
                    assertEquals("bytes", get("f"));
                });
        put("f", "others");
        assertEquals("others", get("f"));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void attributesOfAnImmutableFileStay() {
        put("f", "bytes");
        with(
                Attributes.IMMUTABLE,
                "f",
                () -> {
                    refused(() -> fs.chmod("f", 0600));
                    refused(() -> fs.chown("f", ANN, ANNS));
                    refused(() -> fs.utimens("f", PAST, PAST));
                    refused(() -> fs.utimens("f", Posix.UTIME_NOW, Posix.UTIME_NOW));
                    assertEquals(0644, fs.stat("f").mode());
                    assertEquals(0, fs.stat("f").uid());
                });
        fs.chmod("f", 0600);
        assertEquals(0600, fs.stat("f").mode());
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.XATTR})
    void extendedAttributesOfProtectedInodesStay() {
        put("f", "bytes");
        fs.setxattr("f", "user.a", bytes("old"), 0);
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            with(
                    flag,
                    "f",
                    () -> {
                        refused(() -> fs.setxattr("f", "user.a", bytes("new"), 0));
                        refused(() -> fs.setxattr("f", "trusted.b", bytes("new"), 0));
                        refused(() -> fs.removexattr("f", "user.a"));
                        assertEquals("old", text(fs.getxattr("f", "user.a", 10)));
                    });
        }
        fs.removexattr("f", "user.a");
    }

    @Case(needs = Capability.INODE_FLAGS)
    void namesOfProtectedFilesStay() {
        put("f", "bytes");
        put("other", "other");
        fs.link("f", "same");
        for (int flag : new int[] {Attributes.IMMUTABLE, Attributes.APPEND}) {
            with(
                    flag,
                    "f",
                    () -> {
                        refused(() -> fs.unlink("f"));
                        refused(() -> fs.unlink("same"));
                        refused(() -> fs.link("f", "third"));
                        refused(() -> fs.rename("f", "new", 0));
                        refused(() -> fs.rename("other", "f", 0));
                        fs.rename("f", "same", 0);
                    });
        }
        assertEquals(2, fs.stat("f").nlink());
        fs.rename("other", "f", 0);
        assertEquals("other", get("f"));
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.RENAME_FLAGS})
    void protectedFilesAreNotExchanged() {
        put("f", "bytes");
        put("other", "other");
        with(
                Attributes.IMMUTABLE,
                "f",
                () -> {
                    refused(() -> fs.rename("other", "f", FileSystem.RENAME_EXCHANGE));
                    refused(() -> fs.rename("f", "other", FileSystem.RENAME_EXCHANGE));
                });
        assertEquals("bytes", get("f"));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void namesInAnImmutableDirectoryStay() {
        fs.mkdir("d", 0755);
        fs.mkdir("d/sub", 0755);
        put("d/f", "bytes");
        put("out", "out");
        with(
                Attributes.IMMUTABLE,
                "d",
                () -> {
                    refused(() -> fs.create("d/new", 0644));
                    refused(() -> fs.mkdir("d/new", 0755));
                    refused(() -> fs.symlink("target", "d/new"));
                    refused(() -> fs.link("out", "d/new"));
                    refused(() -> fs.unlink("d/f"));
                    refused(() -> fs.rmdir("d/sub"));
                    refused(() -> fs.rename("d/f", "d/new", 0));
                    refused(() -> fs.rename("d/f", "new", 0));
                    refused(() -> fs.rename("out", "d/new", 0));
                    refused(() -> fs.rename("out", "d/f", 0));
                    refused(() -> fs.rename("d", "moved", 0));
                    refused(() -> fs.rmdir("d"));
                    refused(() -> fs.chmod("d", 0700));
                });
        assertEquals(2, fs.list("d").size());
        assertEquals("out", get("out"));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void otherErrorsComeBeforeThatOfAnImmutableDirectory() {
        fs.mkdir("d", 0755);
        put("d/f", "bytes");
        with(
                Attributes.IMMUTABLE,
                "d",
                () -> {
                    fails(Errno.EEXIST, () -> fs.mkdir("d/f", 0755));
                    fails(Errno.EEXIST, () -> fs.open("d/f", Posix.O_CREAT | Posix.O_EXCL, 0644));
                    fails(Errno.ENOENT, () -> fs.unlink("d/none"));
                    fails(Errno.ENOENT, () -> fs.rename("d/none", "new", 0));
                });
    }

    @Case(needs = Capability.INODE_FLAGS)
    void filesInAnImmutableDirectoryChange() {
        fs.mkdir("d", 0755);
        put("d/f", "bytes");
        with(
                Attributes.IMMUTABLE,
                "d",
                () -> {
                    put("d/f", "others");
                    fs.chmod("d/f", 0600);
                });
        assertEquals("others", get("d/f"));
        assertEquals(0600, fs.stat("d/f").mode());
    }

    @Case(needs = Capability.INODE_FLAGS)
    void anAppendOnlyFileGrows() {
        put("f", "old");
        with(
                Attributes.APPEND,
                "f",
                () -> {
                    opensNot("f", Posix.O_WRONLY);
                    opensNot("f", Posix.O_RDWR);
                    opensNot("f", Posix.O_WRONLY | Posix.O_APPEND | Posix.O_TRUNC);
                    int fd = fs.open("f", Posix.O_WRONLY | Posix.O_APPEND, 0);
                    assertEquals(4, fs.pwrite(fd, bytes("+new"), 0));
                    refused(() -> fs.ftruncate(fd, 0));
                    refused(() -> fs.ftruncate(fd, 5000));
                    fs.close(fd);
                    refused(() -> fs.truncate("f", 0));
                    fs.access("f", 6);
                    assertEquals("old+new", get("f"));
                });
        put("f", "x");
        assertEquals("x", get("f"));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void anAppendOnlyFileTakesTheTimesOfNowOnly() {
        put("f", "old");
        with(
                Attributes.APPEND,
                "f",
                () -> {
                    refused(() -> fs.chmod("f", 0600));
                    refused(() -> fs.chown("f", ANN, ANNS));
                    refused(() -> fs.utimens("f", PAST, PAST));
                    refused(() -> fs.utimens("f", Posix.UTIME_NOW, PAST));
                    fs.utimens("f", Posix.UTIME_NOW, Posix.UTIME_NOW);
                });
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.FALLOCATE, Capability.PUNCH_HOLE})
    void anAppendOnlyFileHasNoHolesMade() {
        put("f", repeat('x', 10_000));
        with(
                Attributes.APPEND,
                "f",
                () -> {
                    int fd = fs.open("f", Posix.O_RDWR | Posix.O_APPEND, 0);
                    int punch = Posix.FALLOC_PUNCH_HOLE | Posix.FALLOC_KEEP_SIZE;
                    refused(() -> fs.fallocate(fd, punch, 0, 8192));
                    fs.fallocate(fd, 0, 0, 20_000);
                    fs.close(fd);
                });
        assertEquals(20_000, fs.stat("f").size());
        assertEquals(repeat('x', 10_000), get("f").substring(0, 10_000));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void whatWasOpenBeforeAppendOnlyGoesOn() {
        put("f", "old bytes");
        int fd = fs.open("f", Posix.O_RDWR, 0);
        with(
                Attributes.APPEND,
                "f",
                () -> {
                    assertEquals(3, fs.pwrite(fd, bytes("new"), 0));
                    refused(() -> fs.ftruncate(fd, 0));
                });
        fs.close(fd);
        assertEquals("new bytes", get("f"));
    }

    @Case(needs = Capability.INODE_FLAGS)
    void namesOnlyComeInAnAppendOnlyDirectory() {
        fs.mkdir("d", 0755);
        fs.mkdir("d/sub", 0755);
        put("d/f", "bytes");
        put("out", "out");
        with(
                Attributes.APPEND,
                "d",
                () -> {
                    fs.create("d/new", 0644);
                    fs.mkdir("d/more", 0755);
                    fs.link("out", "d/link");
                    refused(() -> fs.unlink("d/f"));
                    refused(() -> fs.rmdir("d/sub"));
                    refused(() -> fs.rename("d/f", "d/moved", 0));
                    refused(() -> fs.rename("d/f", "moved", 0));
                    refused(() -> fs.rename("out", "d/f", 0));
                    fs.rename("out", "d/in", 0);
                    refused(() -> fs.rmdir("d"));
                    refused(() -> fs.chmod("d", 0700));
                });
        assertEquals("[f, in, link, more, new, sub]", fs.list("d").toString());
        assertEquals(FileType.DIRECTORY, fs.stat("d/more").type());
    }

    @Case(needs = Capability.INODE_FLAGS)
    void onlyRootProtects() {
        put("f", "x");
        fs.chown("f", ANN, ANNS);
        ann().setflags("f", Attributes.NODUMP | Attributes.NOATIME);
        assertEquals(Attributes.NODUMP | Attributes.NOATIME, fs.getflags("f"));
        refused(() -> ann().setflags("f", Attributes.IMMUTABLE));
        refused(() -> ann().setflags("f", Attributes.APPEND));
        refused(() -> bob().setflags("f", 0));
        with(Attributes.APPEND, "f", () -> refused(() -> ann().setflags("f", 0)));
        with(Attributes.IMMUTABLE, "f", () -> refused(() -> ann().setflags("f", 0)));
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.RELATIME})
    void readsLeaveTheAccessTime() {
        put("f", "x");
        with(Attributes.NOATIME, "f", () -> moves("", "f", () -> get("f")));
        moves("a", "f", () -> get("f"));
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.STRICT_IMMUTABLE})
    void whatWasOpenBeforeImmutableStops() {
        put("f", "bytes");
        int fd = fs.open("f", Posix.O_RDWR, 0);
        assertEquals(6, fs.pwrite(fd, bytes("before"), 0));
        with(
                Attributes.IMMUTABLE,
                "f",
                () -> {
                    refused(() -> fs.pwrite(fd, bytes("after"), 0));
                    refused(() -> fs.ftruncate(fd, 0));
                    fs.fsync(fd);
                    assertEquals("before", text(fs.pread(fd, 10, 0)));
                });
        assertEquals(5, fs.pwrite(fd, bytes("after"), 0));
        fs.close(fd);
        assertEquals("aftere", get("f"));
    }

    @Case(needs = {Capability.INODE_FLAGS, Capability.STRICT_IMMUTABLE})
    void anImmutableFileKeepsItsOtherFlags() {
        put("f", "x");
        int both = Attributes.IMMUTABLE | Attributes.NODUMP;
        with(
                Attributes.IMMUTABLE,
                "f",
                () -> {
                    refused(() -> fs.setflags("f", both));
                    assertEquals(Attributes.IMMUTABLE, fs.getflags("f"));
                    fs.setflags("f", Attributes.NODUMP);
                });
    }
}
