package io.cairn.testkit.contract;

import static io.cairn.fs.Lock.Mode.EXCLUSIVE;
import static io.cairn.fs.Lock.Mode.SHARED;
import static io.cairn.fs.Lock.Mode.UNLOCK;
import static io.cairn.testkit.posix.Posix.Capability.FLOCK;
import static io.cairn.testkit.posix.Posix.O_RDONLY;
import static io.cairn.testkit.posix.Posix.O_RDWR;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cairn.base.Errno;
import io.cairn.testkit.posix.Posix;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Locks of open file descriptions: flock(2). */
final class FlockCases extends Scene {
    private static final long WAIT_S = 50;

    FlockCases(Posix fs) {
        super(fs);
        fs.create("f", 0666);
    }

    private int open() {
        return fs.open("f", O_RDWR, 0);
    }

    @Case(needs = FLOCK)
    void exclusiveLockKeepsOtherDescriptionsOut() {
        int one = open();
        int two = open();
        fs.flock(one, EXCLUSIVE, false);
        fails(Errno.EAGAIN, () -> fs.flock(two, EXCLUSIVE, false));
        fails(Errno.EAGAIN, () -> fs.flock(two, SHARED, false));
        fs.flock(one, UNLOCK, false);
        fs.flock(two, EXCLUSIVE, false);
    }

    @Case(needs = FLOCK)
    void sharedLocksAreShared() {
        int one = open();
        int two = open();
        fs.flock(one, SHARED, false);
        fs.flock(two, SHARED, false);
        fails(Errno.EAGAIN, () -> fs.flock(one, EXCLUSIVE, false));
    }

    @Case(needs = FLOCK)
    void lockIsConverted() {
        int one = open();
        int two = open();
        fs.flock(one, EXCLUSIVE, false);
        fs.flock(one, SHARED, false);
        fs.flock(two, SHARED, false);
        fs.flock(two, UNLOCK, false);
        fs.flock(one, EXCLUSIVE, false);
    }

    @Case(needs = FLOCK)
    void lockNeedsNoWriteAccess() {
        int reader = fs.open("f", O_RDONLY, 0);
        fs.flock(reader, EXCLUSIVE, false);
        fails(Errno.EAGAIN, () -> fs.flock(open(), SHARED, false));
    }

    @Case(needs = FLOCK)
    void closeDropsTheLock() {
        int one = open();
        fs.flock(one, EXCLUSIVE, false);
        fs.close(one);
        fs.flock(open(), EXCLUSIVE, false);
    }

    @Case(needs = FLOCK)
    void duplicatesShareTheLock() {
        int one = open();
        int twin = fs.dup(one);
        fs.flock(one, EXCLUSIVE, false);
        fs.flock(twin, EXCLUSIVE, false);
        fs.close(one);
        int other = open();
        fails(Errno.EAGAIN, () -> fs.flock(other, EXCLUSIVE, false));
        fs.close(twin);
        fs.flock(other, EXCLUSIVE, false);
    }

    @Case(needs = FLOCK)
    void closingAnotherDescriptionKeepsTheLock() {
        int one = open();
        int two = open();
        fs.flock(one, EXCLUSIVE, false);
        fs.close(two);
        fails(Errno.EAGAIN, () -> fs.flock(open(), EXCLUSIVE, false));
    }

    @Case(needs = FLOCK)
    void lockIsSeenByOtherProcesses() {
        int mine = open();
        fs.flock(mine, EXCLUSIVE, false);
        try (Posix other = fs.process(".")) {
            int fd = other.open("f", O_RDWR, 0);
            fails(Errno.EAGAIN, () -> other.flock(fd, SHARED, false));
            fs.flock(mine, UNLOCK, false);
            other.flock(fd, SHARED, false);
        }
    }

    @Case(needs = FLOCK)
    void flockAndFcntlDoNotMeet() {
        fs.flock(open(), EXCLUSIVE, false);
        try (Posix other = fs.process(".")) {
            other.setlk(other.open("f", O_RDWR, 0), EXCLUSIVE, 0, 0, false);
        }
    }

    @Case(needs = FLOCK)
    void badDescriptorIsEbadf() {
        fails(Errno.EBADF, () -> fs.flock(-1, EXCLUSIVE, false));
    }

    @Case(needs = FLOCK)
    void waiterGetsTheLockWhenItIsFree() throws Exception {
        int mine = open();
        fs.flock(mine, EXCLUSIVE, false);
        AtomicBoolean released = new AtomicBoolean();
        try (ExecutorService threads = Executors.newCachedThreadPool();
                Posix other = fs.process(".")) {
            int fd = other.open("f", O_RDWR, 0);
            Future<Boolean> waiter =
                    threads.submit(
                            () -> {
                                other.flock(fd, EXCLUSIVE, true);
                                return released.get();
                            });
            released.set(true);
            fs.flock(mine, UNLOCK, false);
            assertTrue(waiter.get(WAIT_S, TimeUnit.SECONDS));
        }
    }
}
