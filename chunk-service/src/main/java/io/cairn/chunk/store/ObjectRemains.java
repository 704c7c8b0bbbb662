package io.cairn.chunk.store;

import io.cairn.chunk.store.blob.BlobContext;
import io.cairn.chunk.store.blob.GroupListing;
import io.cairn.chunk.store.format.BlobKey;
import java.io.IOException;
import java.util.Set;
import java.util.TreeSet;

/**
 * What there is of an object that is to be deleted. Most groups of a target have nothing of it, and
 * mostly that is known without a look at the disk. Thread-safe.
 */
final class ObjectRemains {
    private final BlobContext shelf;

    /** That of the objects of a target. */
    ObjectRemains(BlobContext shelf) {
        this.shelf = shelf;
    }

    /**
     * The chunks of a part of an object that have a file, an entry in the ledger, or a trouble, in
     * order.
     */
    Set<Long> of(int group, long oid, long fromIndex, long endIndex) throws IOException {
        if (!shelf.ledger.mayHave(group, oid)) {
            return Set.of();
        }
        Set<Long> found = new TreeSet<>();
        BlobKey first = new BlobKey(group, oid, 0);
        BlobKey last = new BlobKey(group, oid, Long.MAX_VALUE);
        if (shelf.disk.exists(shelf.paths.blob(first)) || shelf.ledger.find(first) != null) {
            found.add(0L);
        }
        for (BlobKey lost : shelf.troubles.subMap(first, true, last, true).keySet()) {
            found.add(lost.index());
        }
        if (shelf.disk.exists(shelf.paths.objectDirectory(group, oid))) {
            for (long index : GroupListing.indices(shelf.disk, shelf.paths, group, oid)) {
                found.add(index);
            }
        }
        found.removeIf(index -> index < fromIndex || index >= endIndex);
        return found;
    }

    /** Removes the directory of an object when it is empty. */
    void removeDirectory(int group, long oid) throws IOException {
        if (shelf.ledger.mayHave(group, oid)
                && shelf.disk.exists(shelf.paths.objectDirectory(group, oid))) {
            shelf.removeObjectDirectory(group, oid);
        }
    }
}
