package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.ChangedBlocks;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.IntentRecord.Kind;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the data of a blob in doubt as it stands: gives blocks that do not match their checksum a
 * new one, and makes what lies beyond the length zeros again. That is the next version of the blob:
 * another replica that has the last write is not the same. Only for blobs that an intent record
 * names (I8), and only when no other copy exists. Used under the locks of the blob.
 */
final class Settlement {
    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final BlobContext shelf;
    private final BlobKey key;
    private final BlobBody body;
    private final BlobFile file;
    private final BlockMap map;
    private final int lengthBytes;
    private final long epoch;
    private final IntPredicate mayTake;
    private int settled;
    private int damaged;

    /**
     * A settlement of a blob in an epoch of its group. A block that was synced and is bad stays
     * bad.
     */
    Settlement(BlobContext shelf, BlobKey key, BlobBody body, long epoch) throws IOException {
        this.shelf = shelf;
        this.key = key;
        this.epoch = epoch;
        this.mayTake = changeable(shelf, key, body);
        this.body = body;
        this.file = body.file();
        this.map = body.map();
        this.lengthBytes = body.version().lengthBytes();
    }

    /**
     * Changes all of the blob; whether all blocks were right. The new header is not yet synced. It
     * takes the place of the one that tells what was synced before, and a loss of power may tear
     * it. So the checksums are durable before: then nothing has to be told any more.
     */
    boolean run() throws IOException {
        settleBlocks();
        file.writeTable(map, 0, map.blocks());
        body.force();
        BlobVersion last = body.version();
        BlobVersion next =
                new BlobVersion(epoch, last.sequence() + 1, last.lengthBytes(), map.sum());
        body.writeSettled(next);
        LOG.warn(
                "{}: settled as it stands, {} blocks with new checksums, {} damaged; there was no"
                        + " other copy",
                file.path(),
                settled,
                damaged);
        return settled + damaged == 0;
    }

    /** Notes what was bad and not to be taken: reading it fails at the reader. */
    void tell() {
        if (damaged > 0) {
            String what = damaged + " blocks that were synced fail their checksum";
            shelf.trouble(key, Condition.DAMAGED, what);
        }
    }

    private void settleBlocks() throws IOException {
        int used = (int) ((lengthBytes + (long) BLOCK - 1) / BLOCK);
        clearBeyond(used);
        file.visit(
                0,
                used,
                lengthBytes,
                (block, bytes, position, length) -> {
                    int entry = BlobFile.entryOf(bytes, position, length);
                    if (entry != map.entry(block) && !mayTake.test(block)) {
                        damaged++;
                    } else if (entry != map.entry(block)) {
                        map.setEntry(block, entry);
                        settled++;
                    }
                    if (!BlobLoader.isZero(bytes, position, length)) {
                        map.setAllocated(block, true);
                    }
                });
    }

    private void clearBeyond(int used) throws IOException {
        file.clearBeyond(lengthBytes);
        for (int block = used; block < map.blocks(); block++) {
            map.setEntry(block, 0);
            map.setAllocated(block, false);
        }
    }

    /**
     * Whether a block may be taken as it stands: a loss of power can have spoiled what was changed
     * since the last sync, the latest one that the log, the ledger or a header tells of.
     */
    private static IntPredicate changeable(BlobContext shelf, BlobKey key, BlobBody body)
            throws IOException {
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
        BlobHeader alone = alone(pages);
        if (alone != null && alone.syncedSequence() > 0) {
            // A loss of power tore the other page, which is overwritten when this one is synced.
            synced = Math.max(synced, alone.version().sequence());
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
                        || changed.isStanding(block)
                        || (then != null && !BlockMap.isSet(then.allocated(), block));
    }

    private static @Nullable BlobHeader header(ByteBuffer trailer, int page) {
        int at = page * BlobHeader.PAGE_BYTES;
        int bytes = Math.clamp(trailer.limit() - at, 0, BlobHeader.PAGE_BYTES);
        return bytes == 0 ? null : BlobHeader.decode(trailer.slice(at, bytes));
    }

    /** The header that is left of the two; null when there are two or none. */
    private static @Nullable BlobHeader alone(@Nullable BlobHeader[] pages) {
        if (pages[0] == null) {
            return pages[1];
        }
        return pages[1] == null ? pages[0] : null;
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
