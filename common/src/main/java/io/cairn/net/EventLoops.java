package io.cairn.net;

import io.cairn.runtime.Clock;
import io.cairn.runtime.DaemonThreads;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufAllocatorMetric;
import io.netty.buffer.ByteBufAllocatorMetricProvider;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.SingleThreadEventExecutor;
import io.netty.util.concurrent.ThreadAwareExecutor;
import java.nio.channels.spi.SelectorProvider;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads that move bytes between sockets and memory, shared by any number of transports and
 * doors of a process: epoll where its native library loads, else NIO. Thread-safe. Nothing that
 * blocks may run on them.
 */
public final class EventLoops implements AutoCloseable {
    private static final int RESOLVER_THREADS = 4;
    private static final int RESOLVER_QUEUE = 256;

    private static final long CLOSE_TIMEOUT_MS = 3_000;

    private final EventLoopGroup group;
    private final Clock clock;
    private final Map<EventExecutor, TimerWheel> wheels = new HashMap<>();
    private final Map<ThreadAwareExecutor, SleepStrategy> strategies = new HashMap<>();
    private final ThreadPoolExecutor resolvers;

    /**
     * Starts the threads as they are needed.
     *
     * @param name beginning of the names of the threads
     * @param threads number of loops, 1 or more
     */
    public EventLoops(String name, int threads, Clock clock) {
        this.clock = clock;
        this.group =
                new MultiThreadIoEventLoopGroup(threads, new DaemonThreads(name), this::handler);
        for (EventExecutor loop : group) {
            wheels.put(loop, wheelOn(loop, clock));
        }
        this.resolvers =
                new ThreadPoolExecutor(
                        RESOLVER_THREADS,
                        RESOLVER_THREADS,
                        10,
                        TimeUnit.SECONDS,
                        new LinkedBlockingQueue<>(RESOLVER_QUEUE),
                        new DaemonThreads(name + "-resolve"));
        resolvers.allowCoreThreadTimeOut(true);
    }

    /** Timers of a loop. */
    static TimerWheel wheelOn(EventExecutor loop, Clock clock) {
        return new TimerWheel(
                (task, delayMs) -> {
                    Future<?> timer = loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
                    return () -> timer.cancel(false);
                },
                clock);
    }

    private IoHandler handler(ThreadAwareExecutor loop) {
        SleepStrategy strategy = new SleepStrategy(clock);
        strategies.put(loop, strategy);
        IoHandlerFactory factory =
                Epoll.isAvailable()
                        ? EpollIoHandler.newFactory(0, () -> strategy)
                        : NioIoHandler.newFactory(SelectorProvider.provider(), () -> strategy);
        return factory.newHandler(loop);
    }

    /**
     * Registers {@code cairn.net.pending.tasks}, the work that waits for the loops, and {@code
     * cairn.net.buffers.bytes} with the tag {@code memory}, what Netty's buffers take.
     */
    public void measure(MeterRegistry registry) {
        Gauge.builder("cairn.net.pending.tasks", this, EventLoops::pendingTasks)
                .description("work that waits for the threads of the network")
                .register(registry);
        if (ByteBufAllocator.DEFAULT instanceof ByteBufAllocatorMetricProvider provider) {
            ByteBufAllocatorMetric metric = provider.metric();
            Gauge.builder("cairn.net.buffers.bytes", metric, m -> m.usedDirectMemory())
                    .description("memory of buffers for the network and file contents")
                    .tag("memory", "direct")
                    .register(registry);
            Gauge.builder("cairn.net.buffers.bytes", metric, m -> m.usedHeapMemory())
                    .description("memory of buffers for the network and file contents")
                    .tag("memory", "heap")
                    .register(registry);
        }
    }

    private int pendingTasks() {
        int tasks = 0;
        for (EventExecutor loop : group) {
            if (loop instanceof SingleThreadEventExecutor executor) {
                tasks += executor.pendingTasks();
            }
        }
        return tasks;
    }

    public EventLoopGroup group() {
        return group;
    }

    public Clock clock() {
        return clock;
    }

    public TimerWheel wheelOf(EventLoop loop) {
        TimerWheel wheel = wheels.get(loop);
        if (wheel == null) {
            throw new IllegalArgumentException("a loop of another group");
        }
        return wheel;
    }

    private SleepStrategy strategyOf(EventExecutor loop) {
        SleepStrategy strategy = strategies.get(loop);
        if (strategy == null) {
            throw new IllegalArgumentException("a loop of another group");
        }
        return strategy;
    }

    /** Where host names are looked up, which may block. */
    public Executor resolvers() {
        return resolvers;
    }

    public Class<? extends SocketChannel> socketClass() {
        return Epoll.isAvailable() ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> serverClass() {
        return Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /**
     * Runs tasks at the end of a turn: on the calling loop, when it has read what else has come in
     * for it; at once, if the calling thread is none of the loops.
     *
     * @param awakeNs for how long the loop does not sleep afterwards, while nothing comes of the
     *     task, in nanoseconds; 0: it sleeps when it has nothing to do
     */
    public Executor endOfTurn(long awakeNs) {
        return task -> {
            EventExecutor loop = current();
            if (loop == null || loop.isShuttingDown()) {
                task.run();
                return;
            }
            loop.execute(task);
            if (awakeNs > 0) {
                strategyOf(loop).stayAwake(awakeNs);
            }
        };
    }

    /**
     * Runs tasks elsewhere. If the calling thread is one of the loops it does not sleep until the
     * next task comes for it, as the answer of this one may be, but reads what comes in.
     *
     * @param elsewhere runs them
     * @param awakeNs for how long at most, in nanoseconds
     */
    public Executor awake(Executor elsewhere, long awakeNs) {
        return task -> {
            elsewhere.execute(task);
            EventExecutor loop = current();
            if (loop != null) {
                strategyOf(loop).stayAwake(awakeNs);
            }
        };
    }

    private @Nullable EventExecutor current() {
        for (EventExecutor loop : group) {
            if (loop.inEventLoop()) {
                return loop;
            }
        }
        return null;
    }

    /** Whether the calling thread is one of the loops: it must not wait for any of them. */
    boolean inLoop() {
        return current() != null;
    }

    /** Ends the threads; waits up to three seconds, unless called on one of them. Idempotent. */
    @Override
    public void close() {
        resolvers.shutdownNow();
        var done = group.shutdownGracefully(0, CLOSE_TIMEOUT_MS / 2, TimeUnit.MILLISECONDS);
        if (!inLoop()) {
            done.awaitUninterruptibly(CLOSE_TIMEOUT_MS);
        }
    }
}
