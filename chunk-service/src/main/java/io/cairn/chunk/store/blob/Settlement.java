package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlobVersion;
import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.util.function.IntPredicate;
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
    private final IntPredicate mayTake;
    private int settled;
    private int damaged;

    /**
     * A settlement of a blob in an epoch of its group.
     *
     * @param mayTake whether a block may be taken as it stands; else it stays bad when it is
     */
    Settlement(BlobBody body, long epoch, IntPredicate mayTake) {
        this.epoch = epoch;
        this.mayTake = mayTake;
        this.body = body;
        this.file = body.file();
        this.map = body.map();
        this.lengthBytes = body.version().lengthBytes();
    }

    /** Changes all of the blob; whether all blocks were right. Not yet synced. */
    boolean run() throws IOException {
        body.force();
        settleBlocks();
        BlobVersion last = body.version();
        BlobVersion next =
                new BlobVersion(epoch, last.sequence() + 1, last.lengthBytes(), map.sum());
        body.writeHeader(next, next, PendingBlocks.NONE);
        body.setVersion(next);
        file.writeTable(map, 0, map.blocks());
        LOG.warn(
                "{}: settled as it stands, {} blocks with new checksums, {} damaged; there was no"
                        + " other copy",
                file.path(),
                settled,
                damaged);
        return settled + damaged == 0;
    }

    /** Blocks that were bad and not to be taken: they are as before. */
    int damaged() {
        return damaged;
    }

    private void settleBlocks() throws IOException {
        int used = (int) ((lengthBytes + (long) BLOCK - 1) / BLOCK);
        clearBeyond(used);
        file.visit(
                0,
                used,
                lengthBytes,
                (block, bytes, position, length) -> {
                    int entry = BlobFile.entryOf(bytes, position, length);
                    if (entry != map.entry(block) && !mayTake.test(block)) {
                        damaged++;
                    } else if (entry != map.entry(block)) {
                        map.setEntry(block, entry);
                        settled++;
                    }
                    if (!BlobLoader.isZero(bytes, position, length)) {
                        map.setAllocated(block, true);
                    }
                });
    }

    private void clearBeyond(int used) throws IOException {
        file.clearBeyond(lengthBytes);
        for (int block = used; block < map.blocks(); block++) {
            map.setEntry(block, 0);
            map.setAllocated(block, false);
        }
    }
}
