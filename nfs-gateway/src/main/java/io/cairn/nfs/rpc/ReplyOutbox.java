package io.cairn.nfs.rpc;

import io.cairn.runtime.Clock;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Answers on their way to the socket. Any thread adds; the event loop takes all that came in since
 * it last looked, copies small ones together and flushes once. Bytes that the socket does not take
 * wait here, and their calls count as in progress.
 */
@SuppressWarnings("FutureReturnValueIgnored") // The pipeline tells what goes wrong.
final class ReplyOutbox {
    private static final int BATCH_BYTES = 64 << 10;
    private static final int COPIED_BYTES = 4096;

    private final RpcConnection connection;
    private final Channel channel;
    private final Queue<RpcReply> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Deque<RpcReply> waiting = new ArrayDeque<>();
    private final Runnable drain = this::drain;
    private final AtomicInteger ready = new AtomicInteger();
    private final Clock clock;
    private volatile long readySinceMs;
    private @Nullable ByteBuf batch;
    private int batchCalls;
    private long batchShare;

    ReplyOutbox(RpcConnection connection, Channel channel, Clock clock) {
        this.connection = connection;
        this.channel = channel;
        this.clock = clock;
    }

    /** Whether there are answers that the socket has not taken; from any thread. */
    boolean isFull() {
        return ready.get() > 0;
    }

    /** Since when there have been such answers; from any thread. */
    long readySinceMs() {
        return readySinceMs;
    }

    /** The socket has taken answers. */
    void taken(int replies) {
        ready.addAndGet(-replies);
    }

    /** Adds an answer, from any thread. */
    void add(RpcReply reply) {
        if (ready.getAndIncrement() == 0) {
            readySinceMs = clock.millis();
        }
        arrived.add(reply);
        if (scheduled.compareAndSet(false, true)) {
            channel.eventLoop().execute(drain);
        }
    }

    /** Gives to the socket what it takes. */
    void drain() {
        scheduled.set(false);
        for (RpcReply reply = arrived.poll(); reply != null; reply = arrived.poll()) {
            waiting.add(reply);
        }
        if (!connection.isAlive()) {
            discard();
            return;
        }
        boolean wrote = false;
        while (channel.isWritable()) {
            RpcReply reply = waiting.poll();
            if (reply == null) {
                break;
            }
            write(reply);
            wrote = true;
        }
        if (wrote) {
            writeBatch();
            channel.flush();
        }
    }

    private void write(RpcReply reply) {
        ByteBuf payload = reply.payload();
        int head = reply.head().readableBytes();
        if (payload == null && head > COPIED_BYTES) {
            writeBatch();
            send(reply.head(), 1, reply.call().replyBytes());
            return;
        }
        ByteBuf to = batch();
        to.writeBytes(reply.head());
        reply.head().release();
        batchCalls++;
        batchShare += reply.call().replyBytes();
        if (payload != null) {
            int padding = reply.paddingBytes();
            if (payload.readableBytes() <= COPIED_BYTES) {
                to.writeBytes(payload);
                payload.release();
            } else {
                ByteBuf before = to;
                batch = null;
                channel.write(before, channel.voidPromise());
                int calls = batchCalls;
                long share = batchShare;
                batchCalls = 0;
                batchShare = 0;
                send(payload, calls, share);
            }
            if (padding > 0) {
                batch().writeZero(padding);
            }
        }
        ByteBuf filled = batch;
        if (filled != null && filled.readableBytes() >= BATCH_BYTES) {
            writeBatch();
        }
    }

    private ByteBuf batch() {
        ByteBuf to = batch;
        if (to == null) {
            to = channel.alloc().directBuffer(1024);
            batch = to;
        }
        return to;
    }

    private void writeBatch() {
        ByteBuf full = batch;
        if (full != null) {
            batch = null;
            int calls = batchCalls;
            long share = batchShare;
            batchCalls = 0;
            batchShare = 0;
            send(full, calls, share);
        }
    }

    private void send(ByteBuf bytes, int calls, long share) {
        if (calls == 0) {
            channel.write(bytes, channel.voidPromise());
        } else {
            channel.write(bytes)
                    .addListener(
                            (ChannelFutureListener) sent -> connection.delivered(calls, share));
        }
    }

    /** Drops everything: the connection has ended. */
    void discard() {
        int calls = 0;
        long share = 0;
        for (RpcReply reply = arrived.poll(); reply != null; reply = arrived.poll()) {
            waiting.add(reply);
        }
        for (RpcReply reply = waiting.poll(); reply != null; reply = waiting.poll()) {
            calls++;
            share += reply.call().replyBytes();
            reply.release();
        }
        if (calls > 0) {
            connection.delivered(calls, share);
        }
    }
}
