package io.cairn.chunk;

import io.cairn.runtime.Disk;
import io.cairn.runtime.DiskFullException;
import io.cairn.runtime.FileDisk;
import io.cairn.runtime.ReadOnlyDiskException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.function.Predicate;

/**
 * A disk with a switch for each way to fail (full: contents of chunks have no room). A process that
 * died is played by {@link #crash}: what it wrote is there, what it still tries fails.
 */
public final class TestDisk implements Disk {
    private final Disk disk;
    private final boolean syncs;
    private final List<DiskFile> files = new ArrayList<>();
    private volatile boolean crashed;
    private volatile boolean full;
    private volatile boolean syncFails;
    private volatile boolean failsOnce;
    private volatile boolean writeFails;
    private volatile boolean readOnly;
    private volatile Predicate<Path> unreadable = path -> false;
    private final Map<Path, Long> modified = new ConcurrentHashMap<>();
    private volatile long usableBytes = 1L << 40;
    private volatile CountDownLatch hanging = new CountDownLatch(0);

    /** The real disk, on which nothing is ever synced. */
    TestDisk() {
        this(new FileDisk(), false);
    }

    /**
     * Another disk.
     *
     * @param syncs whether it is to be synced
     */
    TestDisk(Disk disk, boolean syncs) {
        this.disk = disk;
        this.syncs = syncs;
    }

    /** The process ends. */
    synchronized void crash() {
        crashed = true;
        for (DiskFile file : List.copyOf(files)) {
            try {
                file.close();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }
        files.clear();
    }

    /** From now on nothing comes back; what was asked goes on when it hangs no more. */
    void setHanging(boolean hangs) {
        hanging.countDown();
        if (hangs) {
            hanging = new CountDownLatch(1);
        }
    }

    public void setFull(boolean isFull) {
        full = isFull;
        usableBytes = isFull ? 0 : 1L << 40;
    }

    /** One sync fails. */
    public void failNextSync() {
        failsOnce = true;
    }

    void setSyncFails(boolean fails) {
        syncFails = fails;
    }

    /** No file and no name can be changed any more. */
    public void setReadOnly(boolean isReadOnly) {
        readOnly = isReadOnly;
    }

    /** Reading files fails wherever this says so. */
    public void setReadFails(Predicate<Path> where) {
        unreadable = where;
    }

    private void change(Path path) throws IOException {
        check();
        if (readOnly) {
            throw new ReadOnlyDiskException(path);
        }
    }

    /** From now on a file was changed then, for all that anybody can see. */
    public void setModifiedMs(Path path, long wallMs) {
        modified.put(path, wallMs);
    }

    public void setWriteFails(boolean fails) {
        writeFails = fails;
    }

    private void check() throws IOException {
        try {
            hanging.await();
        } catch (InterruptedException e) {
            throw new IOException("interrupted", e);
        }
        if (crashed) {
            throw new IOException("this process has ended");
        }
    }

    private final class File implements DiskFile {
        private final Path path;
        private final DiskFile file;

        File(Path path, DiskFile file) {
            this.path = path;
            this.file = file;
        }

        @Override
        public int read(ByteBuffer target, long offsetBytes) throws IOException {
            check();
            if (unreadable.test(path)) {
                throw new IOException(path + ": cannot be read for the test");
            }
            return file.read(target, offsetBytes);
        }

        @Override
        public void write(ByteBuffer source, long offsetBytes) throws IOException {
            change(path);
            if (full && offsetBytes < 1 << ChunkCluster.CHUNK_LOG2) {
                throw new DiskFullException(path);
            }
            if (writeFails) {
                throw new IOException(path + ": broken for the test");
            }
            file.write(source, offsetBytes);
        }

        @Override
        public void force(boolean metadata) throws IOException {
            change(path);
            if (syncFails || failsOnce) {
                failsOnce = false;
                throw new IOException(path + ": sync fails for the test");
            }
            if (syncs) {
                file.force(metadata);
            }
        }

        @Override
        public long size() throws IOException {
            check();
            return file.size();
        }

        @Override
        public void truncate(long sizeBytes) throws IOException {
            change(path);
            file.truncate(sizeBytes);
        }

        @Override
        public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
            change(path);
            file.punchHole(offsetBytes, lengthBytes);
        }

        @Override
        public void close() throws IOException {
            synchronized (TestDisk.this) {
                if (files.remove(this)) {
                    file.close();
                }
            }
        }
    }

    private synchronized DiskFile kept(Path path, DiskFile file) {
        DiskFile kept = new File(path, file);
        files.add(kept);
        return kept;
    }

    @Override
    public DiskFile open(Path path) throws IOException {
        check();
        return kept(path, disk.open(path));
    }

    @Override
    public DiskFile openOrCreate(Path path) throws IOException {
        change(path);
        return kept(path, disk.openOrCreate(path));
    }

    @Override
    public void makeDirectories(Path path) throws IOException {
        change(path);
        disk.makeDirectories(path);
    }

    @Override
    public List<String> list(Path directory) throws IOException {
        check();
        return disk.list(directory).stream().sorted().toList();
    }

    @Override
    public boolean exists(Path path) throws IOException {
        check();
        return disk.exists(path);
    }

    @Override
    public long modifiedMs(Path path) throws IOException {
        check();
        return modified.getOrDefault(path, disk.modifiedMs(path));
    }

    @Override
    public boolean delete(Path path) throws IOException {
        change(path);
        return disk.delete(path);
    }

    @Override
    public void rename(Path from, Path to) throws IOException {
        change(to);
        disk.rename(from, to);
    }

    @Override
    public void forceDirectory(Path directory) throws IOException {
        check();
        if (syncs) {
            disk.forceDirectory(directory);
        }
    }

    @Override
    public void forceNames(Path directory) throws IOException {
        check();
        if (syncs) {
            disk.forceNames(directory);
        }
    }

    @Override
    public void copyPrefix(Path from, Path to, long lengthBytes) throws IOException {
        check();
        disk.copyPrefix(from, to, lengthBytes);
    }

    @Override
    public long totalBytes(Path path) throws IOException {
        check();
        return 1L << 40;
    }

    @Override
    public long usableBytes(Path path) throws IOException {
        check();
        return usableBytes;
    }
}
