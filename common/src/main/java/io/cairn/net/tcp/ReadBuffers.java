package io.cairn.net.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.DefaultMaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import org.jspecify.annotations.Nullable;

/**
 * Chooses where a socket reads to: into the payload that is being collected, or else into a buffer
 * that holds many small messages. Amid large ones it takes a buffer that holds little more than the
 * next header, so that little of a payload has to be copied out of it. One for each connection;
 * used on its loop only.
 */
public final class ReadBuffers extends DefaultMaxMessagesRecvByteBufAllocator {
    /** Payloads above this size make the next read a small one. */
    public static final int LARGE_BYTES = 128 << 10;

    /** The message that is being read, as far as it is known. */
    public interface Source {
        /** A buffer for the rest of the payload being collected, or null when there is none. */
        @Nullable ByteBuf window();

        /** Whether the last message was larger than {@link #LARGE_BYTES}. */
        boolean isLarge();
    }

    /**
     * How much to read at a time.
     *
     * @param usualBytes where many messages are expected
     * @param headBytes where a large one is expected
     * @param readsAtOnce how often before other connections have their turn
     */
    public record Sizes(int usualBytes, int headBytes, int readsAtOnce) {}

    private final Source source;
    private final Sizes sizes;

    /** For one connection. */
    public ReadBuffers(Source source, Sizes sizes) {
        super(sizes.readsAtOnce);
        this.source = source;
        this.sizes = sizes;
    }

    @Override
    @SuppressWarnings("deprecation") // Netty's own allocators still return this type.
    public RecvByteBufAllocator.Handle newHandle() {
        return new MaxMessageHandle() {
            @Override
            public int guess() {
                return source.isLarge() ? sizes.headBytes : sizes.usualBytes;
            }

            @Override
            public ByteBuf allocate(ByteBufAllocator allocator) {
                ByteBuf window = source.window();
                return window == null ? allocator.directBuffer(guess()) : window;
            }
        };
    }
}
