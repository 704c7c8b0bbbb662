package io.cairn.chunk.store;

import io.cairn.runtime.Disk;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the blobs of one target share: the disk, the names, the log, the room, and the list of blobs
 * that are in trouble. Thread-safe.
 */
final class Shelf {
    private static final Logger LOG = LoggerFactory.getLogger(Shelf.class);

    final Disk disk;
    final TargetPaths paths;
    final IntentLog log;
    final SpaceGauge space;
    final ScratchPool scratch = new ScratchPool();

    /** Number of blobs. */
    final AtomicLong count = new AtomicLong();

    /** Blobs that cannot be used, or hold a bad block, and why. */
    final ConcurrentMap<BlobKey, String> troubles = new ConcurrentHashMap<>();

    private final AtomicLong fences = new AtomicLong();
    private final Set<Long> slices = ConcurrentHashMap.newKeySet();

    /** The shelf of a target. */
    Shelf(Disk disk, TargetPaths paths, IntentLog log, SpaceGauge space) {
        this.disk = disk;
        this.paths = paths;
        this.log = log;
        this.space = space;
    }

    /** Counts a failed write or sync. */
    void countFence() {
        fences.incrementAndGet();
    }

    /** Writes and syncs that failed since the start. */
    long fences() {
        return fences.get();
    }

    /** Opens the file of a blob, making it and its directories. */
    Disk.DiskFile create(BlobKey key) throws IOException {
        Path path = paths.blob(key);
        makeDirectory(key);
        try {
            return disk.openOrCreate(path);
        } catch (NoSuchFileException e) {
            // The object's directory was empty for a moment, and removed.
            makeDirectory(key);
            return disk.openOrCreate(path);
        }
    }

    /**
     * Makes the directory of a blob. Names of slices are durable at once: there are few; that of an
     * object's directory with the first flush of a blob.
     */
    void makeDirectory(BlobKey key) throws IOException {
        long slice = (long) key.group() << 8 | (key.oid() & 0xff);
        if (!slices.contains(slice)) {
            Path path = paths.slice(key);
            if (!disk.exists(path)) {
                disk.makeDirectories(path);
                disk.forceDirectory(paths.group(key.group()));
                disk.forceDirectory(paths.groups());
            }
            slices.add(slice);
        }
        if (key.index() != 0) {
            Path path = paths.directory(key);
            if (!disk.exists(path)) {
                disk.makeDirectories(path);
            }
        }
    }

    /** Makes the name of a blob durable. */
    void forceName(BlobKey key) throws IOException {
        disk.forceDirectory(paths.directory(key));
        if (key.index() != 0) {
            disk.forceDirectory(paths.slice(key));
        }
    }

    /** Removes the directory of an object when it is empty. */
    void removeObjectDirectory(int group, long oid) throws IOException {
        Path path = paths.objectDirectory(group, oid);
        try {
            disk.delete(path);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{}: a chunk was made meanwhile", path);
        }
    }

    /** Moves a bad file out of the way, durably. */
    void quarantine(BlobKey key) throws IOException {
        disk.makeDirectories(paths.quarantine());
        int attempt = 1;
        while (disk.exists(paths.quarantined(key, attempt))) {
            attempt++;
        }
        disk.rename(paths.blob(key), paths.quarantined(key, attempt));
        disk.forceDirectory(paths.quarantine());
        disk.forceDirectory(paths.directory(key));
    }
}
