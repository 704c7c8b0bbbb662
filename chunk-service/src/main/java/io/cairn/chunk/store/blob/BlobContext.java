package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.format.BlobCount;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.ScratchPool;
import io.cairn.chunk.store.format.TargetFormat;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.chunk.store.grant.Grants;
import io.cairn.chunk.store.seal.Seal;
import io.cairn.chunk.store.seal.TargetSeals;
import io.cairn.runtime.Disk;
import io.cairn.runtime.DiskFullException;
import io.cairn.runtime.ReadOnlyDiskException;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentNavigableMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shared by the blobs of one target: the disk, the names, the log, the room, and the list of blobs
 * that are in trouble. Thread-safe.
 */
public final class BlobContext {
    private static final Logger LOG = LoggerFactory.getLogger(BlobContext.class);

    private static final int MAX_DELETIONS = 4096;

    /** Failed writes and syncs after which the disk is given up. */
    private static final int MAX_FENCES = 8;

    /** Bad files that are kept for people to look at. */
    private static final int MAX_QUARANTINED = 64;

    public final Disk disk;
    public final TargetPaths paths;
    public final IntentLog log;
    public final Ledger ledger;

    /** Whether power cannot have been lost since the target was open last. */
    public final boolean kept;

    private final long identity;

    public final SpaceGauge space;
    public final TargetMeter meter;

    /** Of blobs that are encrypted. */
    public final TargetSeals seals;

    /** Blobs that clients of this machine read themselves. */
    public final Grants grants = new Grants();

    final ScratchPool scratch = new ScratchPool(ScratchPool.BYTES, 32);

    /** For what is verified in the background: a piece at a time. */
    final ScratchPool pieces = new ScratchPool(BlobVerification.PIECE_BYTES, 2);

    /** Number of blobs. */
    public final BlobCount count = new BlobCount();

    /** Blobs that cannot be used, or hold a bad block, and why. */
    public final ConcurrentNavigableMap<BlobKey, String> troubles = new ConcurrentSkipListMap<>();

    /** Blobs that turned out to be damaged or fenced, and why, until somebody takes note. */
    final ConcurrentNavigableMap<BlobKey, String> found = new ConcurrentSkipListMap<>();

    /** Of the troubled ones those whose key was dropped: nothing mends them. */
    final Set<BlobKey> lost = ConcurrentHashMap.newKeySet();

    /** Why this process never relies on the disk again; empty while it may. */
    private volatile String givenUp = "";

    private final AtomicInteger quarantined = new AtomicInteger();
    private final Set<BlobKey> deletions = ConcurrentHashMap.newKeySet();

    /** Whether objects are purged: an earlier process may have begun it, and was killed. */
    private volatile boolean purging;

    private volatile boolean settled;
    private final AtomicLong fences = new AtomicLong();
    private final Set<Long> slices = ConcurrentHashMap.newKeySet();

    /**
     * Records that a target writes about its blobs.
     *
     * @param kept whether power cannot have been lost since the target was open last
     * @param identity of the target
     * @param seals of its encrypted blobs
     */
    public record Books(
            IntentLog log, Ledger ledger, boolean kept, long identity, TargetSeals seals) {}

    /** The shelf of a target. */
    public BlobContext(
            Disk disk, TargetPaths paths, Books books, SpaceGauge space, TargetMeter meter) {
        this.disk = disk;
        this.paths = paths;
        this.log = books.log();
        this.ledger = books.ledger();
        this.kept = books.kept();
        this.identity = books.identity();
        this.seals = books.seals();
        this.space = space;
        this.meter = meter;
    }

    /**
     * Notes that a write or sync of a blob failed.
     *
     * @param full because there was no room, which is no fault of the disk
     */
    void fence(BlobKey key, String reason, boolean full) {
        grants.end(key);
        troubles.put(key, reason);
        found.putIfAbsent(key, reason);
        if (full) {
            LOG.warn("{}: fenced: {}; make room", paths.blob(key), reason);
        } else {
            fences.incrementAndGet();
            meter.failed();
            LOG.error("{}: fenced: {}; check the disk", paths.blob(key), reason);
        }
        try {
            log.fence(key);
        } catch (IOException e) {
            LOG.error("the fence of {} could not be noted: {}", key, e.toString());
        }
    }

    /**
     * Notes that a blob cannot be used or holds a bad block. A blob that an unclean stop left in
     * doubt is no error of the disk.
     */
    public void trouble(BlobKey key, Condition condition, String reason) {
        if (seals.ring().isLost(key.group())) {
            lost(key, reason);
            return;
        }
        if (troubles.put(key, reason) != null) {
            return;
        }
        if (condition == Condition.DAMAGED) {
            found.putIfAbsent(key, reason);
            meter.failed();
            LOG.error("{}: {}", paths.blob(key), reason);
        } else {
            LOG.warn("{}: {}: {}", paths.blob(key), condition, reason);
        }
    }

