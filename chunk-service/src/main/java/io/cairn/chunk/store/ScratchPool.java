package io.cairn.chunk.store;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers of {@link #BYTES} for headers, tables and blocks to verify. Thread-safe: when all
 * are in use, another one is made and later dropped.
 */
final class ScratchPool {
    static final int BYTES = 64 << 10;

    private static final int KEPT = 32;

    private final ArrayBlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);

    /** An empty buffer; to be given back. */
    ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BYTES) : buffer.clear();
    }

    void give(ByteBuffer buffer) {
        free.offer(buffer);
    }
}
