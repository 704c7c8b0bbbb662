package io.cairn.chunk.store.blob;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.chunk.store.StorageTarget;
import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobHeader;
import io.cairn.chunk.store.format.BlobKey;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkAddress;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/** Makes client writes block-aligned, and checks ranges and checksums. Stateless. */
public final class Alignment {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    /** Merged writes up to this size are built on the heap, where they cost nothing to give up. */
    private static final int MAX_HEAP_BYTES = 64 << 10;

    private Alignment() {}

    /** As {@link StorageTarget#align}; the payload was verified. */
    public static AlignedWrite align(
            Blob blob, int offsetBytes, ByteBuffer payload, int[] pieceCrcs) throws IOException {
        int length = lengthBytes(blob);
        int end = offsetBytes + payload.remaining();
        int lengthAfter = Math.max(length, end);
        int start = offsetBytes & -BLOCK;
        int endBlock = (end - 1) & -BLOCK;
        int payloadEnd = end % BLOCK == 0 ? end : Math.min(endBlock + BLOCK, lengthAfter);
        if (start == offsetBytes && payloadEnd == end) {
            ByteBuffer blocks = payload.slice();
            int[] crcs = pieceCrcs.clone();
            completeLast(blocks, crcs);
            return new AlignedWrite(start, lengthAfter, blocks, crcs);
        }
        ByteBuffer blocks = allocate(payloadEnd - start);
        if (start < offsetBytes) {
            blocks.put(readBlock(blob, start / BLOCK).limit(offsetBytes - start));
        }
        blocks.put(payload.duplicate());
        if (end < payloadEnd) {
            ByteBuffer old = readBlock(blob, endBlock / BLOCK);
            blocks.put(old.slice(end - endBlock, payloadEnd - end));
        }
        blocks.flip();
        int[] crcs = pieceCrcs.clone();
        crcs[0] = crcOf(blocks, 0);
        crcs[crcs.length - 1] = crcOf(blocks, crcs.length - 1);
        return new AlignedWrite(start, lengthAfter, blocks, crcs);
    }

    private static ByteBuffer allocate(int bytes) {
        return bytes <= MAX_HEAP_BYTES
                ? ByteBuffer.allocate(bytes)
                : ByteBuffer.allocateDirect(bytes);
    }

    private static int crcOf(ByteBuffer blocks, int block) {
        int at = block * BLOCK;
        return Crc32c.ofPadded(
                blocks, blocks.position() + at, Math.min(BLOCK, blocks.remaining() - at));
    }

    private static void completeLast(ByteBuffer blocks, int[] crcs) {
        if (blocks.remaining() % BLOCK != 0) {
            crcs[crcs.length - 1] = crcOf(blocks, crcs.length - 1);
        }
    }

    /** EBADMSG when a piece of a payload that begins at an offset does not match its checksum. */
    public static void verifyPieces(ByteBuffer payload, int offsetBytes, int[] pieceCrcs) {
        int pieces = (offsetBytes % BLOCK + payload.remaining() + BLOCK - 1) / BLOCK;
        if (pieceCrcs.length != pieces) {
            throw new FsException(
                    Errno.EINVAL, pieceCrcs.length + " checksums for " + pieces + " pieces");
        }
        if (!Arrays.equals(Crc32c.ofPieces(payload, offsetBytes), pieceCrcs)) {
            throw new FsException(
                    Errno.EBADMSG, "the payload of a write does not match its checksums");
        }
    }

    /** Length of a chunk; 0 when absent. */
    public static int lengthBytes(Blob blob) throws IOException {
        return blob.read(0, body -> body.version().lengthBytes());
    }

    /**
     * Bytes that a write of a blob would allocate, trailer included; of a packed one also those
     * that making it plain takes.
     */
    public static long neededBytes(Blob blob, AlignedWrite write) throws IOException {
        int firstBlock = write.offsetBytes() / BLOCK;
        int count = write.crcs().length;
        long whole = (long) BLOCK * (count + BlobFile.PAGES + 1);
        return blob.read(
                whole,
                body -> {
                    long fresh = body.map().holes(firstBlock, count) * (long) BLOCK;
                    return body.isPacked() ? whole + fresh + body.map().allocatedBytes() : fresh;
                });
    }

