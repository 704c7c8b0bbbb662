package io.cairn.net.tcp;

import io.cairn.cluster.Endpoint;
import io.cairn.net.Handler;
import io.cairn.net.TimerWheel;
import io.cairn.net.frame.ChannelSettings;
import io.cairn.net.frame.FrameChannel;
import io.cairn.net.frame.Wire;
import io.cairn.runtime.StreamSocket;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A wire over a socket whose descriptor is known, run by its {@link PolledTransport}. */
final class PolledWire implements Wire {
    private static final int READ_BYTES = 64 << 10;
    private static final int HIGH_WATER_BYTES = 256 << 10;

    private final PolledTransport loop;
    private final StreamSocket socket;
    private final FrameChannel channel;
    private volatile boolean open = true;

    // With the turn of the loop only.
    private final Deque<ByteBuf> unsent = new ArrayDeque<>();
    private long unsentBytes;
    private boolean reading = true;
    private boolean finishing;
    private @Nullable ByteBuf spare;

    /** The memory of {@link #spare}. */
    private @Nullable MemorySegment window;

    PolledWire(
            PolledTransport loop,
            StreamSocket socket,
            ChannelSettings settings,
            Handler handler,
            Endpoint remote) {
        this.loop = loop;
        this.socket = socket;
        this.channel = new FrameChannel(this, settings, handler, remote);
    }

    FrameChannel channel() {
        return channel;
    }

    /** For poll(2). */
    int descriptor() {
        return open ? socket.descriptor() : -1;
    }

    /** The socket is connected; {@code wanted} if anybody still wants it. */
    void begin(boolean wanted) {
        try {
            socket.setNonBlocking();
            channel.begin();
        } catch (IOException e) {
            channel.failed(e);
        }
        if (!wanted) {
            channel.close();
        }
    }

    /** Takes what has come in; whether there was anything. */
    boolean read() {
        boolean any = false;
        int count = READ_BYTES;
        while (count == READ_BYTES && open && reading) {
            count = readOnce();
            any |= count > 0;
        }
        if (any) {
            channel.turnEnded();
        }
        return any;
    }

    private int readOnce() {
        ByteBuf in = spare;
        MemorySegment into = window;
        if (in == null || into == null) {
            in = loop.allocator().directBuffer(READ_BYTES);
            into = MemorySegment.ofBuffer(in.internalNioBuffer(0, READ_BYTES));
            spare = in;
            window = into;
        }
        int count;
        try {
            count = socket.receive(into);
        } catch (IOException e) {
            channel.failed(e);
            return 0;
        }
        if (count > 0) {
            channel.received(in.retainedSlice(0, count));
            if (in.refCnt() > 1) {
                // Somebody keeps a part.
                in.release();
                spare = null;
            }
        }
        return count;
    }

    @Override
    public boolean isOwner() {
        return loop.isRunning();
    }

    @Override
    public void execute(Runnable task) {
        loop.execute(task);
    }

    @Override
    public TimerWheel wheel() {
        return loop.wheel();
    }

    @Override
    public ByteBufAllocator allocator() {
        return loop.allocator();
    }

    @Override
    public boolean isWritable() {
        return unsentBytes < HIGH_WATER_BYTES;
    }

    @Override
    public void write(ByteBuf bytes) {
        ByteBuf direct = bytes;
        if (!bytes.isDirect() || bytes.nioBufferCount() > 1) {
            direct = loop.allocator().directBuffer(bytes.readableBytes()).writeBytes(bytes);
            bytes.release();
        }
        unsent.add(direct);
        unsentBytes += direct.readableBytes();
    }

    @Override
    public void flush() {
        boolean full = !isWritable();
        try {
            for (ByteBuf first = unsent.peek(); first != null && open; first = unsent.peek()) {
                int bytes = first.readableBytes();
                int sent = bytes == 0 ? 0 : socket.send(MemorySegment.ofBuffer(first.nioBuffer()));
                first.skipBytes(sent);
                unsentBytes -= sent;
                if (sent < bytes) {
                    break;
                }
                unsent.remove();
                first.release();
            }
        } catch (IOException e) {
            channel.failed(e);
            return;
        }
        if (finishing && unsent.isEmpty()) {
            close();
        } else if (full && isWritable()) {
            channel.drain();
        }
    }

    @Override
    public long unsentBytes() {
        return unsentBytes;
    }

    @Override
    public void setReading(boolean read) {
        reading = read;
    }

    /** Bytes that the network does not take at once are lost: answers to them would be, too. */
    @Override
    public void finish() {
        finishing = true;
        flush();
        close();
    }

    @Override
    public void abort() {
        close();
    }

    @Override
    public void close() {
        if (!open) {
            return;
        }
        open = false;
        socket.close();
        for (ByteBuf each = unsent.poll(); each != null; each = unsent.poll()) {
            each.release();
        }
        unsentBytes = 0;
        if (spare != null) {
            spare.release();
            spare = null;
        }
        // Not from within what closes it.
        loop.execute(channel::ended);
    }
}
