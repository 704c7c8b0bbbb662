package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.OLD_TIMES;
import static io.cairn.testkit.posix.Posix.Capability.RELATIME;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.UTIME_NOW;
import static io.cairn.testkit.posix.Posix.UTIME_OMIT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.testkit.posix.Posix;

/** utimensat(2), and access times by the rule of relatime. */
final class TimeCases extends Scene {
    private static final long DAY_NS = 86_400L * 1_000_000_000L;

    TimeCases(Posix fs) {
        super(fs);
    }

    private void hasTimes(String path, long atimeNs, long mtimeNs) {
        Posix.Stat f = fs.lstat(path);
        assertEquals(atimeNs, f.atimeNs());
        assertEquals(mtimeNs, f.mtimeNs());
    }

    @Case
    void timesAreSetToTheNanosecond() {
        fs.create("f", 0644);
        fs.utimens("f", PAST, PAST + 1);
        hasTimes("f", PAST, PAST + 1);
    }

    @Case
    void timesOfDirectoriesAreSet() {
        fs.mkdir("d", 0755);
        fs.utimens("d", PAST, PAST + 1);
        hasTimes("d", PAST, PAST + 1);
    }

    @Case
    void timesAreSetThroughADescriptor() {
        int fd = fs.open("f", O_CREAT | O_RDONLY, 0644);
        fs.futimens(fd, PAST, PAST + 1);
        hasTimes("f", PAST, PAST + 1);
    }

    @Case
    void settingTimesMovesCtime() {
        fs.create("f", 0644);
        moves("c", "f", () -> fs.utimens("f", fs.stat("f").atimeNs(), fs.stat("f").mtimeNs()));
    }

    @Case
    void omittedTimesStay() {
        fs.create("f", 0644);
        fs.utimens("f", PAST, PAST);
        fs.utimens("f", UTIME_OMIT, PAST + 5);
        hasTimes("f", PAST, PAST + 5);
        fs.utimens("f", PAST + 6, UTIME_OMIT);
        hasTimes("f", PAST + 6, PAST + 5);
    }

    @Case
    void bothTimesOmittedChangeNothing() {
        fs.create("f", 0644);
        moves("", "f", () -> fs.utimens("f", UTIME_OMIT, UTIME_OMIT));
    }

    @Case
    void nowIsTheTimeOfTheFilesystem() {
        fs.create("f", 0644);
        fs.utimens("f", PAST, PAST);
        moves("amc", "f", () -> fs.utimens("f", UTIME_NOW, UTIME_NOW));
        Posix.Stat f = fs.stat("f");
        assertTrue(Math.abs(f.mtimeNs() - f.ctimeNs()) < 60_000_000_000L, () -> "" + f);
        assertEquals(f.atimeNs(), f.mtimeNs());
    }

    @Case
    void nowAndOmitMixed() {
        fs.create("f", 0644);
        fs.utimens("f", PAST, PAST);
        moves("ac", "f", () -> fs.utimens("f", UTIME_NOW, UTIME_OMIT));
        moves("mc", "f", () -> fs.utimens("f", UTIME_OMIT, UTIME_NOW));
    }

    @Case
    void timesOfTheNextCentury() {
        fs.create("f", 0644);
        long year2100 = 4_102_444_800L * 1_000_000_000L + 1;
        fs.utimens("f", year2100, year2100);
        hasTimes("f", year2100, year2100);
        fs.utimens("f", 0, 0);
        hasTimes("f", 0, 0);
    }

    @Case(needs = OLD_TIMES)
    void timesBeforeTheEpoch() {
        fs.create("f", 0644);
        fs.utimens("f", -1_500_000_000L, -1);
        hasTimes("f", -1_500_000_000L, -1);
    }

    @Case
    void writingAfterSettingTimesMovesMtimeToNow() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.futimens(fd, PAST, PAST);
        fs.write(fd, bytes("x"));
        assertTrue(fs.stat("f").mtimeNs() > PAST + DAY_NS);
    }

    @Case
    void timesSetAfterWritingSurviveTheClose() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("data"));
        fs.futimens(fd, PAST, PAST + 3);
        fs.close(fd);
        hasTimes("f", PAST, PAST + 3);
        assertEquals(4, fs.stat("f").size());
    }

    @Case
    void missingFileIsEnoent() {
        fails(Errno.ENOENT, () -> fs.utimens("missing", PAST, PAST));
        fs.symlink("missing", "l");
        fails(Errno.ENOENT, () -> fs.utimens("l", PAST, PAST));
        fs.lutimens("l", PAST, PAST);
        hasTimes("l", PAST, PAST);
    }

    @Case
    void ownerSetsAnyTime() {
        ann().create("f", 0000);
        ann().utimens("f", PAST, PAST);
        hasTimes("f", PAST, PAST);
    }

    @Case
    void writerSetsNowOnly() {
        ann().create("f", 0666);
        bob().utimens("f", UTIME_NOW, UTIME_NOW);
        fails(Errno.EPERM, () -> bob().utimens("f", PAST, PAST));
        fails(Errno.EPERM, () -> bob().utimens("f", UTIME_NOW, UTIME_OMIT));
        fails(Errno.EPERM, () -> bob().utimens("f", UTIME_OMIT, PAST));
    }

    @Case
    void othersSetNothing() {
        ann().create("f", 0644);
        fails(Errno.EACCES, () -> bob().utimens("f", UTIME_NOW, UTIME_NOW));
        fails(Errno.EPERM, () -> bob().utimens("f", PAST, PAST));
    }

    /** Reads one byte; with atime older than mtime that has to show. */
    private void readByte() {
        int fd = fs.open("f", O_RDONLY, 0);
        assertEquals(1, fs.read(fd, 1).length);
        fs.close(fd);
    }

    @Case(needs = RELATIME)
    void firstReadAfterAWriteMovesAtime() {
        put("f", "abc");
        moves("a", "f", this::readByte);
    }

    @Case(needs = RELATIME)
    void secondReadDoesNotMoveAtime() {
        put("f", "abc");
        tick();
        readByte();
        tick();
        moves("", "f", this::readByte);
    }

    @Case(needs = RELATIME)
    void readMovesAnAtimeOlderThanADay() {
        put("f", "abc");
        fs.utimens("f", PAST, PAST - DAY_NS);
        moves("a", "f", this::readByte);
    }

    @Case(needs = RELATIME)
    void readAfterAnAttributeChangeMovesAtime() {
        put("f", "abc");
        tick();
        readByte();
        tick();
        fs.chmod("f", 0600);
        moves("a", "f", this::readByte);
    }

    @Case(needs = RELATIME)
    void openAndStatDoNotMoveAtime() {
        put("f", "abc");
        moves(
                "",
                "f",
                () -> {
                    fs.close(fs.open("f", O_RDWR, 0));
                    fs.stat("f");
                    fs.access("f", Posix.R_OK);
                });
    }

    @Case(needs = RELATIME)
    void listingMovesAtimeOfTheDirectory() {
        fs.mkdir("d", 0755);
        fs.create("d/f", 0644);
        moves("a", "d", () -> fs.list("d"));
    }

    @Case(needs = RELATIME)
    void followingMovesAtimeOfTheLink() {
        fs.symlink("x", "l");
        moves("a", "l", () -> fs.readlink("l"));
    }

    @Case
    void statChangesNothing() {
        put("f", "abc");
        moves("", ".", () -> moves("", "f", () -> fs.stat("f")));
    }
}
