package io.cairn.chunk.store.blob;

import io.cairn.chunk.store.format.BlockMap;
import io.cairn.chunk.store.format.PendingBlocks;
import io.cairn.runtime.DiskFullException;
import io.cairn.wire.Limits;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A range of a chunk that becomes zeros: up to two blocks at its edges that keep other bytes, and
 * whole blocks between, which become holes. Used under the locks of the blob.
 */
final class ZeroRange {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    /** The rest of a block that lies in the range in part. */
    private record Edge(ByteBuffer bytes, int lengthBytes) {
        int entry() {
            return BlobFile.entryOf(bytes, 0, lengthBytes);
        }

        boolean isZero() {
            return BlobLoader.isZero(bytes, 0, lengthBytes);
        }
    }

    private final int first;
    private final int count;
    private final int[] oldEntries;
    private final boolean[] wasAllocated;
    private final Edge[] edges = new Edge[2];
    private final boolean[] kept = new boolean[2];

    /**
     * Reads and verifies the blocks at the edges (EBADMSG).
     *
     * @param endBytes first byte behind the range, not beyond the length of the chunk
     */
    ZeroRange(BlobBody body, int offsetBytes, int endBytes) throws IOException {
        int length = body.version().lengthBytes();
        int end = Math.min(endBytes, length);
        if (offsetBytes >= end) {
            first = 0;
            count = 0;
        } else {
            first = offsetBytes / BLOCK;
            count = (end - 1) / BLOCK - first + 1;
            keep(body, 0, first, offsetBytes, end);
            keep(body, 1, first + count - 1, offsetBytes, end);
        }
        oldEntries = new int[count];
        wasAllocated = new boolean[count];
    }

    private void keep(BlobBody body, int side, int block, int offsetBytes, int endBytes)
            throws IOException {
        int start = block * BLOCK;
        int length = BlobFile.bytesIn(block, body.version().lengthBytes());
        int from = Math.max(0, offsetBytes - start);
        int to = Math.min(length, endBytes - start);
        if (from == 0 && to == length) {
            return;
        }
        ByteBuffer bytes = body.readBlock(block);
        for (int i = from; i < to; i++) {
            bytes.put(i, (byte) 0);
        }
        edges[side] = new Edge(bytes, length);
        kept[side] = !edges[side].isZero();
    }

    /** The contents of the header. */
    PendingBlocks pending() {
        return count == 0
                ? PendingBlocks.NONE
                : new PendingBlocks(first, count, true, new int[] {entry(0), entry(1)});
    }

    private int entry(int side) {
        return kept[side] ? edges[side].entry() : 0;
    }

    private boolean isKept(int i) {
        return (i == 0 && kept[0]) || (i == count - 1 && kept[1]);
    }

    /** Changes the map; bytes that become free. */
    int change(BlockMap map) {
        PendingBlocks pending = pending();
        int freed = 0;
        for (int i = 0; i < count; i++) {
            oldEntries[i] = map.entry(first + i);
            wasAllocated[i] = map.isAllocated(first + i);
            map.setEntry(first + i, pending.entry(i));
            if (!isKept(i)) {
                freed += wasAllocated[i] ? BLOCK : 0;
                map.setAllocated(first + i, false);
            }
        }
        return freed;
    }

    /** Takes the change of the map back. */
    void undo(BlockMap map) {
        for (int i = 0; i < count; i++) {
            map.setEntry(first + i, oldEntries[i]);
            map.setAllocated(first + i, wasAllocated[i]);
        }
    }

    /** Changes the data. */
    void store(BlobFile file) throws IOException {
        if (count == 0) {
            return;
        }
        for (int side = 0; side < 2; side++) {
            if (kept[side]) {
                int block = side == 0 ? first : first + count - 1;
                file.write(edges[side].bytes().slice(0, edges[side].lengthBytes()), block * BLOCK);
            }
        }
        int from = isKept(0) ? 1 : 0;
        int to = count > 1 && isKept(count - 1) ? count - 1 : count;
        try {
            file.punch(first + from, to - from);
        } catch (DiskFullException e) {
            overwrite(file, from, to);
        }
    }

    /** Some disks need room to make holes: blocks that are allocated can be zeroed without. */
    private void overwrite(BlobFile file, int from, int to) throws IOException {
        for (int i = from; i < to; i++) {
            if (wasAllocated[i]) {
                file.writeZeros((first + i) * BLOCK, BLOCK);
            }
        }
    }
}