    /**
     * Notes a blob that was given up on purpose: that is no finding, and no copy can mend it. The
     * log has a line about the key, for there may be many such blobs.
     */
    void lost(BlobKey key, String reason) {
        lost.add(key);
        if (troubles.putIfAbsent(key, reason) == null) {
            LOG.debug("{}: {}", paths.blob(key), reason);
        }
    }

    /**
     * Notes that the file of a blob in use is not what it was: no crash of this process did that.
     */
    void changed(BlobKey key, Condition condition, String reason) {
        if (condition != Condition.GOOD) {
            found.putIfAbsent(key, reason.isEmpty() ? "it is missing" : reason);
        }
    }

    /** Notes that the medium does not give back what a blob holds, or a part of it. */
    void unreadable(BlobKey key, IOException error) {
        String reason = "it cannot be read: " + error.getMessage();
        if (troubles.putIfAbsent(key, reason) == null) {
            found.putIfAbsent(key, reason);
            LOG.error("{}: {}", paths.blob(key), reason);
        }
    }

    /** Notes blobs whose files are gone: one line for all, for there may be many. */
    public void missing(List<BlobKey> files) {
        List<BlobKey> keys = new ArrayList<>();
        for (BlobKey key : files) {
            if (seals.ring().isLost(key.group())) {
                lost(key, "it is missing");
                continue;
            }
            keys.add(key);
            troubles.putIfAbsent(key, "it is missing");
            found.putIfAbsent(key, "it is missing");
        }
        if (!keys.isEmpty()) {
            meter.failed();
            LOG.error(
                    "{}: {} files of blobs are gone, the first one {}; they need a peer's copies",
                    paths.group(keys.get(0).group()),
                    keys.size(),
                    paths.blob(keys.get(0)));
        }
    }

    /** Notes an error of the disk: one that shows that it is of no use any more gives it up. */
    void notice(@Nullable Throwable error) {
        if (ReadOnlyDiskException.isBehind(error)) {
            giveUp(
                    "its filesystem is read-only: look at the log of the kernel, repair or replace"
                            + " it");
        }
    }

    private void giveUp(String reason) {
        if (givenUp.isEmpty()) {
            givenUp = reason;
            LOG.error("{}: the target is given up until the next start: {}", paths.root(), reason);
        }
    }

    /**
     * Makes sure that the directory is still the one that was opened. Else the disk is not mounted
     * there any more, and what is made now would lie on another one.
     */
    public void requireHere() throws IOException {
        boolean isHere = disk.exists(paths.format());
        if (isHere) {
            isHere = TargetFormat.read(disk, paths).identity() == identity;
        }
        if (!isHere) {
            giveUp("its disk is not mounted there any more: mount it and start the server again");
            throw new IOException(paths.format() + " is not that of this target any more");
        }
    }

    /** Why a blob cannot be used that is not good. */
    FsException unusable(BlobKey key, Condition condition, String reason) {
        return condition == Condition.DOUBTFUL
                ? new FsException(
                        Errno.NOT_READY,
                        key + " is in doubt (" + reason + "); waiting for a peer's copy")
                : new FsException(
                        Errno.EIO, paths.blob(key) + ": " + reason + "; needs a peer's copy");
    }

    /** Why the disk is given up; empty while it is well. */
    public String fault() {
        if (!givenUp.isEmpty()) {
            return givenUp;
        }
        if (log.hasFailed()) {
            return "its file 'intents' cannot be written";
        }
        long failed = fences.get();
        return failed < MAX_FENCES ? "" : failed + " writes or syncs failed";
    }

    /**
     * Makes the file of a blob, with its length, and its directories.
     *
     * @param begin is done before the file is there
     */
    BlobFile create(BlobKey key, int chunkSizeLog2, DiskWork.Step begin) throws IOException {
        Seal seal = seals.next(key);
        begin.run();
        Disk.DiskFile raw = create(key);
        count.add(key.group(), 1);
        try {
            BlobFile made = made(raw, paths.blob(key), chunkSizeLog2, seal);
            made.extend();
            return made;
        } catch (IOException e) {
            raw.close();
            throw e;
        }
    }

    /** A new file, encrypted if there is a seal. */
    BlobFile made(Disk.DiskFile raw, Path path, int chunkSizeLog2, @Nullable Seal seal)
            throws IOException {
        long bytes = BlobFile.fileBytes(chunkSizeLog2);
        Disk.DiskFile file = seal == null ? raw : seal.begin(raw, bytes);
        return new BlobFile(file, path, chunkSizeLog2, scratch);
    }

