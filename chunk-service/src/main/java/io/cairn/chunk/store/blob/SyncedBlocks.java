package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.ChangedBlocks;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Which blocks of a blob a loss of power can have spoiled: those that were changed since the last
 * sync. Every other block is on stable media, and if it does not match its checksum it is damaged.
 * The last sync is the latest one that the log, the ledger or a header tells of.
 */
final class SyncedBlocks {
    private SyncedBlocks() {}

    /** Whether a block may be taken as it stands. Reads the file as it was found. */
    static IntPredicate changeable(Shelf shelf, BlobKey key, BlobBody body) throws IOException {
        ByteBuffer trailer = body.file().readTrailer();
        BlobHeader[] pages = {header(trailer, 0), header(trailer, 1)};
        ChangedBlocks changed = shelf.log.changed(key);
        LedgerEntry known = shelf.ledger.find(key);
        long synced = changed.synced();
        for (BlobHeader page : pages) {
            if (page != null) {
                // What the ledger knows may be of a file that was to take the place of this one.
                boolean isSynced = known != null && Mark.of(page.version()).equals(known.synced());
                long there = isSynced ? page.version().sequence() : page.syncedSequence();
                synced = Math.max(synced, there);
            }
        }
        if (synced == 0 && shelf.log.kind(key) == Kind.NEW && BlobFile.isMarked(trailer)) {
            // A change after the first sync would have been told in the log before.
            synced = body.version().sequence();
        }
        if (synced == 0) {
            return block -> true;
        }
        BlobHeader then = at(pages, synced);
        boolean current = changed.synced() == synced;
        return block ->
                (current && changed.contains(block))
                        || (then != null && !BlockMap.isSet(then.allocated(), block));
    }

    private static @Nullable BlobHeader header(ByteBuffer trailer, int page) {
        int at = page * BlobHeader.PAGE_BYTES;
        int bytes = Math.clamp(trailer.limit() - at, 0, BlobHeader.PAGE_BYTES);
        return bytes == 0 ? null : BlobHeader.decode(trailer.slice(at, bytes));
    }

    private static @Nullable BlobHeader at(@Nullable BlobHeader[] pages, long sequence) {
        for (BlobHeader page : pages) {
            if (page != null && page.version().sequence() == sequence) {
                return page;
            }
        }
        return null;
    }
}