    /** A blob keeps the chunk size that it was made with: EINVAL for another one. */
    public static void checkSize(Blob blob, ChunkAddress chunk) throws IOException {
        int log2 = blob.read(0, body -> body.file().chunkSizeLog2());
        if (log2 != 0 && log2 != chunk.chunkSizeLog2()) {
            throw new FsException(
                    Errno.EINVAL,
                    BlobKey.of(chunk) + " has size 2^" + log2 + ", not 2^" + chunk.chunkSizeLog2());
        }
    }

    /** EBADMSG when a block does not match its checksum, the last one continued with zeros. */
    public static void verifyBlocks(ByteBuffer blocks, int[] crcs) {
        verify(blocks, crcs, false);
    }

    /** The same, but a block that was lost on every replica may come as zeros marked as lost. */
    public static void verifyInstalled(ByteBuffer blocks, int[] crcs) {
        verify(blocks, crcs, true);
    }

    private static void verify(ByteBuffer blocks, int[] crcs, boolean maybeLost) {
        int count = (blocks.remaining() + BLOCK - 1) / BLOCK;
        if (crcs.length != count) {
            throw new FsException(
                    Errno.EINVAL, crcs.length + " checksums for " + count + " blocks");
        }
        for (int i = 0; i < count; i++) {
            int crc = crcOf(blocks, i);
            boolean lost = maybeLost && crcs[i] == Crc32c.LOST_BLOCK && crc == Crc32c.ZERO_BLOCK;
            if (crc != crcs[i] && !lost) {
                throw new FsException(
                        Errno.EBADMSG, "block " + i + " of a write does not match its checksum");
            }
        }
    }

    /**
     * EINVAL unless a block-aligned write fits a chunk of a certain size.
     *
     * @param lengthBytes length of the chunk before
     */
    public static void checkWrite(AlignedWrite write, int chunkSizeLog2, int lengthBytes) {
        int bytes = write.blocks().remaining();
        long end = write.offsetBytes() + (long) bytes;
        boolean valid =
                bytes > 0
                        && isAligned(write.offsetBytes(), end, write.lengthAfterBytes())
                        && end <= 1L << chunkSizeLog2
                        && write.lengthAfterBytes() == Math.max(lengthBytes, end)
                        && write.crcs().length == (bytes + BLOCK - 1) / BLOCK
                        && write.crcs().length <= BlobHeader.MAX_PENDING;
        if (!valid) {
            throw new FsException(
                    Errno.EINVAL,
                    "a write of %d bytes at %d to a chunk of length %d, then %d"
                            .formatted(
                                    bytes,
                                    write.offsetBytes(),
                                    lengthBytes,
                                    write.lengthAfterBytes()));
        }
    }

    /** Whether a range begins at a block and ends at one or at the length. */
    static boolean isAligned(int offsetBytes, long endBytes, int lengthBytes) {
        return offsetBytes >= 0
                && offsetBytes % BLOCK == 0
                && endBytes <= lengthBytes + (long) BLOCK
                && (endBytes % BLOCK == 0 || endBytes == lengthBytes);
    }

    /** EINVAL unless a range lies in a chunk of a certain size. */
    public static void checkRange(int offsetBytes, long lengthBytes, int chunkSizeLog2) {
        if (offsetBytes < 0
                || lengthBytes < 0
                || chunkSizeLog2 < 16
                || chunkSizeLog2 > 26
                || offsetBytes + lengthBytes > 1L << chunkSizeLog2) {
            throw new FsException(
                    Errno.EINVAL,
                    lengthBytes
                            + " bytes at "
                            + offsetBytes
                            + " do not lie in a chunk of 2^"
                            + chunkSizeLog2
                            + " bytes");
        }
    }

    private static ByteBuffer readBlock(Blob blob, int block) throws IOException {
        return blob.read(ByteBuffer.allocate(BLOCK), body -> body.readBlock(block));
    }
}
