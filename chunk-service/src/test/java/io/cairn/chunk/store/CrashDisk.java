package io.cairn.chunk.store;

import io.cairn.chunk.store.blob.BlobLoader;
import io.cairn.runtime.Disk;
import io.cairn.runtime.DiskFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * A disk in memory that can be killed (everything written stays), lose power (what was not synced
 * stays in part, page by page, name by name), stop in the middle of any change, be full, or fail.
 */
public final class CrashDisk implements Disk {
    /** The process ends within a disk operation. */
    static final class Stop extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    private final Map<Path, CrashFile> names = new TreeMap<>();
    private final Map<Path, CrashFile> durableNames = new HashMap<>();
    private final Set<Path> directories = new HashSet<>();
    private final Set<Path> locked = new HashSet<>();
    private long incarnation;
    private long stopAfter = Long.MAX_VALUE;
    private long failAfter = Long.MAX_VALUE;
    private long syncs;
    private long changes;
    private boolean stopped;
    private boolean failForce;
    private boolean fullForce;
    private int fullWrites;
    private boolean fullNames;
    private boolean failRead;
    private long capacityPages = 1 << 20;

    /** Changes made so far: writes, syncs, renames and so on. */
    public synchronized long changes() {
        return changes;
    }

    /** Stops the process within the n-th change from now. */
    synchronized void stopAfter(long count) {
        stopAfter = changes + count;
    }

    /** Lets the n-th change from now fail with an I/O error. */
    synchronized void failAfter(long count) {
        failAfter = changes + count;
    }

    /** Lets the next sync of a file fail. */
    public synchronized void failNextForce() {
        failForce = true;
    }

    /** Lets the next sync of a file find no room, as on a disk that allocates late. */
    synchronized void findNoRoomInNextForce() {
        fullForce = true;
    }

    /** Lets the next writes find no room, also in place, as on a disk that copies on write. */
    synchronized void findNoRoomInNextWrites(int count) {
        fullWrites = count;
    }

    /** Whether there is no room for names either: no file, no directory can be made. */
    synchronized void setFullOfNames(boolean full) {
        fullNames = full;
    }

    private void needName(Path path) throws IOException {
        if (fullNames) {
            throw new DiskFullException(path);
        }
    }

    /** Lets the next read of a file fail. */
    synchronized void failNextRead() {
        failRead = true;
    }

    synchronized void setCapacityBytes(long bytes) {
        capacityPages = bytes / CrashFile.PAGE;
    }

    synchronized long usedBytes() {
        return names.values().stream().mapToLong(CrashFile::pageCount).sum() * CrashFile.PAGE;
    }

    /** Syncs of files that were done. */
    synchronized long syncs() {
        return syncs;
    }

    public synchronized void kill() {
        incarnation++;
        stopped = false;
        stopAfter = Long.MAX_VALUE;
        failAfter = Long.MAX_VALUE;
        failForce = false;
        failRead = false;
        locked.clear();
    }

    public synchronized void losePower(Random random) {
        kill();
        Set<Path> all = new TreeSet<>(names.keySet());
        all.addAll(durableNames.keySet());
        for (Path path : all) {
            CrashFile now = names.get(path);
            CrashFile before = durableNames.get(path);
            CrashFile left = now == before || random.nextBoolean() ? now : before;
            if (left == null) {
                names.remove(path);
            } else {
                names.put(path, left);
            }
        }
        // In order of the paths, so that a seed gives one history.
        new LinkedHashSet<>(names.values()).forEach(file -> file.losePower(random));
        durableNames.clear();
        durableNames.putAll(names);
    }

    /** Counts a change; whether it is done, or broken off half way. */
    private boolean begin() throws IOException {
        if (stopped) {
            throw new Stop();
        }
        changes++;
        if (changes == failAfter) {
            throw new IOException("Input/output error");
        }
        if (changes >= stopAfter) {
            stopped = true;
            return false;
        }
        return true;
    }

    private void end() {
        if (stopped) {
            throw new Stop();
        }
    }

    private final class Handle implements DiskFile {
        private final Path path;
        private final CrashFile file;
        private final long opened = incarnation;

        Handle(Path path, CrashFile file) {
            this.path = path;
            this.file = file;
        }

