package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.ScratchPool;
import io.cairn.chunk.store.pack.SlotTable;
import io.cairn.chunk.store.seal.SealedFile;
import io.cairn.runtime.Disk.DiskFile;
import io.cairn.runtime.DiskFullException;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one blob file, as {@link BlobHeader} draws them. Keeps no state: thread-safe as far
 * as the file is; who may do what when is decided by {@link Blob}. A packed one is read as if it
 * were plain, and its data is never written.
 */
final class BlobFile implements AutoCloseable {
    /** Header pages of a blob. */
    static final int PAGES = 2;

    private static final int BLOCK = Limits.BLOCK_BYTES;

    /** Where page 0 notes that the file was synced, behind any header. */
    private static final int MARK_AT = BlobHeader.PAGE_BYTES - Long.BYTES;

    private static final long SYNCED = 0x53594e4345442121L;
    private static final byte[] ZEROS = new byte[BLOCK];

    private final DiskFile file;
    private final Path path;
    private final int chunkSizeLog2;
    private final ScratchPool scratch;

    /** How the data is packed; null in a plain blob. Set before anybody else has this. */
    private @Nullable SlotTable slots;

    /** Takes over an open file. */
    BlobFile(DiskFile file, Path path, int chunkSizeLog2, ScratchPool scratch) {
        this.file = file;
        this.path = path;
        this.chunkSizeLog2 = chunkSizeLog2;
        this.scratch = scratch;
    }

    /** The chunk size that the length of a blob file tells; 0 when it is too short for any. */
    static int chunkSizeLog2Of(long fileBytes) {
        int log2 = 63 - Long.numberOfLeadingZeros(fileBytes);
        return log2 < 16 || log2 > 26 ? 0 : log2;
    }

    /** The length of a blob file, from its making on. */
    static long fileBytes(int chunkSizeLog2) {
        return (1L << chunkSizeLog2)
                + PAGES * BlobHeader.PAGE_BYTES
                + 4L * BlockMap.blocks(chunkSizeLog2);
    }

    /** Number of the key with which it is encrypted; 0 = it is not. */
    int keyNumber() {
        return file instanceof SealedFile sealed ? sealed.keyNumber() : 0;
    }

    /** The same file opened once more, as it is read here. */
    DiskFile over(DiskFile opened) {
        return file instanceof SealedFile sealed ? sealed.over(opened) : opened;
    }

    /** The file turned out to be that of a packed blob. */
    void setSlots(SlotTable table) {
        slots = table;
    }

    /** How the data is packed; null in a plain blob. */
    @Nullable SlotTable slots() {
        return slots;
    }

    /** Blocks of the disk that it takes less than a plain file with this map would. */
    int savedBlocks(BlockMap map) {
        SlotTable table = slots;
        return table == null ? 0 : table.savedBlocks(map.allocatedBytes());
    }

    /** Whether the data is packed. */
    boolean isPacked() {
        return slots != null;
    }

    private void requirePlain() {
        if (slots != null) {
            throw new IllegalStateException(path + " is packed and cannot be changed");
        }
    }

    /** Gives the file its length. */
    void extend() throws IOException {
        file.truncate(fileBytes(chunkSizeLog2));
    }

    int chunkSizeLog2() {
        return chunkSizeLog2;
    }

    Path path() {
        return path;
    }

    private long pageAt(int page) {
        return (1L << chunkSizeLog2) + (long) page * BlobHeader.PAGE_BYTES;
    }

    private long tableAt() {
        return pageAt(PAGES);
    }

    /** Writes a header page. */
    void writeHeader(int page, BlobHeader header) throws IOException {
        requirePlain();
        ByteBuffer buffer = scratch.take();
        try {
            header.encode(buffer);
            file.write(buffer.flip(), pageAt(page));
        } finally {
            scratch.give(buffer);
        }
    }

