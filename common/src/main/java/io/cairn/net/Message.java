package io.cairn.net;

import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import org.jspecify.annotations.Nullable;

/**
 * A header (an encoded message of {@code io.cairn.wire}) and perhaps a payload of bulk bytes.
 * Whoever holds a message owns the payload's reference count: sending a message gives it away,
 * whatever becomes of the call; a receiver releases it. The same payload may be sent several times,
 * each with a count of its own ({@code payload.retain()}): sending moves no index of it.
 *
 * @param header at most {@code Limits.MAX_HEADER_BYTES}; not changed after construction
 * @param payload at most {@code Limits.MAX_PAYLOAD_BYTES} readable bytes, or null
 */
public record Message(byte[] header, @Nullable ByteBuf payload) {
    private static final byte[] NOTHING = {};

    /** A message without header and payload. */
    public static Message empty() {
        return new Message(NOTHING, null);
    }

    /** A message without payload. */
    public static Message of(byte[] header) {
        return new Message(header, null);
    }

    /** Readable payload bytes. */
    public int payloadBytes() {
        return payload == null ? 0 : payload.readableBytes();
    }

    /** Releases the payload. */
    public void release() {
        ReferenceCountUtil.release(payload);
    }
}