        private void check() throws IOException {
            if (stopped) {
                throw new Stop();
            }
            if (opened != incarnation) {
                throw new IOException(path + " was opened by a process that is gone");
            }
        }

        @Override
        public int read(ByteBuffer target, long offsetBytes) throws IOException {
            synchronized (CrashDisk.this) {
                check();
                if (failRead) {
                    failRead = false;
                    throw new IOException("a read fails for the test");
                }
                if (!target.hasRemaining()) {
                    return 0;
                }
                if (offsetBytes >= file.size()) {
                    return -1;
                }
                int inPage = (int) (offsetBytes % CrashFile.PAGE);
                int count = Math.min(target.remaining(), CrashFile.PAGE - inPage);
                count = (int) Math.min(count, file.size() - offsetBytes);
                target.put(file.page(offsetBytes / CrashFile.PAGE), inPage, count);
                return count;
            }
        }

        @Override
        public void write(ByteBuffer source, long offsetBytes) throws IOException {
            synchronized (CrashDisk.this) {
                check();
                if (fullWrites > 0) {
                    fullWrites--;
                    throw new DiskFullException(path);
                }
                boolean whole = begin();
                byte[] bytes = new byte[source.remaining()];
                source.get(bytes);
                int pages = (bytes.length + CrashFile.PAGE - 1) / CrashFile.PAGE;
                long limit = whole ? Long.MAX_VALUE : pages / 2;
                long done = 0;
                for (int from = 0; from < bytes.length && done < limit; done++) {
                    long at = offsetBytes + from;
                    int count = CrashFile.PAGE - (int) (at % CrashFile.PAGE);
                    count = Math.min(count, bytes.length - from);
                    if (!file.hasPage(at / CrashFile.PAGE)
                            && usedBytes() / CrashFile.PAGE >= capacityPages) {
                        throw new DiskFullException(path);
                    }
                    file.write(at, bytes, from, count);
                    from += count;
                }
                end();
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            synchronized (CrashDisk.this) {
                check();
                if (begin()) {
                    if (fullForce) {
                        fullForce = false;
                        file.failForce();
                        throw new DiskFullException(path);
                    }
                    if (failForce) {
                        failForce = false;
                        file.failForce();
                        throw new IOException("Input/output error");
                    }
                    file.force();
                    syncs++;
                }
                end();
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (CrashDisk.this) {
                check();
                return file.size();
            }
        }

        @Override
        public void truncate(long sizeBytes) throws IOException {
            synchronized (CrashDisk.this) {
                check();
                if (begin()) {
                    file.truncate(sizeBytes);
                }
                end();
            }
        }

        @Override
        public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
            synchronized (CrashDisk.this) {
                check();
                boolean whole = begin();
                long pages = lengthBytes / CrashFile.PAGE;
                file.punch(offsetBytes, whole ? lengthBytes : pages / 2 * CrashFile.PAGE);
                end();
            }
        }

        @Override
        public void close() {}
    }

    private static Path parent(Path path) {
        return Objects.requireNonNull(path.getParent());
    }

    @Override
    public synchronized DiskFile open(Path path) throws IOException {
        if (stopped) {
            throw new Stop();
        }
        CrashFile file = names.get(path);
        if (file == null) {
            throw new NoSuchFileException(path.toString());
        }
        return new Handle(path, file);
    }

    @Override
    public synchronized DiskFile openOrCreate(Path path) throws IOException {
        if (!directories.contains(parent(path))) {
            throw new NoSuchFileException(path.toString());
        }
        if (!names.containsKey(path)) {
            needName(path);
            if (begin()) {
                names.put(path, new CrashFile());
            }
            end();
        }
        return open(path);
    }

    @Override
    public synchronized AutoCloseable lock(Path path) throws IOException {
        if (!locked.add(path)) {
            throw new FileSystemException(path.toString(), null, "locked");
        }
        return () -> {
            synchronized (CrashDisk.this) {
                locked.remove(path);
            }
        };
    }

    @Override
    public synchronized void makeDirectories(Path path) throws IOException {
        for (Path at = path; at != null; at = at.getParent()) {
            if (!directories.contains(at)) {
                needName(at);
            }
            directories.add(at);
        }
    }

