package io.cairn.testkit.contract;

import static io.cairn.fs.Lock.Mode.EXCLUSIVE;
import static io.cairn.fs.Lock.Mode.SHARED;
import static io.cairn.fs.Lock.Mode.UNLOCK;
import static io.cairn.testkit.posix.Posix.Capability.DEADLOCK;
import static io.cairn.testkit.posix.Posix.Capability.LOCKS;
import static io.cairn.testkit.posix.Posix.O_CREAT;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static io.cairn.testkit.posix.Posix.O_WRONLY;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.fs.Lock;
import io.cairn.testkit.posix.Posix;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Byte-range locks of fcntl(2), between processes. */
final class LockCases extends Scene {
    private static final long WAIT_S = 50;

    LockCases(Posix fs) {
        super(fs);
        fs.create("f", 0666);
    }

    private int open(Posix process) {
        return process.open("f", O_RDWR, 0);
    }

    private static void isFree(Posix process, int fd, long start, long length) {
        assertNull(process.getlk(fd, EXCLUSIVE, start, length));
    }

    private static void isLocked(Posix process, int fd, long start, long length) {
        assertNotNull(process.getlk(fd, EXCLUSIVE, start, length));
        fails(Errno.EAGAIN, () -> process.setlk(fd, EXCLUSIVE, start, length, false));
    }

