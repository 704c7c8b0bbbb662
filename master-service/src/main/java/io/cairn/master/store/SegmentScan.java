package io.cairn.master.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The entries in a segment of the Raft log, checked without being decoded:
 *
 * <pre>
 * +----------+   +--------+---------+--------+        +-------
 * | RaftLog1 |   | length |  entry  | crc32c |  ...   | zeros
 * |    8     |   | varint | length  |   4    |        |
 * +----------+   +--------+---------+--------+        +-------
 * </pre>
 *
 * The checksum covers length and entry.
 *
 * @param entries how many whole entries there are from the beginning
 * @param validBytes where the last of them ends
 * @param bytesAfter from there to the last byte that is not zero
 * @param damage what is wrong with the bytes after; null when there are only zeros
 * @param torn whether the entry after the last whole one has sectors that were never written
 */
public record SegmentScan(
        long entries, int validBytes, int bytesAfter, @Nullable String damage, boolean torn) {
    private static final byte[] HEADER = "RaftLog1".getBytes(StandardCharsets.US_ASCII);
    private static final int SECTOR_BYTES = 512;
    private static final int CRC_BYTES = 4;
    private static final int MAX_VARINT_BYTES = 5;

    /** Scans a segment, of which the buffer holds all bytes. */
    public static SegmentScan of(ByteBuffer segment) {
        int end = dataEnd(segment);
        if (end < HEADER.length) {
            return new SegmentScan(0, 0, 0, null, false); // not even begun: Ratis knows this
        }
        for (int i = 0; i < HEADER.length; i++) {
            if (segment.get(i) != HEADER[i]) {
                return new SegmentScan(0, 0, end, "it does not begin as a segment", false);
            }
        }
        long entries = 0;
        int at = HEADER.length;
        while (at < end) {
            int next = entryEnd(segment, at);
            if (next < 0) {
                return new SegmentScan(
                        entries,
                        at,
                        end - at,
                        "entry %d of it, at byte %d, is damaged".formatted(entries + 1, at),
                        torn(segment, at, end));
            }
            entries++;
            at = next;
        }
        return new SegmentScan(entries, at, 0, null, false);
    }

    private static int dataEnd(ByteBuffer segment) {
        int end = segment.limit();
        while (end >= Long.BYTES && segment.getLong(end - Long.BYTES) == 0) {
            end -= Long.BYTES;
        }
        while (end > 0 && segment.get(end - 1) == 0) {
            end--;
        }
        return end;
    }

    /** Where the entry at {@code at} ends, or -1 when it is not whole. */
    private static int entryEnd(ByteBuffer segment, int at) {
        int lengthEnd = varintEnd(segment, at);
        if (lengthEnd < 0) {
            return -1;
        }
        long checked = (long) lengthEnd - at + varint(segment, at, lengthEnd);
        if (checked <= 0 || at + checked + CRC_BYTES > segment.limit()) {
            return -1;
        }
        int crcAt = at + (int) checked;
        CRC32C crc = new CRC32C();
        crc.update(segment.slice(at, (int) checked));
        return (int) crc.getValue() == segment.getInt(crcAt) ? crcAt + CRC_BYTES : -1;
    }

    private static int varintEnd(ByteBuffer segment, int at) {
        for (int i = at; i < Math.min(at + MAX_VARINT_BYTES, segment.limit()); i++) {
            if (segment.get(i) >= 0) {
                return segment.get(at) == 0 ? -1 : i + 1;
            }
        }
        return -1;
    }

    private static long varint(ByteBuffer segment, int at, int end) {
        long value = 0;
        for (int i = at; i < end; i++) {
            value |= (segment.get(i) & 0x7fL) << (7 * (i - at));
        }
        return value;
    }

    /** Whether the entry at {@code at} lacks its end, or a whole sector. */
    private static boolean torn(ByteBuffer segment, int at, int end) {
        int entryEnd = end;
        int lengthEnd = varintEnd(segment, at);
        if (lengthEnd >= 0) {
            long declared = lengthEnd + varint(segment, at, lengthEnd) + CRC_BYTES;
            if (end <= declared - CRC_BYTES) {
                return true;
            }
            entryEnd = (int) Math.min(declared, segment.limit());
        } else if (segment.limit() - at < MAX_VARINT_BYTES) {
            return true; // the file ends within the length
        }
        for (int from = at; from < entryEnd; ) {
            int to = Math.min(entryEnd, (from / SECTOR_BYTES + 1) * SECTOR_BYTES);
            if (isZero(segment, from, to)) {
                return true;
            }
            from = to;
        }
        return false;
    }

    private static boolean isZero(ByteBuffer segment, int from, int to) {
        for (int i = from; i < to; i++) {
            if (segment.get(i) != 0) {
                return false;
            }
        }
        return true;
    }
}
