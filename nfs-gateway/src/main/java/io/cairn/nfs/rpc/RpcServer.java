package io.cairn.nfs.rpc;

import io.cairn.cluster.Endpoint;
import io.cairn.net.EventLoops;
import io.cairn.net.Listener;
import io.cairn.net.ReceiveBudget;
import io.cairn.net.TcpListener;
import io.cairn.net.tcp.ReadBuffers;
import io.cairn.runtime.Clock;
import io.cairn.runtime.Scheduler;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.WriteBufferWaterMark;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A TCP port behind which RPC programs are. Thread-safe; {@link #close} closes the connections
 * without waiting for calls in progress.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
public final class RpcServer implements Listener {
    private static final Logger LOG = LoggerFactory.getLogger(RpcServer.class);
    private static final long CHECK_MS = 100;
    private static final ReadBuffers.Sizes READS = new ReadBuffers.Sizes(32 << 10, 1024, 16);
    private static final WriteBufferWaterMark WATER_MARK =
            new WriteBufferWaterMark(1 << 20, 4 << 20);

    private final RpcContext context;
    private final Scheduler scheduler;
    private final Set<RpcConnection> connections = ConcurrentHashMap.newKeySet();
    private final Map<InetAddress, Integer> hosts = new ConcurrentHashMap<>();
    private final TcpListener door;
    private volatile boolean closed;

    /**
     * The world of a server.
     *
     * @param loops move the bytes
     * @param workers run the calls, which may block; as many at a time as the limits allow
     * @param scheduler looks after connections
     */
    public record Threads(EventLoops loops, Executor workers, Scheduler scheduler, Clock clock) {}

    /**
     * Listens.
     *
     * @param at where; port 0 takes a free one
     * @param programs all with different numbers
     * @throws io.cairn.base.FsException as {@link io.cairn.net.Transport#listen} does
     */
    public RpcServer(Endpoint at, List<RpcProgram> programs, RpcLimits limits, Threads threads) {
        Map<Integer, RpcProgram> byNumber = new HashMap<>();
        for (RpcProgram program : programs) {
            if (byNumber.put(program.number(), program) != null) {
                throw new IllegalArgumentException("two programs " + program.number());
            }
        }
        long share = limits.budgetBytes() / 8;
        if (limits.maxReplyBytes() > share || limits.maxRecordBytes() > share) {
            throw new IllegalArgumentException(
                    "a budget of " + limits.budgetBytes() + " bytes; a connection gets an eighth");
        }
        this.context =
                new RpcContext(
                        limits,
                        Map.copyOf(byNumber),
                        new ReceiveBudget(limits.budgetBytes()),
                        new ReceiveBudget(limits.budgetBytes()),
                        new ReplyCache(threads.clock()),
                        threads.workers(),
                        threads.clock(),
                        LOG);
        this.scheduler = threads.scheduler();
        this.door =
                new TcpListener(
                        threads.loops(),
                        at,
                        limits.maxConnections(),
                        limits.maxConnectionsPerHost(),
                        this::accept);
        scheduler.schedule(this::check, CHECK_MS);
    }

    private void accept(Channel channel) {
        InetAddress host = ((InetSocketAddress) channel.remoteAddress()).getAddress();
        hosts.merge(host, 1, Integer::sum);
        channel.closeFuture().addListener(done -> hosts.compute(host, RpcServer::less));
        RpcConnection connection = new RpcConnection(channel, context);
        channel.config().setOption(ChannelOption.TCP_NODELAY, true);
        channel.config().setOption(ChannelOption.SO_KEEPALIVE, true);
        channel.config().setRecvByteBufAllocator(new ReadBuffers(connection.reader(), READS));
        channel.config().setWriteBufferWaterMark(WATER_MARK);
        channel.pipeline().addLast(connection.reader());
        connections.add(connection);
        channel.closeFuture().addListener(done -> connections.remove(connection));
    }

    private static @Nullable Integer less(InetAddress host, @Nullable Integer count) {
        return count == null || count <= 1 ? null : count - 1;
    }

    private void check() {
        if (closed) {
            return;
        }
        long nowMs = context.clock().millis();
        boolean impatient = context.calls().isAwaited() || context.answers().isAwaited();
        for (RpcConnection connection : connections) {
            String reason = connection.check(nowMs, impatient);
            if (reason != null) {
                connection.closeFor(reason);
            }
        }
        scheduler.schedule(this::check, CHECK_MS);
    }

    @Override
    public Endpoint endpoint() {
        return door.endpoint();
    }

    /** Connections now. */
    public int connectionCount() {
        return connections.size();
    }

    /** Connections now by the address of the client. */
    public Map<InetAddress, Integer> connectionsByHost() {
        return Map.copyOf(hosts);
    }

    /** Memory that calls and answers hold now, in bytes. */
    public long usedBytes() {
        return context.calls().usedBytes() + context.answers().usedBytes();
    }

    @Override
    public void close() {
        closed = true;
        door.close();
    }
}
