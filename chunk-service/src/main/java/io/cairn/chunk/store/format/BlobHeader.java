package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * A header page of a blob file. A blob file is sparse and looks like this, for a chunk of S bytes:
 *
 * <pre>
 * 0            +---------------------------------+
 *              | data                            | blocks of 4096 bytes, holes read as zeros
 * S            +---------------------------------+
 *              | header page 0 (4096)            |
 * S + 4096     +---------------------------------+
 *              | header page 1 (4096)            |
 * S + 8192     +---------------------------------+
 *              | checksum table                  | 4 bytes a block: CRC32C xor that of zeros
 * S + 8192 + S / 1024 --------------------------+
 * </pre>
 *
 * The file has this length from its making on. Since that is below 2S, it tells S. The last 8 bytes
 * of page 0 are "SYNCED!!" once the file was synced. A header page, big-endian:
 *
 * <pre>
 *   0 +----------------------------+----------------------------+
 *     | magic "CAIRNBLB" (8)                                    |
 *   8 +----------------------------+----------------------------+
 *     | format version (4)         | CRC32C of the rest (4)     |
 *  16 +----------------------------+----------------------------+
 *     | bytes of this header (4)   | group (4)                  |
 *  24 +----------------------------+----------------------------+
 *     | oid (8)                                                 |
 *  32 +---------------------------------------------------------+
 *     | index (8)                                               |
 *  40 +------+------+--------------+----------------------------+
 *     | logS | edges| 0 (2)        | length (4)                 |
 *  48 +------+------+--------------+----------------------------+
 *     | generation (8): the page with the higher one is valid   |
 *  56 +---------------------------------------------------------+
 *     | epoch (8)                                               |
 *  64 +---------------------------------------------------------+
 *     | write sequence (8)                                      |
 *  72 +---------------------------------------------------------+
 *     | table sum (8)                                           |
 *  80 +---------------------------------------------------------+
 *     | sequence known to be synced when this was written (8)   |
 *  88 +---------------------------------------------------------+
 *     | previous: epoch (8), sequence (8), table sum (8)        |
 * 112 +----------------------------+----------------------------+
 *     | previous length (4)        | pending: first block (4)   |
 * 120 +----------------------------+----------------------------+
 *     | pending: blocks (4)        | pending: entries (4)       |
 * 128 +----------------------------+----------------------------+
 *     | allocated blocks, one bit each (S / 32768)              |
 *     +---------------------------------------------------------+
 *     | pending: table entries (4 each)                         |
 *     +---------------------------------------------------------+
 * </pre>
 *
 * <p><b>A write</b> is three calls: the header with the new version and the pending blocks, the
 * data, the table entries. When the process dies in between, the page cache keeps the changes in
 * this order. The pending entries, the table and the data then tell for each block of the one write
 * under way whether it is the old or the new one. The header names also the version before, for the
 * case that the data was not touched.
 *
 * <p><b>Which page.</b> The page of a header that was synced is never overwritten before a later
 * one is synced: writes go to the other page, again and again, until the next sync. So power loss
 * leaves a valid header, the length and the sequence of the last sync at least.
 *
 * <p><b>A packed blob</b> has version 2 in its header, which is page 0 and has no pending blocks.
 * In the place of page 1 there is a {@code SlotTable}, and the data is stored as that one says. All
 * else is as in a plain blob. The file never changes: a plain one takes its place first, or another
 * packed one when no byte changes.
 *
 * <p><b>The table sum</b> proves that the table is the one of this header. After power loss any
 * subset of what was written since the last sync may be on disk; a mixture shows in the sum.
 */
