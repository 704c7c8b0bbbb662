package io.cairn.system;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Overwrites parts of files on a mount, syncs them now and then, and remembers the promises of each
 * sync. Each word must be afterwards that of the write last synced, or of a later one (I1). Each
 * file that was synced once must exist (I3); on a mount with {@code names=sync}, each that was
 * opened.
 */
final class SyncedLoad implements AutoCloseable {
    private static final int UNIT = 512;
    private static final int UNITS = 1200;
    private static final int MOST_UNITS = 150;
    private static final int BLOCK = 4096;
    private static final int FILES = 12;

    private final Path root;
    private final boolean opensAreSynced;
    private final LoadThreads threads = new LoadThreads(true);
    private final List<Worker> workers = new ArrayList<>();

    /**
     * @param opensAreSynced whether {@code open} of a new file on this mount promises its name
     */
    SyncedLoad(Path root, boolean opensAreSynced, int threads, long seed) {
        this.root = root;
        this.opensAreSynced = opensAreSynced;
        for (int i = 0; i < threads; i++) {
            Worker worker = new Worker("load-" + i, new Random(seed * 31 + i));
            workers.add(worker);
            this.threads.start(worker.name, worker::operate);
        }
    }

    /** One file; each unit of it holds the number of the write it is of, again and again. */
    private static final class Numbered {
        final String name;
        final FileChannel channel;
        final int[] synced = new int[UNITS];
        final int[] acknowledged = new int[UNITS];
        boolean promised;
        int last;

        Numbered(String name, FileChannel channel, boolean promised) {
            this.name = name;
            this.channel = channel;
            this.promised = promised;
        }

        void write(int first, int count) throws IOException {
            int number = ++last;
            ByteBuffer data = ByteBuffer.allocate(count * UNIT);
            while (data.hasRemaining()) {
                data.putInt(number);
            }
            data.flip();
            try {
                while (data.hasRemaining()) {
                    channel.write(data, (long) first * UNIT + data.position());
                }
                Arrays.fill(acknowledged, first, first + count, number);
            } catch (IOException e) {
                forgive();
                throw e;
            }
        }

        void sync(boolean metadata) throws IOException {
            try {
                channel.force(metadata);
                promised = true;
                System.arraycopy(acknowledged, 0, synced, 0, UNITS);
            } catch (IOException e) {
                forgive();
                throw e;
            }
        }

        /** The writer was told that something is lost: nothing unsynced is promised any more. */
        private void forgive() {
            System.arraycopy(synced, 0, acknowledged, 0, UNITS);
        }

        void verify(Path path) throws IOException {
            if (!Files.exists(path)) {
                assertFalse(promised, path + " was acknowledged and is gone");
                return;
            }
            try (FileChannel found = FileChannel.open(path, StandardOpenOption.READ)) {
                for (int at = 0; at < UNITS * UNIT; at += BLOCK) {
                    verify(path, at, block(found, path, at));
                }
            }
        }

        /** A block that was never synced may have become unreadable. */
        private ByteBuffer block(FileChannel found, Path path, int at) throws IOException {
            ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
            try {
                for (int read = 0; read >= 0 && bytes.hasRemaining(); ) {
                    read = found.read(bytes, at + (long) bytes.position());
                }
            } catch (IOException e) {
                for (int unit = at / UNIT; unit < Math.min(UNITS, (at + BLOCK) / UNIT); unit++) {
                    if (synced[unit] > 0) {
                        throw new AssertionError(
                                path + " lost synced bytes at " + at + ": " + e, e);
                    }
                }
            }
            return bytes.clear();
        }

        private void verify(Path path, int at, ByteBuffer bytes) {
            while (bytes.hasRemaining()) {
                int offset = at + bytes.position();
                if (offset >= UNITS * UNIT) {
                    return;
                }
                int seen = bytes.getInt();
                int least = synced[offset / UNIT];
                assertTrue(
                        seen >= least && seen <= last,
                        () ->
                                "%s: byte %d is of write %d, synced was %d, the last is %d"
                                        .formatted(path, offset, seen, least, last));
            }
        }
    }

    private final class Worker {
        private final String name;
        private final Random random;
        private final AtomicInteger syncs = new AtomicInteger();
        private final List<Numbered> files = new ArrayList<>();

        Worker(String name, Random random) {
            this.name = name;
            this.random = random;
        }

        private void operate() throws IOException {
            if (files.size() < FILES && (files.isEmpty() || random.nextInt(20) == 0)) {
                String file = name + "-" + files.size() + "-" + threads.failures().size();
                files.add(
                        new Numbered(
                                file,
                                FileChannel.open(
                                        root.resolve(file),
                                        StandardOpenOption.CREATE_NEW,
                                        StandardOpenOption.WRITE),
                                opensAreSynced));
            }
            Numbered chosen = files.get(random.nextInt(files.size()));
            if (random.nextInt(3) == 0) {
                chosen.sync(random.nextBoolean());
                syncs.incrementAndGet();
            } else {
                int first = random.nextInt(UNITS);
                chosen.write(first, 1 + random.nextInt(Math.min(UNITS - first, MOST_UNITS)));
            }
        }
    }

    /** Syncs that succeeded so far. */
    int syncs() {
        return workers.stream().mapToInt(w -> w.syncs.get()).sum();
    }

    /** What went wrong, in the words of the system. */
    List<String> failures() {
        return threads.failures();
    }

    void stop() throws InterruptedException {
        threads.stop();
    }

    /** After the end of the load: syncs every file; one that lost bytes says so once. */
    void syncAll() throws IOException {
        for (Worker worker : workers) {
            for (Numbered file : worker.files) {
                try {
                    file.sync(true);
                } catch (IOException e) {
                    threads.fail(e);
                    file.sync(true);
                }
            }
        }
    }

    /** Checks every file; {@code where} is the directory that holds the same tree now. */
    void verify(Path where) throws IOException {
        for (Worker worker : workers) {
            for (Numbered file : worker.files) {
                file.verify(where.resolve(file.name));
            }
        }
    }

    @Override
    public void close() {
        threads.close();
        for (Worker worker : workers) {
            for (Numbered file : worker.files) {
                try {
                    file.channel.close();
                } catch (IOException e) {
                    threads.fail(e);
                }
            }
        }
    }
}
