package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.Condition;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A blob as {@link BlobLoader} found it.
 *
 * @param reason why it is not good; empty when it is
 * @param file open unless absent
 * @param blocks of a good or doubtful blob; null when there is no valid header
 * @param whole of a doubtful blob: the version before the last write, when that one was merely cut
 *     off; its blocks are each the old or the new one
 * @param stored false when what was mended found no room on the disk
 */
record LoadedBlob(
        Condition condition,
        String reason,
        @Nullable BlobFile file,
        @Nullable Blocks blocks,
        @Nullable BlobVersion whole,
        boolean stored) {
    static final LoadedBlob ABSENT = new LoadedBlob(Condition.ABSENT, "", null, null, null);

    /** One of which nothing was mended. */
    LoadedBlob(
            Condition condition,
            String reason,
            @Nullable BlobFile file,
            @Nullable Blocks blocks,
            @Nullable BlobVersion whole) {
        this(condition, reason, file, blocks, whole, true);
    }

    /**
     * Header and map.
     *
     * @param header the newest one
     * @param page where that stands
     * @param map blocks as they are
     */
    record Blocks(BlobHeader header, int page, BlockMap map) {}

    /** Blocks that it takes less than a plain one; 0 for one that is plain or not known. */
    int savedBlocks() {
        return file == null || blocks == null ? 0 : file.savedBlocks(blocks.map());
    }

    /** Closes the file; nobody uses what was found. */
    void close() throws IOException {
        if (file != null) {
            file.close();
        }
    }

    /** A blob in order. */
    static LoadedBlob good(BlobFile file, Blocks blocks) {
        return new LoadedBlob(Condition.GOOD, "", file, blocks, null);
    }

    /** A blob that is in order again, on the disk as well unless that was full. */
    static LoadedBlob mended(BlobFile file, Blocks blocks, boolean stored) {
        return new LoadedBlob(Condition.GOOD, "", file, blocks, null, stored);
    }

    /** A blob whose headers tell nothing. */
    static LoadedBlob damaged(BlobFile file, String reason) {
        return new LoadedBlob(Condition.DAMAGED, reason, file, null, null);
    }
}
