package io.cairn.metadata.trash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.cluster.Inode;
import io.cairn.fs.AttributeChange;
import io.cairn.fs.FileSystem;
import io.cairn.fs.Name;
import io.cairn.fs.TrashPlace;
import io.cairn.fs.quota.Account;
import io.cairn.fs.quota.Quota;
import io.cairn.fs.quota.Sums;
import io.cairn.metadata.Bench;
import io.cairn.wire.master.LeaderMutation;
import io.cairn.wire.master.LeaderMutation.TrashMutation;
import io.cairn.wire.master.Query;
import io.cairn.wire.master.Reply;
import io.cairn.wire.master.TreeMutation;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class TrashTest {
    private static final long ROOT = Bench.ROOT;
    private static final long DAY_S = 86_400;
    private static final String DAY = "1970-01-01";

    private final Bench bench = Bench.withPools(2);

    @BeforeEach
    void keepADay() {
        keep(0, DAY_S);
    }

    @AfterEach
    void verify() {
        bench.verify();
        bench.reopen();
        bench.verify();
    }

    private void keep(long ino, long seconds) {
        assertInstanceOf(
                Reply.Done.class, bench.leader(new TrashMutation.SetRetention(ino, seconds)));
    }

    private Inode find(long parentIno, String name) {
        Reply reply = bench.read(new Query.Lookup(parentIno, Name.of(name)));
        return assertInstanceOf(Reply.EntryReply.class, reply).inode();
    }

    private Inode at(String path) {
        Inode inode = bench.inode(ROOT);
        for (String name : path.split("/", -1)) {
            inode = find(inode.ino(), name);
        }
        return inode;
    }

    private List<String> names(long ino) {
        Reply reply = bench.read(new Query.ReadDirectory(ino, 0, 100, false));
        List<String> names = new ArrayList<>();
        assertInstanceOf(Reply.DirectoryReply.class, reply)
                .entries()
                .forEach(entry -> names.add(entry.name().toString()));
        return names.stream().sorted().toList();
    }

    private List<TrashRecord> records() {
        return bench.namespace.trash(TrashQueries.Position.BEGIN, 1000).records();
    }

    private long[] all() {
        return records().stream().mapToLong(TrashRecord::ino).toArray();
    }

    private List<String> restore(long... inos) {
        Reply reply = bench.leader(new TrashMutation.RestoreTrash(inos));
        return assertInstanceOf(Reply.TrashReply.class, reply).made().stream()
                .map(made -> made.name().toString())
                .toList();
    }

    private void rmdir(long parentIno, String name) {
        bench.ok(new TreeMutation.Rmdir(parentIno, Name.of(name)));
    }

    @Test
    void showsAnEmptyTrashBeforeAnythingWasInIt() {
        Inode trash = at(".trash");
        assertEquals(TrashPlace.INO, trash.ino());
        assertEquals(List.of(), names(trash.ino()));
        assertEquals(List.of(), names(ROOT));
    }

    @Test
    void keepsARemovedFileUnderDayAndPath() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long file = bench.create(dir, "file", "contents").ino();
        bench.nowNs += 5;
        Inode removed = bench.unlink(dir, "file").inode();
        assertEquals(file, removed.ino());
        assertEquals(1, removed.attributes().nlink());
        Inode kept = at(".trash/" + DAY + "/dir/file");
        assertEquals(file, kept.ino());
        assertEquals(0600, kept.attributes().mode());
        assertArrayEquals("contents".getBytes(StandardCharsets.UTF_8), kept.inline());
        bench.isAbsent(dir, "file");
        TrashRecord record = records().getFirst();
        assertEquals("/dir/file", new String(record.path(), StandardCharsets.UTF_8));
        assertEquals(bench.nowNs, record.deletedNs());
        assertEquals(bench.nowNs + DAY_S * 1_000_000_000L, record.expiresNs());
        assertEquals(0644, record.before().mode());
        assertEquals(new TrashSums(1, 8, 0), bench.namespace.trashSums());
        Reply path = bench.namespace.read(1, new Query.GetPath(file));
        assertEquals(
                "/.trash/" + DAY + "/dir/file",
                new String(
                        assertInstanceOf(Reply.BytesReply.class, path).bytes(),
                        StandardCharsets.UTF_8));
    }

    @Test
    void keepsWhatARenameReplaces() {
        bench.create(ROOT, "a", "old");
        long young = bench.create(ROOT, "b", "new").ino();
        bench.rename(ROOT, "b", ROOT, "a");
        assertEquals(young, find(ROOT, "a").ino());
        assertArrayEquals(
                "old".getBytes(StandardCharsets.UTF_8), at(".trash/" + DAY + "/a").inline());
    }

    @Test
    void keepsNothingWhereNoDirectorySaysSo() {
        keep(0, 0);
        long dir = bench.mkdir(ROOT, "dir").ino();
        long below = bench.mkdir(dir, "below").ino();
        long without = bench.mkdir(below, "without").ino();
        keep(dir, 60);
        keep(without, 0);
        bench.create(ROOT, "f");
        bench.create(below, "f");
        bench.create(without, "f");
        assertEquals(0, bench.unlink(ROOT, "f").inode().attributes().nlink());
        assertEquals(1, bench.unlink(below, "f").inode().attributes().nlink());
        assertEquals(0, bench.unlink(without, "f").inode().attributes().nlink());
        keep(without, -1);
        bench.create(without, "f");
        assertEquals(1, bench.unlink(without, "f").inode().attributes().nlink());
        assertEquals(60, bench.namespace.trashKept(dir));
        assertEquals(-1, bench.namespace.trashKept(without));
    }

    @Test
    void keepsOnlyTheLastNameOfAFile() {
        long file = bench.create(ROOT, "a").ino();
        bench.ok(new TreeMutation.Link(file, ROOT, Name.of("b")));
        assertEquals(1, bench.unlink(ROOT, "a").inode().attributes().nlink());
        assertEquals(List.of(), records());
        bench.unlink(ROOT, "b");
        assertEquals(file, at(".trash/" + DAY + "/b").ino());
    }

    @Test
    void keepsSeveralOfOneNameAndADirectoryOfTheNameOfAFile() {
        long first = bench.create(ROOT, "x", "1").ino();
        bench.unlink(ROOT, "x");
        long second = bench.create(ROOT, "x", "2").ino();
        bench.unlink(ROOT, "x");
        long dir = bench.mkdir(ROOT, "x").ino();
        bench.create(dir, "y");
        bench.unlink(dir, "y");
        assertEquals(List.of("x", "x~" + second, "x~" + dir), names(at(".trash/" + DAY).ino()));
        assertEquals(first, at(".trash/" + DAY + "/x").ino());
        assertEquals(List.of("y"), names(at(".trash/" + DAY + "/x~" + dir).ino()));
    }

    @Test
    void bringsATreeBackAsItWas() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        byte[] name = "user.colour".getBytes(StandardCharsets.UTF_8);
        bench.ok(new TreeMutation.SetXattr(dir, name, new byte[] {7}, 0));
        bench.change(dir, AttributeChange.NONE.withMode(0750));
        long empty = bench.mkdir(dir, "empty").ino();
        bench.change(empty, AttributeChange.NONE.withMode(0711));
        long file = bench.create(dir, "file", "contents").ino();
        bench.unlink(dir, "file");
        rmdir(dir, "empty");
        rmdir(ROOT, "dir");
        bench.isAbsent(ROOT, "dir");
        assertEquals(3, records().size());
        restore(all());
        assertEquals(0750, at("dir").attributes().mode());
        assertEquals(0711, at("dir/empty").attributes().mode());
        assertEquals(file, at("dir/file").ino());
        assertEquals(0644, at("dir/file").attributes().mode());
        Reply xattr = bench.read(new Query.GetXattr(at("dir").ino(), name));
        assertArrayEquals(new byte[] {7}, assertInstanceOf(Reply.BytesReply.class, xattr).bytes());
        assertEquals(List.of(), records());
        assertEquals(List.of(), names(TrashPlace.INO));
        assertEquals(TrashSums.NONE, bench.namespace.trashSums());
    }

    @Test
    void neverOverwritesWhatIsThere() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.create(dir, "f", "1");
        bench.unlink(dir, "f");
        bench.create(dir, "f", "2");
        assertEquals(List.of("f.restored"), restore(all()));
        bench.unlink(dir, "f");
        bench.unlink(dir, "f.restored");
        rmdir(ROOT, "dir");
        bench.create(ROOT, "dir");
        assertEquals(
                List.of("dir.restored", "f", "f.restored"),
                restore(all()).stream().sorted().toList());
        assertEquals(2, at("dir.restored").entryCount());
    }

    private void limit(long directory, Sums hard) {
        Quota quota = new Quota(Sums.ZERO, hard, 0);
        assertInstanceOf(
                Reply.Done.class,
                bench.leader(
                        new LeaderMutation.SetQuota(Account.directory(directory), quota, false)));
    }

    private void isRefused(String told, long... inos) {
        Reply reply = bench.leader(new TrashMutation.RestoreTrash(inos));
        Reply.Failure failure = assertInstanceOf(Reply.Failure.class, reply);
        assertEquals(Errno.EDQUOT, failure.errno());
        assertTrue(failure.message().startsWith(told), failure::message);
        bench.verify();
    }

    @Test
    void restoresNothingBeyondTheQuotaOfADirectory() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long a = bench.create(dir, "a", "x".repeat(600)).ino();
        long b = bench.create(dir, "b", "x".repeat(500)).ino();
        bench.unlink(dir, "a");
        bench.unlink(dir, "b");
        limit(dir, new Sums(0, 1000, 0));
        isRefused("the quota of '/dir' has 0 of 1000 bytes of length, and 1100 more", a, b);
        assertEquals(List.of("a"), restore(a));
        isRefused("the quota of '/dir' has 600 of 1000 bytes of length, and 500 more", b);
        assertEquals(1, records().size());
        limit(dir, new Sums(0, 1100, 0));
        assertEquals(List.of("b"), restore(b, b));
    }

    @Test
    void countsTheDirectoriesThatARestoreMakesOnce() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long sub = bench.mkdir(dir, "sub").ino();
        bench.create(sub, "a");
        bench.unlink(sub, "a");
        bench.create(sub, "a");
        bench.create(sub, "b");
        bench.unlink(sub, "a");
        bench.unlink(sub, "b");
        rmdir(dir, "sub");
        bench.create(dir, "sub");
        limit(ROOT, new Sums(5, 0, 0));
        isRefused("the quota of '/' has 2 of 5 inodes, and 4 more are to be restored", all());
        limit(dir, new Sums(4, 0, 0));
        limit(ROOT, new Sums(6, 0, 0));
        isRefused("the quota of '/dir' has 1 of 4 inodes, and 4 more are to be restored", all());
        limit(dir, new Sums(5, 0, 0));
        assertEquals(4, restore(all()).size());
        assertEquals(3, at("dir/sub.restored").entryCount());
    }

    @Test
    void movesAFileOutAndRefusesTheRest() {
        long file = bench.create(ROOT, "f", "contents").ino();
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.create(dir, "g");
        bench.unlink(ROOT, "f");
        bench.unlink(dir, "g");
        long day = at(".trash/" + DAY).ino();
        bench.fails(Errno.EROFS, Bench.creation(day, "new", ""));
        bench.fails(Errno.EROFS, Bench.creation(TrashPlace.INO, "new", ""));
        bench.fails(Errno.EROFS, new TreeMutation.Mkdir(day, Name.of("new"), 0755, 0, 0));
        bench.fails(Errno.EROFS, Bench.renaming(ROOT, "dir", day, "dir2", 0));
        bench.fails(Errno.EROFS, Bench.renaming(day, "f", day, "f2", 0));
        bench.fails(Errno.EXDEV, Bench.renaming(day, "dir", ROOT, "dir2", 0));
        bench.fails(Errno.EROFS, Bench.renaming(day, "f", ROOT, "dir", FileSystem.RENAME_EXCHANGE));
        bench.fails(Errno.EPERM, Bench.renaming(ROOT, ".trash", ROOT, "t", 0));
        bench.fails(Errno.EPERM, new TreeMutation.Rmdir(ROOT, Name.of(".trash")));
        bench.fails(Errno.EEXIST, Bench.creation(ROOT, ".trash", ""));
        bench.fails(Errno.ENOENT, new TreeMutation.Link(file, ROOT, Name.of("l")));
        bench.fails(
                Errno.EROFS,
                new TreeMutation.SetAttributes(day, AttributeChange.NONE.withMode(0777)));
        bench.rename(day, "f", dir, "back");
        assertEquals(file, at("dir/back").ino());
        assertEquals(0644, at("dir/back").attributes().mode());
        assertEquals(1, records().size());
    }

    @Test
    void keepsWhatAFileOfTheTrashReplacesInItsDirectory() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long old = bench.create(dir, "f", "old").ino();
        bench.unlink(dir, "f");
        long young = bench.create(dir, "f", "new").ino();
        long place = at(".trash/" + DAY + "/dir").ino();
        bench.rename(place, "f", dir, "f");
        assertEquals(old, at("dir/f").ino());
        assertEquals(List.of("f~" + young), names(place));
        assertEquals(1, bench.inode(place).entryCount());
        assertEquals(1, records().size());
    }

    /** A master that has just begun knows nothing of where directories led. */
    @Test
    void findsTheSamePlaceAsAMasterThatHasJustBegun() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.create(dir, "d");
        bench.unlink(dir, "d");
        long inner = bench.mkdir(dir, "d").ino();
        bench.create(inner, "f");
        bench.unlink(inner, "f");
        long place = at(".trash/" + DAY + "/dir").ino();
        assertEquals(List.of("d", "d~" + inner), names(place));
        bench.unlink(place, "d");
        bench.create(inner, "g");
        bench.unlink(inner, "g");
        assertEquals(List.of("g"), names(at(".trash/" + DAY + "/dir/d").ino()));
    }

    @Test
    void purgesWhatItsOwnerRemovesInIt() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        bench.create(dir, "f");
        bench.unlink(dir, "f");
        long place = at(".trash/" + DAY + "/dir").ino();
        assertEquals(0, bench.unlink(place, "f").inode().attributes().nlink());
        // Whoever removes a tree removes the directory, too.
        rmdir(at(".trash/" + DAY).ino(), "dir");
        assertEquals(List.of(), names(at(".trash/" + DAY).ino()));
        List<Long> empty = bench.namespace.trashEnding(bench.nowNs + 60_000_000_000L, 10);
        assertEquals(List.of(at(".trash/" + DAY).ino()), empty);
        bench.leader(new TrashMutation.PurgeTrash(all()));
        assertEquals(List.of(), names(TrashPlace.INO));
    }

    @Test
    void purgesManyAtOnceInTheOrderOfTheirEnds() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        List<Long> files = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            bench.nowNs += 1000;
            files.add(bench.create(dir, "f" + i).ino());
            bench.unlink(dir, "f" + i);
        }
        rmdir(ROOT, "dir");
        long endNs = bench.nowNs + DAY_S * 1_000_000_000L;
        List<Long> first = bench.namespace.trashEnding(endNs, 5);
        assertEquals(files.subList(0, 5), first);
        assertEquals(List.of(), bench.namespace.trashEnding(bench.nowNs, 5));
        bench.leader(new TrashMutation.PurgeTrash(all()));
        assertEquals(List.of(), names(TrashPlace.INO));
        assertEquals(List.of(), records());
        bench.leader(
                new LeaderMutation.Purge(
                        bench.namespace.orphans(0, 100).stream()
                                .mapToLong(Long::longValue)
                                .toArray()));
        assertNull(bench.namespace.inode(files.getFirst()));
        assertEquals(2, bench.namespace.inodeCount());
    }

    @Test
    void goesOnWithNewPathsAfterADirectoryWasMoved() {
        long dir = bench.mkdir(ROOT, "dir").ino();
        long inner = bench.mkdir(dir, "inner").ino();
        bench.create(inner, "f");
        bench.unlink(inner, "f");
        bench.rename(ROOT, "dir", ROOT, "moved");
        bench.create(inner, "g");
        bench.unlink(inner, "g");
        assertEquals(List.of("g"), names(at(".trash/" + DAY + "/moved/inner").ino()));
        assertEquals(List.of("f"), names(at(".trash/" + DAY + "/dir/inner").ino()));
    }

    @Test
    void staysUsableWhileItIsOpen() {
        long file = bench.create(ROOT, "f", "contents").ino();
        bench.unlink(ROOT, "f");
        assertEquals(3, bench.truncate(file, 3).attributes().size());
        bench.leader(new TrashMutation.PurgeTrash(all()));
        assertEquals(0, bench.inode(file).attributes().nlink());
        assertEquals(2, bench.truncate(file, 2).attributes().size());
        assertTrue(bench.namespace.orphans(0, 9).contains(file));
    }

    @Test
    void keepsLongNamesAndDropsWhatLiesTooDeep() {
        String longest = "n".repeat(255);
        bench.create(ROOT, longest);
        bench.unlink(ROOT, longest);
        bench.create(ROOT, longest);
        bench.unlink(ROOT, longest);
        assertEquals(2, names(at(".trash/" + DAY).ino()).size());
        restore(all());
        assertEquals(2, names(ROOT).size());
        long at = ROOT;
        for (int i = 0; i < 17; i++) {
            at = bench.mkdir(at, longest.substring(1)).ino();
        }
        bench.create(at, "f");
        assertEquals(0, bench.unlink(at, "f").inode().attributes().nlink());
        assertFalse(names(ROOT).isEmpty());
    }

    @Test
    void refusesImpossibleTimes() {
        long file = bench.create(ROOT, "f").ino();
        assertFails(Errno.ENOTDIR, new TrashMutation.SetRetention(file, 1));
        assertFails(Errno.ESTALE, new TrashMutation.SetRetention(4711, 1));
        assertFails(Errno.EINVAL, new TrashMutation.SetRetention(ROOT, Long.MAX_VALUE));
        assertFails(Errno.EINVAL, new TrashMutation.SetRetention(TrashPlace.INO, 1));
    }

    private void assertFails(Errno errno, TrashMutation mutation) {
        assertEquals(errno, assertInstanceOf(Reply.Failure.class, bench.leader(mutation)).errno());
    }
}
