package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.EventLoops;
import io.cairn.net.frame.FrameChannel;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One attempt to connect: looks the host up, tries its addresses in turn, and waits for the
 * greeting, all within one timeout. Runs on the event loop that will own the connection.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class Dial {
    private final Function<Channel, FrameChannel> greeter;
    private final EventLoops loops;
    private final EventLoop loop;
    private final Endpoint to;
    private final long timeoutMs;
    private final CompletableFuture<Connection> result = new CompletableFuture<>();
    private @Nullable Channel channel;

    /**
     * Not begun.
     *
     * @param greeter puts a new socket into service, in its initializer
     */
    Dial(Function<Channel, FrameChannel> greeter, EventLoops loops, Endpoint to, long timeoutMs) {
        this.greeter = greeter;
        this.loops = loops;
        this.loop = loops.group().next();
        this.to = to;
        this.timeoutMs = timeoutMs;
    }

    CompletableFuture<Connection> begin() {
        try {
            Future<?> timer = loop.schedule(this::tooLate, timeoutMs, TimeUnit.MILLISECONDS);
            result.whenComplete((connection, error) -> timer.cancel(false));
            byte[] literal = NetUtil.createByteArrayFromIpAddressString(to.host());
            if (literal != null) {
                List<InetAddress> one = List.of(InetAddress.getByAddress(literal));
                loop.execute(() -> tryNext(one, 0, ""));
            } else {
                loops.resolvers().execute(this::resolve);
            }
        } catch (RejectedExecutionException | UnknownHostException e) {
            fail(Errno.DISCONNECTED, String.valueOf(e.getMessage()));
        }
        return result;
    }

    private void resolve() {
        try {
            List<InetAddress> addresses = List.of(InetAddress.getAllByName(to.host()));
            loop.execute(() -> tryNext(addresses, 0, ""));
        } catch (UnknownHostException e) {
            fail(Errno.DISCONNECTED, "unknown host");
        } catch (RejectedExecutionException e) {
            fail(Errno.DISCONNECTED, "the transport is closed");
        }
    }

    private void tooLate() {
        fail(Errno.ETIMEDOUT, "no answer within " + timeoutMs + " ms");
    }

    private void fail(Errno errno, String why) {
        boolean first =
                result.completeExceptionally(
                        new FsException(errno, "cannot connect to " + to + ": " + why));
        if (first && channel != null) {
            channel.close();
        }
    }

    private void tryNext(List<InetAddress> addresses, int index, String lastError) {
        if (result.isDone()) {
            return;
        }
        if (index >= addresses.size()) {
            fail(Errno.DISCONNECTED, lastError);
            return;
        }
        ChannelFuture connected =
                new Bootstrap()
                        .group(loop)
                        .channel(loops.socketClass())
                        .option(
                                ChannelOption.CONNECT_TIMEOUT_MILLIS,
                                Math.clamp(timeoutMs, 1, Integer.MAX_VALUE))
                        .handler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel made) {
                                        greet(made);
                                    }
                                })
                        .connect(new InetSocketAddress(addresses.get(index), to.port()));
        channel = connected.channel();
        connected.addListener(
                done -> {
                    Throwable cause = done.cause();
                    if (cause != null) {
                        tryNext(addresses, index + 1, reasonOf(cause));
                    }
                });
    }

    /** Without the address, which the message names already. */
    private static String reasonOf(Throwable cause) {
        String text = String.valueOf(cause.getMessage());
        return text.contains("refused") ? "connection refused" : text;
    }

    private void greet(Channel made) {
        greeter.apply(made)
                .greeting()
                .whenComplete(
                        (greeted, error) -> {
                            if (greeted != null) {
                                if (!result.complete(greeted)) {
                                    greeted.close();
                                }
                            } else {
                                refused(error);
                            }
                        });
    }

    private void refused(@Nullable Throwable error) {
        if (error instanceof FsException e) {
            fail(e.errno(), String.valueOf(e.getMessage()));
        } else {
            fail(Errno.DISCONNECTED, error == null ? "the connection ended" : Wording.of(error));
        }
    }
}
