package io.cairn.net.frame;

import io.cairn.net.Principal;
import io.cairn.net.TimerWheel;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;

/**
 * Carries the bytes of a {@link FrameChannel}, and runs it. It tells the channel when it is
 * connected, what came in, that more can be written, and that it has ended, one at a time. All but
 * {@link #isOwner} and {@link #execute} is for the owner only.
 */
public interface Wire {
    /** Whether the calling thread runs the channel now. For any thread. */
    boolean isOwner();

    /**
     * Runs a task as the owner, soon. From any thread.
     *
     * @throws java.util.concurrent.RejectedExecutionException when nothing runs any more
     */
    void execute(Runnable task);

    /**
     * The other side. Asked once, when it has greeted.
     *
     * @param address the address it speaks from
     */
    default Principal principal(String address) {
        return Principal.anonymous(address);
    }

    /** Timers of the owner. */
    TimerWheel wheel();

    /** Makes buffers for what is sent and received. */
    ByteBufAllocator allocator();

    /** Whether it takes more now; else the channel is told when it does. */
    boolean isWritable();

    /** Takes bytes over; they are on their way after {@link #flush}. */
    void write(ByteBuf bytes);

    /** Gives the network what was written. */
    void flush();

    /** Bytes that the network has not taken. */
    long unsentBytes();

    /** Whether bytes are to be read; a little more may come in nevertheless. */
    void setReading(boolean reading);

    /** Closes when everything is sent, or when the other side does not take it for a while. */
    void finish();

    /** Closes at once; the channel is told. Idempotent. */
    void close();

    /** The same, and what the network has not taken yet never goes out. */
    void abort();
}
