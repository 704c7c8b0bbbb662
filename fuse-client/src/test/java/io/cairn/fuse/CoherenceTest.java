package io.cairn.fuse;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.cairn.fs.Lock;
import io.cairn.fuse.MountOptions.DriverKind;
import io.cairn.testkit.NativePosix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Pages of the kernel against changes of another mount: opens and locks see what came before. */
class CoherenceTest extends MountTest {
    private static final int COUNTER_BYTES = 8;
    private static final int ROUNDS = 100;
    private static final long FAR = 1000;

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

    private static byte[] counter(long value) {
        return "%08d".formatted(value).getBytes(StandardCharsets.US_ASCII);
    }

    private static long counter(byte[] bytes) {
        return Long.parseLong(new String(bytes, StandardCharsets.US_ASCII));
    }

    private static void put(Path file, long value) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertEquals(COUNTER_BYTES, channel.write(ByteBuffer.wrap(counter(value)), 0));
        }
    }

    private static long get(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(COUNTER_BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            assertEquals(COUNTER_BYTES, channel.read(bytes, 0));
        }
        return counter(bytes.array());
    }

    /** No open may find less than what was closed before it, however many read beside it. */
    @ParameterizedTest
    @CsvSource({"KERNEL,2", "KERNEL,4", "JNR,2", "JNR,4"})
    void readersOfOneMountSeeEveryClose(DriverKind driver, int readers) throws Exception {
        Path written = mounted("a", driver).resolve("file");
        Path read = mounted("b", driver).resolve("file");
        long last = 1500;
        put(written, 0);
        AtomicLong closed = new AtomicLong();
        AtomicLong stale = new AtomicLong();
        AtomicLong reads = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                results.add(
                        threads.submit(
                                () -> {
                                    while (closed.get() < last) {
                                        long before = closed.get();
                                        long found = get(read);
                                        reads.incrementAndGet();
                                        stale.addAndGet(found < before ? 1 : 0);
                                    }
                                    return null;
                                }));
            }
            for (long value = 1; value <= last; value++) {
                put(written, value);
                closed.set(value);
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        assertEquals(0, stale.get(), "stale of " + reads.get() + " reads");
    }

    /** How the two sides lock what they count. */
    enum Kind {
        POSIX {
            @Override
            void lock(NativePosix process, int fd, Lock.Mode mode) {
                process.setlk(fd, mode, 0, 0, true);
            }
        },
        BYTE_FAR_AWAY {
            @Override
            void lock(NativePosix process, int fd, Lock.Mode mode) {
                process.setlk(fd, mode, FAR, 1, true);
            }
        },
        OFD {
            @Override
            void lock(NativePosix process, int fd, Lock.Mode mode) {
                process.setOfdLock(fd, mode, 0, 0, true);
            }
        },
        FLOCK {
            @Override
            void lock(NativePosix process, int fd, Lock.Mode mode) {
                process.flock(fd, mode, true);
            }
        };

        abstract void lock(NativePosix process, int fd, Lock.Mode mode);
    }

    private static void count(NativePosix process, int fd, Kind kind) {
        for (int i = 0; i < ROUNDS; i++) {
            kind.lock(process, fd, Lock.Mode.EXCLUSIVE);
            long value = counter(process.pread(fd, COUNTER_BYTES, 0));
            process.pwrite(fd, counter(value + 1), 0);
            process.fsync(fd);
            kind.lock(process, fd, Lock.Mode.UNLOCK);
        }
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
    void countingUnderALockLosesNothing(DriverKind driver, Kind kind) throws Exception {
        Path first = mounted("a", driver);
        put(first.resolve("file"), 0);
        try (NativePosix a = new NativePosix(first, Set.of(), 0);
                NativePosix b = new NativePosix(mounted("b", driver), Set.of(), 0);
                ExecutorService thread = Executors.newSingleThreadExecutor()) {
            int fa = a.open("file", NativePosix.O_RDWR, 0);
            int fb = b.open("file", NativePosix.O_RDWR, 0);
            Future<?> other = thread.submit(() -> count(b, fb, kind));
            count(a, fa, kind);
            other.get();
            kind.lock(a, fa, Lock.Mode.SHARED);
            assertEquals(2L * ROUNDS, counter(a.pread(fa, COUNTER_BYTES, 0)));
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
