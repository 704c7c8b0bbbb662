package io.cairn.net.frame;

import io.cairn.net.Message;
import io.cairn.wire.MalformedMessageException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;

/**
 * Cuts the bytes that a socket delivers into frames. The lengths of a frame are checked before
 * anything is allocated for it. A payload is collected in one buffer of its exact size; once it has
 * begun, {@link #window} lets the socket read into that buffer directly, without a copy in between.
 *
 * <p>When the connection pauses, bytes already read are held until it resumes. For the owner only.
 */
final class FrameReader {
    private static final int MIN_WINDOW_BYTES = 2048;

    /** Payloads above this size make the next read a small one. */
    private static final int LARGE_BYTES = 128 << 10;

    /** The fate of a frame whose lengths are known. */
    enum Admission {
        ACCEPT,
        /** Nobody waits for it: skip its bytes. */
        DISCARD,
        /** No memory for it now: the connection has paused. */
        WAIT
    }

    private enum State {
        PREFACE,
        ADMISSION,
        HEADER,
        PAYLOAD,
        SKIP
    }

    private final FrameChannel channel;
    private final byte[] preface = new byte[Preface.BYTES];
    private State state = State.PREFACE;
    private int prefaceFill;
    private FrameKind kind = FrameKind.HELLO;
    private long requestId;
    private byte[] header = {};
    private int headerBytes;
    private int headerFill;
    private int payloadBytes;
    private long skipBytes;
    private @Nullable ByteBuf payload;
    private @Nullable ByteBuf window;
    private @Nullable ByteBuf held;
    private long frameCount;
    private boolean large;

    FrameReader(FrameChannel channel) {
        this.channel = channel;
    }

    /** Frames completed so far. */
    long frameCount() {
        return frameCount;
    }

    /** Whether a frame has begun and is not complete. */
    boolean isInsideFrame() {
        return prefaceFill > 0;
    }

    /** Whether the last message had a large payload. */
    boolean isLarge() {
        return large;
    }

    /** A buffer for the rest of the payload that is being collected; null when there is none. */
    @Nullable ByteBuf window() {
        ByteBuf collecting = payload;
        window = null;
        if (state == State.PAYLOAD
                && collecting != null
                && collecting.writableBytes() >= MIN_WINDOW_BYTES) {
            window =
                    collecting
                            .retainedSlice(collecting.writerIndex(), collecting.writableBytes())
                            .setIndex(0, 0);
        }
        return window;
    }

    /** Takes over bytes that came in. */
    @SuppressWarnings("ReferenceEquality") // The window is known by its identity.
    void read(ByteBuf in) {
        if (!channel.isAlive()) {
            in.release();
        } else if (in == window) {
            window = null;
            filled(in);
        } else if (held != null) {
            held = Unpooled.wrappedBuffer(held, in);
        } else {
            consumeOrHold(in);
        }
    }

    /** The socket has read into the payload itself. */
    private void filled(ByteBuf in) {
        ByteBuf collecting = payload;
        if (collecting != null) {
            collecting.writerIndex(collecting.writerIndex() + in.readableBytes());
        }
        in.release();
        if (collecting != null && !collecting.isWritable()) {
            complete();
        }
    }

    /** Goes on with what was held; called when the connection no longer pauses. */
    void resume() {
        ByteBuf in = held;
        held = null;
        consumeOrHold(in == null ? Unpooled.EMPTY_BUFFER : in);
    }

    private void consumeOrHold(ByteBuf in) {
        try {
            consume(in);
        } catch (MalformedMessageException e) {
            channel.violated(e);
        }
        if (channel.isAlive() && in.isReadable()) {
            held = in;
        } else {
            in.release();
        }
    }

    /** Stops when the bytes are used up, the connection pauses or has ended. */
    private void consume(ByteBuf in) {
        while (channel.isAlive() && !channel.isPaused()) {
            boolean progress =
                    switch (state) {
                        case PREFACE -> readPreface(in);
                        case ADMISSION -> admit();
                        case HEADER -> readHeader(in);
                        case PAYLOAD -> readPayload(in);
                        case SKIP -> skip(in);
                    };
            if (!progress) {
                return;
            }
        }
    }

    private boolean readPreface(ByteBuf in) {
        int count = Math.min(in.readableBytes(), preface.length - prefaceFill);
        in.readBytes(preface, prefaceFill, count);
        prefaceFill += count;
        if (prefaceFill < preface.length) {
            return false;
        }
        Preface found = Preface.read(preface);
        kind = found.kind();
        requestId = found.requestId();
        headerBytes = found.headerBytes();
        payloadBytes = found.payloadBytes();
        state = State.ADMISSION;
        return true;
    }

    private boolean admit() {
        switch (channel.admit(kind, requestId, headerBytes + payloadBytes)) {
            case ACCEPT -> {
                header = new byte[headerBytes];
                headerFill = 0;
                state = State.HEADER;
            }
            case DISCARD -> {
                skipBytes = (long) headerBytes + payloadBytes;
                state = State.SKIP;
            }
            case WAIT -> {
                return false;
            }
        }
        return true;
    }

    private boolean readHeader(ByteBuf in) {
        int count = Math.min(in.readableBytes(), headerBytes - headerFill);
        in.readBytes(header, headerFill, count);
        headerFill += count;
        if (headerFill < headerBytes) {
            return false;
        }
        if (payloadBytes == 0) {
            complete();
        } else {
            payload = channel.allocator().directBuffer(payloadBytes, payloadBytes);
            state = State.PAYLOAD;
        }
        return true;
    }

    private boolean readPayload(ByteBuf in) {
        ByteBuf collecting = payload;
        if (collecting == null) {
            throw new IllegalStateException("no payload to collect");
        }
        collecting.writeBytes(in, Math.min(in.readableBytes(), collecting.writableBytes()));
        if (collecting.isWritable()) {
            return false;
        }
        complete();
        return true;
    }

    private boolean skip(ByteBuf in) {
        int count = (int) Math.min(in.readableBytes(), skipBytes);
        in.skipBytes(count);
        skipBytes -= count;
        if (skipBytes > 0) {
            return false;
        }
        next();
        return true;
    }

    private void complete() {
        Message message = new Message(header, payload, channel.version());
        large = payloadBytes > LARGE_BYTES;
        payload = null;
        next();
        try {
            channel.received(
                    kind, requestId, kind == FrameKind.TRACED ? Frame.request(message) : message);
        } catch (MalformedMessageException e) {
            channel.violated(e);
        }
    }

    private void next() {
        state = State.PREFACE;
        prefaceFill = 0;
        header = new byte[0];
        frameCount++;
    }

    /** Releases what was collected; the connection has ended. */
    void dispose() {
        if (held != null) {
            held.release();
            held = null;
        }
        if (payload != null) {
            payload.release();
            payload = null;
        }
    }
}
