package io.cairn.chunk.store.format;

import io.cairn.base.CodeTable;
import io.cairn.base.Coded;
import io.cairn.chunk.store.blob.IntentLog;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * One record of the {@link IntentLog}, 64 bytes, big-endian:
 *
 * <pre>
 *   0 +----------------------------+------+---------------------+
 *     | CRC32C of the rest (4)     | kind | 0 (3)               |
 *   8 +----------------------------+------+---------------------+
 *     | offset of this record in the file (8)                   |
 *  16 +---------------------------------------------------------+
 *     | bytes of the file known to be synced before (8)         |
 *  24 +----------------------------+----------------------------+
 *     | group (4)                  | claim: first block (4)     |
 *  32 +----------------------------+----------------------------+
 *     | oid (8)                                                 |
 *  40 +---------------------------------------------------------+
 *     | index (8)                                               |
 *  48 +---------------------------------------------------------+
 *     | claim: write at the last sync (8)                       |
 *  56 +----------------------------+----------------------------+
 *     | claim: blocks (4)          | claim: place (4)           |
 *  64 +----------------------------+----------------------------+
 * </pre>
 */
public record IntentRecord(Kind kind, long offset, long durableBytes, BlobKey key, Claim claim) {
    public static final int BYTES = 64;

    /** The log's entry of a blob. */
    public enum Kind implements Coded {
        /** Written to, and never synced before: no byte of it is promised. */
        NEW(1),
        /** Was synced, and may have been changed since. */
        INTENT(2),
        /** A write or sync failed: not to be used again. */
        FENCE(3),
        /** Nothing of the above holds any more. */
        CLEAR(4);

        static final CodeTable<Kind> CODES = new CodeTable<>(values());

        private final int code;

        Kind(int code) {
            this.code = code;
        }

        @Override
        public int code() {
            return code;
        }
    }

    public void encode(ByteBuffer out) {
        int start = out.position();
        out.putInt(0).put((byte) kind.code).put((byte) 0).putShort((short) 0);
        out.putLong(offset).putLong(durableBytes);
        out.putInt(key.group()).putInt(claim.first()).putLong(key.oid()).putLong(key.index());
        out.putLong(claim.synced()).putInt(claim.count()).putInt(claim.place());
        out.putInt(start, checksum(out, start));
    }

    /** Reads the record that should stand at an offset of the file; null when it does not. */
    public static @Nullable IntentRecord decode(ByteBuffer file, int offset) {
        if (file.limit() - offset < BYTES || file.getInt(offset) != checksum(file, offset)) {
            return null;
        }
        Kind kind = Kind.CODES.find(file.get(offset + 4));
        Claim claim =
                new Claim(
                        file.getLong(offset + 48),
                        file.getInt(offset + 28),
                        file.getInt(offset + 56),
                        file.getInt(offset + 60));
        boolean valid =
                claim.first() >= 0
                        && claim.count() >= 0
                        && claim.end() >= 0
                        && claim.place() >= 0
                        && claim.place() <= Claim.PLACES;
        if (kind == null || !valid || file.getLong(offset + 8) != offset) {
            return null;
        }
        return new IntentRecord(
                kind,
                offset,
                file.getLong(offset + 16),
                new BlobKey(
                        file.getInt(offset + 24),
                        file.getLong(offset + 32),
                        file.getLong(offset + 40)),
                claim);
    }

    private static int checksum(ByteBuffer bytes, int start) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(start + 4, BYTES - 4));
        return (int) crc.getValue();
    }
}
