package io.cairn.client.chunk;

import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;

/** Buffered bytes as a reader sees them. The receiver releases the data. */
public record HeldBytes(long offset, ByteBuf data) {
    /** Lays the bytes over a buffer whose first byte stands at {@code base} in the file. */
    public void overlay(long base, ByteBuffer target, int start, int length) {
        long from = Math.max(base, offset);
        long to = Math.min(base + length, offset + data.readableBytes());
        if (from < to) {
            ByteBuffer part = target.duplicate();
            part.limit(start + (int) (to - base)).position(start + (int) (from - base));
            data.getBytes(data.readerIndex() + (int) (from - offset), part);
        }
    }

    public boolean covers(long from, long to) {
        return offset <= from && to <= offset + data.readableBytes();
    }
}
