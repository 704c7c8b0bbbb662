package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;
import java.util.Map;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * How far the blobs of a target are verified: the file {@code scrub}, big-endian. It is replaced as
 * a whole, and not synced: without it the blobs are verified once more.
 *
 * <pre>
 *   0 +----------------------------+----------------------------+
 *     | CRC32C of the rest (4)     | group (4)                  |
 *   8 +----------------------------+----------------------------+
 *     | oid (8), index (8)                                      |
 *  24 +---------------------------------------------------------+
 *     | began (8): milliseconds since 1970, as all times here   |
 *  32 +---------------------------------------------------------+
 *     | began with this group (8)                               |
 *  40 +---------------------------------------------------------+
 *     | order (8)                                               |
 *  48 +---------------------------------------------------------+
 *     | blobs done (8)                                          |
 *  56 +----------------------------+----------------------------+
 *     | 1 when the pass is over (4)| number of groups (4)       |
 *  64 +----------------------------+----------------------------+
 *     | each group (4), and since when it is verified (8)       |
 *     +---------------------------------------------------------+
 * </pre>
 *
 * @param last the blob that was verified last; of group 0 before the first one
 * @param beganMs when this pass began
 * @param groupMs when it began with the group of {@code last}
 * @param order the operator's order that the pass follows; 0 for none
 * @param blobs verified in this pass
 * @param over whether the pass is complete
 * @param verified since when all blobs of a group were verified, or written; 0: not yet
 */
public record ScrubPosition(
        BlobKey last,
        long beganMs,
        long groupMs,
        long order,
        long blobs,
        boolean over,
        Map<Integer, Long> verified) {
    private static final int HEADER = 64;
    private static final int GROUP = 12;
    private static final BlobKey START = new BlobKey(0, Long.MIN_VALUE, -1);

    /** The beginning of a pass. */
    public static ScrubPosition begin(long nowMs, long order, Map<Integer, Long> verified) {
        return new ScrubPosition(START, nowMs, nowMs, order, 0, false, verified);
    }

    /** After one more blob. */
    public ScrubPosition after(BlobKey blob) {
        return new ScrubPosition(blob, beganMs, groupMs, order, blobs + 1, false, verified);
    }

    /** At the beginning of the next group; 0 when there is none, so that the pass is over. */
    public ScrubPosition next(int group, long nowMs) {
        Map<Integer, Long> more = new TreeMap<>(verified);
        if (last.group() != 0) {
            more.put(last.group(), groupMs);
        }
        BlobKey at = group == 0 ? last : new BlobKey(group, Long.MIN_VALUE, -1);
        return new ScrubPosition(at, beganMs, nowMs, order, blobs, group == 0, more);
    }

    /** The same, with groups that were not known before. */
    public ScrubPosition with(Map<Integer, Long> groups) {
        return new ScrubPosition(last, beganMs, groupMs, order, blobs, over, groups);
    }

    /** Since when everything is verified, or written; 0 when something is not. */
    public long verifiedMs() {
        return verified.values().stream().mapToLong(Long::longValue).min().orElse(beganMs);
    }

    /** The contents of the file. */
    public ByteBuffer encode() {
        ByteBuffer out = ByteBuffer.allocate(HEADER + GROUP * verified.size());
        out.putInt(0).putInt(last.group()).putLong(last.oid()).putLong(last.index());
        out.putLong(beganMs).putLong(groupMs).putLong(order).putLong(blobs);
        out.putInt(over ? 1 : 0).putInt(verified.size());
        verified.forEach((group, sinceMs) -> out.putInt(group).putLong(sinceMs));
        out.putInt(0, checksum(out));
        return out.flip();
    }

    /** Reads the file; null when it is damaged. */
    public static @Nullable ScrubPosition decode(ByteBuffer in) {
        if (in.limit() < HEADER || in.getInt(0) != checksum(in)) {
            return null;
        }
        Map<Integer, Long> verified = new TreeMap<>();
        for (int i = 0, at = HEADER; i < in.getInt(60); i++, at += GROUP) {
            verified.put(in.getInt(at), in.getLong(at + 4));
        }
        return new ScrubPosition(
                new BlobKey(in.getInt(4), in.getLong(8), in.getLong(16)),
                in.getLong(24),
                in.getLong(32),
                in.getLong(40),
                in.getLong(48),
                in.getInt(56) == 1,
                verified);
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.slice(4, bytes.limit() - 4));
        return (int) crc.getValue();
    }
}
