package io.cairn.net.tcp;

import io.cairn.cluster.Endpoint;
import io.cairn.net.EventLoops;
import io.cairn.net.Handler;
import io.cairn.net.Principal;
import io.cairn.net.TimerWheel;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.frame.FrameChannel;
import io.cairn.net.frame.Wire;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A wire at the end of a Netty pipeline, owned by the event loop of its socket. */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class NettyWire extends ChannelInboundHandlerAdapter implements Wire, ReadBuffers.Source {
    private static final long CLOSE_GRACE_MS = 500;

    private final Channel socket;
    private final TimerWheel wheel;
    private final FrameChannel channel;
    private final @Nullable TlsLayer tls;

    NettyWire(
            Channel socket,
            EventLoops loops,
            ChannelSettings settings,
            Handler handler,
            Endpoint remote,
            @Nullable TlsLayer tls) {
        this.socket = socket;
        this.tls = tls;
        this.wheel = loops.wheelOf(socket.eventLoop());
        this.channel = new FrameChannel(this, settings, handler, remote);
    }

    FrameChannel channel() {
        return channel;
    }

    // ---- what comes in

    @Override
    public void channelActive(ChannelHandlerContext context) {
        channel.begin();
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object bytes) {
        channel.received((ByteBuf) bytes);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        channel.turnEnded();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext context) {
        channel.drain();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (tls != null && event instanceof SslHandshakeCompletionEvent done) {
            if (done.isSuccess()) {
                examine();
            } else {
                channel.failed(tls.failure(done.cause()));
            }
        }
    }

    /** Looks whether the other side may speak still; ends the connection if not. */
    void examine() {
        IOException refusal = tls == null ? null : tls.examine();
        if (refusal != null) {
            channel.failed(refusal);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        channel.failed(
                tls != null && cause instanceof DecoderException ? tls.failure(cause) : cause);
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        channel.ended();
    }

    @Override
    public @Nullable ByteBuf window() {
        // With TLS the socket brings no payload but what has to be deciphered first.
        return tls == null ? channel.window() : null;
    }

    @Override
    public boolean isLarge() {
        return tls == null && channel.isLarge();
    }

    // ---- what goes out

    @Override
    public Principal principal(String address) {
        return tls == null ? Principal.anonymous(address) : tls.principal();
    }

    @Override
    public boolean isOwner() {
        return socket.eventLoop().inEventLoop();
    }

    @Override
    public void execute(Runnable task) {
        socket.eventLoop().execute(task);
    }

    @Override
    public TimerWheel wheel() {
        return wheel;
    }

    @Override
    public ByteBufAllocator allocator() {
        return socket.alloc();
    }

    @Override
    public boolean isWritable() {
        return socket.isWritable();
    }

    @Override
    public void write(ByteBuf bytes) {
        socket.write(bytes, socket.voidPromise());
    }

    @Override
    public void flush() {
        socket.flush();
    }

    @Override
    public long unsentBytes() {
        ChannelOutboundBuffer buffer = socket.unsafe().outboundBuffer();
        return buffer == null ? 0 : buffer.totalPendingWriteBytes();
    }

    @Override
    public void setReading(boolean reading) {
        socket.config().setAutoRead(reading);
    }

    @Override
    public void finish() {
        socket.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
        socket.eventLoop().schedule(() -> socket.close(), CLOSE_GRACE_MS, TimeUnit.MILLISECONDS);
    }

    @Override
    public void abort() {
        // The kernel forgets what it has not sent, and tells the other side if it can.
        socket.config().setOption(ChannelOption.SO_LINGER, 0);
        ChannelHandlerContext inside = socket.pipeline().context(SslHandler.class);
        if (inside == null) {
            socket.close();
        } else {
            // TLS would say farewell first.
            inside.close();
        }
    }

    @Override
    public void close() {
        socket.close();
    }
}
