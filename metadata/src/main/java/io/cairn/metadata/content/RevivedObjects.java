package io.cairn.metadata.content;

import io.cairn.metadata.state.History;
import io.cairn.metadata.state.Keys;
import io.cairn.metadata.state.Store.Family;
import io.cairn.metadata.state.Transaction;
import io.cairn.wire.Decoder;

/**
 * Objects that clones of files in snapshots have brought back. Snapshots may have had parts of them
 * alone: these were released before, are held, and are released again when the clone gives them up.
 * Snapshots that were taken meanwhile show them in the clone. So what was released before the last
 * clone counts as released with the last release, whatever part that was of. What was released
 * after the last clone no file can name again. Belongs to the apply thread.
 */
final class RevivedObjects {
    private final Transaction transaction;

    RevivedObjects(Transaction transaction) {
        this.transaction = transaction;
    }

    /**
     * What is known of such an object.
     *
     * @param revivedAt version of the last mutation that brought it back
     * @param releasedAt version of the last one that released a part that snapshots hold, or 0
     */
    record Times(long revivedAt, long releasedAt) {
        static Times decode(byte[] value) {
            Decoder in = Keys.open(Family.META, value);
            return new Times(in.i64(), in.i64());
        }

        byte[] encode() {
            return Keys.value(17).i64(revivedAt).i64(releasedAt).toBytes();
        }
    }

    /** A file names an object again that it has from a snapshot. */
    void revive(long oid) {
        byte[] value = transaction.get(Family.META, Keys.revived(oid));
        long releasedAt = value == null ? 0 : Times.decode(value).releasedAt;
        put(oid, new Times(transaction.version(), releasedAt));
    }

    /** A part of an object was released now, and snapshots hold it. */
    void released(long oid) {
        byte[] value = transaction.get(Family.META, Keys.revived(oid));
        if (value != null) {
            put(oid, new Times(Times.decode(value).revivedAt, transaction.version()));
        }
    }

    /** The version that counts for a part that was released with this one. */
    long lastRelease(long oid, long releaseVersion) {
        byte[] value = transaction.get(Family.META, Keys.revived(oid));
        if (value == null) {
            return releaseVersion;
        }
        Times times = Times.decode(value);
        return releaseVersion > times.revivedAt
                ? releaseVersion
                : Math.max(releaseVersion, times.releasedAt);
    }

    /**
     * Forgets an object that is like any other by now; behind a sweep of what is held. That let go
     * all that counted as released with the last release, if no snapshot holds that. Files of the
     * object may still release parts that are held already.
     */
    void forget(long oid, boolean hasFiles) {
        byte[] key = Keys.revived(oid);
        byte[] value = transaction.get(Family.META, key);
        if (value != null) {
            History history = transaction.history();
            boolean isNeeded =
                    hasFiles
                            ? history.mayShow(oid)
                            : history.holds(oid, Times.decode(value).releasedAt);
            if (!isNeeded) {
                transaction.records().delete(Family.META, key);
            }
        }
    }

    private void put(long oid, Times times) {
        transaction.records().put(Family.META, Keys.revived(oid), times.encode());
    }
}
