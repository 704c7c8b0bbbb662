package io.cairn.chunk.store;

import io.cairn.base.FsException;
import io.cairn.chunk.store.blob.Blob;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.DiskWork;
import io.cairn.chunk.store.format.BlobKey;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Syncs the blobs of a target, one, the oldest of too many, or all. Thread-safe. */
final class DirtyBlobs {
    private static final Logger LOG = LoggerFactory.getLogger(DirtyBlobs.class);

    /** Blobs that a writer syncs when too many are dirty. */
    private static final int SYNC_BATCH = 64;

    private final BlobContext shelf;
    private final DiskWork disk;
    private final int most;

    /** Those of a target, of which so many may be dirty. */
    DirtyBlobs(BlobContext shelf, DiskWork disk, int most) {
        this.shelf = shelf;
        this.disk = disk;
        this.most = most;
    }

    /** As {@link StorageTarget#flush}. */
    void flush(BlobKey key) {
        disk.run(key, Blob::flush);
    }

    /** As {@link StorageTarget#flushAll}. */
    void flushAll() {
        List<BlobKey> unsynced = new ArrayList<>(shelf.log.dirty(Integer.MAX_VALUE));
        for (BlobKey key : shelf.log.recovered()) {
            if (!shelf.troubles.containsKey(key)) {
                unsynced.add(key);
            }
        }
        FsException failure = null;
        for (BlobKey key : unsynced) {
            try {
                flush(key);
            } catch (FsException e) {
                failure = e;
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    /** Syncs the blobs that are dirty for longest when there are too many. */
    void limit() {
        if (shelf.log.dirtyCount() < most) {
            return;
        }
        for (BlobKey key : shelf.log.dirty(SYNC_BATCH)) {
            try {
                flush(key);
            } catch (FsException e) {
                LOG.warn("{}", e.getMessage());
            }
        }
    }
}
