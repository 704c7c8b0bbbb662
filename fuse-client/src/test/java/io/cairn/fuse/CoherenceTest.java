package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.fs.Lock;
import io.cairn.fuse.loop.MountOptions.DriverKind;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.shared.SharedCounter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages of the kernel against changes of another mount: opens and locks see what came before. */
class CoherenceTest extends MountTest {
    private static final int ROUNDS = 100;

    private final List<FuseMount> mounts = new ArrayList<>();

    private Path mounted(String name, DriverKind driver) throws IOException {
        FuseMount mount = mount(directory(name), driver);
        mounts.add(mount);
        return mount.path();
    }

    @AfterEach
    void closeMounts() {
        mounts.forEach(FuseMount::close);
    }

    /** No open may find less than what was closed before it, however many read beside it. */
    @ParameterizedTest
    @CsvSource({"KERNEL,2", "KERNEL,4", "JNR,2", "JNR,4"})
    void readersOfOneMountSeeEveryClose(DriverKind driver, int readers) throws Exception {
        Path written = mounted("a", driver).resolve("file");
        Path read = mounted("b", driver).resolve("file");
        assertEquals(0, SharedCounter.staleReads(written, read, readers, 1500));
    }

    @ParameterizedTest
    @CsvSource({
        "KERNEL,POSIX",
        "KERNEL,BYTE_FAR_AWAY",
        "KERNEL,OFD",
        "KERNEL,FLOCK",
        "JNR,POSIX",
        "JNR,BYTE_FAR_AWAY",
        "JNR,OFD",
        "JNR,FLOCK"
    })
    void countingUnderALockLosesNothing(DriverKind driver, SharedCounter.Guard guard)
            throws Exception {
        Path first = mounted("a", driver);
        SharedCounter.put(first.resolve("file"), 0);
        try (NativePosix a = new NativePosix(first, Set.of(), 0);
                NativePosix b = new NativePosix(mounted("b", driver), Set.of(), 0)) {
            assertEquals(2 * ROUNDS, SharedCounter.countOfBoth(a, b, guard, ROUNDS));
        }
    }

    /** Also when the description before it had the same place in the kernel's memory. */
    @ParameterizedTest
    @CsvSource({"KERNEL", "JNR"})
    void locksOfADescriptionEndWithIt(DriverKind driver) throws Exception {
        Path root = mounted("a", driver);
        try (NativePosix holder = new NativePosix(root, Set.of(), 0);
                NativePosix other = new NativePosix(mounted("b", driver), Set.of(), 0)) {
            int flags = NativePosix.O_CREAT | NativePosix.O_RDWR;
            int seen = other.open("file", flags, 0644);
            for (int i = 0; i < 50; i++) {
                int fd = holder.open("file", flags, 0644);
                holder.setOfdLock(fd, Lock.Mode.EXCLUSIVE, i, 1, false);
                int copy = holder.dup(fd);
                holder.close(fd);
                assertNotNull(other.getlk(seen, Lock.Mode.SHARED, i, 1), "a copy is open");
                if (i % 2 == 0) {
                    int beside = holder.open("file", flags, 0644);
                    holder.close(beside);
                    assertNotNull(other.getlk(seen, Lock.Mode.SHARED, i, 1), "another was closed");
                }
                holder.close(copy);
            }
            await("all are free", () -> other.getlk(seen, Lock.Mode.SHARED, 0, 0) == null);
            assertNull(other.getlk(seen, Lock.Mode.EXCLUSIVE, 0, 0));
        }
    }
}
