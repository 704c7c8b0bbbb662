package io.cairn.chunk.store.format;

import java.nio.ByteBuffer;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Direct buffers of {@link #BYTES} for headers, tables and blocks to verify. Thread-safe: when all
 * are in use, another one is made and later dropped.
 */
public final class ScratchPool {
    public static final int BYTES = 64 << 10;

    private static final int KEPT = 32;

    private final ArrayBlockingQueue<ByteBuffer> free = new ArrayBlockingQueue<>(KEPT);

    /** An empty buffer; to be given back. */
    public ByteBuffer take() {
        ByteBuffer buffer = free.poll();
        return buffer == null ? ByteBuffer.allocateDirect(BYTES) : buffer.clear();
    }

    public void give(ByteBuffer buffer) {
        free.offer(buffer);
    }
}
