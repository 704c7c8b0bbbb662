package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Admission;
import io.cairn.net.Callee;
import io.cairn.net.ChannelSecurity;
import io.cairn.net.Connection;
import io.cairn.net.EventLoops;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.PortBinding;
import io.cairn.net.Transport;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.frame.FrameChannel;
import io.cairn.runtime.Clock;
import io.cairn.wire.Limits;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The network of production: {@link FrameChannel frames} over TCP. Requests, replies and futures
 * complete on event loops, where nothing may block: work that does goes on to an executor, and
 * {@code *Async} methods of the futures take one.
 *
 * <p>Memory is bounded: frames by {@link Limits}, unanswered requests for each connection and for
 * the transport as a whole, connections for each listener. A peer that violates the protocol, is
 * silent for ten seconds, or takes thirty for one frame is disconnected with one line in the log.
 * Thread-safe.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class NettyTransport implements Transport {
    private static final ReadBuffers.Sizes READS = new ReadBuffers.Sizes(64 << 10, 2048, 32);
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(1 << 20, 4 << 20);
    private static final int ACCEPT_QUEUE = 1024;
    private static final long CLOSE_TIMEOUT_MS = 2000;

    private final EventLoops loops;
    private final ChannelSettings settings;
    private final ByteBufAllocator allocator;
    private final boolean ownsLoops;
    private final @Nullable ChannelSecurity security;
    private final Set<Channel> channels = ConcurrentHashMap.newKeySet();
    private final PlainConnections plainConnections;
    private volatile boolean closed;

    /**
     * A transport with threads of its own.
     *
     * @param name beginning of the names of the threads
     * @param threads event loops, 1 or more; a connection belongs to one of them
     */
    public NettyTransport(String name, int threads, Clock clock) {
        this(new EventLoops(name, threads, clock), true);
    }

    /** A transport on threads that it shares and does not close. */
    public NettyTransport(EventLoops loops) {
        this(loops, false);
    }

    private NettyTransport(EventLoops loops, boolean ownsLoops) {
        this(
                loops,
                ChannelSettings.standard(loops.clock(), false),
                ByteBufAllocator.DEFAULT,
                ownsLoops);
    }

    /** A transport without TLS. */
    public NettyTransport(
            EventLoops loops,
            ChannelSettings settings,
            ByteBufAllocator allocator,
            boolean ownsLoops) {
        this(loops, settings, allocator, ownsLoops, null);
    }

    /**
     * A transport.
     *
     * @param ownsLoops whether it closes them
     * @param security of all its connections; null for plain ones
     */
    public NettyTransport(
            EventLoops loops,
            ChannelSettings settings,
            ByteBufAllocator allocator,
            boolean ownsLoops,
            @Nullable ChannelSecurity security) {
        this.security = security;
        this.loops = loops;
        this.settings = settings;
        this.allocator = allocator;
        this.ownsLoops = ownsLoops;
        this.plainConnections = new PlainConnections(loops.clock());
    }

    /**
     * Registers {@code cairn.net.plain.connections}: those without TLS now, of a transport with it.
     */
    public void measure(MeterRegistry registry) {
        Gauge.builder("cairn.net.plain.connections", plainConnections, PlainConnections::count)
                .description("connections in plain text of a process that has a certificate")
                .register(registry);
    }

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        return connect(to, null, handler, timeoutMs);
    }

    @Override
    public CompletableFuture<Connection> connect(Callee to, Handler handler, long timeoutMs) {
        return connect(to.endpoint(), to, handler, timeoutMs);
    }

    private CompletableFuture<Connection> connect(
            Endpoint to, @Nullable Callee whom, Handler handler, long timeoutMs) {
        if (closed) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.DISCONNECTED, "the transport is closed"));
        }
        ChannelSecurity secured = security;
        if (secured == null) {
            return dial(to, made -> adopt(made, handler, to, null), timeoutMs);
        }
        Function<Channel, FrameChannel> greeter =
                made -> adopt(made, handler, to, TlsLayer.connecting(secured, to.host(), whom));
        if (!secured.admitsPlain()) {
            return dial(to, greeter, timeoutMs);
        }
        long beginNs = loops.clock().nanoTime();
        AtomicBoolean isPlain = new AtomicBoolean();
        CompletableFuture<Connection> either = new CompletableFuture<>();
        Function<Channel, FrameChannel> listener =
                made -> {
                    made.pipeline().addLast(new FirstAnswer(isPlain));
                    return greeter.apply(made);
                };
        dial(to, listener, timeoutMs)
                .whenComplete(
                        (made, error) -> {
                            long usedNs = loops.clock().nanoTime() - beginNs;
                            long leftMs = timeoutMs - TimeUnit.NANOSECONDS.toMillis(usedNs);
                            if (error == null || leftMs <= 0 || !isPlain.get()) {
                                settle(either, made, error);
                            } else {
                                dial(to, plain -> adopt(plain, handler, to, null), leftMs)
                                        .whenComplete((plain, e) -> settle(either, plain, e));
                            }
                        });
        return either;
    }

    private static void settle(
            CompletableFuture<Connection> either,
            @Nullable Connection made,
            @Nullable Throwable error) {
        if (made == null) {
            either.completeExceptionally(
                    error == null ? new IllegalStateException("no connection") : error);
        } else if (!either.complete(made)) {
            made.close();
        }
    }

    private CompletableFuture<Connection> dial(
            Endpoint to, Function<Channel, FrameChannel> greeter, long timeoutMs) {
        return new Dial(greeter, loops, to, timeoutMs).begin();
    }

    /**
     * Puts a new socket into service, in its initializer.
     *
     * @param tls of this socket; null when it is plain
     */
    private FrameChannel adopt(
            Channel channel, Handler handler, Endpoint remote, @Nullable TlsLayer tls) {
        NettyWire wire = new NettyWire(channel, loops, settings, handler, remote, tls);
        channel.config().setAllocator(allocator);
        channel.config().setRecvByteBufAllocator(new ReadBuffers(wire, READS));
        channel.config().setWriteBufferWaterMark(WATER_MARK);
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        if (tls != null) {
            channel.pipeline().addLast(tls.handler());
        }
        channel.pipeline().addLast(wire);
        track(channel);
        if (tls == null && security != null) {
            wire.channel()
                    .greeting()
                    .thenAccept(greeted -> plainConnections.add(channel, remote.host()));
        }
        return wire.channel();
    }

    private void track(Channel channel) {
        channels.add(channel);
        channel.closeFuture().addListener(done -> channels.remove(channel));
        if (closed) {
            channel.close();
        }
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        if (closed) {
            throw new FsException(Errno.ENXIO, "the transport is closed");
        }
        Admission admission =
                new Admission(
                        at.toString(),
                        Limits.MAX_CONNECTIONS,
                        Limits.MAX_CONNECTIONS / 2,
                        loops.clock());
        ServerBootstrap bootstrap =
                new ServerBootstrap()
                        .group(loops.group())
                        .channel(loops.serverClass())
                        .option(ChannelOption.SO_BACKLOG, ACCEPT_QUEUE)
                        .option(ChannelOption.SO_REUSEADDR, true)
                        .childHandler(
                                new ChannelInitializer<Channel>() {
                                    @Override
                                    protected void initChannel(Channel channel) {
                                        accept(channel, admission, handler);
                                    }
                                });
        Channel server = PortBinding.bind(bootstrap, at);
        track(server);
        return new PortBinding(loops, at, server, admission);
    }

    private void accept(Channel channel, Admission admission, Handler handler) {
        if (!admission.admit(channel, true)) {
            return;
        }
        ChannelSecurity secured = security;
        if (secured != null && secured.admitsPlain()) {
            track(channel);
            FirstByte.Choice choice =
                    isTls -> greet(channel, admission, handler, isTls ? secured : null);
            channel.pipeline().addLast(new FirstByte(choice));
        } else {
            greet(channel, admission, handler, secured);
        }
    }

    private void greet(
            Channel channel,
            Admission admission,
            Handler handler,
            @Nullable ChannelSecurity secured) {
        Endpoint remote = endpointOf((InetSocketAddress) channel.remoteAddress());
        TlsLayer tls = secured == null ? null : TlsLayer.accepted(secured, remote.host());
        adopt(channel, handler, remote, tls)
                .greeting()
                .thenAccept(greeted -> admission.spoke(channel));
    }

    /** Ends the connections whose other sides may speak no more. */
    public void examine() {
        for (Channel channel : channels) {
            NettyWire wire = channel.pipeline().get(NettyWire.class);
            if (wire != null && !channel.eventLoop().isShuttingDown()) {
                channel.eventLoop().execute(wire::examine);
            }
        }
    }

    private static Endpoint endpointOf(InetSocketAddress address) {
        return new Endpoint(address.getAddress().getHostAddress(), address.getPort());
    }

    @Override
    public void close() {
        closed = true;
        List<Channel> open = new ArrayList<>(channels);
        for (Channel channel : open) {
            channel.close();
        }
        PortBinding.await(loops, open, CLOSE_TIMEOUT_MS);
        if (ownsLoops) {
            loops.close();
        }
    }
}
