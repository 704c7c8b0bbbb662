package io.cairn.net.tcp;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.base.Wording;
import io.cairn.cluster.Endpoint;
import io.cairn.net.Connection;
import io.cairn.net.Handler;
import io.cairn.net.Listener;
import io.cairn.net.TimerWheel;
import io.cairn.net.Transport;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.runtime.Clock;
import io.cairn.runtime.PollLoop;
import io.cairn.runtime.Scheduler;
import io.cairn.runtime.StreamSocket;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A network of one connection at a time, run by whoever has time ({@link PollLoop}) instead of an
 * event loop: the next connection closes the last one. Nobody listens here. Thread-safe.
 */
public final class PolledTransport implements Transport, PollLoop {
    private static final long GREETING_LOOK_NS = 200_000;

    private final ChannelSettings settings;
    private final ByteBufAllocator allocator;
    private final Executor connecting;
    private final Clock clock;
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final ReentrantLock turn = new ReentrantLock();
    private volatile boolean entered;
    private volatile @Nullable Thread owner;
    private volatile @Nullable PolledWire wire;

    // With the turn only.
    private final TimerWheel wheel;
    private @Nullable Runnable alarm;
    private long alarmNs;

    /**
     * A network that nobody runs yet.
     *
     * @param connecting runs what connects, which blocks
     */
    public PolledTransport(
            ChannelSettings settings, ByteBufAllocator allocator, Executor connecting) {
        this.settings = settings;
        this.allocator = allocator;
        this.connecting = connecting;
        this.clock = settings.clock();
        this.wheel = new TimerWheel(this::setAlarm, clock);
    }

    private Scheduler.Timer setAlarm(Runnable task, long delayMs) {
        alarm = task;
        alarmNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMs);
        return () -> alarm = null;
    }

    // ---- the transport

    @Override
    public CompletableFuture<Connection> connect(Endpoint to, Handler handler, long timeoutMs) {
        if (!entered) {
            return CompletableFuture.failedFuture(
                    new FsException(Errno.DISCONNECTED, "nobody runs the connections"));
        }
        CompletableFuture<Connection> result = new CompletableFuture<>();
        try {
            connecting.execute(() -> dial(to, handler, timeoutMs, result));
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(refused(to, e));
        }
        return result;
    }

    private void dial(
            Endpoint to, Handler handler, long timeoutMs, CompletableFuture<Connection> result) {
        long endNs = clock.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        try {
            StreamSocket socket = StreamSocket.connect(to.host(), to.port(), timeoutMs);
            PolledWire made = new PolledWire(this, socket, settings, handler, to);
            CompletableFuture<Connection> greeting = made.channel().greeting();
            execute(() -> adopt(made));
            // Who runs the loop sleeps, and knows nothing of this socket yet.
            while (!greeting.isDone() && clock.nanoTime() - endNs < 0) {
                poll();
                LockSupport.parkNanos(this, GREETING_LOOK_NS);
            }
            if (!greeting.isDone()) {
                made.channel().close();
                throw new InterruptedIOException("no answer within " + timeoutMs + " ms");
            }
            var _ =
                    greeting.whenComplete(
                            (connection, failure) -> {
                                if (connection == null) {
                                    result.completeExceptionally(refused(to, failure));
                                } else {
                                    result.complete(connection);
                                }
                            });
        } catch (IOException e) {
            Errno errno =
                    e instanceof InterruptedIOException ? Errno.ETIMEDOUT : Errno.DISCONNECTED;
            result.completeExceptionally(
                    new FsException(errno, "cannot connect to " + to + ": " + Wording.of(e), e));
        }
    }

    private static FsException refused(Endpoint to, @Nullable Throwable failure) {
        String what = "cannot connect to " + to + ": ";
        if (failure == null) {
            return new FsException(Errno.DISCONNECTED, what + "it ended");
        }
        Errno errno = failure instanceof FsException e ? e.errno() : Errno.DISCONNECTED;
        return new FsException(errno, what + Wording.of(failure), failure);
    }

    private void adopt(PolledWire made) {
        PolledWire last = wire;
        if (last != null) {
            last.channel().close();
        }
        wire = made;
        made.begin(entered);
    }

    @Override
    public Listener listen(Endpoint at, Handler handler) {
        throw new FsException(Errno.ENXIO, "nobody listens on a polled network");
    }

    @Override
    public void close() {
        leave();
    }

    // ---- the loop

    /** Whether the calling thread runs the loop now. */
    boolean isRunning() {
        return turn.isHeldByCurrentThread();
    }

    TimerWheel wheel() {
        return wheel;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    /** Runs a task in a turn: that of the owner, else one of the calling thread or who runs now. */
    void execute(Runnable task) {
        tasks.add(task);
        if (!isOwned()) {
            run(false);
        }
    }

    /** Turns, unless another thread does, which then sees what was added before. */
    private boolean run(boolean reading) {
        boolean any = false;
        while (!isRunning() && turn.tryLock()) {
            try {
                any |= turn(reading);
            } finally {
                turn.unlock();
            }
            if (tasks.isEmpty()) {
                break;
            }
        }
        return any;
    }

    private boolean turn(boolean reading) {
        runTasks();
        PolledWire open = wire;
        boolean any = reading && open != null && open.read();
        Runnable due = alarm;
        if (due != null && clock.nanoTime() - alarmNs >= 0) {
            alarm = null;
            due.run();
        }
        runTasks();
        if (open != null) {
            open.flush();
        }
        return any;
    }

    private void runTasks() {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    @Override
    public void enter() {
        entered = true;
    }

    @Override
    public boolean isEntered() {
        return entered;
    }

    @Override
    public void own() {
        owner = Thread.currentThread();
    }

    @Override
    public boolean isOwned() {
        return Thread.currentThread().equals(owner);
    }

    @Override
    public int descriptor() {
        PolledWire open = wire;
        return open == null ? -1 : open.descriptor();
    }

    @Override
    public int expected() {
        PolledWire open = wire;
        return open == null ? 0 : open.channel().callsInFlight();
    }

    @Override
    public void flush() {
        if (!tasks.isEmpty()) {
            run(false);
        }
    }

    @Override
    public boolean poll() {
        return run(true);
    }

    @Override
    public void leave() {
        entered = false;
        owner = null;
        PolledWire open = wire;
        if (open != null) {
            open.channel().close();
        }
    }
}
