package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.FileType;
import io.cairn.fs.quota.Sums;
import io.cairn.testkit.posix.Administration;
import io.cairn.testkit.posix.Posix;
import java.util.List;

/** What administrators order for directories: snapshots, the trash, quotas. */
final class AdministeredCases extends Scene {
    private static final String TRASH = "../.trash";
    private static final int LIMIT_BYTES = 1 << 20;

    private final Administration orders;

    AdministeredCases(Posix fs, Administration orders) {
        super(fs);
        this.orders = orders;
    }

    private long here() {
        return fs.stat(".").ino();
    }

    // ---- snapshots

    @Case
    void aSnapshotShowsWhatWasThereAndCannotBeChanged() {
        fs.mkdir("d", 0755);
        put("d/f", "old");
        Posix.Stat before = fs.stat("d/f");
        orders.takeSnapshot(here(), "s");
        tick();
        put("d/f", "much newer");
        fs.create("d/late", 0644);
        String there = ".snapshots/s/d";
        assertEquals(List.of("s"), fs.list(".snapshots"));
        assertEquals(List.of("f"), fs.list(there));
        assertEquals("old", get(there + "/f"));
        assertEquals("much newer", get("d/f"));
        Posix.Stat past = fs.stat(there + "/f");
        assertEquals(before.mtimeNs(), past.mtimeNs());
        assertEquals(before.ctimeNs(), past.ctimeNs());
        assertEquals(before.mode(), past.mode());
        assertEquals(3, past.size());
        assertFalse(fs.list(".").contains(".snapshots"));
        refusesContents(() -> fs.open(there + "/f", O_WRONLY, 0));
        refusesContents(() -> fs.truncate(there + "/f", 0));
        fails(Errno.EROFS, () -> fs.chmod(there + "/f", 0600));
        fails(Errno.EROFS, () -> fs.unlink(there + "/f"));
        fails(Errno.EROFS, () -> fs.rmdir(there));
        nothingEnters(there);
        orders.dropSnapshot(here(), "s");
    }

    /** NFS asks for rights before it writes, and hears only that there are none. */
    @Case(needs = Posix.Capability.SEEK_HOLES)
    void holesAreFoundInASnapshotAndBesideIt() {
        int unit = 64 << 10;
        fs.mkdir("d", 0755);
        int fd = fs.open("d/f", Posix.O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 16L * unit);
        fs.pwrite(fd, bytes(repeat('x', unit)), 4L * unit);
        fs.fsync(fd);
        orders.takeSnapshot(fs.stat("d").ino(), "s");
        fs.pwrite(fd, bytes(repeat('y', unit)), 8L * unit);
        fs.fsync(fd);
        assertEquals(4L * unit, fs.lseek(fd, 0, Posix.SEEK_DATA));
        assertEquals(8L * unit, fs.lseek(fd, 8L * unit, Posix.SEEK_DATA));
        assertEquals(9L * unit, fs.lseek(fd, 8L * unit, Posix.SEEK_HOLE));
        fs.close(fd);
        int past = fs.open("d/.snapshots/s/f", O_RDONLY, 0);
        assertEquals(4L * unit, fs.lseek(past, 0, Posix.SEEK_DATA));
        assertEquals(5L * unit, fs.lseek(past, 4L * unit, Posix.SEEK_HOLE));
        fails(Errno.ENXIO, () -> fs.lseek(past, 5L * unit, Posix.SEEK_DATA));
        fails(Errno.ENXIO, () -> fs.lseek(past, 16L * unit, Posix.SEEK_HOLE));
        fs.close(past);
        orders.dropSnapshot(fs.stat("d").ino(), "s");
    }

    private static void refusesContents(Runnable action) {
        FsException e = assertThrows(FsException.class, action::run);
        assertTrue(e.errno() == Errno.EROFS || e.errno() == Errno.EACCES, e::toString);
    }

    /** Nothing can be made in a directory. */
    private void nothingEnters(String directory) {
        put("other", "o");
        fs.mkdir("way", 0755);
        fails(Errno.EROFS, () -> fs.create(directory + "/n", 0644));
        fails(Errno.EROFS, () -> fs.mkdir(directory + "/n", 0755));
        fails(Errno.EROFS, () -> fs.symlink("x", directory + "/n"));
        fails(Errno.EROFS, () -> fs.mknod(directory + "/n", FileType.FILE, 0600, 0));
        fails(Errno.EROFS, () -> fs.rename("other", directory + "/n", 0));
        fails(Errno.EROFS, () -> fs.rename("way", directory + "/n", 0));
        assertEquals("o", get("other"));
    }

