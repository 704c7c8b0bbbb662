package io.cairn.client.chunk;

import java.nio.ByteBuffer;

/** Zeros for what a file does not store. */
public final class Zeros {
    private static final ByteBuffer SOURCE = ByteBuffer.allocateDirect(64 << 10).asReadOnlyBuffer();

    private Zeros() {}

    /** Whether what remains of a buffer, at most 64 KiB, is zeros. */
    public static boolean isZero(ByteBuffer bytes) {
        return SOURCE.slice(0, bytes.remaining()).mismatch(bytes) < 0;
    }

    /** Fills a buffer up to its limit with zeros. */
    public static void fill(ByteBuffer target) {
        while (target.hasRemaining()) {
            int count = Math.min(target.remaining(), SOURCE.capacity());
            target.put(target.position(), SOURCE, 0, count);
            target.position(target.position() + count);
        }
    }
}
