package io.cairn.net.frame;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Message;
import io.cairn.trace.TraceContext;
import io.cairn.wire.Decoder;
import io.cairn.wire.Encoder;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A frame that waits to be sent, and the layout of frames. Numbers are big-endian.
 *
 * <pre>
 * +--------+------+-----------+--------------+--------+---------+
 * | length | kind | requestId | headerLength | header | payload |
 * |   4    |  1   |     8     |      4       |  ...   |   ...   |
 * +--------+------+-----------+--------------+--------+---------+
 *          |<------------------- length ----------------------->|
 *
 * kind       header                          payload
 * 1 HELLO    Greeting                        none    first frame
 * 2 REQUEST  message                         any     answered by REPLY or FAILURE, same requestId
 * 3 REPLY    message                         any
 * 4 FAILURE  errno(4) text(4 + n)            none
 * 5 ONE_WAY  message                         any     not answered; requestId 0
 * 6 BEAT     empty                           none    after three seconds without another frame
 * 7 TRACED   TraceContext, message           any     REQUEST to a side whose Greeting tells that it
 *                                                    takes part in traces
 * </pre>
 *
 * This layout never changes. Request ids count up from 1 on either side.
 */
final class Frame {
    /** Bytes that {@code length} counts besides header and payload. */
    static final int FIXED_BYTES = 13;

    private static final int MAX_FAILURE_CHARACTERS = 4096;

    final FrameKind kind;
    final long requestId;
    final byte[] header;
    final @Nullable Call call;

    /** Replies and failures: how many bytes the request took. */
    final int requestBytes;

    private final int bodyBytes;
    private @Nullable ByteBuf payload;

    private Frame(
            FrameKind kind,
            long requestId,
            Message message,
            @Nullable Call call,
            int requestBytes) {
        this.kind = kind;
        this.requestId = requestId;
        TraceContext trace = kind == FrameKind.TRACED ? message.trace() : null;
        this.header = trace == null ? message.header() : trace.before(message.header());
        // Indices of its own: the giver may send the same bytes elsewhere at the same time.
        ByteBuf given = message.payload();
        this.payload = given == null ? null : given.duplicate();
        this.call = call;
        this.requestBytes = requestBytes;
        this.bodyBytes = header.length + message.payloadBytes();
    }

    /**
     * A request of this side.
     *
     * @param traces whether the other side wants to know to which trace it belongs
     */
    static Frame request(Message message, Call call, boolean traces) {
        FrameKind kind = traces && message.trace() != null ? FrameKind.TRACED : FrameKind.REQUEST;
        return new Frame(kind, call.requestId, message, call, 0);
    }

    /**
     * The request in a TRACED frame.
     *
     * @throws MalformedMessageException when its trace context is none; it is released then
     */
    static Message request(Message frame) {
        try {
            ByteBuffer in = ByteBuffer.wrap(frame.header());
            TraceContext trace = TraceContext.read(in);
            byte[] header = new byte[in.remaining()];
            in.get(header);
            return frame.withHeader(header).traced(trace);
        } catch (MalformedMessageException e) {
            frame.release();
            throw e;
        }
    }

    /** Bytes after the preface of the frame in which a request came. */
    static int bodyBytes(Message request) {
        return request.header().length
                + request.payloadBytes()
                + (request.trace() == null ? 0 : TraceContext.BYTES);
    }

    /** The answer to a request that took {@code requestBytes} bytes. */
    static Frame reply(long requestId, Message message, int requestBytes) {
        return new Frame(FrameKind.REPLY, requestId, message, null, requestBytes);
    }

    /** A message without an answer. */
    static Frame oneWay(Message message) {
        return new Frame(FrameKind.ONE_WAY, 0, message, null, 0);
    }

    /** The first frame of a connection. */
    static Frame hello(Greeting greeting) {
        return new Frame(FrameKind.HELLO, 0, Message.of(greeting.toBytes()), null, 0);
    }

    /** A sign of life. */
    static Frame beat() {
        return new Frame(FrameKind.BEAT, 0, Message.empty(), null, 0);
    }

    /** The answer that something went wrong. */
    static Frame failure(long requestId, FsException error, int requestBytes) {
        String text = String.valueOf(error.getMessage());
        if (text.length() > MAX_FAILURE_CHARACTERS) {
            text = text.substring(0, MAX_FAILURE_CHARACTERS);
        }
        Encoder out = new Encoder().i32(error.errno().number()).text(text);
        Message message = Message.of(out.toBytes());
        return new Frame(FrameKind.FAILURE, requestId, message, null, requestBytes);
    }

    /** The error that a FAILURE frame tells. */
    static FsException failure(byte[] header) {
        Decoder in = new Decoder(header);
        Errno errno = Errno.ofNumber(in.i32());
        return new FsException(errno == null ? Errno.EIO : errno, in.text());
    }

    /** Bytes of the frame after the preface. */
    int bodyBytes() {
        return bodyBytes;
    }

    /** Writes preface and header. */
    void writeHead(ByteBuf out) {
        out.writeInt(FIXED_BYTES + bodyBytes).writeByte(kind.code()).writeLong(requestId);
        out.writeInt(header.length).writeBytes(header);
    }

    /** Gives the payload away. */
    @Nullable ByteBuf takePayload() {
        ByteBuf taken = payload;
        payload = null;
        return taken;
    }

    /** Releases the payload, if it is still here. */
    void release() {
        ByteBuf taken = takePayload();
        if (taken != null) {
            taken.release();
        }
    }
}
