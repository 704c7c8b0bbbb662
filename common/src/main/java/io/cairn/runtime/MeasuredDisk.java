package io.cairn.runtime;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A disk that counts what is read, written and made durable, and what fails: {@code
 * cairn.disk.read.bytes}, {@code .written.bytes}, {@code .sync} (a timer), {@code .errors}, each
 * with the tag {@code target}. Absent files are no errors. Thread-safe.
 */
public final class MeasuredDisk implements Disk {
    private final Disk disk;
    private final Clock clock;
    private final Counter readBytes;
    private final Counter writtenBytes;
    private final Counter errors;
    private final Timer syncs;

    /**
     * Around a disk.
     *
     * @param target what it is called in metrics; one of few
     */
    public MeasuredDisk(Disk disk, Clock clock, MeterRegistry registry, String target) {
        this.disk = disk;
        this.clock = clock;
        Tags tags = Tags.of("target", target);
        readBytes = registry.counter("cairn.disk.read.bytes", tags);
        writtenBytes = registry.counter("cairn.disk.written.bytes", tags);
        errors = registry.counter("cairn.disk.errors", tags);
        syncs = Latency.timer(registry, "cairn.disk.sync", "fsync and fdatasync", tags);
    }

    /** Something that is done to a disk. */
    private interface Work<T> {
        T run() throws IOException;
    }

    private interface Step {
        void run() throws IOException;
    }

    private <T> T watched(Work<T> work) throws IOException {
        try {
            return work.run();
        } catch (NoSuchFileException e) {
            throw e;
        } catch (IOException e) {
            errors.increment();
            throw e;
        }
    }

    private void watch(Step step) throws IOException {
        boolean _ =
                watched(
                        () -> {
                            step.run();
                            return true;
                        });
    }

    private void timedSync(Step step) throws IOException {
        long beganNs = clock.nanoTime();
        watch(step);
        syncs.record(clock.nanoTime() - beganNs, TimeUnit.NANOSECONDS);
    }

    @Override
    public DiskFile open(Path path) throws IOException {
        return new MeasuredFile(watched(() -> disk.open(path)));
    }

    @Override
    public DiskFile openUncached(Path path) throws IOException {
        return new MeasuredFile(watched(() -> disk.openUncached(path)));
    }

    @Override
    public DiskFile openOrCreate(Path path) throws IOException {
        return new MeasuredFile(watched(() -> disk.openOrCreate(path)));
    }

    @Override
    public AutoCloseable lock(Path path) throws IOException {
        return disk.lock(path);
    }

    @Override
    public void makeDirectories(Path path) throws IOException {
        watch(() -> disk.makeDirectories(path));
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        return watched(() -> disk.list(directory));
    }

    @Override
    public boolean exists(Path path) throws IOException {
        return watched(() -> disk.exists(path));
    }

    @Override
    public long modifiedMs(Path path) throws IOException {
        return watched(() -> disk.modifiedMs(path));
    }

    @Override
    public boolean delete(Path path) throws IOException {
        return watched(() -> disk.delete(path));
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        watch(() -> disk.rename(from, to));
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        timedSync(() -> disk.forceDirectory(directory));
    }

    @Override
    public void forceNames(Path directory) throws IOException {
        watch(() -> disk.forceNames(directory));
    }

    @Override
    public void copyPrefix(Path from, Path to, long lengthBytes) throws IOException {
        watch(() -> disk.copyPrefix(from, to, lengthBytes));
    }

    @Override
    public long totalBytes(Path path) throws IOException {
        return watched(() -> disk.totalBytes(path));
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        return watched(() -> disk.usableBytes(path));
    }

    @Override
    public long filesystem(Path path) throws IOException {
        return watched(() -> disk.filesystem(path));
    }

    private final class MeasuredFile implements DiskFile {
        private final DiskFile file;

        private MeasuredFile(DiskFile file) {
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long offsetBytes) throws IOException {
            int bytes = watched(() -> file.read(target, offsetBytes));
            if (bytes > 0) {
                readBytes.increment(bytes);
            }
            return bytes;
        }

        @Override
        public void write(ByteBuffer source, long offsetBytes) throws IOException {
            int bytes = source.remaining();
            watch(() -> file.write(source, offsetBytes));
            writtenBytes.increment(bytes);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            timedSync(() -> file.force(metadata));
        }

        @Override
        public long size() throws IOException {
            return watched(file::size);
        }

        @Override
        public void truncate(long sizeBytes) throws IOException {
            watch(() -> file.truncate(sizeBytes));
        }

        @Override
        public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
            watch(() -> file.punchHole(offsetBytes, lengthBytes));
        }

        @Override
        public void close() throws IOException {
            watch(file::close);
        }
    }
}
