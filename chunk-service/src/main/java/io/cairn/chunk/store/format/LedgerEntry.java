package io.cairn.chunk.store.format;

import io.cairn.chunk.store.blob.Ledger;
import io.cairn.wire.chunk.ChunkRequest.WriteMark;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The entry of a blob in the {@link Ledger}. 64 bytes, big-endian, so that no entry crosses a
 * sector:
 *
 * <pre>
 *   0 +----------------------------+----------------------------+
 *     | CRC32C of the rest (4)     | group (4)                  |
 *   8 +----------------------------+----------------------------+
 *     | oid (8)                                                 |
 *  16 +---------------------------------------------------------+
 *     | index (8)                                               |
 *  24 +---------------------------------------------------------+
 *     | latest: epoch (8), sequence (8)                         |
 *  40 +---------------------------------------------------------+
 *     | synced: epoch (8), sequence (8)                         |
 *  56 +----------------------------+----------------------------+
 *     | latest length (4)          | synced length (4)          |
 *     +----------------------------+----------------------------+
 * </pre>
 *
 * <p>For a packed blob, which is always synced, the synced length is the latest one. In its place
 * stands -1 less the blocks that packing saves.
 *
 * @param latest the last write that the blob had; {@link Mark#NONE} when none is known
 * @param synced the one that was the last when the blob was synced; NONE when it never was
 * @param savedBlocks blocks of 4096 bytes that the blob takes less than a plain one, 0 or more;
 *     above 0 only when the last write is the synced one
 */
public record LedgerEntry(BlobKey key, Mark latest, Mark synced, int savedBlocks) {
    public static final int BYTES = 64;

    /** Checks. */
    public LedgerEntry {
        if (savedBlocks < 0 || (savedBlocks > 0 && !latest.equals(synced))) {
            throw new IllegalArgumentException(
                    "%s: saves %d blocks at %s, synced at %s"
                            .formatted(key, savedBlocks, latest, synced));
        }
    }

    /** One of a plain blob. */
    public LedgerEntry(BlobKey key, Mark latest, Mark synced) {
        this(key, latest, synced, 0);
    }

    /**
     * A state of a blob.
     *
     * @param sequence from 1; 0 = nothing is known
     * @param lengthBytes length of the chunk; below 0 = unknown
     */
    public record Mark(long epoch, long sequence, int lengthBytes) {
        public static final Mark NONE = new Mark(0, 0, 0);

        public static Mark of(BlobVersion version) {
            return new Mark(version.epoch(), version.sequence(), version.lengthBytes());
        }

        public static Mark of(WriteMark write) {
            return new Mark(write.epoch(), write.sequence(), -1);
        }

        public boolean isKnown() {
            return sequence > 0;
        }

        /** Whether the blob cannot have been in this state after the other one. */
        public boolean isOlderThan(Mark other) {
            return epoch != other.epoch ? epoch < other.epoch : sequence < other.sequence;
        }
    }

    /** A blob that is about to be made. */
    public static LedgerEntry begun(BlobKey key) {
        return new LedgerEntry(key, Mark.NONE, Mark.NONE);
    }

    /** After another write. */
    public LedgerEntry written(Mark mark) {
        return new LedgerEntry(key, mark, synced);
    }

    /**
     * After a sync that covered its last write.
     *
     * @param saved blocks that it takes less than a plain one
     */
    public LedgerEntry syncedAt(Mark mark, int saved) {
        return new LedgerEntry(key, mark, mark, saved);
    }

    /**
     * Before a file at an earlier write takes its place: what holds of both files, whichever of
     * them is there after a crash. Of the one that goes its synced state may be all that is left.
     */
    public LedgerEntry beforeReplacement(Mark next) {
        return new LedgerEntry(key, next, synced.isOlderThan(next) ? synced : next);
    }

    /** The part of it that holds after a loss of power. */
    public LedgerEntry withoutUnsynced() {
        return new LedgerEntry(key, synced, synced, savedBlocks);
    }

    /** Writes the entry at the buffer's position. */
    public void encode(ByteBuffer out) {
        int start = out.position();
        out.putInt(0).putInt(key.group()).putLong(key.oid()).putLong(key.index());
        out.putLong(latest.epoch).putLong(latest.sequence);
        out.putLong(synced.epoch).putLong(synced.sequence);
        out.putInt(latest.lengthBytes);
        out.putInt(savedBlocks > 0 ? -1 - savedBlocks : synced.lengthBytes);
        out.putInt(start, checksum(out, start));
    }

    /** Whether nothing stands at a place. */
    public static boolean isFree(ByteBuffer page, int at) {
        return page.getLong(at + 8) == 0;
    }

    /** Reads the entry at a place; null when the place is free, or what stands there is damaged. */
    public static @Nullable LedgerEntry decode(ByteBuffer page, int at) {
        if (isFree(page, at) || page.getInt(at) != checksum(page, at)) {
            return null;
        }
        long oid = page.getLong(at + 8);
        Mark latest = new Mark(page.getLong(at + 24), page.getLong(at + 32), page.getInt(at + 56));
        int length = page.getInt(at + 60);
        Mark synced = new Mark(page.getLong(at + 40), page.getLong(at + 48), Math.max(-1, length));
        boolean saves =
                length < -1
                        && synced.epoch() == latest.epoch()
                        && synced.sequence() == latest.sequence();
        return new LedgerEntry(
                new BlobKey(page.getInt(at + 4), oid, page.getLong(at + 16)),
                latest,
                saves ? latest : synced,
                saves ? -1 - length : 0);
    }

    private static int checksum(ByteBuffer bytes, int start) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(start + 4, BYTES - 4));
        return (int) crc.getValue();
    }
}