    @Case(needs = LOCKS)
    void exclusiveLockKeepsOthersOut() {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 0, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            fails(Errno.EAGAIN, () -> other.setlk(fd, EXCLUSIVE, 0, 0, false));
            fails(Errno.EAGAIN, () -> other.setlk(fd, SHARED, 5, 1, false));
            fs.setlk(mine, UNLOCK, 0, 0, false);
            other.setlk(fd, EXCLUSIVE, 0, 0, false);
        }
    }

    @Case(needs = LOCKS)
    void sharedLocksAreShared() {
        fs.setlk(open(fs), SHARED, 0, 10, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            other.setlk(fd, SHARED, 0, 10, false);
            fails(Errno.EAGAIN, () -> other.setlk(fd, EXCLUSIVE, 0, 10, false));
        }
    }

    @Case(needs = LOCKS)
    void rangesThatDoNotTouchDoNotConflict() {
        fs.setlk(open(fs), EXCLUSIVE, 10, 10, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            other.setlk(fd, EXCLUSIVE, 0, 10, false);
            other.setlk(fd, EXCLUSIVE, 20, 10, false);
            fails(Errno.EAGAIN, () -> other.setlk(fd, EXCLUSIVE, 19, 1, false));
            fails(Errno.EAGAIN, () -> other.setlk(fd, EXCLUSIVE, 5, 6, false));
        }
    }

    @Case(needs = LOCKS)
    void ownLocksNeverConflict() {
        int one = open(fs);
        int two = open(fs);
        fs.setlk(one, EXCLUSIVE, 0, 10, false);
        fs.setlk(two, EXCLUSIVE, 5, 10, false);
        assertNull(fs.getlk(one, EXCLUSIVE, 0, 0));
    }

    @Case(needs = LOCKS)
    void questionNamesTheLockInTheWay() {
        fs.setlk(open(fs), EXCLUSIVE, 100, 50, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            Lock found = other.getlk(fd, SHARED, 0, 0);
            assertNotNull(found);
            assertEquals(EXCLUSIVE, found.mode());
            assertEquals(100, found.startByte());
            assertEquals(149, found.endByte());
            isFree(other, fd, 0, 100);
            isFree(other, fd, 150, 0);
        }
    }

    @Case(needs = LOCKS)
    void lockToTheEndCoversWhatIsWrittenLater() {
        fs.setlk(open(fs), EXCLUSIVE, 1000, 0, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            Lock found = other.getlk(fd, SHARED, 1L << 50, 1);
            assertNotNull(found);
            assertEquals(Lock.TO_END, found.endByte());
            isLocked(other, fd, Long.MAX_VALUE - 1, 1);
            isFree(other, fd, 0, 1000);
        }
    }

    @Case(needs = LOCKS)
    void unlockInTheMiddleSplitsALock() {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 30, false);
        fs.setlk(mine, UNLOCK, 10, 10, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            isLocked(other, fd, 0, 10);
            isFree(other, fd, 10, 10);
            isLocked(other, fd, 20, 10);
        }
    }

    @Case(needs = LOCKS)
    void adjacentLocksBecomeOne() {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 10, false);
        fs.setlk(mine, EXCLUSIVE, 20, 10, false);
        fs.setlk(mine, EXCLUSIVE, 10, 10, false);
        try (Posix other = fs.process(".")) {
            Lock found = other.getlk(open(other), SHARED, 0, 0);
            assertNotNull(found);
            assertEquals(0, found.startByte());
            assertEquals(29, found.endByte());
        }
    }

    @Case(needs = LOCKS)
    void changingThePartOfALockKeepsTheRest() {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 30, false);
        fs.setlk(mine, SHARED, 10, 10, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            other.setlk(fd, SHARED, 10, 10, false);
            fails(Errno.EAGAIN, () -> other.setlk(fd, SHARED, 0, 10, false));
            fails(Errno.EAGAIN, () -> other.setlk(fd, SHARED, 20, 10, false));
        }
    }

    @Case(needs = LOCKS)
    void closingAnyDescriptorDropsAllLocks() {
        int mine = open(fs);
        int another = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 0, false);
        fs.close(another);
        try (Posix other = fs.process(".")) {
            other.setlk(open(other), EXCLUSIVE, 0, 0, false);
        }
    }

    @Case(needs = LOCKS)
    void endOfAProcessDropsItsLocks() {
        Posix other = fs.process(".");
        other.setlk(open(other), EXCLUSIVE, 0, 0, false);
        int mine = open(fs);
        isLocked(fs, mine, 0, 1);
        other.close();
        fs.setlk(mine, EXCLUSIVE, 0, 0, false);
    }

    @Case(needs = LOCKS)
    void lockNeedsADescriptorOpenForItsKind() {
        int reader = fs.open("f", O_RDONLY, 0);
        int writer = fs.open("f", O_WRONLY, 0);
        fails(Errno.EBADF, () -> fs.setlk(reader, EXCLUSIVE, 0, 0, false));
        fails(Errno.EBADF, () -> fs.setlk(writer, SHARED, 0, 0, false));
        fs.setlk(reader, SHARED, 0, 0, false);
        fs.setlk(writer, EXCLUSIVE, 0, 0, false);
    }

    @Case(needs = LOCKS)
    void negativeLengthLocksBackwards() {
        fs.setlk(open(fs), EXCLUSIVE, 20, -10, false);
        try (Posix other = fs.process(".")) {
            int fd = open(other);
            isFree(other, fd, 0, 10);
            isLocked(other, fd, 10, 1);
            isLocked(other, fd, 19, 1);
            isFree(other, fd, 20, 0);
        }
        fails(Errno.EINVAL, () -> fs.setlk(open(fs), EXCLUSIVE, 5, -10, false));
    }

    @Case(needs = LOCKS)
    void locksOfTwoFilesAreApart() {
        fs.create("g", 0644);
        fs.setlk(open(fs), EXCLUSIVE, 0, 0, false);
        try (Posix other = fs.process(".")) {
            other.setlk(other.open("g", O_RDWR, 0), EXCLUSIVE, 0, 0, false);
        }
    }

    @Case(needs = LOCKS)
    void locksBelongToTheFileNotTheName() {
        fs.link("f", "g");
        fs.setlk(open(fs), EXCLUSIVE, 0, 0, false);
        fs.rename("f", "h", 0);
        try (Posix other = fs.process(".")) {
            isLocked(other, other.open("g", O_RDWR, 0), 0, 1);
            isLocked(other, other.open("h", O_RDWR, 0), 0, 1);
        }
    }

    private static <T> Future<T> start(ExecutorService threads, Callable<T> action) {
        return threads.submit(action);
    }

    @Case(needs = LOCKS)
    void waiterGetsTheLockWhenItIsFree() throws Exception {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 0, false);
        AtomicBoolean released = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Posix other = fs.process(".")) {
            int fd = open(other);
            Future<Boolean> waiter =
                    start(
                            threads,
                            () -> {
                                other.setlk(fd, EXCLUSIVE, 0, 0, true);
                                return released.get();
                            });
            released.set(true);
            fs.setlk(mine, UNLOCK, 0, 0, false);
            assertTrue(waiter.get(WAIT_S, TimeUnit.SECONDS));
            isLocked(fs, mine, 0, 1);
        }
    }

    @Case(needs = LOCKS)
    void waiterGetsTheLockWhenTheHolderCloses() throws Exception {
        int mine = open(fs);
        fs.setlk(mine, EXCLUSIVE, 0, 0, false);
        AtomicBoolean released = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Posix other = fs.process(".")) {
            int fd = open(other);
            Future<Boolean> waiter =
                    start(
                            threads,
                            () -> {
                                other.setlk(fd, SHARED, 3, 4, true);
                                return released.get();
                            });
            released.set(true);
            fs.close(mine);
            assertTrue(waiter.get(WAIT_S, TimeUnit.SECONDS));
        }
    }

    @Case(needs = {LOCKS, DEADLOCK})
    void deadlockIsFoundOnce() throws Exception {
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Posix one = fs.process(".");
                Posix two = fs.process(".")) {
            int fdOne = open(one);
            int fdTwo = open(two);
            one.setlk(fdOne, EXCLUSIVE, 0, 10, false);
            two.setlk(fdTwo, EXCLUSIVE, 10, 10, false);
            Future<Integer> first = start(threads, () -> cross(one, fdOne, 10, 0));
            Future<Integer> second = start(threads, () -> cross(two, fdTwo, 0, 10));
            int deadlocks =
                    first.get(WAIT_S, TimeUnit.SECONDS) + second.get(WAIT_S, TimeUnit.SECONDS);
            assertEquals(1, deadlocks);
        }
    }

    /** Waits for a second range; gives up its first one when that is a deadlock. Counts those. */
    private static int cross(Posix process, int fd, long wanted, long own) {
        int deadlocks = 0;
        try {
            process.setlk(fd, EXCLUSIVE, wanted, 10, true);
        } catch (FsException e) {
            assertEquals(Errno.EDEADLK, e.errno());
            deadlocks++;
        }
        process.setlk(fd, UNLOCK, own, 10, false);
        return deadlocks;
    }

    @Case(needs = LOCKS)
    void locksGuardACounter() throws Exception {
        int processes = 4;
        int rounds = 25;
        try (ExecutorService threads = Executors.newCachedThreadPool()) {
            Future<?>[] done = new Future<?>[processes];
            for (int i = 0; i < processes; i++) {
                done[i] = start(threads, () -> count(rounds));
            }
            for (Future<?> f : done) {
                f.get(WAIT_S, TimeUnit.SECONDS);
            }
        }
        assertEquals(processes * rounds, get("counter").length());
    }

    private boolean count(int rounds) {
        try (Posix process = fs.process(".")) {
            int fd = process.open("counter", O_CREAT | O_RDWR, 0644);
            for (int i = 0; i < rounds; i++) {
                process.setlk(fd, EXCLUSIVE, 0, 0, true);
                process.pwrite(fd, bytes("x"), process.fstat(fd).size());
                process.setlk(fd, UNLOCK, 0, 0, false);
            }
        }
        return true;
    }
}
