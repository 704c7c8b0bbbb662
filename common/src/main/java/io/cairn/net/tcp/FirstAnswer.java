package io.cairn.net.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Looks at the first byte that a called process sends, in front of TLS. A process in plain text
 * greets whoever connects at once; records of TLS begin with 20 to 23, and no frame does. Silence,
 * an end without a byte and an alert are no plain text. A connection with plain text is closed.
 * Used on its loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class FirstAnswer extends ChannelInboundHandlerAdapter {
    private static final short FIRST_TLS = 20;
    private static final short LAST_TLS = 23;

    private final AtomicBoolean isPlain;

    /**
     * Before anything was read.
     *
     * @param isPlain becomes true when the other side answers in plain text, before anybody hears
     *     of it
     */
    FirstAnswer(AtomicBoolean isPlain) {
        this.isPlain = isPlain;
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (bytes.isReadable()) {
            short first = bytes.getUnsignedByte(bytes.readerIndex());
            isPlain.set(first < FIRST_TLS || first > LAST_TLS);
            if (isPlain.get()) {
                // No handshake fails: nobody is refused whose plain text is taken.
                bytes.release();
                context.close();
                return;
            }
            context.pipeline().remove(this);
        }
        context.fireChannelRead(bytes);
    }
}