public record BlobHeader(
        BlobKey key,
        int chunkSizeLog2,
        long generation,
        long syncedSequence,
        BlobVersion version,
        BlobVersion previous,
        PendingBlocks pending,
        byte[] allocated,
        boolean packed) {
    public static final int PAGE_BYTES = 4096;

    /** Most blocks that one write may change. */
    public static final int MAX_PENDING = 448;

    private static final long MAGIC = 0x434149524e424c42L;
    private static final int PLAIN_VERSION = 1;
    private static final int PACKED_VERSION = 2;
    private static final int FIXED_BYTES = 128;

    /** Writes the header at the buffer's position, leaving the position behind it. */
    public void encode(ByteBuffer out) {
        int start = out.position();
        int bytes = FIXED_BYTES + allocated.length + 4 * pending.entries().length;
        out.putLong(MAGIC).putInt(packed ? PACKED_VERSION : PLAIN_VERSION).putInt(0);
        out.putInt(bytes).putInt(key.group()).putLong(key.oid()).putLong(key.index());
        out.put((byte) chunkSizeLog2).put((byte) (pending.edges() ? 1 : 0)).putShort((short) 0);
        out.putInt(version.lengthBytes()).putLong(generation);
        out.putLong(version.epoch()).putLong(version.sequence()).putLong(version.tableSum());
        out.putLong(syncedSequence);
        out.putLong(previous.epoch()).putLong(previous.sequence()).putLong(previous.tableSum());
        out.putInt(previous.lengthBytes());
        out.putInt(pending.first()).putInt(pending.count()).putInt(pending.entries().length);
        out.put(allocated);
        for (int entry : pending.entries()) {
            out.putInt(entry);
        }
        out.putInt(start + 12, checksum(out.slice(start, bytes)));
    }

    /** Reads a page; null when it does not hold a valid header of this format. */
    public static @Nullable BlobHeader decode(ByteBuffer page) {
        if (page.remaining() < FIXED_BYTES || page.getLong(page.position()) != MAGIC) {
            return null;
        }
        ByteBuffer in = page.slice();
        int bytes = in.getInt(16);
        int format = in.getInt(8);
        if (format < PLAIN_VERSION
                || format > PACKED_VERSION
                || bytes < FIXED_BYTES
                || bytes > in.limit()) {
            return null;
        }
        if (in.getInt(12) != checksum(in.slice(0, bytes))) {
            return null;
        }
        return decodeFields(in.position(20), format == PACKED_VERSION);
    }

    private static @Nullable BlobHeader decodeFields(ByteBuffer in, boolean packed) {
        int group = in.getInt();
        BlobKey key = new BlobKey(group, in.getLong(), in.getLong());
        int chunkSizeLog2 = in.get();
        boolean edges = in.get() == 1;
        in.getShort();
        int length = in.getInt();
        long generation = in.getLong();
        BlobVersion version = new BlobVersion(in.getLong(), in.getLong(), length, in.getLong());
        long synced = in.getLong();
        long epoch = in.getLong();
        long sequence = in.getLong();
        long sum = in.getLong();
        BlobVersion previous = new BlobVersion(epoch, sequence, in.getInt(), sum);
        int first = in.getInt();
        int count = in.getInt();
        int entryCount = in.getInt();
        if (!isPlausible(chunkSizeLog2, length, first, count, entryCount)
                || in.remaining() < BlockMap.bitmapBytes(chunkSizeLog2) + 4 * entryCount) {
            return null;
        }
        byte[] allocated = new byte[BlockMap.bitmapBytes(chunkSizeLog2)];
        in.get(allocated);
        int[] entries = new int[entryCount];
        in.asIntBuffer().get(entries);
        return new BlobHeader(
                key,
                chunkSizeLog2,
                generation,
                synced,
                version,
                previous,
                new PendingBlocks(first, count, edges, entries),
                allocated,
                packed);
    }

    private static boolean isPlausible(
            int chunkSizeLog2, int length, int first, int count, int entryCount) {
        return chunkSizeLog2 >= 16
                && chunkSizeLog2 <= 26
                && length >= 0
                && length <= 1 << chunkSizeLog2
                && first >= 0
                && count >= 0
                && count <= BlockMap.blocks(chunkSizeLog2) - first
                && entryCount >= 0
                && entryCount <= BlobHeader.PAGE_BYTES;
    }

    /** Whether a page was written by a later version of Cairn. */
    public static boolean isNewer(ByteBuffer page) {
        return page.remaining() >= FIXED_BYTES
                && page.getLong(page.position()) == MAGIC
                && page.getInt(page.position() + 8) > PACKED_VERSION;
    }

    /** CRC32C of all but the field that holds it. */
    private static int checksum(ByteBuffer header) {
        CRC32C crc = new CRC32C();
        crc.update(header.slice(0, 12));
        crc.update(header.slice(16, header.limit() - 16));
        return (int) crc.getValue();
    }
}
