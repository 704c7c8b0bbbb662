package io.cairn.net.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Waits for the first byte of a connection, which tells TLS from plain text: a record of a TLS
 * handshake begins with 22, and no frame does. Used on its loop only.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class FirstByte extends ChannelInboundHandlerAdapter {
    private static final short TLS_HANDSHAKE = 22;

    /** As long as a connection may be silent at its beginning. */
    private static final int PATIENCE_S = 10;

    private final Choice choice;
    private @Nullable Future<?> timer;

    /** Puts the rest of the pipeline behind this handler. */
    @FunctionalInterface
    interface Choice {
        void made(boolean isTls);
    }

    /** Before anything was read. */
    FirstByte(Choice choice) {
        this.choice = choice;
    }

    @Override
    public void channelActive(ChannelHandlerContext context) {
        timer = context.executor().schedule(() -> context.close(), PATIENCE_S, TimeUnit.SECONDS);
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        ByteBuf bytes = (ByteBuf) message;
        if (!bytes.isReadable()) {
            bytes.release();
            return;
        }
        stopTimer();
        choice.made(bytes.getUnsignedByte(bytes.readerIndex()) == TLS_HANDSHAKE);
        context.fireChannelActive();
        context.fireChannelRead(bytes);
        context.pipeline().remove(this);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        stopTimer();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.close();
    }

    private void stopTimer() {
        Future<?> running = timer;
        if (running != null) {
            running.cancel(false);
        }
    }
}
