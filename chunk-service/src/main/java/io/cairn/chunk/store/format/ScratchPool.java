package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers of one size that begin at pages, for headers, tables and blocks to verify.
 * Thread-safe: when all are in use, another one is made and later dropped.
 */
public final class ScratchPool {
    /** The size of most. */
    public static final int BYTES = 64 << 10;

    private static final int PAGE_BYTES = 4096;

    private final ArrayBlockingQueue<ByteBuffer> free;
    private final int bytes;

    /**
     * An empty pool.
     *
     * @param bytes size of each buffer, a multiple of 4096
     * @param kept how many are kept at most
     */
    public ScratchPool(int bytes, int kept) {
        this.bytes = bytes;
        this.free = new ArrayBlockingQueue<>(kept);
    }

    /** An empty buffer; to be given back. */
    public ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer == null
                ? ByteBuffer.allocateDirect(bytes + PAGE_BYTES)
                        .alignedSlice(PAGE_BYTES)
                        .limit(bytes)
                : buffer.clear().limit(bytes);
    }

    public void give(ByteBuffer buffer) {
        free.offer(buffer);
    }
}
