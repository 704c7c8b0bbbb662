package io.cairn.chunk.store.pack;

import io.airlift.compress.v3.Compressor;
import io.airlift.compress.v3.Decompressor;
import io.airlift.compress.v3.MalformedInputException;
import io.cairn.wire.Limits;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Where the data of a packed blob lies. Its chunk is divided into at most 256 slots of 64 KiB or
 * more. Each one has its place in the file where its data is in a plain blob. The packed bytes
 * stand at the beginning of it, and the rest is a hole. The table takes the place of header page 1,
 * big-endian:
 *
 * <pre>
 *   0 +----------------------------+----------------------------+
 *     | magic "CAIRNPCK" (8)                                    |
 *   8 +----------------------------+------+------+--------------+
 *     | CRC32C of the rest (4)     | codec| logS | 0 (2)        |
 *  16 +----------------------------+------+------+--------------+
 *     | length of the chunk (4)    | slots (4)                  |
 *  24 +----------------------------+----------------------------+
 *     | stored bytes (4)           | CRC32C of these (4)        |  for each slot
 *     +----------------------------+----------------------------+
 * </pre>
 *
 * <p>A slot of zeros stores nothing. One that does not become smaller by a block is stored as it
 * is, and has as many stored bytes as it has bytes of the chunk. Not thread-safe while it is
 * filled, then it does not change any more.
 */
public final class SlotTable {
    /** Smallest slot: 64 KiB. */
    private static final int MIN_SLOT_LOG2 = 16;

    private static final int MAX_SLOTS_LOG2 = 8;
    private static final int PAGE_BYTES = 4096;
    private static final int FIXED_BYTES = 24;
    private static final long MAGIC = 0x434149524e50434bL;

    private final Codec codec;
    private final int slotLog2;
    private final int lengthBytes;
    private final int[] stored;
    private final int[] crcs;

    /**
     * A table of slots that store nothing.
     *
     * @param chunkSizeLog2 16..26
     * @param lengthBytes length of the chunk
     */
    public SlotTable(Codec codec, int chunkSizeLog2, int lengthBytes) {
        this.codec = codec;
        this.slotLog2 = slotLog2(chunkSizeLog2);
        this.lengthBytes = lengthBytes;
        int slots = (int) (((long) lengthBytes + slotBytes() - 1) >>> slotLog2);
        this.stored = new int[slots];
        this.crcs = new int[slots];
    }

    private static int slotLog2(int chunkSizeLog2) {
        return Math.max(MIN_SLOT_LOG2, chunkSizeLog2 - MAX_SLOTS_LOG2);
    }

    /** Slots that hold something of the chunk. */
    public int slots() {
        return stored.length;
    }

    /** Bytes from one slot to the next; a power of two. */
    public int slotBytes() {
        return 1 << slotLog2;
    }

    /** The slot of a byte of the chunk; not below {@link #slots} behind the end of the chunk. */
    public int slotOf(int offsetBytes) {
        return offsetBytes >>> slotLog2;
    }

    /** Where a slot begins, in the chunk and in the file. */
    public int offsetOf(int slot) {
        return slot << slotLog2;
    }

    /** Bytes of the chunk that lie in a slot. */
    public int plainBytes(int slot) {
        return Math.clamp(lengthBytes - (long) offsetOf(slot), 0, slotBytes());
    }

    /** Bytes that a slot stores; 0 when all of it is zeros, or it lies behind the end. */
    public int storedBytes(int slot) {
        return slot < stored.length ? stored[slot] : 0;
    }

    /** Packs and unpacks the slots of one table. For one thread at a time. */
    public final class Packer {
        private final byte[] plain = new byte[slotBytes()];
        private final Decompressor decompressor = codec.decompressor();
        private byte[] packed = new byte[0];

        /** For the bytes of a slot: whoever packs fills it, {@link #unpack} fills it. */
        public byte[] plain() {
            return plain;
        }

        /**
         * Packs the bytes in {@link #plain} as those of a slot, and notes it in the table.
         *
         * @return what is to be stored
         */
        public ByteBuffer pack(int slot) {
            int bytes = plainBytes(slot);
            Compressor compressor = codec.compressor();
            int most = compressor.maxCompressedLength(bytes);
            if (packed.length < most) {
                packed = new byte[most];
            }
            int smaller = compressor.compress(plain, 0, bytes, packed, 0, packed.length);
            boolean worthwhile = blocks(smaller) < blocks(bytes);
            ByteBuffer kept =
                    worthwhile
                            ? ByteBuffer.wrap(packed, 0, smaller)
                            : ByteBuffer.wrap(plain, 0, bytes);
            stored[slot] = kept.remaining();
            crcs[slot] = checksum(kept);
            return kept;
        }

