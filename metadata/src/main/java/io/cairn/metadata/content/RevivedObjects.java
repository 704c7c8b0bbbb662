package io.cairn.metadata.content;

import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;

/**
 * Objects that clones of files in snapshots have brought back. Snapshots may have had parts of them
 * alone: these were released before, are held, and are released again when the clone gives them up.
 * Snapshots that were taken meanwhile show them in the clone. So what is held of such an object
 * counts as released with its last release, whatever part that was of. Belongs to the apply thread.
 */
final class RevivedObjects {
    private final Transaction transaction;

    RevivedObjects(Transaction transaction) {
        this.transaction = transaction;
    }

    /** A file names an object again that it has from a snapshot. */
    void revive(long oid) {
        byte[] key = Keys.revived(oid);
        if (transaction.get(Family.META, key) == null) {
            put(key, 0);
        }
    }

    /** A part of an object was released now, and snapshots hold it. */
    void released(long oid) {
        byte[] key = Keys.revived(oid);
        if (transaction.get(Family.META, key) != null) {
            put(key, transaction.version());
        }
    }

    /** The version of the last release, for a part that was released with this one. */
    long lastRelease(long oid, long releaseVersion) {
        byte[] value = transaction.get(Family.META, Keys.revived(oid));
        return value == null
                ? releaseVersion
                : Math.max(releaseVersion, Keys.open(Family.META, value).i64());
    }

    private void put(byte[] key, long version) {
        transaction.records().put(Family.META, key, Keys.value(9).i64(version).toBytes());
    }
}
