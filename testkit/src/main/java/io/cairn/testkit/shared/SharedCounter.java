package io.cairn.testkit.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cairn.fs.Lock;
import io.cairn.testkit.posix.NativePosix;
import io.cairn.testkit.posix.Posix;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/** A number at the beginning of a file that two mounts have in common. */
public final class SharedCounter {
    private static final int BYTES = 8;
    private static final long FAR = 1000;

    private SharedCounter() {}

    /** How those who count lock the file. */
    public enum Guard {
        POSIX,
        BYTE_FAR_AWAY,
        OFD,
        FLOCK;

        /** Sets or removes the lock of an open file; waits for it. */
        public void lock(NativePosix process, int fd, Lock.Mode mode) {
            switch (this) {
                case POSIX -> process.setlk(fd, mode, 0, 0, true);
                case BYTE_FAR_AWAY -> process.setlk(fd, mode, FAR, 1, true);
                case OFD -> process.setOfdLock(fd, mode, 0, 0, true);
                case FLOCK -> process.flock(fd, mode, true);
            }
        }
    }

    /** The bytes of a number. */
    public static byte[] bytes(long value) {
        return "%08d".formatted(value).getBytes(StandardCharsets.US_ASCII);
    }

    /** The number of some bytes. */
    public static long value(byte[] bytes) {
        return Long.parseLong(new String(bytes, 0, BYTES, StandardCharsets.US_ASCII));
    }

    /** Opens, writes and closes. */
    public static void put(Path file, long value) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            assertEquals(BYTES, channel.write(ByteBuffer.wrap(bytes(value)), 0));
        }
    }

    /** Opens, reads and closes. */
    public static long get(Path file) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BYTES);
        try (FileChannel channel = FileChannel.open(file)) {
            assertEquals(BYTES, channel.read(bytes, 0));
        }
        return value(bytes.array());
    }

    /**
     * Writes a file through one path while others open and read it through another one.
     *
     * @return how often an open found less than what was closed before it
     */
    public static long staleReads(Path written, Path read, int readers, int writes)
            throws Exception {
        put(written, 0);
        AtomicLong closed = new AtomicLong();
        AtomicLong stale = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(readers)) {
            List<Future<?>> results = new ArrayList<>();
            for (int i = 0; i < readers; i++) {
                results.add(
                        threads.submit(
                                () -> {
                                    while (closed.get() < writes) {
                                        long before = closed.get();
                                        stale.addAndGet(get(read) < before ? 1 : 0);
                                    }
                                    return null;
                                }));
            }
            try {
                for (long value = 1; value <= writes; value++) {
                    put(written, value);
                    closed.set(value);
                }
            } finally {
                closed.set(writes);
            }
            for (Future<?> result : results) {
                result.get();
            }
        }
        return stale.get();
    }

    /** Adds one to the number of an open file, again and again, each time under a lock. */
    public static void count(NativePosix process, int fd, Guard guard, int times) {
        for (int i = 0; i < times; i++) {
            guard.lock(process, fd, Lock.Mode.EXCLUSIVE);
            long value = value(process.pread(fd, BYTES, 0));
            process.pwrite(fd, bytes(value + 1), 0);
            process.fsync(fd);
            guard.lock(process, fd, Lock.Mode.UNLOCK);
        }
    }

    /** The number after two have counted at the same time, each with the file open throughout. */
    public static long countOfBoth(NativePosix a, NativePosix b, Guard guard, int times)
            throws Exception {
        try (ExecutorService thread = Executors.newSingleThreadExecutor()) {
            int fa = a.open("file", Posix.O_RDWR, 0);
            int fb = b.open("file", Posix.O_RDWR, 0);
            Future<?> other = thread.submit(() -> count(b, fb, guard, times));
            count(a, fa, guard, times);
            other.get();
            guard.lock(a, fa, Lock.Mode.SHARED);
            long found = value(a.pread(fa, BYTES, 0));
            a.close(fa);
            b.close(fb);
            return found;
        }
    }
}
