package io.cairn.net;

import io.cairn.trace.TraceContext;
import io.cairn.wire.Decoder;
import io.cairn.wire.ProtocolRange;
import io.netty.buffer.ByteBuf;
import io.netty.util.ReferenceCountUtil;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A header (an encoded message of {@code io.cairn.wire}) and perhaps a payload of bulk bytes. The
 * holder of a message owns the payload's reference count: sending a message gives it away, whatever
 * becomes of the call; a receiver releases it. The same payload may be sent several times, each
 * with a count of its own ({@code payload.retain()}): sending moves no index of it.
 *
 * <p>A message is encoded by the connection that it goes over, since only that knows the version of
 * the protocol it speaks. Bytes that are the same in all versions are given as they are.
 */
public final class Message {
    private static final byte[] NOTHING = {};

    /** A message that is yet to be encoded. */
    @FunctionalInterface
    public interface Content {
        /** The header in a version of the protocol. */
        byte[] toBytes(int version);
    }

    private final byte @Nullable [] header;
    private final @Nullable Content content;
    private final @Nullable ByteBuf payload;
    private final int version;
    private final @Nullable TraceContext trace;

    private Message(
            byte @Nullable [] header,
            @Nullable Content content,
            @Nullable ByteBuf payload,
            int version,
            @Nullable TraceContext trace) {
        this.header = header;
        this.content = content;
        this.payload = payload;
        this.version = version;
        this.trace = trace;
    }

    /**
     * A message whose header is the same in all versions.
     *
     * @param header at most {@code Limits.MAX_HEADER_BYTES}; not changed after construction
     * @param payload at most {@code Limits.MAX_PAYLOAD_BYTES} readable bytes, or null
     */
    public Message(byte[] header, @Nullable ByteBuf payload) {
        this(header, null, payload, ProtocolRange.FIRST, null);
    }

    /** A message that arrived over a connection that speaks this version. */
    public Message(byte[] header, @Nullable ByteBuf payload, int version) {
        this(header, null, payload, version, null);
    }

    /** A message to be encoded by the connection that it goes over. */
    public Message(Content content, @Nullable ByteBuf payload) {
        this(null, content, payload, ProtocolRange.FIRST, null);
    }

    /** A message without header and payload. */
    public static Message empty() {
        return of(NOTHING);
    }

    /** A message without payload whose header is the same in all versions. */
    public static Message of(byte[] header) {
        return new Message(header, null);
    }

    /** A message without payload, to be encoded by the connection that it goes over. */
    public static Message of(Content content) {
        return new Message(content, null);
    }

    /** For connections: this message with its header encoded in the version that they speak. */
    public Message encoded(int newVersion) {
        return content == null
                ? this
                : new Message(content.toBytes(newVersion), null, payload, newVersion, trace);
    }

    /** For connections: the same, with another header in the same version. */
    public Message withHeader(byte[] other) {
        return new Message(other, null, payload, version, trace);
    }

    /**
     * A message whose header has that of this one as its end.
     *
     * @param prefix the same in all versions
     */
    public Message after(byte[] prefix) {
        Content own = content == null ? _ -> header() : content;
        return new Message(null, to -> joined(prefix, own.toBytes(to)), payload, version, trace);
    }

    private static byte[] joined(byte[] prefix, byte[] rest) {
        byte[] all = Arrays.copyOf(prefix, prefix.length + rest.length);
        System.arraycopy(rest, 0, all, prefix.length, rest.length);
        return all;
    }

    /** This request as part of a trace. */
    public Message traced(@Nullable TraceContext context) {
        return new Message(header, content, payload, version, context);
    }

    /** Of a request: which span asks; null when it belongs to no trace. */
    public @Nullable TraceContext trace() {
        return trace;
    }

    /**
     * The header.
     *
     * @throws IllegalStateException when it is not encoded yet
     */
    public byte[] header() {
        if (header == null) {
            throw new IllegalStateException("the header is encoded by the connection");
        }
        return header;
    }

    /** Reads the header, in the version in which it arrived. */
    public Decoder decoder() {
        return new Decoder(header(), version);
    }

    /** The payload, or null. */
    public @Nullable ByteBuf payload() {
        return payload;
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
