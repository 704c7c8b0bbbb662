package io.cairn.metadata.state;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where the replicated state is kept: ordered maps of bytes, one per family, changed in atomic
 * batches. The position in the Raft log is stored with each batch, so that the state always tells
 * exactly how far it is.
 *
 * <p>One thread commits; any thread may read at any time and sees whole batches only, but two reads
 * may see different batches: the {@code Namespace} orders reads against commits.
 */
public interface Store extends StoredState {
    /** The families of keys; {@link Keys} is their legend. Names are part of the disk format. */
    enum Family {
        META,
        INODE,
        DENTRY,
        XATTR,
        ORPHAN,
        SESSION,
        REPLY,
        LOCK,
        GC,
        HOST,
        JOB,
        LINK,
        USAGE,
        TRASH,
        SNAPSHOT,
        HISTORY,
        HELD,
        SHARED;

        /** Whether its records tell of the tree, and the version of their last change. */
        public boolean isOfTree() {
            return hasHistory() || this == LINK;
        }

        /** Whether snapshots show its records. */
        public boolean hasHistory() {
            return this == INODE || this == DENTRY || this == XATTR;
        }
    }

    /**
     * One change of a batch.
     *
     * @param value null deletes the key
     */
    record Change(Family family, byte[] key, byte @Nullable [] value) {}

    /** Receives entries of a scan. */
    @FunctionalInterface
    interface Visitor {
        /**
         * One entry, in unsigned byte order of the keys; the arrays are the visitor's. False ends
         * the scan.
         */
        boolean visit(byte[] key, byte[] value);
    }

    /**
     * Commits a batch: all of it and the position, or nothing. Durable only with the next
     * checkpoint: the Raft log replays what a crash loses.
     */
    void commit(List<Change> changes, long term, long index);

    /**
     * The state between two batches, as it is now; later ones do not show in it. Its user closes
     * it. It can be read as long as the store is open, and then fails as the store does.
     */
    StoredState snapshot();
}
