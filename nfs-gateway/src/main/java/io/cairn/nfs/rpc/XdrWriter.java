package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Writes XDR (RFC 4506) to a buffer that grows. A payload, at most one and last, is not copied but
 * goes to the socket behind the buffer. For one thread.
 */
public final class XdrWriter {
    private final ByteBuf out;
    private final int start;
    private @Nullable ByteBuf payload;

    /** Writes at the buffer's writer index; the buffer stays the caller's. */
    public XdrWriter(ByteBuf out) {
        this.out = out;
        this.start = out.writerIndex();
    }

    /** Takes everything back that was written, and releases the payload. */
    public void reset() {
        out.writerIndex(start);
        ByteBuf old = payload;
        payload = null;
        if (old != null) {
            old.release();
        }
    }

    /** Bytes written so far, without the payload. */
    public int lengthBytes() {
        return out.writerIndex() - start;
    }

    /** The first four bytes that were written; 0 when there are none. */
    public int firstWord() {
        return lengthBytes() < 4 ? 0 : out.getInt(start);
    }

    public XdrWriter i32(int value) {
        out.writeInt(value);
        return this;
    }

    public XdrWriter i64(long value) {
        out.writeLong(value);
        return this;
    }

    public XdrWriter bool(boolean value) {
        out.writeInt(value ? 1 : 0);
        return this;
    }

    /** Bytes as they are, without padding. */
    public XdrWriter raw(byte[] data) {
        out.writeBytes(data);
        return this;
    }

    /** Opaque data of a fixed length. */
    public XdrWriter fixed(byte[] data) {
        out.writeBytes(data);
        out.writeZero(XdrReader.padding(data.length));
        return this;
    }

    /** Opaque data or a string, with its length in front. */
    public XdrWriter opaque(byte[] data) {
        out.writeInt(data.length);
        return fixed(data);
    }

    /** Opaque data as the last item; takes the buffer over. */
    public XdrWriter payload(ByteBuf data) {
        if (payload != null) {
            throw new IllegalStateException("a second payload");
        }
        out.writeInt(data.readableBytes());
        payload = data;
        return this;
    }

    /** An empty buffer of a fixed capacity, for a payload. */
    public ByteBuf allocate(int bytes) {
        return out.alloc().directBuffer(bytes, bytes);
    }

    /** The payload, which becomes the caller's; null when there is none. */
    @Nullable ByteBuf takePayload() {
        ByteBuf taken = payload;
        payload = null;
        return taken;
    }
}
