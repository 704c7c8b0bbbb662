package io.cairn.net;

import io.cairn.base.Errno;
import io.cairn.base.FsException;
import io.cairn.cluster.Endpoint;
import io.cairn.runtime.Attendant;
import io.cairn.runtime.Clock;
import io.cairn.trace.TraceContext;
import io.cairn.wire.MalformedMessageException;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A {@link Line} to a service of the same process: the service takes the request on the caller's
 * own thread.
 */
final class LocalLine implements Line, Handler {
    private final Handler service;
    private final Clock clock;
    private final Lookout lookout;
    private @Nullable LocalConnection connection;
    private volatile @Nullable Waiting current;

    private LocalLine(Handler service, Clock clock, Lookout lookout) {
        this.service = service;
        this.clock = clock;
        this.lookout = lookout;
    }

    /**
     * Makes a line.
     *
     * @param connect makes the connection that stands for the line at the service, with the
     *     caller's handler
     * @param lookout shared by the lines of a transport
     */
    static LocalLine connect(
            Function<Handler, CompletableFuture<LocalConnection>> connect,
            Handler service,
            Clock clock,
            Lookout lookout,
            long timeoutMs) {
        LocalLine line = new LocalLine(service, clock, lookout);
        try {
            line.connection = connect.apply(line).get(timeoutMs, TimeUnit.MILLISECONDS);
            return line;
        } catch (ExecutionException | TimeoutException e) {
            throw new FsException(Errno.DISCONNECTED, "the service is closing", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new FsException(Errno.EINTR, "interrupted", e);
        }
    }

    /** What a thread waits for. */
    private static final class Waiting implements Answer {
        private final Thread waiter = Thread.currentThread();
        private final int version;
        private volatile @Nullable Object outcome;

        Waiting(int version) {
            this.version = version;
        }

        @Override
        public void send(Message content) {
            Message reply = content.encoded(version);
            if (!arrive(reply)) {
                reply.release();
            }
        }

        @Override
        public void fail(FsException error) {
            arrive(error);
        }

        /** False when there is an outcome already. */
        private synchronized boolean arrive(Object what) {
            if (outcome != null) {
                return false;
            }
            outcome = what;
            LockSupport.unpark(waiter);
            return true;
        }

        boolean isThere() {
            return outcome != null;
        }

        /** The answer; null when it does not come in time. Goes on when interrupted. */
        @Nullable Object await(Clock clock, long timeoutNs) {
            long deadlineNs = clock.nanoTime() + timeoutNs;
            boolean interrupted = false;
            for (long left = timeoutNs;
                    outcome == null && left > 0;
                    left = deadlineNs - clock.nanoTime()) {
                LockSupport.parkNanos(this, left);
                interrupted |= Thread.interrupted();
            }
            if (interrupted) {
                waiter.interrupt();
            }
            return outcome;
        }
    }

    private LocalConnection connection() {
        return Objects.requireNonNull(connection);
    }

    /** Who waits at a line expects nothing but answers. */
    @Override
    public void handle(Connection from, Message request, Answer answer) {
        request.release();
        answer.fail(new FsException(Errno.EPROTO, "nothing is served on a line"));
    }

    @Override
    public void closed(Connection ended) {
        Waiting waiting = current;
        if (waiting != null) {
            waiting.fail(lost());
        }
    }

    @Override
    public Endpoint remote() {
        return connection().remote();
    }

    @Override
    public boolean isOpen() {
        return connection().isOpen();
    }

    @Override
    public int version() {
        return connection().version();
    }

    @Override
    public Message call(byte[] request, long timeoutMs, @Nullable TraceContext trace) {
        if (request.length > MAX_REQUEST_BYTES) {
            throw new FsException(Errno.EINVAL, request.length + " bytes are too many for a line");
        }
        Waiting waiting = new Waiting(version());
        current = waiting;
        if (!isOpen()) {
            throw lost();
        }
        try {
            LocalConnection.handle(
                    service,
                    connection().otherSide(),
                    new Message(request, null, version()).traced(trace),
                    waiting);
        } catch (MalformedMessageException e) {
            close();
        }
        return switch (await(waiting, timeoutMs)) {
            case Message reply -> reply;
            case FsException error ->
                    throw new FsException(error.errno(), String.valueOf(error.getMessage()), error);
            default -> throw lost();
        };
    }

    private FsException lost() {
        return new FsException(Errno.DISCONNECTED, "connection with " + remote() + " lost");
    }

    private Object await(Waiting waiting, long timeoutMs) {
        Object outcome = waiting.outcome;
        if (outcome == null) {
            if (!lookout.sees(waiting::isThere)) {
                Attendant.aboutToWait();
            }
            outcome = waiting.await(clock, TimeUnit.MILLISECONDS.toNanos(timeoutMs));
        }
        if (outcome != null) {
            return outcome;
        }
        FsException late =
                new FsException(
                        Errno.ETIMEDOUT,
                        "no answer from " + remote() + " within " + timeoutMs + " ms");
        waiting.fail(late);
        close();
        return Objects.requireNonNullElse(waiting.outcome, late);
    }

    @Override
    public void close() {
        connection().close();
    }
}
