package io.cairn.net.frame;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.net.Answer;
import io.cairn.net.CallLimit;
import io.cairn.net.Message;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where the answer to one request goes. Thread-safe; the first completion counts. */
final class RequestAnswer implements Answer {
    private static final Logger LOG = LoggerFactory.getLogger(RequestAnswer.class);

    private final FrameChannel channel;
    private final long requestId;
    private final int requestBytes;
    private final AtomicBoolean done = new AtomicBoolean();

    RequestAnswer(FrameChannel channel, long requestId, int requestBytes) {
        this.channel = channel;
        this.requestId = requestId;
        this.requestBytes = requestBytes;
    }

    @Override
    public void send(Message content) {
        Message reply = content.encoded(channel.version());
        if (!done.compareAndSet(false, true)) {
            reply.release();
            LOG.error(
                    "A request from {} was answered twice; the second answer is dropped",
                    channel.remote(),
                    new IllegalStateException("answered twice"));
            return;
        }
        if (CallLimit.exceeded(reply)) {
            String text = "answer of " + CallLimit.sizeOf(reply) + " exceeds the limits";
            LOG.error("Request from {}: {}", channel.remote(), text);
            reply.release();
            channel.answer(
                    Frame.failure(requestId, new FsException(Errno.EIO, text), requestBytes));
            return;
        }
        channel.answer(Frame.reply(requestId, reply, requestBytes));
    }

    @Override
    public void fail(FsException error) {
        if (done.compareAndSet(false, true)) {
            channel.answer(Frame.failure(requestId, error, requestBytes));
        }
    }
}
