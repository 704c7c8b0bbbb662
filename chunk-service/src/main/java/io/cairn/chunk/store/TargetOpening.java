package io.cairn.chunk.store;

import io.cairn.base.Wording;
import io.cairn.chunk.store.blob.BlobCache;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.IntentLog;
import io.cairn.chunk.store.blob.IntentLogFile;
import io.cairn.chunk.store.blob.IntentLogFile.Contents;
import io.cairn.chunk.store.blob.Ledger;
import io.cairn.chunk.store.blob.SpaceGauge;
import io.cairn.chunk.store.blob.TargetMeter;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.chunk.store.format.TargetFormat;
import io.cairn.chunk.store.format.TargetPaths;
import io.cairn.chunk.store.seal.TargetSeals;
import io.cairn.runtime.Disk;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The steps from a directory to a {@link StorageTarget}. Used once. */
final class TargetOpening {
    private static final Logger LOG = LoggerFactory.getLogger(TargetOpening.class);

    private final Disk disk;
    private final TargetPaths paths;
    private final StoreSettings settings;

    /** The opening of a directory. */
    TargetOpening(Disk disk, Path directory, StoreSettings settings) {
        this.disk = disk;
        this.paths = new TargetPaths(directory);
        this.settings = settings;
    }

    StorageTarget run() throws TargetException {
        AutoCloseable lock = lock();
        try {
            return open(lock);
        } catch (TargetException e) {
            release(lock);
            throw e;
        } catch (IOException e) {
            release(lock);
            throw unusable(e);
        }
    }

    private TargetException unusable(IOException e) {
        return new TargetException(
                Reason.UNUSABLE,
                paths.root() + " cannot be used: " + Wording.of(e) + "; check the disk",
                e);
    }

    private AutoCloseable lock() throws TargetException {
        try {
            makeRoot();
            if (!disk.exists(paths.format())) {
                TargetFormat.isFormatted(disk, paths);
            }
        } catch (TargetException e) {
            throw e;
        } catch (IOException e) {
            throw unusable(e);
        }
        try {
            return disk.lock(paths.lock());
        } catch (FileSystemException e) {
            throw new TargetException(
                    Reason.IN_USE,
                    paths.lock()
                            + " cannot be locked ("
                            + e.getMessage()
                            + "); stop the chunk server that has this directory open",
                    e);
        } catch (IOException e) {
            throw unusable(e);
        }
    }

    /** Makes the directory when absent: its name must outlive a power loss, too. */
    private void makeRoot() throws IOException {
        List<Path> changed = new ArrayList<>();
        Path path = paths.root().toAbsolutePath();
        Path parent = path.getParent();
        while (parent != null && !disk.exists(path)) {
            changed.add(parent);
            path = parent;
            parent = path.getParent();
        }
        disk.makeDirectories(paths.root());
        for (Path directory : changed) {
            disk.forceDirectory(directory);
        }
    }

    private static void release(AutoCloseable lock) {
        try {
            lock.close();
        } catch (Exception e) {
            LOG.warn("releasing the lock of a target: {}", e.toString());
        }
    }

    private StorageTarget open(AutoCloseable lock) throws IOException {
        boolean formatted = TargetFormat.isFormatted(disk, paths);
        TargetFormat format = formatted ? TargetFormat.read(disk, paths) : format();
        Contents contents =
                formatted
                        ? IntentLogFile.read(disk, paths, format.identity())
                        : new Contents(Map.of(), Map.of(), true, 0, 0);
        long boot = settings.host().boot().getAsLong();
        Ledger ledger = Ledger.open(disk, paths, contents.ledgers());
        ledger.keepWhatIsThere();
        TargetSeals seals =
                TargetSeals.open(disk, paths, settings.host().keys(), settings.random());
        IntentLogFile file = new IntentLogFile(disk, paths, format.identity(), boot, ledger::size);
        IntentLog log = new IntentLog(file, contents);
        SpaceGauge space = new SpaceGauge(disk, paths.root(), settings.reserveBytes());
        BlobContext.Books books =
                new BlobContext.Books(log, ledger, contents.isOf(boot), format.identity(), seals);
        BlobContext shelf =
                new BlobContext(disk, paths, books, space, new TargetMeter(settings.clock()));
        BlobCache blobs = new BlobCache(shelf, settings.openBlobs());
        try {
            new Recovery(shelf, blobs, contents).run();
        } catch (IOException e) {
            blobs.clear();
            log.close();
            ledger.close();
            throw e;
        }
        LOG.info(
                "{}: opened, identity {}, {} blobs",
                paths.root(),
                Long.toHexString(format.identity()),
                shelf.count);
        return new StorageTarget(shelf, settings, blobs, format, lock);
    }

    private TargetFormat format() throws IOException {
        disk.makeDirectories(paths.groups());
        disk.makeDirectories(paths.ledger());
        disk.makeDirectories(paths.incoming());
        disk.makeDirectories(paths.quarantine());
        long identity = 0;
        while (identity == 0) {
            identity = settings.random().nextLong();
        }
        TargetFormat format = new TargetFormat(identity, 0);
        format.write(disk, paths);
        return format;
    }
}
