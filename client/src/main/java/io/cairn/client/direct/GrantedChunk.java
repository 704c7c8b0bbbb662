package io.cairn.client.direct;

import io.cairn.runtime.local.CachedFile;
import io.cairn.runtime.local.OpenDescriptor;
import io.cairn.wire.Crc32c;
import io.cairn.wire.Limits;
import io.cairn.wire.chunk.ChunkReply.GrantReply;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A chunk that this mount may read itself, with its open file and all its checksums. Thread-safe;
 * never waits for a disk.
 */
public final class GrantedChunk implements AutoCloseable {
    private static final int BLOCK = Limits.BLOCK_BYTES;

    private final DirectServer server;
    private final CachedFile file;
    private final int word;
    private final long value;
    private final int lengthBytes;
    private final int[] crcs;
    private volatile boolean bad;
    private volatile long usedNs;

    /**
     * Takes over the open file.
     *
     * @param nowNs for {@link #usedNs}
     * @throws IOException when the grant is no grant
     */
    public GrantedChunk(DirectServer server, GrantReply grant, OpenDescriptor file, long nowNs)
            throws IOException {
        this.server = server;
        this.word = grant.word();
        this.value = grant.value();
        this.lengthBytes = grant.lengthBytes();
        this.crcs = grant.crcs();
        this.usedNs = nowNs;
        long blocks = (lengthBytes + (long) BLOCK - 1) / BLOCK;
        if (lengthBytes < 0 || crcs.length != blocks || !server.has(word)) {
            file.close();
            throw new IOException("a grant of " + crcs.length + " blocks, word " + word);
        }
        this.file = new CachedFile(file);
    }

    /** Length of the chunk: what lies beyond reads as zeros. */
    public int lengthBytes() {
        return lengthBytes;
    }

    /** Blocks that it has checksums of. */
    public int blocks() {
        return crcs.length;
    }

    /**
     * Reads the whole blocks that cover a range, as far as the chunk has bytes there, verified; the
     * first one begins at {@code offsetBytes} rounded down.
     *
     * @param nowNs for {@link #usedNs}
     * @return the receiver's; null when the server is to be asked
     */
    public @Nullable ByteBuf read(int offsetBytes, int wantedBytes, long nowNs) {
        if (isOver()) {
            return null;
        }
        usedNs = nowNs;
        int start = offsetBytes & -BLOCK;
        long end = (offsetBytes + (long) wantedBytes + BLOCK - 1) & -BLOCK;
        int bytes = (int) Math.max(0, Math.min(end, lengthBytes) - start);
        if (bytes == 0) {
            return server.confirms(word, value) ? Unpooled.EMPTY_BUFFER : null;
        }
        ByteBuf buffer = ByteBufAllocator.DEFAULT.directBuffer(bytes, bytes);
        boolean good = false;
        try {
            ByteBuffer target = buffer.nioBuffer(0, bytes);
            good =
                    file.read(target, start)
                            && server.confirms(word, value)
                            && isSound(target, start);
        } finally {
            if (!good) {
                buffer.release();
            }
        }
        return good ? buffer.writerIndex(bytes) : null;
    }

    private boolean isSound(ByteBuffer blocks, int startBytes) {
        int bytes = blocks.remaining();
        for (int at = 0; at < bytes; at += BLOCK) {
            int crc = Crc32c.ofPadded(blocks, at, Math.min(BLOCK, bytes - at));
            if (crc != crcs[(startBytes + at) / BLOCK]) {
                bad = true;
                return false;
            }
        }
        return true;
    }

    /** Whether a block did not match its checksum: the server is to look after it. */
    public boolean isBad() {
        return bad;
    }

    /** Whether it is of no use any more. */
    public boolean isOver() {
        return bad || !server.shows(word, value);
    }

    /** The same, and whether the server is there no more. */
    public boolean isLost() {
        return isOver() || server.hasEnded();
    }

    /** When it was read last. */
    public long usedNs() {
        return usedNs;
    }

    /** Closes the file. Idempotent. */
    @Override
    public void close() {
        file.close();
    }
}
