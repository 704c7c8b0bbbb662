package io.cairn.simulation;

import io.cairn.chunk.store.format.BlockRange;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of one replica of a chunk. A block that its own checksum shows to be bad is null: a
 * copy less, which a reader or the scrubber finds, but no wrong bytes.
 */
record ReplicaBytes(List<byte @Nullable []> blocks) {
    /** Of a chunk without bytes. */
    static final ReplicaBytes EMPTY = new ReplicaBytes(List.of());

    private static final int BLOCK = 4096;

    /** The blocks as they were read, with their checksums. */
    static ReplicaBytes of(BlockRange range) {
        List<byte @Nullable []> blocks = new ArrayList<>();
        ByteBuffer bytes = range.blocks().duplicate();
        for (int crc : range.crcs()) {
            byte[] block = new byte[BLOCK];
            bytes.get(block, 0, Math.min(BLOCK, bytes.remaining()));
            CRC32C sum = new CRC32C();
            sum.update(block);
            blocks.add((int) sum.getValue() == crc ? block : null);
        }
        return new ReplicaBytes(blocks);
    }

    /** The first block that is good in both and differs; -1 when there is none. */
    int mismatch(ReplicaBytes other) {
        for (int i = 0; i < blocks.size(); i++) {
            byte[] mine = blocks.get(i);
            byte[] theirs = i < other.blocks.size() ? other.blocks.get(i) : null;
            if (mine != null && theirs != null && !Arrays.equals(mine, theirs)) {
                return i;
            }
        }
        return -1;
    }

    /** The blocks that are good in one of both. */
    ReplicaBytes with(ReplicaBytes other) {
        List<byte @Nullable []> both = new ArrayList<>(blocks);
        for (int i = 0; i < blocks.size() && i < other.blocks.size(); i++) {
            if (both.get(i) == null) {
                both.set(i, other.blocks.get(i));
            }
        }
        return new ReplicaBytes(both);
    }

    /** Blocks that are not good. */
    int badBlocks() {
        int bad = 0;
        for (byte[] block : blocks) {
            bad += block == null ? 1 : 0;
        }
        return bad;
    }
}