    @Case
    void theListOfSnapshotsTakesNoNames() {
        orders.takeSnapshot(here(), "s");
        nothingEnters(".snapshots");
        fails(Errno.EROFS, () -> fs.rmdir(".snapshots"));
        fails(Errno.EEXIST, () -> fs.mkdir(".snapshots", 0755));
        orders.dropSnapshot(here(), "s");
    }

    // ---- trash

    /** The place in the trash of what is removed in the directory of a case. */
    private String trash(String nameOfCase) {
        String day = fs.list(TRASH).getLast();
        return TRASH + "/" + day + "/AdministeredCases-" + nameOfCase;
    }

    @Case
    void aRemovedFileIsReadInTheTrashAndMovesBack() {
        orders.keepRemoved(here(), 3600);
        put("f", "contents");
        fs.chmod("f", 0640);
        Posix.Stat before = fs.stat("f");
        tick();
        fs.unlink("f");
        isAbsent("f");
        String kept = trash("aRemovedFileIsReadInTheTrashAndMovesBack") + "/f";
        assertEquals("contents", get(kept));
        Posix.Stat there = fs.stat(kept);
        assertEquals(before.ino(), there.ino());
        assertEquals(0600, there.mode());
        assertEquals(before.mtimeNs(), there.mtimeNs());
        assertTrue(there.ctimeNs() > before.ctimeNs());
        assertFalse(fs.list("..").contains(".trash"));
        fs.rename(kept, "back", 0);
        Posix.Stat back = fs.stat("back");
        assertEquals(0640, back.mode());
        assertEquals(before.mtimeNs(), back.mtimeNs());
        assertEquals("contents", get("back"));
        orders.keepRemoved(here(), -1);
    }

    @Case
    void theTrashTakesNoNames() {
        orders.keepRemoved(here(), 3600);
        put("f", "contents");
        fs.unlink("f");
        String place = trash("theTrashTakesNoNames");
        nothingEnters(place);
        nothingEntersAgain(TRASH);
        fails(Errno.EROFS, () -> fs.rename(place + "/f", place + "/g", 0));
        fails(Errno.EEXIST, () -> fs.mkdir(TRASH, 0755));
        orders.keepRemoved(here(), -1);
        fs.unlink(place + "/f");
    }

    private void nothingEntersAgain(String directory) {
        fs.unlink("other");
        fs.rmdir("way");
        nothingEnters(directory);
    }

    // ---- quotas

    @Case
    void writesEndAtTheLimitOfADirectory() {
        fs.mkdir("full", 0755);
        orders.limit(fs.stat("full").ino(), new Sums(0, LIMIT_BYTES, 0));
        int fd = fs.open("full/f", Posix.O_CREAT | O_RDWR, 0644);
        byte[] half = new byte[LIMIT_BYTES / 2];
        assertEquals(half.length, fs.pwrite(fd, half, 0));
        assertEquals(half.length, fs.pwrite(fd, half, half.length));
        fails(
                Errno.EDQUOT,
                () -> {
                    fs.pwrite(fd, new byte[8192], LIMIT_BYTES);
                    fs.fsync(fd);
                });
        assertEquals(half.length, fs.pwrite(fd, half, 0));
        fs.fsync(fd);
        assertEquals(LIMIT_BYTES, fs.fstat(fd).size());
        fs.close(fd);
        fails(Errno.EDQUOT, () -> fs.truncate("full/f", LIMIT_BYTES + 1));
        put("outside", "x");
        fails(Errno.EDQUOT, () -> fs.rename("outside", "full/inside", 0));
        fs.truncate("full/f", LIMIT_BYTES - 1);
        fs.rename("outside", "full/inside", 0);
    }

