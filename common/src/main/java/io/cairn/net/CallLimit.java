package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.wire.Limits;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Limits of one side of a connection: messages of bounded size, calls of bounded number. */
public final class CallLimit {
    private final Endpoint remote;
    private final AtomicInteger inFlight = new AtomicInteger();

    public CallLimit(Endpoint remote) {
        this.remote = remote;
    }

    /** Why a message must not be sent: EINVAL; null when it may be. */
    public static @Nullable FsException refusal(Message message) {
        return exceeded(message)
                ? new FsException(
                        Errno.EINVAL, "message of " + sizeOf(message) + " exceeds the limits")
                : null;
    }

    public static boolean exceeded(Message message) {
        return message.header().length > Limits.MAX_HEADER_BYTES
                || message.payloadBytes() > Limits.MAX_PAYLOAD_BYTES;
    }

    public static String sizeOf(Message message) {
        return "%d + %d bytes".formatted(message.header().length, message.payloadBytes());
    }

    /** A call begins: null, and {@link #leave} must follow; or why it must not: EAGAIN. */
    public @Nullable FsException enter() {
        if (inFlight.incrementAndGet() <= Limits.MAX_IN_FLIGHT) {
            return null;
        }
        inFlight.decrementAndGet();
        return new FsException(
                Errno.EAGAIN, Limits.MAX_IN_FLIGHT + " calls to " + remote + " are in flight");
    }

    /** Calls that are not over. */
    public int inFlight() {
        return inFlight.get();
    }

    /** A call is over. */
    public void leave() {
        inFlight.decrementAndGet();
    }
}