    /** Writes the table of a file that is to be packed. */
    void writeSlots(SlotTable table) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(BlobHeader.PAGE_BYTES);
        table.encode(page);
        file.write(page.clear(), pageAt(1));
    }

    /**
     * Notes that the file was synced once. The note need not last: whoever finds none after an
     * unclean stop looks whether the data is good.
     */
    void markSynced() throws IOException {
        ByteBuffer note = ByteBuffer.allocate(Long.BYTES).putLong(SYNCED);
        try {
            file.write(note.flip(), pageAt(0) + MARK_AT);
        } catch (DiskFullException e) {
            // Then the data is looked at once more than needed.
            return;
        }
    }

    /** Whether the file was synced once, for certain. */
    static boolean isMarked(ByteBuffer trailer) {
        return trailer.limit() >= MARK_AT + Long.BYTES && trailer.getLong(MARK_AT) == SYNCED;
    }

    /** Writes a part of the table. */
    void writeTable(BlockMap map, int first, int count) throws IOException {
        ByteBuffer buffer = scratch.take();
        try {
            for (int at = first; at < first + count; at += ScratchPool.BYTES / 4) {
                int some = Math.min(ScratchPool.BYTES / 4, first + count - at);
                map.encode(at, some, buffer.clear());
                file.write(buffer.flip(), tableAt() + 4L * at);
            }
        } finally {
            scratch.give(buffer);
        }
    }

    /** Both header pages and the table, as far as the file holds them; a new buffer. */
    ByteBuffer readTrailer() throws IOException {
        int bytes = PAGES * BlobHeader.PAGE_BYTES + 4 * BlockMap.blocks(chunkSizeLog2);
        ByteBuffer trailer = ByteBuffer.allocate(bytes);
        file.readAll(trailer, pageAt(0));
        return trailer.flip();
    }

    /** Fills the buffer with data. */
    void read(ByteBuffer target, int offsetBytes) throws IOException {
        SlotTable table = slots;
        if (table != null) {
            readPacked(table, target, offsetBytes);
            return;
        }
        int start = target.position();
        while (target.hasRemaining()) {
            if (file.read(target, offsetBytes + (long) (target.position() - start)) < 0) {
                throw new EOFException(path + ": ends within its data");
            }
        }
    }

    private void readPacked(SlotTable table, ByteBuffer target, int offsetBytes)
            throws IOException {
        SlotTable.Packer packer = table.packer();
        int at = offsetBytes;
        while (target.hasRemaining()) {
            int slot = table.slotOf(at);
            packer.unpack(slot, stored(table, slot));
            int from = at - table.offsetOf(slot);
            int bytes = Math.min(target.remaining(), table.slotBytes() - from);
            target.put(packer.plain(), from, bytes);
            at += bytes;
        }
    }

    /** The stored bytes of a slot, as far as the file holds them; a new buffer. */
    ByteBuffer stored(SlotTable table, int slot) throws IOException {
        ByteBuffer stored = ByteBuffer.allocate(table.storedBytes(slot));
        file.readAll(stored, table.offsetOf(slot));
        return stored.flip();
    }

    /**
     * The data that a part of the file stands for.
     *
     * @param part what the file holds, up to the position
     * @param fromBytes where the part begins, at a slot of a packed blob
     * @param lengthBytes bytes of data, up to the end of a slot or of the chunk
     * @return the same buffer for a plain blob, else a new one with the position behind the data
     */
    ByteBuffer unpacked(ByteBuffer part, int fromBytes, int lengthBytes) {
        SlotTable table = slots;
        if (table == null) {
            return part;
        }
        SlotTable.Packer packer = table.packer();
        ByteBuffer data = ByteBuffer.allocate(lengthBytes);
        while (data.hasRemaining()) {
            int done = data.position();
            int slot = table.slotOf(fromBytes + done);
            int there = Math.clamp((long) part.position() - done, 0, table.storedBytes(slot));
            packer.unpack(slot, part.slice(Math.min(done, part.position()), there));
            data.put(packer.plain(), 0, Math.min(table.slotBytes(), data.remaining()));
        }
        return data;
    }

    /** Writes all remaining bytes; the buffer is not moved. */
    void write(ByteBuffer blocks, int offsetBytes) throws IOException {
        requirePlain();
        file.write(blocks.duplicate(), offsetBytes);
    }

    /** Makes whole blocks holes. */
    void punch(int firstBlock, int count) throws IOException {
        requirePlain();
        if (count > 0) {
            file.punchHole((long) firstBlock * BLOCK, (long) count * BLOCK);
        }
    }

    /** Overwrites a range with zeros, without making holes. */
    void writeZeros(int offsetBytes, int lengthBytes) throws IOException {
        requirePlain();
        for (int done = 0; done < lengthBytes; done += BLOCK) {
            int some = Math.min(BLOCK, lengthBytes - done);
            file.write(ByteBuffer.wrap(ZEROS, 0, some), offsetBytes + (long) done);
        }
    }

    /** Makes all data beyond the length of the chunk zeros, and the file as long as it was made. */
    void clearBeyond(int lengthBytes) throws IOException {
        if (isPacked()) {
            return; // Nothing was ever written there.
        }
        if (file.size() < fileBytes(chunkSizeLog2)) {
            extend();
        }
        int used = (int) ((lengthBytes + (long) BLOCK - 1) / BLOCK);
        punch(used, BlockMap.blocks(chunkSizeLog2) - used);
        int inLast = lengthBytes % BLOCK;
        if (inLast != 0) {
            ByteBuffer rest = ByteBuffer.allocate(BLOCK - inLast);
            read(rest, lengthBytes);
            if (!BlobLoader.isZero(rest, 0, BLOCK - inLast)) {
                writeZeros(lengthBytes, BLOCK - inLast);
            }
        }
    }

    void force() throws IOException {
        file.force(false);
    }

    /** Bytes of a chunk of a certain length that lie in a block. */
    static int bytesIn(int block, int lengthBytes) {
        return Math.clamp(lengthBytes - (long) block * BLOCK, 0, BLOCK);
    }

    /** Sees the bytes of consecutive blocks, one after the other. */
    interface BlockVisitor {
        /**
         * One block.
         *
         * @param bytes holds at {@code position} the {@code length} bytes of the chunk that lie in
         *     the block
         */
        void visit(int block, ByteBuffer bytes, int position, int length) throws IOException;
    }

    /** Reads blocks of a chunk of a certain length; those beyond its end have 0 bytes. */
    void visit(int first, int count, int lengthBytes, BlockVisitor visitor) throws IOException {
        ByteBuffer buffer = scratch.take();
        try {
            int batch = ScratchPool.BYTES / BLOCK;
            for (int at = first; at < first + count; at += batch) {
                int some = Math.min(batch, first + count - at);
                long end = Math.min(lengthBytes, (long) (at + some) * BLOCK);
                int bytes = (int) Math.max(0, end - (long) at * BLOCK);
                read(buffer.clear().limit(bytes), at * BLOCK);
                for (int i = 0; i < some; i++) {
                    visitor.visit(at + i, buffer, i * BLOCK, bytesIn(at + i, lengthBytes));
                }
            }
        } finally {
            scratch.give(buffer);
        }
    }

    /** The table entry that the data of a block asks for. */
    static int entryOf(ByteBuffer bytes, int position, int length) {
        return length == 0 ? 0 : Crc32c.ofPadded(bytes, position, length) ^ Crc32c.ZERO_BLOCK;
    }

    /** The blocks of a chunk whose data does not match the table; holes are read, too. */
    BitSet failing(BlockMap map, int lengthBytes) throws IOException {
        BitSet failing = new BitSet();
        int count = (int) ((lengthBytes + (long) BLOCK - 1) / BLOCK);
        visit(
                0,
                count,
                lengthBytes,
                (block, bytes, position, length) ->
                        failing.set(block, entryOf(bytes, position, length) != map.entry(block)));
        return failing;
    }

    @Override
    public void close() throws IOException {
        file.close();
    }
}