    /** The hole before a byte counts for the length; what comes into it later does not. */
    @Case
    void aHoleCountsForTheLimitOfADirectory() {
        fs.mkdir("full", 0755);
        orders.limit(fs.stat("full").ino(), new Sums(0, LIMIT_BYTES, 0));
        int fd = fs.open("full/f", Posix.O_CREAT | O_RDWR, 0644);
        fails(
                Errno.EDQUOT,
                () -> {
                    fs.pwrite(fd, new byte[1], 1L << 30);
                    fs.fsync(fd);
                });
        assertEquals(1, fs.pwrite(fd, new byte[1], LIMIT_BYTES - 1));
        fs.fsync(fd);
        byte[] half = new byte[LIMIT_BYTES / 2];
        assertEquals(half.length, fs.pwrite(fd, half, 0));
        fs.fsync(fd);
        assertEquals(LIMIT_BYTES, fs.fstat(fd).size());
        fs.close(fd);
    }

    @Case
    void whatWasTakenIsNotRefusedWhenOthersReachTheLimit() {
        fs.mkdir("full", 0755);
        orders.limit(fs.stat("full").ino(), new Sums(0, LIMIT_BYTES, 0));
        fs.create("full/other", 0644);
        int fd = fs.open("full/f", Posix.O_CREAT | O_RDWR, 0644);
        assertEquals(600, fs.pwrite(fd, new byte[600], 0));
        fs.truncate("full/other", LIMIT_BYTES - 100);
        fs.fsync(fd);
        fs.close(fd);
        assertEquals(600, fs.stat("full/f").size());
        fails(Errno.EDQUOT, () -> fs.truncate("full/other", LIMIT_BYTES));
    }

    @Case(needs = Posix.Capability.FALLOCATE)
    void allocationEndsAtTheLimitOfADirectory() {
        fs.mkdir("full", 0755);
        orders.limit(fs.stat("full").ino(), new Sums(0, LIMIT_BYTES, 0));
        int fd = fs.open("full/f", Posix.O_CREAT | O_RDWR, 0644);
        fails(Errno.EDQUOT, () -> fs.fallocate(fd, 0, 0, LIMIT_BYTES + 1));
        fails(Errno.EDQUOT, () -> fs.fallocate(fd, Posix.FALLOC_KEEP_SIZE, 0, LIMIT_BYTES + 1));
        assertEquals(0, fs.fstat(fd).size());
        fs.fallocate(fd, 0, 0, LIMIT_BYTES / 2);
        assertEquals(LIMIT_BYTES / 2, fs.fstat(fd).size());
        fails(Errno.EDQUOT, () -> fs.fallocate(fd, 0, LIMIT_BYTES / 2, LIMIT_BYTES));
        assertEquals(LIMIT_BYTES / 2, fs.fstat(fd).size());
        for (int i = 0; i < 3; i++) {
            fs.fallocate(fd, Posix.FALLOC_KEEP_SIZE, 0, LIMIT_BYTES);
            fs.fallocate(fd, 0, 0, LIMIT_BYTES);
            assertEquals(LIMIT_BYTES, fs.fstat(fd).size());
        }
        fs.close(fd);
    }

    @Case
    void namesEndAtTheLimitOfADirectory() {
        fs.mkdir("full", 0755);
        orders.limit(fs.stat("full").ino(), new Sums(2, 0, 0));
        fs.create("full/a", 0644);
        fs.mkdir("full/b", 0755);
        fails(Errno.EDQUOT, () -> fs.create("full/c", 0644));
        fails(Errno.EDQUOT, () -> fs.mkdir("full/b/c", 0755));
        fails(Errno.EDQUOT, () -> fs.symlink("x", "full/c"));
        fs.link("full/a", "full/b/a");
        fs.unlink("full/a");
        fs.unlink("full/b/a");
        fs.create("full/c", 0644);
    }

    @Case
    void statvfsShowsTheLimitOfADirectory() {
        fs.mkdir("small", 0755);
        orders.limit(fs.stat("small").ino(), new Sums(0, LIMIT_BYTES, 0));
        put("small/f", repeat('x', 4096));
        int fd = fs.open("small/f", O_RDONLY, 0);
        fs.close(fd);
        Posix.Volume volume = fs.statvfs("small/f");
        assertEquals(LIMIT_BYTES / volume.blockBytes(), volume.blocks());
        assertEquals((LIMIT_BYTES - 4096) / volume.blockBytes(), volume.freeBlocks());
        assertTrue(fs.statvfs(".").blocks() > volume.blocks());
    }
}
