package io.cairn.net.frame;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Frames on their way to the wire, in the order added. Any thread adds; the owner takes all that
 * came in since it last looked, writes them together and flushes once. Bytes that the wire does not
 * take wait here and not there, so that a call that times out gives its memory back at once.
 */
final class Outbox {
    /** Messages without an answer that may wait for a peer that does not read. */
    static final int MAX_ONE_WAYS = 4096;

    private static final int MAX_ONE_WAY_BYTES = 16 << 20;

    /** Payloads up to this size are copied behind their header. */
    private static final int COPIED_BYTES = 4096;

    private static final int BATCH_BYTES = 64 << 10;
    private static final int FIRST_BATCH_BYTES = 512;

    private final FrameChannel channel;
    private final Wire wire;
    private final Queue<Frame> arrived = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean scheduled = new AtomicBoolean();
    private final Runnable drainTask;

    // Below: for the owner only.
    private final Deque<Frame> waiting = new ArrayDeque<>();
    private @Nullable ByteBuf batch;
    private boolean held;
    private int heldBytes;
    private long answerBytes;
    private int oneWays;
    private long oneWayBytes;
    private long sentCount;

    Outbox(FrameChannel channel, Wire wire) {
        this.channel = channel;
        this.wire = wire;
        this.drainTask = channel::drain;
    }

    /** Takes a frame over, on any thread. */
    void add(Frame frame) {
        boolean owned = wire.isOwner();
        arrived.add(frame);
        if (owned && held) {
            heldBytes += frame.bodyBytes();
            if (heldBytes >= BATCH_BYTES) {
                drain();
            }
            return;
        }
        schedule();
    }

    private void schedule() {
        if (scheduled.compareAndSet(false, true)) {
            try {
                wire.execute(drainTask);
            } catch (RejectedExecutionException e) {
                discard();
            }
        }
    }

    /** The owner is reading, and will drain afterwards, or when enough has come together. */
    void hold() {
        held = true;
    }

    void unhold() {
        held = false;
    }

    /** Bytes of answers that wait here. */
    long answerBytes() {
        return answerBytes;
    }

    /** Frames given to the wire so far. */
    long sentCount() {
        return sentCount;
    }

    /** Gives to the wire what it takes. */
    void drain() {
        scheduled.set(false);
        heldBytes = 0;
        takeArrived();
        boolean wrote = batch != null;
        while (channel.isAlive() && wire.isWritable()) {
            Frame frame = waiting.poll();
            if (frame == null) {
                break;
            }
            wrote |= write(frame);
        }
        if (wrote) {
            writeBatch();
            wire.flush();
        }
    }

    private void takeArrived() {
        for (Frame frame = arrived.poll(); frame != null; frame = arrived.poll()) {
            if (!channel.isAlive()) {
                drop(frame);
            } else if (frame.call == null || channel.remember(frame.call)) {
                count(frame, 1);
                if (frame.call != null) {
                    frame.call.setUnsent(frame);
                }
                waiting.add(frame);
            } else {
                frame.release();
            }
        }
        if (oneWays > MAX_ONE_WAYS || oneWayBytes > MAX_ONE_WAY_BYTES) {
            channel.breakOff("it does not read: " + oneWays + " messages wait for it");
        }
    }

    private void count(Frame frame, int sign) {
        switch (frame.kind) {
            case REPLY, FAILURE -> {
                answerBytes += (long) sign * frame.bodyBytes();
                if (sign > 0) {
                    channel.answered(frame);
                }
            }
            case ONE_WAY -> {
                oneWays += sign;
                oneWayBytes += (long) sign * frame.bodyBytes();
            }
            case HELLO, REQUEST, TRACED, BEAT -> {}
        }
    }

    /** False for a call that is over already. */
    private boolean write(Frame frame) {
        count(frame, -1);
        Call call = frame.call;
        if (call != null) {
            call.setUnsent(null);
            if (call.isOver()) {
                frame.release();
                return false;
            }
        }
        ByteBuf payload = put(frame);
        if (payload != null) {
            writeBatch();
            wire.write(payload);
        } else if (batch != null && batch.readableBytes() >= BATCH_BYTES) {
            writeBatch();
        }
        return true;
    }

    /** Puts a frame into the batch; its payload, when that is too large to be copied. */
    private @Nullable ByteBuf put(Frame frame) {
        sentCount++;
        ByteBuf head = batch;
        if (head == null) {
            int bytes = Preface.BYTES + frame.header.length;
            head = wire.allocator().directBuffer(Math.max(bytes, FIRST_BATCH_BYTES));
            batch = head;
        }
        frame.writeHead(head);
        ByteBuf payload = frame.takePayload();
        if (payload != null && payload.readableBytes() <= COPIED_BYTES) {
            head.writeBytes(payload);
            payload.release();
            return null;
        }
        return payload;
    }

    private void writeBatch() {
        ByteBuf bytes = batch;
        if (bytes != null) {
            batch = null; // writing may lead back to drain()
            wire.write(bytes);
        }
    }

    /** Gives everything to the wire, which is finished after that. */
    void flushAll() {
        takeArrived();
        for (Frame frame = waiting.poll(); frame != null; frame = waiting.poll()) {
            write(frame);
        }
        writeBatch();
    }

    /** Drops everything: the connection has ended. */
    void discard() {
        if (batch != null) {
            batch.release();
            batch = null;
        }
        for (Frame frame = waiting.poll(); frame != null; frame = waiting.poll()) {
            frame.release();
        }
        for (Frame frame = arrived.poll(); frame != null; frame = arrived.poll()) {
            drop(frame);
        }
    }

    private void drop(Frame frame) {
        frame.release();
        if (frame.call != null) {
            channel.dropped(frame.call);
        }
    }
}
