package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A bound port and the connections that came in through it. Thread-safe. */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class PortBinding implements Listener {
    private static final long BIND_TIMEOUT_MS = 10_000;
    private static final long CLOSE_TIMEOUT_MS = 2_000;

    private final EventLoops loops;
    private final Endpoint endpoint;
    private final Channel server;
    private final Admission accepted;

    public PortBinding(EventLoops loops, Endpoint asked, Channel server, Admission accepted) {
        this.loops = loops;
        int port = ((InetSocketAddress) server.localAddress()).getPort();
        this.endpoint = new Endpoint(asked.host(), port);
        this.server = server;
        this.accepted = accepted;
    }

    /** Binds; errors as {@link Transport#listen} says. */
    public static Channel bind(ServerBootstrap bootstrap, Endpoint at) {
        InetAddress address;
        try {
            address = InetAddress.getByName(at.host());
        } catch (UnknownHostException e) {
            throw new FsException(
                    Errno.ENXIO, "cannot listen on " + at + ": unknown host; use an address", e);
        }
        ChannelFuture bound = bootstrap.bind(new InetSocketAddress(address, at.port()));
        if (!bound.awaitUninterruptibly(BIND_TIMEOUT_MS)) {
            bound.channel().close();
            throw new FsException(Errno.EIO, "cannot listen on " + at + ": no answer in time");
        }
        if (!bound.isSuccess()) {
            throw refusal(at, bound.cause());
        }
        return bound.channel();
    }

    /** The error that tells why a port could not be bound. */
    public static FsException refusal(Endpoint at, @Nullable Throwable cause) {
        String text = cause == null ? "" : String.valueOf(cause.getMessage());
        String where = "cannot listen on " + at + ": ";
        Throwable known = cause == null ? new IllegalStateException(where) : cause;
        if (text.contains("in use")) {
            return new FsException(
                    Errno.EBUSY, where + "the port is in use; stop the other or choose one", known);
        }
        if (text.contains("ermission")) {
            return new FsException(
                    Errno.EACCES, where + "not allowed; choose a port above 1023", known);
        }
        if (text.contains("assign")) {
            return new FsException(
                    Errno.ENXIO, where + "the host is not an address of this machine", known);
        }
        return new FsException(Errno.EIO, where + text, known);
    }

    @Override
    public Endpoint endpoint() {
        return endpoint;
    }

    @Override
    public void close() {
        List<Channel> open = new ArrayList<>(accepted.open());
        open.add(server);
        server.close();
        for (Channel channel : open) {
            channel.close();
        }
        await(loops, open, CLOSE_TIMEOUT_MS);
    }

    /** Waits for channels to close, unless called on an event loop. */
    public static void await(EventLoops loops, Collection<Channel> channels, long timeoutMs) {
        if (loops.inLoop()) {
            return;
        }
        long deadlineNs = loops.clock().nanoTime() + timeoutMs * 1_000_000;
        for (Channel channel : channels) {
            long leftMs = (deadlineNs - loops.clock().nanoTime()) / 1_000_000;
            if (leftMs <= 0 || !channel.closeFuture().awaitUninterruptibly(leftMs)) {
                return;
            }
        }
    }
}