    private Disk.DiskFile create(BlobKey key) throws IOException {
        beforeCreation(key);
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
                requireHere();
                disk.makeDirectories(path);
                forceGroup(key.group());
            }
            slices.add(slice);
        }
        if (key.index() != 0) {
            Path path = paths.directory(key);
            if (!disk.exists(path)) {
                requireHere();
                disk.makeDirectories(path);
            }
        }
    }

    /** Makes the names of the slices of a group durable, and its own. */
    public void forceGroup(int group) throws IOException {
        disk.forceDirectory(paths.group(group));
        disk.forceDirectory(paths.groups());
    }

    /** Makes the name of a blob durable. */
    void forceName(BlobKey key) throws IOException {
        disk.forceDirectory(paths.directory(key));
        if (key.index() != 0) {
            disk.forceDirectory(paths.slice(key));
        }
    }

    /**
     * Removes a blob, not yet durably.
     *
     * @param forget removes its entry in the ledger, which comes first: an entry without a file
     *     would be a blob that is lost
     */
    void remove(BlobKey key, DiskWork.Step forget) throws IOException {
        try {
            forget.run();
        } catch (DiskFullException e) {
            // A disk that copies on write has no room for that: the file gives it some, perhaps
            // only later. Who deletes the blob again finds it by its trouble.
            troubles.put(key, "it was deleted, and the disk has no room to note that");
            delete(key);
            forget.run();
        }
        delete(key);
        troubles.remove(key);
    }

    /** Removes the file of a blob, not yet durably. */
    void delete(BlobKey key) throws IOException {
        if (disk.delete(paths.blob(key))) {
            count.add(key.group(), -1);
        }
        deletions.add(key);
        log.deleted(key);
    }

    /**
     * An object is to be deleted. What is not there any more may have been deleted by a process
     * that was killed, so the first sync of deletions makes all names durable that it left.
     */
    public void purge() {
        purging = true;
    }

    /** Whether so many deletions are not durable that somebody should make them so. */
    public boolean hasManyDeletions() {
        return deletions.size() >= MAX_DELETIONS;
    }

    /**
     * A blob is about to be made. Where one was deleted under the same name that has to be durable
     * first, or what the ledger said of that one would come back and be held against this one.
     */
    void beforeCreation(BlobKey key) throws IOException {
        if (deletions.contains(key)) {
            syncDeletions();
        }
    }

    /** Makes all deletions so far durable. */
    public void syncDeletions() throws IOException {
        List<BlobKey> keys = List.copyOf(deletions);
        keys.forEach(deletions::remove);
        Set<Path> directories = new HashSet<>();
        for (BlobKey key : keys) {
            directories.add(paths.slice(key));
            directories.add(paths.directory(key));
        }
        try {
            if (!keys.isEmpty()) {
                ledger.force();
            }
            if (purging && !settled) {
                disk.forceNames(paths.root());
                settled = true;
            }
            for (Path directory : directories) {
                if (disk.exists(directory)) {
                    disk.forceDirectory(directory);
                }
            }
            log.deletionsSynced(keys);
        } catch (IOException e) {
            deletions.addAll(keys);
            throw e;
        }
    }

    /** Removes the directory of an object when it is empty. */
    public void removeObjectDirectory(int group, long oid) throws IOException {
        Path path = paths.objectDirectory(group, oid);
        try {
            disk.delete(path);
        } catch (DirectoryNotEmptyException e) {
            LOG.debug("{}: a chunk was made meanwhile", path);
        }
    }

    /**
     * Moves a bad file out of the way, durably, for people who want to look at it. It is deleted
     * when there are many already.
     */
    void quarantine(BlobKey key) throws IOException {
        requireHere();
        disk.makeDirectories(paths.quarantine());
        if (disk.list(paths.quarantine()).size() >= MAX_QUARANTINED) {
            LOG.warn(
                    "{}: deleted, not kept: {} holds {} bad files; look at them and clear it",
                    paths.blob(key),
                    paths.quarantine(),
                    MAX_QUARANTINED);
            disk.delete(paths.blob(key));
        } else {
            int attempt = 1;
            while (disk.exists(paths.quarantined(key, attempt))) {
                attempt++;
            }
            disk.rename(paths.blob(key), paths.quarantined(key, attempt));
            disk.forceDirectory(paths.quarantine());
        }
        disk.forceDirectory(paths.directory(key));
        countQuarantined();
    }

    /** Looks how many bad files are kept. */
    public void countQuarantined() throws IOException {
        quarantined.set(disk.list(paths.quarantine()).size());
    }

    /** Bad files that are kept. */
    int quarantined() {
        return quarantined.get();
    }
}
