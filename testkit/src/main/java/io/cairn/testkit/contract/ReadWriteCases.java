package io.cairn.testkit.contract;

import static io.cairn.testkit.posix.Posix.Capability.COPY_RANGE;
import static io.cairn.testkit.posix.Posix.Capability.KILL_PRIVILEGE;
import static io.cairn.testkit.posix.Posix.Capability.MMAP;
import static io.cairn.testkit.posix.Posix.O_APPEND;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_DSYNC;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_SYNC;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static io.cairn.testkit.posix.Posix.SEEK_CUR;
import static io.cairn.testkit.posix.Posix.SEEK_END;
import static io.cairn.testkit.posix.Posix.SEEK_SET;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.testkit.posix.Posix;
import java.util.Arrays;
import java.util.Random;

/**
 * read(2), write(2), pread(2), pwrite(2), lseek(2), O_APPEND, fsync(2), copy_file_range(2), shared
 * maps.
 */
final class ReadWriteCases extends Scene {
    ReadWriteCases(Posix fs) {
        super(fs);
    }

    @Case
    void whatIsWrittenIsRead() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        assertEquals(5, fs.write(fd, bytes("hello")));
        assertEquals("hello", text(fs.pread(fd, 100, 0)));
        assertEquals(5, fs.fstat(fd).size());
    }

    @Case
    void writeIsSeenThroughAnotherDescriptorAtOnce() {
        int writer = fs.open("f", O_CREAT | O_WRONLY, 0644);
        int reader = fs.open("f", O_RDONLY, 0);
        for (int i = 0; i < 10; i++) {
            fs.write(writer, bytes("line" + i));
            assertEquals("line" + i, text(fs.read(reader, 100)));
            assertEquals(5L * (i + 1), fs.stat("f").size());
        }
    }

    @Case
    void readAtTheEndGivesNothing() {
        put("f", "abc");
        int fd = fs.open("f", O_RDONLY, 0);
        assertEquals(0, fs.pread(fd, 10, 3).length);
        assertEquals(0, fs.pread(fd, 10, 1000).length);
        assertEquals(0, fs.pread(fd, 10, 1L << 40).length);
        assertEquals("c", text(fs.pread(fd, 10, 2)));
    }

    @Case
    void readOfNothingGivesNothing() {
        put("f", "abc");
        int fd = fs.open("f", O_RDONLY, 0);
        assertEquals(0, fs.read(fd, 0).length);
        assertEquals("abc", text(fs.read(fd, 3)));
    }

    @Case
    void writeOfNothingChangesNothing() {
        put("f", "abc");
        int fd = fs.open("f", O_WRONLY, 0);
        moves("", "f", () -> assertEquals(0, fs.write(fd, new byte[0])));
        assertEquals(0, fs.pwrite(fd, new byte[0], 100));
        assertEquals(3, fs.stat("f").size());
    }

    @Case
    void negativeOffsetIsEinval() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fails(Errno.EINVAL, () -> fs.pread(fd, 1, -1));
        fails(Errno.EINVAL, () -> fs.pwrite(fd, bytes("x"), -1));
        fails(Errno.EINVAL, () -> fs.lseek(fd, -1, SEEK_SET));
    }

    @Case
    void offsetsMoveWithReadsAndWrites() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abcdef"));
        assertEquals(6, fs.lseek(fd, 0, SEEK_CUR));
        assertEquals(2, fs.lseek(fd, 2, SEEK_SET));
        assertEquals("cd", text(fs.read(fd, 2)));
        assertEquals(4, fs.lseek(fd, 0, SEEK_CUR));
        assertEquals(3, fs.lseek(fd, -3, SEEK_END));
        fs.write(fd, bytes("X"));
        assertEquals("abcXef", get("f"));
    }

    @Case
    void positionedCallsDoNotMoveTheOffset() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abcdef"));
        fs.pwrite(fd, bytes("Z"), 0);
        fs.pread(fd, 3, 1);
        assertEquals(6, fs.lseek(fd, 0, SEEK_CUR));
        assertEquals("Zbcdef", get("f"));
    }

    @Case
    void seekBeyondTheEndChangesNoSize() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        assertEquals(1000, fs.lseek(fd, 1000, SEEK_SET));
        assertEquals(0, fs.fstat(fd).size());
        assertEquals(0, fs.read(fd, 10).length);
        fs.write(fd, bytes("x"));
        assertEquals(1001, fs.fstat(fd).size());
    }

    @Case
    void writeMovesTheTimesOfTheFileOnly() {
        put("f", "abc");
        int fd = fs.open("f", O_WRONLY, 0);
        moves("", ".", () -> moves("mc", "f", () -> fs.write(fd, bytes("x"))));
    }

    @Case
    void overwriteInTheMiddleKeepsTheRest() {
        put("f", "0123456789");
        int fd = fs.open("f", O_WRONLY, 0);
        fs.pwrite(fd, bytes("abc"), 4);
        assertEquals("0123abc789", get("f"));
        assertEquals(10, fs.stat("f").size());
    }

    @Case
    void writesAcrossBlockBoundariesAreExact() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        byte[] image = new byte[70_000];
        Random random = new Random(7);
        for (int i = 0; i < 60; i++) {
            int length = 1 + random.nextInt(9_000);
            int offset = random.nextInt(image.length - length);
            byte[] piece = new byte[length];
            random.nextBytes(piece);
            System.arraycopy(piece, 0, image, offset, length);
            assertEquals(length, fs.pwrite(fd, piece, offset));
        }
        byte[] all = fs.pread(fd, image.length, 0);
        for (int i = all.length; i < image.length; i++) {
            assertEquals(0, image[i]);
        }
        assertArrayEquals(Arrays.copyOf(image, all.length), all);
    }

    @Case
    void megabytesSurviveReopening() {
        byte[] image = new byte[3 << 20];
        new Random(11).nextBytes(image);
        int fd = fs.open("f", O_CREAT | O_WRONLY, 0644);
        for (int at = 0; at < image.length; at += 1 << 20) {
            fs.write(fd, Arrays.copyOfRange(image, at, at + (1 << 20)));
        }
        fs.close(fd);
        int again = fs.open("f", O_RDONLY, 0);
        for (int at = 0; at < image.length; at += 1 << 20) {
            byte[] expected = Arrays.copyOfRange(image, at, at + (1 << 20));
            assertArrayEquals(expected, fs.pread(again, 1 << 20, at));
        }
    }

    @Case
    void appendIgnoresTheOffset() {
        put("f", "abc");
        int fd = fs.open("f", O_WRONLY | O_APPEND, 0);
        fs.lseek(fd, 0, SEEK_SET);
        fs.write(fd, bytes("def"));
        assertEquals("abcdef", get("f"));
        assertEquals(6, fs.lseek(fd, 0, SEEK_CUR));
    }

    @Case
    void appendGoesToTheEndThatAnotherWriterMade() {
        int one = fs.open("f", O_CREAT | O_WRONLY | O_APPEND, 0644);
        int two = fs.open("f", O_WRONLY | O_APPEND, 0);
        fs.write(one, bytes("1"));
        fs.write(two, bytes("22"));
        fs.write(one, bytes("3"));
        fs.write(two, bytes("44"));
        assertEquals("122344", get("f"));
    }

    @Case
    void appendGoesToTheEndAfterATruncation() {
        int fd = fs.open("f", O_CREAT | O_WRONLY | O_APPEND, 0644);
        fs.write(fd, bytes("abcdef"));
        fs.truncate("f", 2);
        fs.write(fd, bytes("X"));
        assertEquals("abX", get("f"));
    }

    @Case
    void appendingIsSetAndClearedAfterTheOpen() {
        put("f", "abc");
        int fd = fs.open("f", O_RDWR, 0);
        fs.setAppend(fd, true);
        fs.write(fd, bytes("def"));
        fs.pwrite(fd, bytes("g"), 0);
        assertEquals("abcdefg", get("f"));
        fs.setAppend(fd, false);
        fs.pwrite(fd, bytes("X"), 1);
        assertEquals("aXcdefg", get("f"));
        int other = fs.open("f", O_RDWR | O_APPEND, 0);
        fs.setAppend(other, false);
        fs.pwrite(other, bytes("Y"), 2);
        fs.setAppend(other, true);
        fs.pwrite(other, bytes("Z"), 2);
        assertEquals("aXYdefgZ", get("f"));
    }

    @Case
    void positionedWriteToAnAppendingDescriptorAppends() {
        put("f", "abc");
        int fd = fs.open("f", O_WRONLY | O_APPEND, 0);
        fs.pwrite(fd, bytes("X"), 0);
        assertEquals("abcX", get("f"));
    }

    @Case
    void readOfAnAppendingDescriptorStartsAtZero() {
        put("f", "abc");
        int fd = fs.open("f", O_RDWR | O_APPEND, 0);
        assertEquals("abc", text(fs.read(fd, 10)));
    }

    @Case
    void syncOfFilesAndDirectoriesSucceeds() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("data"));
        fs.fsync(fd);
        fs.fdatasync(fd);
        int directory = fs.open(".", O_RDONLY, 0);
        fs.fsync(directory);
        assertEquals("data", get("f"));
    }

    @Case
    void syncOfAReadOnlyDescriptorSucceeds() {
        put("f", "x");
        int fd = fs.open("f", O_RDONLY, 0);
        fs.fsync(fd);
        fs.fdatasync(fd);
        fails(Errno.EBADF, () -> fs.fsync(-1));
    }

    @Case
    void synchronousWritesAreOrdinaryWrites() {
        int fd = fs.open("f", O_CREAT | O_WRONLY | O_SYNC, 0644);
        fs.write(fd, bytes("abc"));
        int data = fs.open("f", O_WRONLY | O_DSYNC, 0);
        fs.pwrite(data, bytes("X"), 1);
        assertEquals("aXc", get("f"));
    }

    @Case
    void fileGrowsByteByByteThroughSmallSizes() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        StringBuilder expected = new StringBuilder();
        for (int i = 0; i < 40; i++) {
            String piece = repeat((char) ('a' + i % 26), 257);
            fs.write(fd, bytes(piece));
            expected.append(piece);
            assertEquals(expected.length(), fs.stat("f").size());
        }
        assertEquals(expected.toString(), get("f"));
    }

    @Case
    void blocksCountWhatIsStored() {
        int fd = fs.open("f", O_CREAT | O_WRONLY, 0644);
        fs.write(fd, new byte[1 << 20]);
        fs.fsync(fd);
        long bytes = fs.stat("f").blocks() * 512;
        assertEquals(true, bytes >= 1 << 20 && bytes < 2 << 20, () -> bytes + " bytes used");
    }

    @Case(needs = MMAP)
    void mapShowsWhatWasWritten() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes(repeat('x', 10_000)));
        assertEquals(repeat('x', 10_000), text(fs.mapRead(fd, 0, 10_000)));
        fs.pwrite(fd, bytes("new"), 5_000);
        assertEquals("new", text(fs.mapRead(fd, 4096, 1000)).substring(904, 907));
    }

    @Case(needs = MMAP)
    void readShowsWhatWasWrittenThroughAMap() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 20_000);
        fs.mapWrite(fd, 8192, bytes("mapped"));
        assertEquals("mapped", text(fs.pread(fd, 6, 8192)));
        assertEquals(20_000, fs.fstat(fd).size());
        assertEquals("mapped", get("f").substring(8192, 8198));
    }

    @Case(needs = MMAP)
    void bytesAfterTheEndAreZeroAndNotStored() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("abc"));
        assertEquals("abc" + repeat('\0', 97), text(fs.mapRead(fd, 0, 100)));
        assertEquals(3, fs.fstat(fd).size());
    }

    @Case(needs = MMAP)
    void writingThroughAMapMovesMtime() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 4096);
        fs.futimens(fd, PAST, PAST);
        fs.mapWrite(fd, 0, bytes("x"));
        fs.fsync(fd);
        assertTrue(fs.fstat(fd).mtimeNs() > PAST + 1_000_000_000L);
    }

    @Case(needs = MMAP)
    void mapOfAnUnlinkedFileWorks() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.ftruncate(fd, 4096);
        fs.unlink("f");
        fs.mapWrite(fd, 0, bytes("still here"));
        assertEquals("still here", text(fs.mapRead(fd, 0, 10)));
    }

    /** Copies until nothing is left: a call may copy less than it was asked for. */
    private long copyAll(int from, long fromOffset, int to, long toOffset, long length) {
        long done = 0;
        while (done < length) {
            long count = fs.copyRange(from, fromOffset + done, to, toOffset + done, length - done);
            if (count == 0) {
                break;
            }
            done += count;
        }
        return done;
    }

    @Case(needs = COPY_RANGE)
    void rangeIsCopied() {
        int from = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(from, bytes("0123456789"));
        int to = fs.open("g", O_CREAT | O_RDWR, 0644);
        fs.write(to, bytes("abcdefghij"));
        assertEquals(4, copyAll(from, 2, to, 3, 4));
        assertEquals("abc2345hij", get("g"));
        assertEquals("0123456789", get("f"));
        assertEquals(10, fs.lseek(to, 0, SEEK_CUR));
    }

    @Case(needs = COPY_RANGE)
    void copyEndsAtTheEndOfTheSource() {
        put("f", "0123456789");
        int from = fs.open("f", O_RDONLY, 0);
        int to = fs.open("g", O_CREAT | O_RDWR, 0644);
        assertEquals(3, copyAll(from, 7, to, 0, 100));
        assertEquals("789", get("g"));
        assertEquals(0, fs.copyRange(from, 10, to, 3, 5));
        assertEquals(0, fs.copyRange(from, 1000, to, 3, 5));
        assertEquals(0, fs.copyRange(from, 2, to, 3, 0));
        assertEquals("789", get("g"));
    }

    @Case(needs = COPY_RANGE)
    void copyBehindTheEndLeavesZerosBetween() {
        put("f", "abc");
        int from = fs.open("f", O_RDONLY, 0);
        int to = fs.open("g", O_CREAT | O_RDWR, 0644);
        assertEquals(3, copyAll(from, 0, to, 5000, 3));
        assertEquals(repeat('\0', 5000) + "abc", get("g"));
    }

    @Case(needs = COPY_RANGE)
    void copyWithinOneFile() {
        int fd = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.write(fd, bytes("0123456789"));
        assertEquals(3, copyAll(fd, 0, fd, 7, 3));
        assertEquals("0123456012", get("f"));
        fails(Errno.EINVAL, () -> fs.copyRange(fd, 0, fd, 2, 3));
        fails(Errno.EINVAL, () -> fs.copyRange(fd, 2, fd, 2, 1));
        assertEquals("0123456012", get("f"));
    }

    @Case(needs = COPY_RANGE)
    void largeRangeOverHolesIsExact() {
        int length = 3 << 20;
        byte[] all = new byte[length];
        new Random(7).nextBytes(all);
        Arrays.fill(all, 1 << 20, 2 << 20, (byte) 0);
        int from = fs.open("f", O_CREAT | O_RDWR, 0644);
        fs.pwrite(from, Arrays.copyOf(all, 1 << 20), 0);
        fs.pwrite(from, Arrays.copyOfRange(all, 2 << 20, length), 2 << 20);
        fs.ftruncate(from, 2L * length);
        int to = fs.open("g", O_CREAT | O_RDWR, 0644);
        fs.write(to, bytes(repeat('x', length)));
        assertEquals(2L * length - 5, copyAll(from, 5, to, 1, 2L * length));
        assertEquals(2L * length - 4, fs.fstat(to).size());
        assertEquals("x", text(fs.pread(to, 1, 0)));
        assertArrayEquals(Arrays.copyOfRange(all, 5, length), fs.pread(to, length - 5, 1));
        assertArrayEquals(new byte[length], fs.pread(to, length, length - 4));
    }

    @Case(needs = COPY_RANGE)
    void copyNeedsTheRightDescriptors() {
        put("f", "abc");
        int reads = fs.open("f", O_RDONLY, 0);
        int writes = fs.open("g", O_CREAT | O_WRONLY, 0644);
        int appends = fs.open("g", O_WRONLY | O_APPEND, 0);
        fails(Errno.EBADF, () -> fs.copyRange(writes, 0, writes, 10, 1));
        fails(Errno.EBADF, () -> fs.copyRange(reads, 0, reads, 10, 1));
        fails(Errno.EBADF, () -> fs.copyRange(reads, 0, appends, 0, 1));
        int directory = fs.opendir(".");
        fails(Errno.EISDIR, () -> fs.copyRange(directory, 0, writes, 0, 1));
    }

    @Case(needs = COPY_RANGE)
    void copyMovesTheTimesOfTheTarget() {
        put("f", "abc");
        put("g", "");
        int from = fs.open("f", O_RDONLY, 0);
        int to = fs.open("g", O_WRONLY, 0);
        moves("mc", "g", () -> assertEquals(3, copyAll(from, 0, to, 0, 3)));
        fs.fsync(to);
        Posix.Stat stat = fs.fstat(to);
        assertEquals(3, stat.size());
        assertTrue(stat.mtimeNs() > fs.fstat(from).mtimeNs(), "later than the source");
    }

    @Case(needs = {COPY_RANGE, KILL_PRIVILEGE})
    void copyTakesSetUserIdAway() {
        put("f", "abc");
        put("g", "");
        fs.chown("g", ANN, ANNS);
        fs.chmod("g", 06777);
        Posix ann = ann();
        int from = ann.open("f", O_RDONLY, 0);
        int to = ann.open("g", O_WRONLY, 0);
        assertEquals(3, ann.copyRange(from, 0, to, 0, 3));
        assertEquals(0777, fs.stat("g").mode());
    }
}
