package io.cairn.chunk.store.format;

import io.cairn.wire.chunk.ChunkAddress;
import java.util.Comparator;

/**
 * Names a blob within a target. Ordered by group, object, index.
 *
 * @param group placement group
 * @param oid data object
 * @param index chunk index in the file
 */
public record BlobKey(int group, long oid, long index) implements Comparable<BlobKey> {
    private static final Comparator<BlobKey> ORDER =
            Comparator.comparingInt(BlobKey::group)
                    .thenComparingLong(BlobKey::oid)
                    .thenComparingLong(BlobKey::index);

    /** The blob of a chunk. */
    public static BlobKey of(ChunkAddress chunk) {
        return new BlobKey(chunk.group(), chunk.oid(), chunk.index());
    }

    @Override
    public int compareTo(BlobKey other) {
        return ORDER.compare(this, other);
    }

    @Override
    public String toString() {
        return "chunk " + Long.toHexString(oid) + "." + index + " of group " + group;
    }
}
