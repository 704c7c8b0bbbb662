package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.wire.Limits;
import java.io.IOException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes the data of a blob in doubt as it stands: gives blocks that do not match their checksum a
 * new one, and makes what lies beyond the length zeros again. That is the next version of the blob:
 * another replica that has the last write is not the same. Only for blobs that an intent record
 * names (I8), and only when no other copy exists. Used under the locks of the blob.
 */
final class Settlement {
    private static final Logger LOG = LoggerFactory.getLogger(Settlement.class);
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final BlobBody body;
    private final BlobFile file;
    private final BlockMap map;
    private final int lengthBytes;
    private final long epoch;

    /** A settlement of a blob in an epoch of its group. */
    Settlement(BlobBody body, long epoch) {
        this.epoch = epoch;
        this.body = body;
        this.file = body.file();
        this.map = body.map();
        this.lengthBytes = body.version().lengthBytes();
    }

    /** Changes all of the blob; the number of blocks that got a new checksum. Not yet synced. */
    int run() throws IOException {
        body.force();
        int settled = settleBlocks();
        BlobVersion last = body.version();
        BlobVersion next =
                new BlobVersion(epoch, last.sequence() + 1, last.lengthBytes(), map.sum());
        body.writeHeader(next, next, PendingBlocks.NONE);
        body.setVersion(next);
        file.writeTable(map, 0, map.blocks());
        LOG.warn(
                "{}: settled as it stands, {} blocks with new checksums; there was no other copy",
                file.path(),
                settled);
        return settled;
    }

    private int settleBlocks() throws IOException {
        int used = (int) ((lengthBytes + (long) BLOCK - 1) / BLOCK);
        clearBeyond(used);
        int[] settled = new int[1];
        file.visit(
                0,
                used,
                lengthBytes,
                (block, bytes, position, length) -> {
                    int entry = BlobFile.entryOf(bytes, position, length);
                    if (entry != map.entry(block)) {
                        map.setEntry(block, entry);
                        settled[0]++;
                    }
                    if (!BlobLoader.isZero(bytes, position, length)) {
                        map.setAllocated(block, true);
                    }
                });
        return settled[0];
    }

    private void clearBeyond(int used) throws IOException {
        file.clearBeyond(lengthBytes);
        for (int block = used; block < map.blocks(); block++) {
            map.setEntry(block, 0);
            map.setAllocated(block, false);
        }
    }
}
