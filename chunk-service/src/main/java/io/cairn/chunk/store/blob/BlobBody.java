package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.BlockRange;
import io.cairn.chunk.store.format.Claim;
import io.cairn.chunk.store.format.Condition;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkReply.ChunkState;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The file of a usable blob and what is known of it in memory: header and block map. Not
 * thread-safe: {@link Blob} guards it.
 */
public final class BlobBody {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    /** An action on a body while it does not change. */
    public interface Reader<T> {
        /** Reads. */
        T read(BlobBody body) throws IOException;
    }

    private final BlobKey key;
    private final BlobFile file;
    private final BlockMap map;
    private BlobVersion version;
    private long generation;
    private long syncedSequence;
    private int page;
    private boolean headerSynced;

    /** Which blocks held something at the last sync; null when that is not known. */
    private byte @Nullable [] syncedBlocks;

    /** Whether the file tells that it was synced once. */
    private boolean marked;

    /**
     * Whether power loss may have left data beyond the length: of a write whose header did not get
     * to the disk. It is removed before the length may grow, and before the log forgets the blob.
     */
    private boolean unkempt;

    /** Whether what was mended when it was loaded found no room on the disk yet. */
    private boolean unstored;

    /** A new file, with nothing in it. */
    BlobBody(BlobKey key, BlobFile file) {
        this.key = key;
        this.file = file;
        this.map = new BlockMap(file.chunkSizeLog2());
        this.version = BlobVersion.NONE;
    }

    /**
     * A file that was loaded.
     *
     * @param clean whether all of it is known to be synced
     * @param headerSynced whether the newest header may be the last one on stable media, so that
     *     its page must be kept
     */
    BlobBody(BlobFile file, LoadedBlob.Blocks found, boolean clean, boolean headerSynced) {
        BlobHeader header = found.header();
        this.key = header.key();
        this.file = file;
        this.map = found.map();
        this.version = header.version();
        this.generation = header.generation();
        this.syncedSequence = clean ? version.sequence() : header.syncedSequence();
        this.page = found.page();
        this.syncedBlocks = clean ? map.bitmap().clone() : null;
        this.headerSynced = headerSynced;
        this.marked = header.syncedSequence() > 0;
        this.unkempt = headerSynced && (!clean || header.syncedSequence() == 0);
    }

    BlobFile file() {
        return file;
    }

    /** Whether the file is encrypted. */
    public boolean isSealed() {
        return file.keyNumber() != 0;
    }

    /** Whether the data is packed: then it is not changed. */
    public boolean isPacked() {
        return file.isPacked();
    }

    public BlockMap map() {
        return map;
    }

    /** The last change. */
    public BlobVersion version() {
        return version;
    }

    /** The state of a blob that shows as what it holds; null when it cannot be used. */
    static ChunkState state(BlobKey key, @Nullable BlobFile file, @Nullable BlobBody body) {
        int log2 = file == null ? 0 : file.chunkSizeLog2();
        BlobVersion shown = body == null ? BlobVersion.NONE : body.version;
        return new ChunkState(
                key.oid(), key.index(), log2, shown.epoch(), shown.sequence(), shown.lengthBytes());
    }

