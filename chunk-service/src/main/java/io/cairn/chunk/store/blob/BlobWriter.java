package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.AlignedWrite;
import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockChange;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.runtime.DiskFullException;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Carries out one change of a blob: header, data, table, in this order. Used under the locks of the
 * blob. {@link DiskFullException} when the disk is full and the blob is what it was before; after
 * any other exception what is on disk is not known.
 */
final class BlobWriter {
    private static final Logger LOG = LoggerFactory.getLogger(BlobWriter.class);
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final BlobBody body;
    private final BlobFile file;
    private final BlockMap map;

    /** A writer for one change. */
    BlobWriter(BlobBody body) {
        this.body = body;
        this.file = body.file();
        this.map = body.map();
    }

    /** Applies a block-aligned write; newly allocated bytes. */
    int apply(long epoch, long sequence, AlignedWrite write) throws IOException {
        int[] entries = new int[write.crcs().length];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = write.crcs()[i] ^ Crc32c.ZERO_BLOCK;
        }
        int first = write.offsetBytes() / BLOCK;
        BlobVersion before = body.version();
        BlockChange change = new BlockChange(map, first, entries);
        BlobVersion next = new BlobVersion(epoch, sequence, write.lengthAfterBytes(), map.sum());
        boolean begun = false;
        try {
            PendingBlocks pending = new PendingBlocks(first, entries.length, false, entries);
            body.writeHeader(next, before, pending);
            begun = true;
            writeData(change, write);
            file.writeTable(map, first, entries.length);
        } catch (DiskFullException e) {
            change.undo();
            if (begun) {
                takeBack(change, e);
            }
            throw e;
        }
        body.setVersion(next);
        return change.freshCount() * BLOCK;
    }

    /**
     * Fills holes, then makes the table's pages, and only then overwrites: while the disk may prove
     * full nothing is lost yet.
     */
    private void writeData(BlockChange change, AlignedWrite write) throws IOException {
        boolean mixed = change.freshCount() > 0 && change.freshCount() < change.count();
        if (!mixed) {
            file.write(write.blocks(), write.offsetBytes());
            return;
        }
        change.visitRuns(true, (at, count) -> writeRun(write, at, count));
        change.undo();
        try {
            file.writeTable(map, change.first(), change.count());
        } finally {
            change.redo();
        }
        change.visitRuns(false, (at, count) -> writeRun(write, at, count));
    }

    private void writeRun(AlignedWrite write, int at, int count) throws IOException {
        ByteBuffer blocks = write.blocks();
        int from = at * BLOCK;
        int bytes = Math.min(count * BLOCK, blocks.remaining() - from);
        file.write(blocks.slice(blocks.position() + from, bytes), write.offsetBytes() + from);
    }

    /** A write found no room: makes the file what it was. The map is so already. */
    private void takeBack(BlockChange change, DiskFullException cause) throws IOException {
        BlobVersion before = body.version();
        if (before.sequence() == 0) {
            return; // A new file: it is removed as a whole.
        }
        try {
            restore(before, change, cause);
        } catch (DiskFullException e) {
            throw new IOException("the disk is too full to take a write back", e);
        }
    }

    private void restore(BlobVersion before, BlockChange change, DiskFullException cause)
            throws IOException {
        change.visitRuns(true, (at, count) -> file.punch(change.first() + at, count));
        try {
            file.writeTable(map, change.first(), change.count());
        } catch (DiskFullException e) {
            LOG.debug("{}: the table has no page yet, nothing to take back", file.path());
        }
        // Overwriting needs room on disks that copy on write: then old blocks may be gone.
        if (change.freshCount() < change.count()
                && !file.failing(map, before.lengthBytes()).isEmpty()) {
            throw new IOException("the disk is full within an overwrite", cause);
        }
        body.writeHeader(before, before, PendingBlocks.NONE);
    }

    /** Makes a range zeros; change of the allocated bytes, 0 or less. */
    int apply(long epoch, long sequence, ZeroRange range) throws IOException {
        BlobVersion before = body.version();
        int freed = range.change(map);
        BlobVersion next = new BlobVersion(epoch, sequence, before.lengthBytes(), map.sum());
        try {
            body.writeHeader(next, before, range.pending());
        } catch (DiskFullException e) {
            range.undo(map);
            throw e;
        }
        try {
            range.store(file);
            file.writeTable(map, range.pending().first(), range.pending().count());
        } catch (DiskFullException e) {
            throw new IOException("the disk is full within a change to zeros", e);
        }
        body.setVersion(next);
        return -freed;
    }
}
