package io.cairn.testkit.simulated;

import io.cairn.runtime.Clock;
import io.cairn.runtime.Disk;
import io.cairn.runtime.DiskFullException;
import io.cairn.testkit.simulated.SimulatedDirectory.Entry;
import io.cairn.testkit.simulated.SimulatedDirectory.Update;
import io.cairn.testkit.simulated.SimulatedFile.Survival;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * A disk in memory that tells what was synced from what was not. {@link #crash} loses the power. Of
 * each 4 KiB page written since the file was last forced the old or the new version survives, or a
 * mixture of their sectors. Of the changes to names, in the order they were made, a first part
 * survives. {@link #kill} only ends the process. Either closes all files. Faults can be switched
 * on: read, write and sync errors, a full disk, bits that turn over. Thread-safe.
 *
 * <p>Stricter than most disks: forcing a file does not make its name durable, only forcing the
 * directory does.
 */
public final class SimulatedDisk implements Disk {
    /** Operations that can be made to fail. */
    public enum Operation {
        READ,
        WRITE,
        /** Of a file: what was not synced is then never synced, though it can still be read. */
        FORCE,
        /** Opening, making, listing, renaming, deleting. */
        NAME
    }

    private final SimulatedDirectory root = new SimulatedDirectory();
    private final List<List<Update>> unsynced = new ArrayList<>();
    private final Map<Operation, Predicate<Path>> faults = new EnumMap<>(Operation.class);
    private final @Nullable Clock clock;
    private long capacityBytes;
    private long usedBytes;
    private int incarnation;
    private boolean tearing = true;

    /** An empty disk that does not tell when files were changed. */
    public SimulatedDisk(long capacityBytes) {
        this(capacityBytes, null);
    }

    /** An empty disk that tells by a clock when files were changed. */
    public SimulatedDisk(long capacityBytes, @Nullable Clock clock) {
        this.capacityBytes = capacityBytes;
        this.clock = clock;
    }

    /** Changes how much fits; what is there stays. */
    public synchronized void setCapacityBytes(long bytes) {
        capacityBytes = bytes;
    }

    /** Whether a page may be half written when the power goes; so it may unless switched off. */
    public synchronized void setTearing(boolean possible) {
        tearing = possible;
    }

    /** Makes an operation fail with EIO wherever the predicate says, until {@link #heal}. */
    public synchronized void fail(Operation operation, Predicate<Path> where) {
        faults.put(operation, where);
    }

    /** Ends all injected failures. */
    public synchronized void heal() {
        faults.clear();
    }

    /** Turns one bit (0..7) of a byte over, on the medium and in the cache. */
    public synchronized void flipBit(Path path, long offsetBytes, int bit)
            throws NoSuchFileException {
        file(path).flip(offsetBytes, bit);
    }

    /** Whether the medium has a page of a file as processes see it. */
    public synchronized boolean isStored(Path path, long page) throws NoSuchFileException {
        return file(path).isStored(page);
    }

    /** Bytes that files take. */
    public synchronized long usedBytes() {
        return usedBytes;
    }

    /** The process dies: its files are closed, nothing is lost. */
    public synchronized void kill() {
        incarnation++;
        root.files(SimulatedFile::forgetOpens);
        recount();
    }

    /** The power is lost; the seed decides what survives of what was not synced. */
    public synchronized void crash(long seed) {
        Random random = new Random(seed);
        Survival survival =
                switch (random.nextInt(4)) {
                    case 0 -> Survival.NOTHING;
                    case 1 -> Survival.EVERYTHING;
                    default -> Survival.SOME;
                };
        int kept =
                switch (survival) {
                    case NOTHING -> 0;
                    case EVERYTHING -> unsynced.size();
                    case SOME -> random.nextInt(unsynced.size() + 1);
                };
        unsynced.subList(0, kept).forEach(change -> change.forEach(Update::store));
        unsynced.clear();
        incarnation++;
        root.revert();
        root.files(file -> file.crash(survival, tearing, random));
        recount();
    }

    private void recount() {
        usedBytes = root.allocatedBytes();
    }

    private void check(Operation operation, Path path) throws FileSystemException {
        Predicate<Path> where = faults.get(operation);
        if (where != null && where.test(path)) {
            throw new FileSystemException(path.toString(), null, "Input/output error");
        }
    }

    private static Path normal(Path path) {
        return path.toAbsolutePath().normalize();
    }

    /** The directory of a path, or null when there is none. */
    private @Nullable SimulatedDirectory find(Path path) {
        SimulatedDirectory directory = root;
        for (Path part : normal(path)) {
            Entry entry = directory.entries().get(part.toString());
            if (entry == null || entry.directory() == null) {
                return null;
            }
            directory = entry.directory();
        }
        return directory;
    }

    private SimulatedDirectory parentOf(Path path) throws NoSuchFileException {
        Path parent = normal(path).getParent();
        SimulatedDirectory directory = parent == null ? null : find(parent);
        if (directory == null) {
            throw new NoSuchFileException(path.toString());
        }
        return directory;
    }

    private static String nameOf(Path path) {
        return String.valueOf(normal(path).getFileName());
    }

    private @Nullable Entry entry(Path path) {
        Path parent = normal(path).getParent();
        SimulatedDirectory directory = parent == null ? null : find(parent);
        return directory == null ? null : directory.entries().get(nameOf(path));
    }

    private SimulatedFile file(Path path) throws NoSuchFileException {
        Entry entry = entry(path);
        if (entry == null || entry.file() == null) {
            throw new NoSuchFileException(path.toString());
        }
        return entry.file();
    }

    private void change(List<Update> updates) {
        updates.forEach(Update::see);
        unsynced.add(updates);
    }

    @Override
    public synchronized DiskFile open(Path path) throws IOException {
        check(Operation.NAME, path);
        if (find(path) != null) {
            throw new FileSystemException(path.toString(), null, "Is a directory");
        }
        return new OpenedFile(path, file(path));
    }

    @Override
    public synchronized DiskFile openOrCreate(Path path) throws IOException {
        check(Operation.NAME, path);
        SimulatedDirectory parent = parentOf(path);
        if (!parent.entries().containsKey(nameOf(path))) {
            SimulatedFile made = new SimulatedFile();
            made.modified(nowMs());
            made.addNames(1);
            change(List.of(new Update(parent, nameOf(path), new Entry(made, null))));
        }
        return open(path);
    }

    @Override
    public synchronized void makeDirectories(Path path) throws IOException {
        check(Operation.NAME, path);
        SimulatedDirectory directory = root;
        for (Path part : normal(path)) {
            Entry entry = directory.entries().get(part.toString());
            if (entry == null) {
                entry = new Entry(null, new SimulatedDirectory());
                change(List.of(new Update(directory, part.toString(), entry)));
            }
            if (entry.directory() == null) {
                throw new NotDirectoryException(path.toString());
            }
            directory = entry.directory();
        }
    }

    @Override
    public synchronized List<String> list(Path directory) throws IOException {
        check(Operation.NAME, directory);
        SimulatedDirectory found = find(directory);
        return found == null ? List.of() : List.copyOf(found.entries().keySet());
    }

    @Override
    public synchronized boolean exists(Path path) {
        return find(path) != null || entry(path) != null;
    }

    @Override
    public synchronized long modifiedMs(Path path) throws IOException {
        check(Operation.NAME, path);
        return file(path).modifiedMs();
    }

    private long nowMs() {
        return clock == null ? -1 : clock.wallNs() / 1_000_000;
    }

    @Override
    public synchronized boolean delete(Path path) throws IOException {
        check(Operation.NAME, path);
        Entry entry = entry(path);
        if (entry == null) {
            return false;
        }
        if (entry.directory() != null && !entry.directory().entries().isEmpty()) {
            throw new DirectoryNotEmptyException(path.toString());
        }
        change(List.of(new Update(parentOf(path), nameOf(path), null)));
        unname(entry);
        return true;
    }

    private void unname(Entry entry) {
        if (entry.file() != null) {
            entry.file().addNames(-1);
            freeIfGone(entry.file());
        }
    }

    private void freeIfGone(SimulatedFile file) {
        if (file.isGone()) {
            usedBytes -= file.allocatedBytes();
        }
    }

    @Override
    public synchronized void rename(Path from, Path to) throws IOException {
        check(Operation.NAME, from);
        Entry moved = entry(from);
        if (moved == null) {
            throw new NoSuchFileException(from.toString());
        }
        if (normal(from).equals(normal(to))) {
            return;
        }
        SimulatedDirectory target = parentOf(to);
        Entry replaced = target.entries().get(nameOf(to));
        if (replaced != null && (replaced.file() == null) != (moved.file() == null)) {
            throw new FileSystemException(to.toString(), null, "Of another type");
        }
        if (replaced != null
                && replaced.directory() != null
                && !replaced.directory().entries().isEmpty()) {
            throw new DirectoryNotEmptyException(to.toString());
        }
        change(
                List.of(
                        new Update(parentOf(from), nameOf(from), null),
                        new Update(target, nameOf(to), moved)));
        if (replaced != null) {
            unname(replaced);
        }
    }

    @Override
    public synchronized void forceDirectory(Path directory) throws IOException {
        check(Operation.FORCE, directory);
        SimulatedDirectory found = find(directory);
        if (found == null) {
            throw new NoSuchFileException(directory.toString());
        }
        for (Iterator<List<Update>> each = unsynced.iterator(); each.hasNext(); ) {
            List<Update> change = each.next();
            if (change.stream().anyMatch(update -> update.directory().equals(found))) {
                change.forEach(Update::store);
                each.remove();
            }
        }
    }

    @Override
    public synchronized void forceNames(Path directory) throws IOException {
        check(Operation.FORCE, directory);
        unsynced.forEach(change -> change.forEach(Update::store));
        unsynced.clear();
    }

    @Override
    public synchronized void copyPrefix(Path from, Path to, long lengthBytes) throws IOException {
        try (DiskFile source = open(from);
                DiskFile target = openOrCreate(to)) {
            long length = Math.min(lengthBytes, source.size());
            if (target.size() < length) {
                target.truncate(length);
            }
            SimulatedFile holes = file(from);
            for (long at = 0; at < length; at += SimulatedFile.PAGE_BYTES) {
                int count = (int) Math.min(SimulatedFile.PAGE_BYTES, length - at);
                if (holes.isHole(at / SimulatedFile.PAGE_BYTES)) {
                    target.punchHole(at, count);
                } else {
                    ByteBuffer page = ByteBuffer.allocate(count);
                    source.read(page, at);
                    target.write(page.flip(), at);
                }
            }
        }
    }

    @Override
    public synchronized long totalBytes(Path path) throws IOException {
        check(Operation.NAME, path);
        return capacityBytes;
    }

    @Override
    public synchronized long usableBytes(Path path) throws IOException {
        check(Operation.NAME, path);
        return Math.max(0, capacityBytes - usedBytes);
    }

    /** An open file of one incarnation of the process. */
    private final class OpenedFile implements DiskFile {
        private final Path path;
        private final SimulatedFile file;
        private final int openedIn = incarnation;
        private boolean closed;

        OpenedFile(Path path, SimulatedFile file) {
            this.path = path;
            this.file = file;
            file.addOpens(1);
        }

        private void begin(Operation operation) throws IOException {
            if (closed || openedIn != incarnation) {
                throw new ClosedChannelException();
            }
            check(operation, path);
        }

        @Override
        public int read(ByteBuffer target, long offsetBytes) throws IOException {
            synchronized (SimulatedDisk.this) {
                begin(Operation.READ);
                long available = file.sizeBytes() - offsetBytes;
                if (!target.hasRemaining()) {
                    return 0;
                }
                if (available <= 0) {
                    return -1;
                }
                byte[] bytes = new byte[(int) Math.min(available, target.remaining())];
                file.read(offsetBytes, bytes, 0, bytes.length);
                target.put(bytes);
                return bytes.length;
            }
        }

        @Override
        public void write(ByteBuffer source, long offsetBytes) throws IOException {
            synchronized (SimulatedDisk.this) {
                begin(Operation.WRITE);
                file.modified(nowMs());
                byte[] bytes = new byte[source.remaining()];
                source.duplicate().get(bytes);
                int done = 0;
                while (done < bytes.length) {
                    long at = offsetBytes + done;
                    long page = at / SimulatedFile.PAGE_BYTES;
                    int inPage = (int) (at % SimulatedFile.PAGE_BYTES);
                    int count = Math.min(bytes.length - done, SimulatedFile.PAGE_BYTES - inPage);
                    claim(page);
                    file.writePage(page, inPage, bytes, done, count);
                    done += count;
                    source.position(source.position() + count);
                }
            }
        }

        private void claim(long page) throws DiskFullException {
            if (file.isHole(page)) {
                if (usedBytes + SimulatedFile.PAGE_BYTES > capacityBytes) {
                    throw new DiskFullException(path);
                }
                usedBytes += SimulatedFile.PAGE_BYTES;
            }
        }

        @Override
        public void force(boolean metadata) throws IOException {
            synchronized (SimulatedDisk.this) {
                try {
                    begin(Operation.FORCE);
                } catch (FileSystemException e) {
                    file.syncInVain();
                    throw e;
                }
                file.sync();
            }
        }

        @Override
        public long size() throws IOException {
            synchronized (SimulatedDisk.this) {
                begin(Operation.READ);
                return file.sizeBytes();
            }
        }

        @Override
        public void truncate(long sizeBytes) throws IOException {
            synchronized (SimulatedDisk.this) {
                begin(Operation.WRITE);
                file.modified(nowMs());
                long before = file.allocatedBytes();
                file.truncate(sizeBytes);
                usedBytes += file.allocatedBytes() - before;
            }
        }

        @Override
        public void punchHole(long offsetBytes, long lengthBytes) throws IOException {
            synchronized (SimulatedDisk.this) {
                begin(Operation.WRITE);
                file.modified(nowMs());
                long before = file.allocatedBytes();
                file.zero(offsetBytes, offsetBytes + lengthBytes);
                usedBytes += file.allocatedBytes() - before;
            }
        }

        @Override
        public void close() {
            synchronized (SimulatedDisk.this) {
                if (!closed && openedIn == incarnation) {
                    file.addOpens(-1);
                    freeIfGone(file);
                }
                closed = true;
            }
        }
    }
}