    @Override
    public synchronized List<String> list(Path directory) throws IOException {
        List<String> found = new ArrayList<>();
        for (Path path : names.keySet()) {
            if (directory.equals(path.getParent())) {
                found.add(String.valueOf(path.getFileName()));
            }
        }
        for (Path path : directories) {
            if (directory.equals(path.getParent())) {
                found.add(String.valueOf(path.getFileName()));
            }
        }
        return found;
    }

    @Override
    public synchronized boolean exists(Path path) {
        if (stopped) {
            throw new Stop();
        }
        return names.containsKey(path) || directories.contains(path);
    }

    @Override
    public synchronized boolean delete(Path path) throws IOException {
        if (directories.contains(path)) {
            if (!list(path).isEmpty()) {
                throw new DirectoryNotEmptyException(path.toString());
            }
            return directories.remove(path);
        }
        if (!names.containsKey(path)) {
            return false;
        }
        if (begin()) {
            names.remove(path);
        }
        end();
        return true;
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        CrashFile file = names.get(from);
        if (file == null || !directories.contains(parent(to))) {
            throw new NoSuchFileException(from + " or " + to);
        }
        if (begin()) {
            names.remove(from);
            names.put(to, file);
        }
        end();
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        if (!directories.contains(directory)) {
            throw new NoSuchFileException(directory.toString());
        }
        if (begin()) {
            durableNames.keySet().removeIf(path -> directory.equals(path.getParent()));
            names.forEach(
                    (path, file) -> {
                        if (directory.equals(path.getParent())) {
                            durableNames.put(path, file);
                        }
                    });
        }
        end();
    }

    @Override
    public synchronized void forceNames(Path directory) throws IOException {
        if (begin()) {
            durableNames.keySet().removeIf(path -> path.startsWith(directory));
            names.forEach(
                    (path, file) -> {
                        if (path.startsWith(directory)) {
                            durableNames.put(path, file);
                        }
                    });
        }
        end();
    }

    @Override
    public synchronized void copyPrefix(Path from, Path to, long lengthBytes) throws IOException {
        try (DiskFile source = open(from);
                DiskFile target = openOrCreate(to)) {
            long end = Math.min(lengthBytes, source.size());
            ByteBuffer page = ByteBuffer.allocate(CrashFile.PAGE);
            for (long at = 0; at < end; at += CrashFile.PAGE) {
                page.clear().limit((int) Math.min(CrashFile.PAGE, end - at));
                int count = source.read(page, at);
                if (count > 0 && !BlobLoader.isZero(page, 0, count)) {
                    target.write(page.flip(), at);
                }
            }
            if (target.size() < end) {
                target.truncate(end);
            }
        }
    }

    @Override
    public synchronized long totalBytes(Path path) {
        return capacityPages * CrashFile.PAGE;
    }

    @Override
    public synchronized long usableBytes(Path path) {
        return Math.max(0, capacityPages * CrashFile.PAGE - usedBytes());
    }

    /** Changes bytes of a file behind everybody's back, on the medium too. */
    synchronized void corrupt(Path path, long offset, byte[] bytes) {
        CrashFile file = Objects.requireNonNull(names.get(path), path.toString());
        for (int i = 0; i < bytes.length; i++) {
            file.write(offset + i, bytes, i, 1);
        }
        file.force();
    }

    /** Inverts one byte. */
    public synchronized void flip(Path path, long offset) {
        CrashFile file = Objects.requireNonNull(names.get(path), path.toString());
        byte old = file.page(offset / CrashFile.PAGE)[(int) (offset % CrashFile.PAGE)];
        corrupt(path, offset, new byte[] {(byte) ~old});
    }

    /** Cuts a file behind everybody's back. */
    public synchronized void cut(Path path, long size) {
        CrashFile file = Objects.requireNonNull(names.get(path), path.toString());
        file.truncate(size);
        file.force();
    }

    public synchronized long sizeOf(Path path) {
        return Objects.requireNonNull(names.get(path), path.toString()).size();
    }

    synchronized void remove(Path path) {
        names.remove(path);
        durableNames.remove(path);
    }

    /** Whether a file exists, whatever state the process is in. */
    synchronized boolean holds(Path path) {
        return names.containsKey(path);
    }

    /** The files below a directory. */
    synchronized List<Path> filesBelow(Path directory) {
        return names.keySet().stream().filter(path -> path.startsWith(directory)).toList();
    }
}
