package io.cairn.net;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Chooses where a socket reads to: into the payload that is being collected, else into a buffer
 * that holds many small frames, or, amid large frames, one that holds little more than the next
 * header, so that little of a payload has to be copied out of it.
 */
final class ReadBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Payloads above this size make the next read a small one. */
    static final int LARGE_BYTES = 128 << 10;

    private static final int USUAL_BYTES = 64 << 10;
    private static final int HEAD_BYTES = 2048;
    private static final int READS_AT_ONCE = 32;

    private final FrameReader reader;

    ReadBuffers(FrameReader reader) {
        super(READS_AT_ONCE);
        this.reader = reader;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty's own allocators still return this type.
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return reader.isLarge() ? HEAD_BYTES : USUAL_BYTES;
            }

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                ByteBuf window = reader.window();
                return window == null ? allocator.directBuffer(guess()) : window;
            }
        };
    }
}
