package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.LedgerEntry;
import io.cairn.chunk.store.format.LedgerEntry.Mark;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * The entry of one blob in the {@link Ledger} while the blob is in use. Not thread-safe: {@link
 * Blob} guards it.
 */
final class BlobRecord {
    private final Ledger ledger;
    private final BlobKey key;
    private volatile @Nullable LedgerEntry entry;
    private long hint;

    /** The record of a blob; nothing is read yet. */
    BlobRecord(Ledger ledger, BlobKey key) {
        this.ledger = ledger;
        this.key = key;
    }

    /** The state in which the blob must be at least; NONE when nothing must be there. */
    Mark expected() {
        LedgerEntry present = entry;
        return present == null ? Mark.NONE : present.latest();
    }

    /**
     * Why a blob that seems to be in order is not what was written, as {@link Ledger#objection}
     * tells it. Takes over what is younger than the entry.
     *
     * @param clean whether nothing was written since the last sync
     */
    @Nullable String examine(LoadedBlob blob, Condition condition, boolean clean)
            throws IOException {
        entry = ledger.find(key);
        hint = 0;
        if (condition == Condition.DAMAGED || condition == Condition.FENCED) {
            return null;
        }
        boolean synced = clean && condition == Condition.GOOD;
        LoadedBlob.Blocks blocks = blob.blocks();
        Mark found = blocks == null ? Mark.NONE : Mark.of(blocks.header().version());
        String objection = Ledger.objection(found, expected());
        if (objection == null && found.isKnown() && !found.equals(expected())) {
            note(present().written(found));
        }
        if (objection != null || !found.isKnown()) {
            return objection;
        }
        int saved = blob.savedBlocks();
        if (synced && !present().equals(present().syncedAt(found, saved))) {
            note(present().syncedAt(found, saved));
        } else if (saved == 0 && present().savedBlocks() > 0) {
            note(present().written(found)); // It was made plain, and the process ended then.
        }
        return null;
    }

    private LedgerEntry present() {
        LedgerEntry present = entry;
        return present == null ? LedgerEntry.begun(key) : present;
    }

    private void note(LedgerEntry next) throws IOException {
        hint = ledger.note(next, next.savedBlocks() == present().savedBlocks() ? hint : 0);
        entry = next;
    }

    /** Makes room for an entry before the blob is made. */
    void begin() throws IOException {
        if (entry == null) {
            LedgerEntry begun = LedgerEntry.begun(key);
            hint = ledger.begin(begun);
            entry = begun;
        }
    }

    /** The blob has another write. */
    void written(BlobVersion version) throws IOException {
        note(present().written(Mark.of(version)));
    }

    /**
     * The blob is synced as it is.
     *
     * @param savedBlocks blocks that it takes less than a plain one
     */
    void synced(BlobVersion version, int savedBlocks) throws IOException {
        note(present().syncedAt(Mark.of(version), savedBlocks));
    }

    /**
     * Another file is about to take the blob's place. It may be an older one: that must be known
     * before the file lasts.
     */
    void beforeReplacement(Mark next) throws IOException {
        begin();
        if (next.isOlderThan(expected())) {
            note(present().beforeReplacement(next));
            ledger.force();
        }
    }

    /** Somebody knows of a later state than this: from now on the blob must be in it. */
    void expect(Mark mark) throws IOException {
        begin();
        if (expected().isOlderThan(mark)) {
            note(present().syncedAt(mark, 0));
        }
    }

    /** The blob is about to be deleted. */
    void remove() throws IOException {
        ledger.remove(key);
        entry = null;
        hint = 0;
    }
}
