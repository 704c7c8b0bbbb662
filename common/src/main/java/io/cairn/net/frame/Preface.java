package io.cairn.net.frame;

import io.cairn.wire.MalformedMessageException;
import java.nio.ByteBuffer;

/**
 * The part before the header of a {@link Frame}.
 *
 * @param headerBytes as many as a frame of the kind may have
 * @param payloadBytes as many as a frame of the kind may have
 */
record Preface(FrameKind kind, long requestId, int headerBytes, int payloadBytes) {
    static final int BYTES = 17;

    /**
     * Reads a preface.
     *
     * @param bytes {@value #BYTES} of them
     * @throws MalformedMessageException when no frame begins like this
     */
    static Preface read(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        long lengthBytes = Integer.toUnsignedLong(in.getInt());
        int code = Byte.toUnsignedInt(in.get());
        FrameKind kind = FrameKind.CODES.find(code);
        long requestId = in.getLong();
        long headerBytes = Integer.toUnsignedLong(in.getInt());
        long payloadBytes = lengthBytes - Frame.FIXED_BYTES - headerBytes;
        if (kind == null
                || payloadBytes < 0
                || headerBytes > Integer.MAX_VALUE
                || payloadBytes > Integer.MAX_VALUE
                || !kind.allows((int) headerBytes, (int) payloadBytes)) {
            throw new MalformedMessageException(
                    "frame of kind %d with length %d and header length %d"
                            .formatted(code, lengthBytes, headerBytes));
        }
        return new Preface(kind, requestId, (int) headerBytes, (int) payloadBytes);
    }
}
