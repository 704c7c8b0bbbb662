package io.cairn.nfs.rpc;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;

/**
 * Chooses where a socket reads to: into the record that is being collected, else into a buffer that
 * holds many calls, or, amid large records, one that holds little more than the next header.
 */
final class RecordBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    private static final int USUAL_BYTES = 32 << 10;
    private static final int HEAD_BYTES = 1024;
    private static final int READS_AT_ONCE = 16;

    private final RecordReader reader;

    RecordBuffers(RecordReader reader) {
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
