package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.Condition;
import io.cairn.wire.chunk.ChunkRange;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Pages of the blobs of a group with their states. Keeps one listing between pages. Thread-safe.
 */
public final class GroupPages {
    private final BlobContext shelf;
    private final BlobCache blobs;
    private final AtomicReference<@Nullable GroupListing> current = new AtomicReference<>();

    /** Pages of a target. */
    public GroupPages(BlobContext shelf, BlobCache blobs) {
        this.shelf = shelf;
        this.blobs = blobs;
    }

    /** As {@link StorageTarget#list}. */
    public List<ChunkState> page(int group, long afterOid, long afterIndex, int max)
            throws IOException {
        GroupListing listing = current.get();
        if (listing == null || listing.group() != group || afterOid == 0) {
            listing = GroupListing.read(shelf.disk, shelf.paths, group);
            current.set(listing);
        }
        List<ChunkState> page = states(listing, afterOid, afterIndex, max);
        if (page.size() < max) {
            current.compareAndSet(listing, null);
        }
        return page;
    }

    /** The next blobs: those that have a file, and those whose file is gone. */
    private List<BlobKey> keys(GroupListing listing, long oid, long index, int max)
            throws IOException {
        TreeSet<BlobKey> keys = new TreeSet<>(listing.after(oid, index, max));
        BlobKey from = new BlobKey(listing.group(), oid, index);
        int troubled = 0;
        for (BlobKey key : shelf.troubles.tailMap(from, false).keySet()) {
            if (key.group() != listing.group() || ++troubled > max) {
                break;
            }
            keys.add(key);
        }
        return keys.stream().limit(max).toList();
    }

    /** As {@link StorageTarget#find}. */
    public List<Long> find(int group, ChunkRange range, int max) throws IOException {
        TreeSet<Long> found = new TreeSet<>();
        if (blobs.use(new BlobKey(group, range.oid(), 0), GroupPages::stateIfPresent) != null) {
            found.add(0L);
        }
        for (long index : GroupListing.indices(shelf.disk, shelf.paths, group, range.oid())) {
            found.add(index);
        }
        BlobKey first = new BlobKey(group, range.oid(), 0);
        // What should be there and is not is no hole.
        for (BlobKey key : shelf.troubles.tailMap(first, true).keySet()) {
            if (key.group() != group || key.oid() != range.oid()) {
                break;
            }
            found.add(key.index());
        }
        return found.stream()
                .filter(index -> index >= range.fromIndex() && index < range.endIndex())
                .limit(max)
                .toList();
    }

    /**
     * Deletes blobs of a group in their order, not durably yet.
     *
     * @param after where to go on; null at the beginning
     * @param max how many at most
     * @return the last one; null when there was none
     */
    public @Nullable BlobKey delete(int group, @Nullable BlobKey after, int max)
            throws IOException {
        GroupListing listing = current.get();
        if (listing == null || listing.group() != group || after == null) {
            listing = GroupListing.read(shelf.disk, shelf.paths, group);
            current.set(listing);
        }
        long oid = after == null ? Long.MIN_VALUE : after.oid();
        List<BlobKey> keys = keys(listing, oid, after == null ? -1 : after.index(), max);
        for (BlobKey key : keys) {
            blobs.delete(key);
        }
        for (long each : keys.stream().mapToLong(BlobKey::oid).distinct().toArray()) {
            shelf.removeObjectDirectory(group, each);
        }
        if (keys.isEmpty()) {
            shelf.count.none(group);
            return null;
        }
        return keys.getLast();
    }

    private List<ChunkState> states(GroupListing listing, long oid, long index, int max)
            throws IOException {
        List<ChunkState> page = new ArrayList<>();
        long afterOid = oid;
        long afterIndex = index;
        while (page.size() < max) {
            List<BlobKey> keys = keys(listing, afterOid, afterIndex, max - page.size());
            if (keys.isEmpty()) {
                break;
            }
            for (BlobKey key : keys) {
                ChunkState state = blobs.use(key, GroupPages::stateIfPresent);
                if (state != null) {
                    page.add(state);
                }
                afterOid = key.oid();
                afterIndex = key.index();
            }
        }
        return page;
    }

    private static @Nullable ChunkState stateIfPresent(Blob blob) throws IOException {
        return blob.condition() == Condition.ABSENT ? null : blob.state();
    }
}