    /** CRC32C of each block that holds bytes of the chunk, the last one continued with zeros. */
    public int[] crcs() {
        int[] crcs = new int[(version.lengthBytes() + BLOCK - 1) / BLOCK];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = map.crc(i);
        }
        return crcs;
    }

    /** Header pages as the file has them, and the table as it has to be. */
    ByteBuffer trailer() throws IOException {
        ByteBuffer trailer = file.readTrailer();
        ByteBuffer table = trailer.duplicate().clear();
        map.encode(0, map.blocks(), table.position(BlobFile.PAGES * BlobHeader.PAGE_BYTES));
        return trailer.limit(table.position());
    }

    /** Whether this is what a file was found to hold. */
    boolean isOf(LoadedBlob found) {
        LoadedBlob.Blocks blocks = found.blocks();
        return found.condition() == Condition.GOOD
                && blocks != null
                && blocks.header().version().equals(version)
                && blocks.map().sum() == map.sum()
                && Arrays.equals(blocks.map().bitmap(), map.bitmap());
    }

    void setVersion(BlobVersion next) {
        version = next;
    }

    /** The write that was the last one when the blob was synced; 0 when it never was. */
    long syncedSequence() {
        return syncedSequence;
    }

    /**
     * The blocks that the log must know before they are changed: those that hold synced bytes. Null
     * when the blob was never synced.
     */
    @Nullable Claim claim(int first, int count) {
        if (syncedSequence == 0) {
            return null;
        }
        int from = first;
        int end = first + count;
        while (from < end && !mayBeSynced(from)) {
            from++;
        }
        while (end > from && !mayBeSynced(end - 1)) {
            end--;
        }
        return new Claim(syncedSequence, from < end ? from : 0, end - from);
    }

    private boolean mayBeSynced(int block) {
        byte[] synced = syncedBlocks;
        return synced == null || BlockMap.isSet(synced, block);
    }

    boolean isHeaderSynced() {
        return headerSynced;
    }

    /** Blocks that were mended in memory are to be stored before the blob is changed or synced. */
    void storeLater() {
        unstored = true;
    }

    boolean isTidy() {
        return !unkempt && !unstored;
    }

    /** Does what was left to be done. */
    void tidy() throws IOException {
        if (unkempt) {
            file.clearBeyond(version.lengthBytes());
            unkempt = false;
        }
        if (unstored) {
            file.writeTable(map, 0, map.blocks());
            if (!isPacked()) {
                writeHeader(version, version, PendingBlocks.NONE);
            }
            unstored = false;
        }
    }

    /** Makes everything durable but the name. */
    void force() throws IOException {
        file.force();
        if (!marked) {
            file.markSynced();
            marked = true;
        }
        headerSynced = true;
        syncedSequence = version.sequence();
        syncedBlocks = map.bitmap().clone();
    }

    /** Writes a header to the page that does not hold the last synced one. */
    void writeHeader(BlobVersion next, BlobVersion previous, PendingBlocks pending)
            throws IOException {
        int target = headerSynced ? 1 - page : page;
        file.writeHeader(
                target,
                new BlobHeader(
                        key,
                        file.chunkSizeLog2(),
                        generation + 1,
                        syncedSequence,
                        next,
                        previous,
                        pending,
                        map.bitmap(),
                        false));
        generation++;
        page = target;
        headerSynced = false;
    }

    /**
     * Writes the header of a version that has no data but what was synced already. It tells so
     * itself: the header before it names the blocks of a write that need not have reached them.
     */
    void writeSettled(BlobVersion next) throws IOException {
        syncedSequence = next.sequence();
        writeHeader(next, next, PendingBlocks.NONE);
        version = next;
    }

    /** Whole blocks that cover a range, as they are. */
    BlockRange read(int offsetBytes, int lengthBytes, IntFunction<ByteBuffer> buffers)
            throws IOException {
        int length = version.lengthBytes();
        int start = offsetBytes & -BLOCK;
        long end = (offsetBytes + (long) lengthBytes + BLOCK - 1) & -BLOCK;
        int bytes = (int) Math.max(0, Math.min(end, length) - start);
        if (bytes == 0 || lengthBytes == 0) {
            return BlockRange.nothing(start, length);
        }
        ByteBuffer target = buffers.apply(bytes);
        int position = target.position();
        target.limit(position + bytes);
        file.read(target, start);
        int[] crcs = new int[(bytes + BLOCK - 1) / BLOCK];
        for (int i = 0; i < crcs.length; i++) {
            crcs[i] = map.crc(start / BLOCK + i);
        }
        return new BlockRange(start, length, target.position(position), crcs);
    }

    /** One block, continued with zeros, verified: EBADMSG. At position 0 of a new heap buffer. */
    ByteBuffer readBlock(int block) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(BLOCK);
        int length = BlobFile.bytesIn(block, version.lengthBytes());
        if (length == 0) {
            return bytes;
        }
        file.read(bytes.limit(length), block * BLOCK);
        bytes.clear();
        if (Crc32c.ofPadded(bytes, 0, BLOCK) != map.crc(block)) {
            throw new FsException(
                    Errno.EBADMSG,
                    file.path() + ": block " + block + " does not match its checksum");
        }
        return bytes;
    }

    /** As {@link StorageTarget#seek}. */
    public int seek(int offsetBytes, boolean data) {
        int length = version.lengthBytes();
        int at = offsetBytes;
        while (at < length) {
            if (map.isAllocated(at / BLOCK) == data) {
                return at;
            }
            at = Math.min((at & -BLOCK) + BLOCK, length);
        }
        return data || at >= 1 << file.chunkSizeLog2() ? -1 : at;
    }
}
