package io.cairn.net.frame;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Handler;
import io.cairn.net.TimerWheel;
import io.cairn.runtime.Scheduler;
import io.cairn.testkit.ManualClock;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** A wire to another one in memory, driven step by step by the thread of a test. */
final class MemoryWire implements Wire {
    private final ByteBufAllocator allocator;
    private final ManualClock clock;
    private final TimerWheel wheel;
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private final ByteBuf unsent;
    private final FrameChannel channel;
    private @Nullable MemoryWire other;
    private @Nullable Runnable alarm;
    private long alarmMs;
    private boolean reading = true;
    private boolean writable = true;
    private boolean open = true;

    MemoryWire(
            ChannelSettings settings, ManualClock clock, ByteBufAllocator made, Handler handler) {
        this.allocator = made;
        this.clock = clock;
        this.unsent = made.buffer();
        this.wheel = new TimerWheel(this::setAlarm, clock);
        this.channel = new FrameChannel(this, settings, handler, new Endpoint("memory", 1));
    }

    /** Connects two of them. */
    static void join(MemoryWire here, MemoryWire there) {
        here.other = there;
        there.other = here;
        here.channel.begin();
        there.channel.begin();
    }

    FrameChannel channel() {
        return channel;
    }

    boolean isReading() {
        return reading;
    }

    void setWritable(boolean possible) {
        writable = possible;
        channel.drain();
    }

    private Scheduler.Timer setAlarm(Runnable task, long delayMs) {
        alarm = task;
        alarmMs = clock.millis() + delayMs;
        return () -> alarm = null;
    }

    /** Runs what is to be run; whether there was anything. */
    boolean runTasks() {
        boolean any = !tasks.isEmpty();
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
        Runnable due = alarm;
        if (due != null && alarmMs <= clock.millis()) {
            alarm = null;
            due.run();
            return true;
        }
        return any;
    }

    /** Brings the other side what was sent, at most so much; how much it was. */
    int deliver(int maxBytes) {
        MemoryWire to = other;
        int count = Math.min(unsent.readableBytes(), maxBytes);
        if (count > 0 && to != null && to.open && to.reading) {
            ByteBuf bytes = to.allocator.buffer(count).writeBytes(unsent, count);
            unsent.discardSomeReadBytes();
            to.channel.received(bytes);
            to.channel.turnEnded();
            return count;
        }
        return 0;
    }

    @Override
    public boolean isOwner() {
        return true;
    }

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    @Override
    public TimerWheel wheel() {
        return wheel;
    }

    @Override
    public ByteBufAllocator allocator() {
        return allocator;
    }

    @Override
    public boolean isWritable() {
        return writable;
    }

    @Override
    public void write(ByteBuf bytes) {
        unsent.writeBytes(bytes);
        bytes.release();
    }

    @Override
    public void flush() {}

    @Override
    public long unsentBytes() {
        return unsent.readableBytes();
    }

    @Override
    public void setReading(boolean read) {
        reading = read;
    }

    @Override
    public void finish() {
        execute(this::close);
    }

    @Override
    public void abort() {
        close();
    }

    @Override
    public void close() {
        if (open) {
            open = false;
            execute(
                    () -> {
                        channel.ended();
                        unsent.release();
                    });
            MemoryWire to = other;
            if (to != null) {
                to.execute(to::close);
            }
        }
    }
}
