package io.cairn.chunk.store;

import io.cairn.base.Wording;
import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.format.TargetException;
import io.cairn.chunk.store.format.TargetException.Reason;
import io.cairn.chunk.store.format.TargetFormat;
import java.io.IOException;

/** The {@link TargetFormat} of an open target, which may become part of a cluster. Thread-safe. */
final class TargetIdentity {
    private final BlobContext shelf;
    private final StartLog starts;
    private volatile TargetFormat format;

    /** The identity of a target. */
    TargetIdentity(BlobContext shelf, TargetFormat format) {
        this.shelf = shelf;
        this.format = format;
        this.starts = new StartLog(shelf.disk, shelf.paths);
    }

    StartLog starts() {
        return starts;
    }

    TargetFormat format() {
        return format;
    }

    /** As {@link StorageTarget#adoptCluster}. */
    synchronized void adopt(long clusterId) throws TargetException {
        TargetFormat old = format;
        if (old.clusterId() == clusterId) {
            return;
        }
        if (old.clusterId() != 0) {
            throw new TargetException(
                    Reason.FOREIGN,
                    "%s belongs to cluster %016x, not to %016x; give another directory"
                            .formatted(shelf.paths.format(), old.clusterId(), clusterId));
        }
        TargetFormat adopted = new TargetFormat(old.identity(), clusterId);
        try {
            adopted.write(shelf.disk, shelf.paths);
        } catch (IOException e) {
            throw new TargetException(
                    Reason.UNUSABLE,
                    shelf.paths.format()
                            + " cannot be written: "
                            + Wording.of(e)
                            + "; check the disk",
                    e);
        }
        format = adopted;
    }
}
