package io.cairn.net.frame;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Message;
import io.cairn.net.TimerWheel;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A request of this side that waits for its answer. Lives on the loop of its channel. */
final class Call extends TimerWheel.Entry {
    final long requestId;
    final CompletableFuture<Message> future = new CompletableFuture<>();
    private final FrameChannel channel;
    private final long timeoutMs;
    private final long deadlineNs;
    private @Nullable Frame unsent;

    Call(FrameChannel channel, long requestId, long timeoutMs, long nowNs) {
        this.channel = channel;
        this.requestId = requestId;
        this.timeoutMs = timeoutMs;
        this.deadlineNs = nowNs + timeoutMs * 1_000_000;
    }

    long remainingMs(long nowNs) {
        return (deadlineNs - nowNs) / 1_000_000;
    }

    /** Remembers the frame while it has not been sent: null once it was. */
    void setUnsent(@Nullable Frame frame) {
        unsent = frame;
    }

    @Override
    public void expire() {
        channel.forget(this);
        fail(
                new FsException(
                        Errno.ETIMEDOUT,
                        "no answer from " + channel.remote() + " within " + timeoutMs + " ms"));
    }

    /** Its answer is there. */
    void answered(FrameKind kind, Message message) {
        if (kind == FrameKind.REPLY) {
            succeed(message);
        } else {
            fail(Frame.failure(message.header()));
        }
    }

    /** Gives the answer to the caller. */
    private void succeed(Message reply) {
        if (!future.complete(reply)) {
            reply.release();
        }
    }

    /** Fails the call; a frame still unsent loses its payload at once. */
    void fail(FsException error) {
        Frame frame = unsent;
        if (frame != null) {
            frame.release();
        }
        future.completeExceptionally(error);
    }

    /** Whether the caller or the timeout has finished it before it was sent. */
    boolean isOver() {
        return future.isDone();
    }
}