        /**
         * Fills {@link #plain} with the bytes of a slot, continued with zeros. When what is stored
         * is not what was packed all are zeros, which the checksums of the blocks tell.
         *
         * @param from holds the stored bytes at its position, if it holds all; not moved
         */
        public void unpack(int slot, ByteBuffer from) {
            int bytes = storedBytes(slot);
            int whole = plainBytes(slot);
            int filled = 0;
            if (bytes > 0 && from.remaining() >= bytes) {
                ByteBuffer source = from.slice(from.position(), bytes);
                if (checksum(source) == crcs[slot]) {
                    filled = bytes == whole ? copy(source) : decompress(source, whole);
                }
            }
            Arrays.fill(plain, filled, plain.length, (byte) 0);
        }

        private int copy(ByteBuffer source) {
            int bytes = source.remaining();
            source.get(0, plain, 0, bytes);
            return bytes;
        }

        private int decompress(ByteBuffer source, int whole) {
            byte[] input = new byte[source.remaining()];
            source.get(0, input);
            try {
                int bytes = decompressor.decompress(input, 0, input.length, plain, 0, whole);
                return bytes == whole ? whole : 0;
            } catch (MalformedInputException e) {
                return 0;
            }
        }
    }

    /** A packer of the slots of this table. */
    public Packer packer() {
        return new Packer();
    }

    /** Blocks of the disk that the packed data takes. */
    public int storedBlocks() {
        int blocks = 0;
        for (int bytes : stored) {
            blocks += blocks(bytes);
        }
        return blocks;
    }

    /** Blocks of the disk that a plain file of so many bytes would take more. */
    public int savedBlocks(long plainBytes) {
        return (int) Math.max(0, plainBytes / Limits.BLOCK_BYTES - storedBlocks());
    }

    private static int blocks(int bytes) {
        return (bytes + Limits.BLOCK_BYTES - 1) / Limits.BLOCK_BYTES;
    }

    /** Writes it at the buffer's position, leaving the position behind it. */
    public void encode(ByteBuffer out) {
        int start = out.position();
        out.putLong(MAGIC).putInt(0);
        out.put((byte) codec.code()).put((byte) slotLog2).putShort((short) 0);
        out.putInt(lengthBytes).putInt(stored.length);
        for (int i = 0; i < stored.length; i++) {
            out.putInt(stored[i]).putInt(crcs[i]);
        }
        out.putInt(start + 8, checksum(out.slice(start + 12, out.position() - start - 12)));
    }

    /**
     * Reads a page; null when it is not the valid table of a blob.
     *
     * @param chunkSizeLog2 of the blob
     * @param lengthBytes length of its chunk
     */
    public static @Nullable SlotTable decode(ByteBuffer page, int chunkSizeLog2, int lengthBytes) {
        ByteBuffer in = page.slice();
        if (in.limit() < PAGE_BYTES || in.getLong(0) != MAGIC) {
            return null;
        }
        Codec codec = Codec.CODES.find(in.get(12));
        if (codec == null
                || in.get(13) != slotLog2(chunkSizeLog2)
                || in.getInt(16) != lengthBytes) {
            return null;
        }
        SlotTable table = new SlotTable(codec, chunkSizeLog2, lengthBytes);
        int entries = 2 * Integer.BYTES * table.stored.length;
        if (in.getInt(20) != table.stored.length
                || in.getInt(8) != checksum(in.slice(12, FIXED_BYTES - 12 + entries))) {
            return null;
        }
        in.position(FIXED_BYTES);
        for (int i = 0; i < table.stored.length; i++) {
            table.stored[i] = in.getInt();
            table.crcs[i] = in.getInt();
            if (table.stored[i] < 0 || table.stored[i] > table.plainBytes(i)) {
                return null;
            }
        }
        return table;
    }

    private static int checksum(ByteBuffer bytes) {
        CRC32C crc = new CRC32C();
        crc.update(bytes.duplicate());
        return (int) crc.getValue();
    }
}
